"""Runs of every method on small data sets, and distances between results: for threads, compilers and golden."""
import json
import subprocess
import sys

# Variants besides the default of every method.
MORE = (('direction', 'structured', '--block-length', '5'), ('direction', 'nonsens', '--as-published'),
        ('direction', 'nonsens-lr', '--as-published'),
        ('direction', 'linear-ica', '--rule', 'likelihood-ratio'),
        ('discover', 'pc', '--test', 'kci'), ('discover', 'pc', '--test', 'rcit'),
        ('discover', 'pc-nonsens', '--orient-by', 'nonsens-lr', '--as-published'),
        ('discover', 'lingam', '--bootstrap', '8'),
        ('ica', 'score-matching'), ('ica', 'joint-diagonalisation'), ('ica', 'fastica'), ('ica', 'infomax'),
        ('independence', 'hsic', '--x', 'x1', '--y', 'x2'), ('independence', 'kci', '--x', 'x1', '--y', 'x2'),
        ('independence', 'rcit', '--x', 'x1', '--y', 'x2'), ('independence', 'information', '--x', 'x1', '--y', 'x2'),
        ('independence', 'fisher-z', '--x', 'x1', '--y', 'x2'), ('diagnose', ''),
        ('explain', 'structured', '--of', 's1'), ('explain', 'lingam', '--of', 's1', '--against', 's2'))
# The option for the second element of a run, if it is not the method.
CHOICE = {'independence': '--test'}
# These magnify rounding errors: iterations of a search that stops at a tolerance, and differences of two nearly equal
# sums.
ROUGH = ('iterations', 'contrast gap', 'assignment gap')
SMALL = ('--epochs', '5', '--patience', '5', '--restarts', '2')  # of networks: rounding errors grow with every step


def execute(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit('%s %s: exit %d: %s' % (program, ' '.join(map(str, words)), done.returncode, done.stderr))
    return done.stdout


def every_run(program):
    """Yields (command, method, option...) of every method in each of its uses, and of some variants."""
    for line in execute(program, 'methods').splitlines():
        method, *uses = line.split()[:3]
        for command in ('direction', 'discover'):
            if command in uses:
                yield (command, method)
    yield from MORE


def name(run):
    return ' '.join(run[:1] + (('by',) + run[1:] if run[1] else ()))


def result(program, run, path, *more):
    command, method, *words = run
    small = SMALL if command == 'direction' else ()
    chosen = (CHOICE.get(command, '--method'), method) if method else ()
    return json.loads(execute(program, command, path, '--segment', 'segment', *chosen, *words, *small,
                              '--json', '-', '-q', *more))


def scrub(value):
    """Returns a value without what may differ between equal runs."""
    if isinstance(value, dict):
        return {k: scrub(v) for k, v in value.items() if k not in ('seconds', 'threads', 'command')}
    return [scrub(v) for v in value] if isinstance(value, list) else value


def decided(found):
    """Returns the decisions only, without numbers."""
    kept = {k: found[k] for k in ('decision', 'direction', 'order') if k in found}
    if 'edges' in found:
        kept['edges'] = [[e['from'], e['type'], e['to']] for e in found['edges']]
    if 'explain' in found:
        kept['verdicts'] = [[v['variable'], v['verdict'], v['how']] for v in found['explain']['variables']]
    return kept


def numbers(found):
    """Returns scores, p-values, weights of edges and the evidence, by name."""
    kept = {k: found.get(k) for k in ('score', 'p_value')}
    for k, e in enumerate(e for e in found.get('evidence', ()) if e['name'] not in ROUGH):
        kept['%d %s' % (k, e['name'])] = e['value']
        kept['%d %s, p-value' % (k, e['name'])] = e['p_value']
    for e in found.get('edges', ()):
        for key in ('weight', 'p_value', 'support'):
            kept['%s %s %s, %s' % (e['from'], e['type'], e['to'], key)] = e[key]
    for key in ('unmixing', 'mixing'):
        for i, row in enumerate(found.get(key, ())):
            kept.update(('%s[%d][%d]' % (key, i, j), value) for j, value in enumerate(row))
    for variable in found.get('explain', {}).get('variables', ()):
        kept.update(('%s, %s' % (variable['variable'], key), value) for key, value in variable.items())
    return {k: v for k, v in kept.items() if isinstance(v, (int, float))}


def apart(one, other, near_zero):
    """Returns the largest relative difference and its name; for numbers below near_zero it is relative to near_zero."""
    if one.keys() != other.keys():
        return float('inf'), ', '.join(sorted(one.keys() ^ other.keys()))
    distance = {k: abs(one[k] - other[k]) / max(abs(one[k]), abs(other[k]), near_zero) for k in one}
    worst = max(distance, key=distance.get, default=None)
    return (distance[worst], worst) if worst else (0.0, '')


class Checks:
    """Prints one line per check, and how many passed at the end."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, ok, why=''):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        print(('ok      ' if ok else 'FAILED  ') + what + ('' if ok else '  ' + str(why)[:400]), flush=True)

    def end(self):
        print('%d passed, %d failed' % (self.passed, self.failed))
        sys.exit(self.failed > 0)


# Options of `simulate` for pairs and graphs, by name.
DATA = {'pair1': '--depth 2 --segments 6 --per-segment 100 --seed 4',
        'pair2': '--depth 1 --segments 8 --per-segment 80 --seed 3',
        'pair3': '--depth 3 --segments 5 --per-segment 150 --seed 7',
        'graph1':
        '--sem node --nodes 3 --edge-prob 0.6 --modulate cause --segments 8 --per-segment 50 --seed 1 --depth 1',
        'graph2':
        '--sem node --nodes 4 --edge-prob 0.6 --modulate cause --segments 9 --per-segment 30 --seed 2 --depth 1'}


def simulate(program, data):
    """Writes the file and returns its name."""
    execute(program, 'simulate', *DATA[data].split(), '-o', data + '.csv')
    return data + '.csv'


def suits(run, data):
    return data.startswith('graph') == (run[0] in ('discover', 'explain'))


# How far numbers may differ through rounding alone, relative to the larger one or to NEAR_ZERO.  Networks are trained
# in single precision, and every rounding error carries over.
NEAR_ZERO = 1e-3


def tolerance(run):
    if run[0] == 'discover' and '--as-published' in run:
        return 1e300  # trained to the end: only its decisions are compared
    return 0.05 if run[1] in ('nonsens', 'nonsens-lr') else 1e-4
