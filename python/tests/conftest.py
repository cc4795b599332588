"""What the tests share.  NONSENS_TEST_PROGRAM and NONSENS_TEST_BUILD come from tests/run."""

import importlib
import json
import os
import subprocess
from pathlib import Path

import numpy
import pytest

import nonsens

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("NONSENS_TEST_PROGRAM", str(ROOT / "build" / "nonsens"))


def need(name):
    """The package, or the test is skipped; where NONSENS_REQUIRE_PYTHON is set it must be there."""
    if os.environ.get("NONSENS_REQUIRE_PYTHON"):
        return importlib.import_module(name)
    return pytest.importorskip(name)


def run_program(*words, code=0):
    """Standard output of the program."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done.stdout


def comparable(document):
    """A result without what may differ between equal runs."""
    found = json.loads(document)
    del found["seconds"], found["nonsens"]["threads"]
    found["nonsens"].pop("command", None)
    return found


def write_csv(path, names, X, segments=None, label="segment"):
    """Every double as Python prints it, so that it reads back as the same."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(list(names) + ([label] if segments is not None else [])) + "\n")
        for i, row in enumerate(numpy.asarray(X).tolist()):
            cells = ["" if value != value else repr(value) for value in row]
            file.write(",".join(cells + ([str(segments[i])] if segments is not None else [])) + "\n")
    return path


@pytest.fixture(scope="session")
def pair():
    """x2 -> x1."""
    return nonsens.simulate(depth=2, per_segment=150, segments=6, random_state=3)


@pytest.fixture(scope="session")
def four():
    """Four variables, small."""
    return nonsens.simulate(sem="node", nodes=4, depth=2, per_segment=40, segments=10, random_state=3)
