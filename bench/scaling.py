#!/usr/bin/python3
"""scaling.py NONSENS SCRATCH - measures the time on one core, and what many cores add.

NONSENS is the program; SCRATCH a folder for the tables.  Prints one thread's time for a pair and for a graph of six, the
times of graphs of six, twenty and fifty variables on all cores, and how well threads are used:

    threads.NAME     the time of one thread over that of a run on all cores
    efficiency.NAME  as many runs as there are cores, each on one thread and all at once: their time over (cores
                     times that of one run on all cores); for pairs, shards instead of runs

Cores may share units of the processor, so an efficiency says more than a speed-up.
"""
import os
import statistics
import subprocess
import sys
import time

CORES = len(os.sched_getaffinity(0))
PAIRS = 12 * CORES  # of fifty variables; all of them take minutes on few cores


class Bench:
    def __init__(self, nonsens, scratch):
        self.nonsens, self.scratch = nonsens, scratch

    def path(self, name):
        return os.path.join(self.scratch, name)

    def simulate(self, name, *options):
        subprocess.run([self.nonsens, 'simulate', *options, '-o', self.path(name)], capture_output=True, check=True)
        return self.path(name)

    def seconds(self, *command, at_once=1):
        """Returns the time until all of `at_once` equal runs have ended."""
        begun = time.perf_counter()
        runs = [subprocess.Popen([self.nonsens, *command, '-q'], stdout=subprocess.DEVNULL) for _ in range(at_once)]
        if any([run.wait() for run in runs]):
            sys.exit('%s failed' % ' '.join(command))
        return time.perf_counter() - begun

    def median(self, *command, runs=3, at_once=1):
        return statistics.median(self.seconds(*command, at_once=at_once) for _ in range(runs))


def take(name, value, unit):
    print('bench %s %.4g %s' % (name, value, unit), flush=True)


def compare_threads(bench, name, command):
    """Times one thread, all cores, and one single-threaded run per core; returns the first."""
    one, together = bench.median(*command, '--threads', '1'), bench.median(*command, '--threads', str(CORES))
    apart = bench.median(*command, '--threads', '1', at_once=CORES)
    take('threads.' + name, one / together, 'ratio')
    take('efficiency.' + name, apart / (CORES * together), 'ratio')
    return one


def write_pairs(path):
    names = ['x%d' % (i + 1) for i in range(50)]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1:]]
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines('%s %s\n' % pair for pair in pairs[::len(pairs) // PAIRS][:PAIRS])


def compare_shards(bench):
    table = bench.simulate('fifty.csv', '--sem', 'node', '--nodes', '50', '--segments', '10', '--per-segment', '100', '--seed', '7')
    write_pairs(bench.path('pairs'))
    command = ['direction', table, '--segment', 'segment', '--pairs', bench.path('pairs')]
    together = bench.seconds(*command, '--threads', str(CORES))
    begun = time.perf_counter()
    shards = [subprocess.Popen([bench.nonsens, *command, '--threads', '1', '--shard', '%d/%d' % (i + 1, CORES), '--journal',
                                bench.path('shard%d' % i), '-q'], stdout=subprocess.DEVNULL) for i in range(CORES)]
    if any([shard.wait() for shard in shards]):
        sys.exit('a shard failed')
    take('pairs.d50', PAIRS / together, 'pairs/s')
    take('efficiency.pairs', (time.perf_counter() - begun) / together, 'ratio')


def main():
    bench = Bench(*sys.argv[1:])
    pair = bench.simulate('pair.csv', '--seed', '1')
    take('direction.structured.one_thread', compare_threads(bench, 'direction', ['direction', pair, '--segment', 'segment']), 's')
    take('direction.structured.no_opinions',
         bench.median('direction', pair, '--segment', 'segment', '--opinions', 'none', runs=5), 's')
    for nodes, runs in (6, 3), (20, 1), (50, 1):
        table = bench.simulate('graph%d.csv' % nodes, '--sem', 'node', '--nodes', str(nodes), '--segments', '20', '--depth', '3',
                               '--seed', '5')
        command = ['discover', table, '--segment', 'segment']
        if nodes == 6:
            take('discover.d6e20.one_thread', compare_threads(bench, 'discover', command), 's')
        take('discover.d%de20' % nodes, bench.median(*command, runs=runs), 's')
    compare_shards(bench)


main()
