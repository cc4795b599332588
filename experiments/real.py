#!/usr/bin/env python3
"""Runs `nonsens direction` on real pairs whose cause is known, and prints its answers.

    experiments/real.py PROGRAM [DATA [OPTION...]]

DATA (default: $NONSENS_DATA, or ../shared/data) holds real_pairs/ (index.csv names cause, effect and source of each
file, segments in the column `seg`) and chamber/light_tunnel.csv (red, green and blue cause current, ir_1 and vis_1).
Options go to every run.
"""
import collections
import csv
import itertools
import json
import math
import os
import subprocess
import sys

INPUTS, SENSORS = ("red", "green", "blue"), ("current", "ir_1", "vis_1")


class Pair:
    """A pair and the program's answer; cause is None if neither variable causes the other."""

    def __init__(self, source, path, segment, cause, effect, related=True):
        self.source, self.path, self.segment = source, path, segment
        self.cause, self.effect, self.related = cause, effect, related
        self.found = None

    def run(self, program, options):
        first, second = sorted((self.cause, self.effect))
        command = [program, "direction", self.path, "--segment", self.segment, "--x", first, "--y", second]
        answer = subprocess.run(command + options + ["-q", "--json", "-"], capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            sys.exit(f"{' '.join(command)}: {answer.stderr.strip()}")
        self.found = json.loads(answer.stdout)

    @property
    def truth(self):
        return f"{self.cause}->{self.effect}" if self.related else None

    def judge(self, field):
        """Returns right, wrong, or the field's term if no direction is named."""
        said = self.found[field]
        return "none" if said is None else said if "->" not in said else "right" if said == self.truth else "wrong"


def source_of(name):
    """Returns the data set that a pair comes from: pairs from one source are not independent evidence."""
    return name.split("_")[0]


def real_pairs(folder):
    with open(os.path.join(folder, "index.csv"), encoding="utf-8") as file:
        return [Pair(source_of(row["file"]), os.path.join(folder, row["file"]), "seg", row["cause"], row["effect"])
                for row in csv.DictReader(file)]


def chamber_pairs(folder):
    path = os.path.join(folder, "light_tunnel.csv")
    related = [Pair("chamber", path, "environment", a, b) for a, b in itertools.product(INPUTS, SENSORS)]
    return related + [Pair("chamber", path, "environment", a, b, False) for a, b in itertools.combinations(SENSORS, 2)]


def print_pairs(pairs):
    print(f"{'pair':36} {'decision':14} {'firm':6} {'named':6} alternatives")
    for pair in pairs:
        name = f"{os.path.basename(pair.path)[:-4]} {pair.cause} {pair.effect}" if pair.source == "chamber" \
            else os.path.basename(pair.path)[:-4]
        firm = {True: "yes", False: "no", None: ""}[pair.found["firm"]]
        print(f"{name[-36:]:36} {pair.judge('decision'):14} {firm:6} {pair.judge('direction'):6} "
              f"{' '.join(pair.found['alternatives'])}")


def count(pairs, field, value):
    return sum(pair.judge(field) == value for pair in pairs)


def summary(title, pairs):
    firm = [pair for pair in pairs if pair.found["firm"]]
    right = {pair.source for pair in pairs if pair.judge("decision") == "right"}
    print(f"{title}: {len(pairs)} pairs; concluded right {count(pairs, 'decision', 'right')} "
          f"(from {len(right)} sources), wrong {count(pairs, 'decision', 'wrong')}, "
          f"neither {count(pairs, 'decision', 'neither')}, independent {count(pairs, 'decision', 'independent')}; "
          f"firm and right {count(firm, 'decision', 'right')}, firm and wrong {count(firm, 'decision', 'wrong')}; "
          f"named right {count(pairs, 'direction', 'right')}, wrong {count(pairs, 'direction', 'wrong')}")


def by_source(pairs):
    groups = collections.defaultdict(list)
    for pair in pairs:
        groups[pair.source].append(pair)
    return groups


def print_reliability(title, pairs):
    """Prints how often the named direction is correct, with an interval from leaving out one source at a time."""
    right, groups = count(pairs, "direction", "right"), by_source(pairs)
    left = [(right - count(group, "direction", "right")) / (len(pairs) - len(group)) for group in groups.values()]
    mean, share = sum(left) / len(left), right / len(pairs)
    error = math.sqrt((len(left) - 1) / len(left) * sum((value - mean) ** 2 for value in left))
    print(f"{title}: named right {right} of {len(pairs)}, {share:.2f}, 95 % interval {max(0, share - 1.96 * error):.2f} to "
          f"{min(1, share + 1.96 * error):.2f} (jackknife over {len(left)} sources)")


def print_sources(pairs):
    """Prints how often the named direction is correct, source by source, and without each source in turn."""
    total = count(pairs, "direction", "right")
    print(f"{'source':12} {'pairs':>5} {'concluded right':>15} {'wrong':>5} {'named right':>11} {'without it':>10}")
    for source, group in by_source(pairs).items():
        right = count(group, "direction", "right")
        print(f"{source:12} {len(group):5} {count(group, 'decision', 'right'):15} {count(group, 'decision', 'wrong'):5} "
              f"{right:11} {(total - right) / (len(pairs) - len(group)):10.2f}")
    print_reliability("all pairs", pairs)
    print_reliability("pairs without a conclusion", [p for p in pairs if p.judge("decision") not in ("right", "wrong")])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    data = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("NONSENS_DATA", "../shared/data")
    folders = {name: os.path.join(data, name) for name in ("real_pairs", "chamber")}
    if not all(os.path.isdir(folder) for folder in folders.values()):
        print(f"skipped: {data} has no folders real_pairs and chamber")
        return
    real, chamber = real_pairs(folders["real_pairs"]), chamber_pairs(folders["chamber"])
    for pair in real + chamber:
        pair.run(sys.argv[1], sys.argv[3:])
    print_pairs(real + chamber)
    print()
    print_sources(real)
    related = [pair for pair in chamber if pair.related]
    summary("real pairs", real)
    summary("light tunnel, cause and effect", related)
    summary("light tunnel, common causes", [pair for pair in chamber if not pair.related])


if __name__ == "__main__":
    main()
