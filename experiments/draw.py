#!/usr/bin/python3
"""draw.py FOLDER [FIGURE...] - draws the pictures of figures from their tables: FOLDER/FIGURE.csv to FOLDER/*.svg.

Without names, it draws every figure whose table is in the folder.  A picture shows what its table has, and nothing
else.  The same table gives the same file.  Points, standard errors and grid lines have ids (`point PANEL SERIES X`), so
that tests/docs/figures can compare a picture with its table.

Colours are those of Okabe and Ito and of Tol, which colour-blind readers can distinguish; every series has its own
marker."""
import argparse
import collections
import csv
import math
import os
import sys

try:
    import matplotlib
except ImportError:
    sys.exit('draw.py: matplotlib is missing for %s; tools/install_packages installs it '
             '(Debian: apt install python3-matplotlib)' % sys.executable)
matplotlib.use('svg')
from matplotlib import pyplot  # noqa: E402 (the back end comes first)
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Ellipse, FancyArrowPatch  # noqa: E402
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter  # noqa: E402

matplotlib.rcParams.update({
    'svg.hashsalt': 'nonsens', 'svg.fonttype': 'none', 'font.family': 'DejaVu Sans', 'font.size': 11,
    'axes.titlesize': 12, 'axes.labelsize': 11, 'axes.edgecolor': '#444444', 'axes.linewidth': 0.8, 'axes.axisbelow': True,
    'grid.color': '#e2e2e2', 'grid.linewidth': 0.8, 'xtick.color': '#444444', 'ytick.color': '#444444',
    'xtick.labelcolor': 'black', 'ytick.labelcolor': 'black', 'figure.facecolor': 'white', 'legend.frameon': False})

BLUE, ORANGE, GREEN, SKY, VERMILLION, PURPLE = '#0072b2', '#e69f00', '#009e73', '#56b4e9', '#d55e00', '#cc79a7'
BLACK, GREY, WINE, TEAL = '#000000', '#666666', '#882255', '#44aa99'


# ---- series ----

class Series(collections.namedtuple('Series', 'key label colour marker filled dashes width')):
    """How the points of a method look."""

    @property
    def looks(self):
        return {'color': self.colour, 'marker': self.marker, 'markersize': 7.5 if self.width > 2 else 6,
                'markerfacecolor': self.colour if self.filled else 'white', 'markeredgecolor': self.colour,
                'markeredgewidth': 1.3 if not self.filled or self.marker in 'xX+' else 0.6}

    @property
    def height(self):
        """Returns the layer of a method: baselines below variants below our method."""
        return 3 + self.width


def ours(key, label):
    return Series(key, label, BLUE, 'o', True, '-', 3.0)


def variant(key, label, colour, marker, dashes='-'):
    return Series(key, label, colour, marker, True, dashes, 1.6)


def baseline(key, label, colour, marker, filled=True, dashes=(0, (5, 2))):
    return Series(key, label, colour, marker, filled, dashes, 1.1)


BASELINES = [baseline('lingam', 'DirectLiNGAM', SKY, 'P'), baseline('resit', 'RESIT', BLACK, 'X'),
             baseline('icp', 'non-linear ICP', PURPLE, 'o', False), baseline('cdnod', 'CD-NOD', WINE, 's', False)]

# Rules that may leave the direction open.
DECIDING = [ours('structured', 'structured (ours)'), variant('nonsens', 'NonSENS, repaired', VERMILLION, 's'),
            variant('as-published', 'NonSENS as published', GREEN, '^'),
            variant('true-sources', 'true disturbances, same tests', GREY, 'D', ':'),
            baseline('linear-ica', 'Linear-ICA NonSENS', ORANGE, 'v')] + BASELINES

# Rules that always name a direction, because they assume an effect.  The paper leaves CD-NOD out here.
NAMING = [ours('structured', 'structured (ours)'), variant('nonsens-lr', 'NonSENS ratio, repaired', VERMILLION, 's'),
          variant('as-published-lr', 'NonSENS ratio as published', GREEN, '^'),
          variant('true-sources-lr', 'true disturbances, same ratio', GREY, 'D', ':'),
          baseline('linear-ica-lr', 'Linear-ICA NonSENS', ORANGE, 'v')] + BASELINES + \
         [baseline('reci', 'RECI', TEAL, '*')]

GRAPH_METHODS = [ours('structured', 'structured (ours)'),
                 variant('pc-nonsens-structured', 'pc-nonsens, directions by structured', ORANGE, '>'),
                 variant('pc-nonsens-tests', 'pc-nonsens, directions by tests', VERMILLION, 's'),
                 variant('pc-nonsens-lr', 'pc-nonsens, directions by ratio', PURPLE, '<'),
                 variant('pc-nonsens-published', 'pc-nonsens as published', GREEN, '^'),
                 baseline('pc', 'PC', GREY, 'D', False)] + [s for s in BASELINES if s.key != 'icp']

ALGORITHMS = [variant('score-matching-log-cosh', 'score matching, log cosh', SKY, 's'),
              variant('fastica', 'FastICA', VERMILLION, '^'), variant('infomax', 'extended Infomax', GREEN, 'D'),
              variant('joint-diagonalisation', 'joint diagonalisation', PURPLE, 'v')]
ALGORITHMS = [ours('score-matching', 'score matching')] + ALGORITHMS


# ---- tables ----

def rows_of(path):
    with open(path, newline='', encoding='utf-8') as lines:
        return list(csv.DictReader(lines))


def number(text):
    return float(text) if text else math.nan


def repetitions(rows):
    """Formats numbers of repetitions: "20", or "5 to 10"."""
    counts = sorted({int(row['reps']) for row in rows})
    return '%d' % counts[0] if len(counts) == 1 else '%d to %d' % (counts[0], counts[-1])


# ---- panels of points and lines ----

Panel = collections.namedtuple('Panel', 'name rows series_key x_key y_key')  # the name is part of ids


def draw_series(axes, panel, series, places):
    """Draws one method in one panel; places: the position of each x, as (x of the table, x in the picture)."""
    points = {row[panel.x_key]: (number(row[panel.y_key]), number(row[panel.y_key + '_se'])) for row in panel.rows
              if row[panel.series_key] == series.key and row[panel.y_key]}
    shown = [(name, at, *points[name]) for name, at in places if name in points]
    axes.plot([at for _, at, _, _ in shown], [y for _, _, y, _ in shown], color=series.colour, linestyle=series.dashes,
              linewidth=series.width, zorder=series.height, clip_on=False, solid_joinstyle='round')
    for name, at, y, error in shown:
        this = '%s %s %s' % (panel.name, series.key, name)
        if not math.isnan(error):
            axes.plot([at, at], [y - error, y + error], color=series.colour, linewidth=1.4, zorder=8, marker='_',
                      markersize=6, markeredgewidth=1.4, clip_on=False, gid='error ' + this)
        axes.plot([at], [y], linestyle='none', zorder=9 + series.height, clip_on=False, gid='point ' + this, **series.looks)


def draw_panel(axes, panel, all_series, names, place, step):
    """Draws a panel.  names: the places along x, from the table; place: their positions; step: between series."""
    present = [s for s in all_series if any(row[panel.series_key] == s.key for row in panel.rows)]
    for series in present:
        aside = all_series.index(series) - (len(all_series) - 1) / 2
        draw_series(axes, panel, series, [(name, place(name, aside * step)) for name in names])
    axes.grid(True, axis='y')
    for spine in ('top', 'right'):
        axes.spines[spine].set_visible(False)


def mark_grid(axes, name):
    """Gives every horizontal grid line an id with its value."""
    for tick, value in zip(axes.yaxis.get_major_ticks(), axes.get_yticks()):
        tick.gridline.set_gid('grid %s %.12g' % (name, value))


def add_legend(figure, all_series, rows, series_key, columns, top):
    present = [s for s in all_series if any(row[series_key] == s.key for row in rows)]
    lines = [Line2D([], [], linestyle=s.dashes, linewidth=s.width, **s.looks) for s in present]
    legend = figure.legend(lines, [s.label for s in present], loc='upper center', bbox_to_anchor=(0.5, top), ncol=columns,
                           handlelength=3.2, columnspacing=2.0, fontsize=11.5)
    for line, series in zip(legend.get_lines(), present):
        line.set_gid('legend ' + series.key)


def add_title(figure, title, note):
    width, height = figure.get_size_inches()
    figure.text(0.5, 1 - 0.14 / height, title, ha='center', va='top', fontsize=15, fontweight='bold')
    figure.text(0.35 / width, 0.12 / height, note, ha='left', va='bottom', fontsize=10, color='#555555')


def save(figure, path):
    figure.savefig(path, format='svg', metadata={'Date': None, 'Creator': 'experiments/draw.py'})
    pyplot.close(figure)
    print(path)


# ---- two variables ----

DEPTHS = 5
SWEEPS = {'segments': ('segments', 'segments (512 rows each)', 'rows_per_segment', '512', ['10', '30', '50']),
          'rows': ('rows_per_segment', 'rows per segment (10 segments)', 'segments', '10', ['128', '512', '2048'])}
ROW_TITLE = {('causal', 'right'): 'An effect exists: share of data sets in which the cause is named correctly',
             ('cyclic', 'right'): 'No acyclic structure: share of data sets in which no direction is named',
             ('causal', 'named'): 'An effect is assumed: share of data sets in which the true direction is preferred'}
BIVARIATE = {
    'bivariate-segments': ('Direction of two variables against the number of segments', DECIDING, 'right',
                           [('causal', 'segments'), ('cyclic', 'segments')]),
    'bivariate-rows': ('Direction of two variables against the rows of a segment', DECIDING, 'right',
                       [('causal', 'rows'), ('cyclic', 'rows')]),
    'bivariate-effect': ('Direction of two variables if an effect is assumed', NAMING, 'named',
                         [('causal', 'segments'), ('causal', 'rows')])}


def draw_bivariate_panel(axes, rows, structure, sweep, depth, all_series, value):
    x_key, _, fixed_key, fixed, usual = SWEEPS[sweep]
    on_sweep = [row for row in rows if row[fixed_key] == fixed]
    names = sorted({row[x_key] for row in on_sweep} | set(usual), key=int)
    here = [row for row in on_sweep if row['structure'] == structure and int(row['depth']) == depth]
    panel = Panel('%s-%s-%d' % (structure, sweep, depth), here, 'rule', x_key, value)
    draw_panel(axes, panel, all_series, names, lambda name, aside: names.index(name) + aside, 0.92 / len(all_series))
    axes.set_title('depth %d' % depth, pad=9)
    axes.set_xlim(-0.55, len(names) - 0.45)
    axes.set_ylim(-0.04, 1.04)
    axes.set_xticks(range(len(names)), names)
    axes.tick_params(axis='x', length=0)
    for border in range(1, len(names)):
        axes.axvline(border - 0.5, color='#ececec', linewidth=0.8, zorder=0)
    if structure == 'cyclic':
        axes.axhline(0.95, color='#b00000', linewidth=1.1, linestyle=(0, (6, 3)), zorder=2)
    mark_grid(axes, panel.name)


def draw_bivariate(folder, rows):
    for name, (title, all_series, value, plan) in BIVARIATE.items():
        figure, grid = pyplot.subplots(len(plan), DEPTHS, figsize=(17, 8.8), sharey=True)
        figure.subplots_adjust(left=0.045, right=0.99, top=0.865, bottom=0.2, hspace=0.56, wspace=0.07)
        for line, (structure, sweep) in enumerate(plan):
            for k in range(DEPTHS):
                draw_bivariate_panel(grid[line][k], rows, structure, sweep, k + 1, all_series, value)
            left, middle = grid[line][0].get_position(), grid[line][DEPTHS // 2].get_position()
            figure.text(left.x0, left.y1 + 0.048, ROW_TITLE[structure, value], fontsize=13, fontweight='bold')
            figure.text((middle.x0 + middle.x1) / 2, left.y0 - 0.056, SWEEPS[sweep][1], ha='center', fontsize=11.5)
            grid[line][0].set_ylabel('share')
        note = '%s data sets a point; bars: one standard error each way. Points of one setting stand side by side.' % \
            repetitions(rows)
        if ('cyclic', 'segments') in plan or ('cyclic', 'rows') in plan:
            note += ' Red: 95 %, what tests at level 0.05 aim at.'
        add_legend(figure, all_series, rows, 'rule', 5, 0.128)
        add_title(figure, title, note)
        save(figure, os.path.join(folder, name + '.svg'))


# ---- graphs of six variables ----

GENERATORS = {'layered': 'layered mixing, as in the paper', 'node': 'one mechanism per variable'}
GRAPH_MEASURES = {'f1': 'F1 of arrows', 'shd': 'structural Hamming distance'}


def draw_six_variables(folder, rows):
    generators = [g for g in GENERATORS if any(row['generator'] == g for row in rows)]
    names = ['1', '2', '3', '4', '5']
    figure, grid = pyplot.subplots(len(GRAPH_MEASURES), len(generators), squeeze=False,
                                   figsize=(11 if len(generators) == 1 else 16, 9.6))
    figure.subplots_adjust(left=0.08, right=0.98, top=0.9, bottom=0.2, hspace=0.2, wspace=0.12)
    for line, (value, label) in enumerate(GRAPH_MEASURES.items()):
        for k, generator in enumerate(generators):
            axes = grid[line][k]
            panel = Panel('%s-%s' % (generator, value), [r for r in rows if r['generator'] == generator], 'method', 'depth',
                          value)
            draw_panel(axes, panel, GRAPH_METHODS, names, lambda name, aside: int(name) + aside, 0.8 / len(GRAPH_METHODS))
            axes.set_xlim(0.5, 5.5)
            axes.set_xticks(range(1, 6))
            axes.tick_params(axis='x', length=0)
            for border in range(1, 5):
                axes.axvline(border + 0.5, color='#ececec', linewidth=0.8, zorder=0)
            if value == 'f1':
                axes.set_ylim(-0.03, 1.03)
                axes.set_title(GENERATORS[generator], pad=9)
            else:
                axes.set_ylim(bottom=-0.4)
                axes.set_xlabel('depth of the mixing')
            axes.set_ylabel(label)
            mark_grid(axes, panel.name)
    add_legend(figure, GRAPH_METHODS, rows, 'method', 3, 0.135)
    add_title(figure, 'Graphs of six variables', 'Means of %s data sets, 10 segments of 512 rows each; bars: one standard '
              'error each way. Better: a higher F1, a lower distance.' % repetitions(rows))
    save(figure, os.path.join(folder, 'six-variables.svg'))


# ---- linear ICA ----

ICA_PANELS = {('laplace', 'correlated'): 'Laplace sources, correlated modulations',
              ('laplace', 'random'): 'Laplace sources, random modulations',
              ('skewed', 'correlated'): 'Skewed sources, correlated modulations',
              ('skewed', 'random'): 'Skewed sources, random modulations'}


def draw_linear_ica(folder, rows):
    names = sorted({row['rows_per_segment'] for row in rows}, key=int)
    figure, grid = pyplot.subplots(2, 2, figsize=(13, 9.8), sharex=True, sharey=True)
    figure.subplots_adjust(left=0.075, right=0.98, top=0.895, bottom=0.155, hspace=0.19, wspace=0.07)
    for axes, ((sources, modulation), title) in zip(grid.flat, ICA_PANELS.items()):
        here = [r for r in rows if (r['sources'], r['modulation']) == (sources, modulation)]
        panel = Panel('%s-%s' % (sources, modulation), here, 'algorithm', 'rows_per_segment', 'amari')
        draw_panel(axes, panel, ALGORITHMS, names, lambda name, aside: float(name) * math.exp(aside), 0.05)
        axes.set_title(title, pad=9)
    for axes in grid.flat:
        axes.set_xscale('log')
        axes.set_yscale('log')
        axes.xaxis.set_major_locator(FixedLocator([float(name) for name in names]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticklabels(['{:,}'.format(int(name)) for name in names])
    low, high = grid[0][0].get_ylim()
    steps = [m * 10.0 ** e for e in range(-6, 2) for m in (1, 2, 5) if low <= m * 10.0 ** e <= high]
    for axes, (sources, modulation) in zip(grid.flat, ICA_PANELS):
        axes.yaxis.set_major_locator(FixedLocator(steps))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(StrMethodFormatter('{x:g}'))
        mark_grid(axes, '%s-%s' % (sources, modulation))
    for k in range(2):
        grid[1][k].set_xlabel('rows per segment')
        grid[k][0].set_ylabel('Amari index')
    add_legend(figure, ALGORITHMS, rows, 'algorithm', 5, 0.092)
    add_title(figure, 'Linear ICA of piece-wise stationary sources, five segments',
              'Mean of %s data sets; bars: one standard error each way. Lower is better.' % repetitions(rows))
    save(figure, os.path.join(folder, 'linear-ica.svg'))


# ---- medial temporal lobe ----

# The cortex is above, the hippocampal loop ERC -> CA3/DG -> CA1 -> SUB -> ERC below; x to the right, y upwards.
REGIONS = {'PRC': (0.12, 0.92), 'PHC': (0.88, 0.92), 'ERC': (0.50, 0.64), 'SUB': (0.88, 0.34), 'CA1': (0.50, 0.06),
           'CA3DG': (0.12, 0.34)}
NODE_WIDTH, NODE_HEIGHT = 0.19, 0.135
HEADS = {'-->': ('-|>', 'B'), '---': (), '<->': ('<|-|>', 'A', 'B')}  # the ends that have an arrowhead
FEASIBLE, INFEASIBLE = {'color': BLUE, 'linestyle': '-'}, {'color': VERMILLION, 'linestyle': (0, (5, 2.5))}


def bow_of(start, end, others):
    """Returns how far an edge curves to avoid other nodes: 0 if straight, positive to the left of its direction."""
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    for x, y in others:
        along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length
        aside = ((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) / length
        if 0 < along < length and abs(aside) < NODE_WIDTH / 2:
            return 0.28 if aside <= 0 else -0.28
    return 0.0


def draw_edge(axes, nodes, row):
    start, end = REGIONS[row['from']], REGIONS[row['to']]
    others = [place for name, place in REGIONS.items() if name not in (row['from'], row['to'])]
    bow, support = bow_of(start, end, others), number(row['support'])
    name = '%s %s %s %s' % (row['method'], row['from'], row['type'], row['to'])
    looks = FEASIBLE if row['feasible'] == 'yes' else INFEASIBLE
    way = {'connectionstyle': 'arc3,rad=%g' % bow, 'patchA': nodes[row['from']], 'patchB': nodes[row['to']],
           'mutation_scale': 22, 'zorder': 2}
    width = 1.6 + 5 * (0.4 if math.isnan(support) else support)
    at_head = {end: 8 if end in HEADS[row['type']] else 0 for end in 'AB'}  # the line ends inside the head
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle='-', linewidth=width, shrinkA=at_head['A'], shrinkB=at_head['B'],
                                   capstyle='butt', gid='edge ' + name, **looks, **way))
    if HEADS[row['type']]:  # drawn separately from the line, because dashes would cut its outline
        axes.add_patch(FancyArrowPatch(start, end, arrowstyle=HEADS[row['type']][0], linewidth=0, shrinkA=0, shrinkB=0,
                                       facecolor=looks['color'], gid='head ' + name, **way))
    # the middle of the curve; its control point lies off the chord by `bow` of its length
    middle = [(a + b) / 2 for a, b in zip(start, end)]
    middle[0] += bow * (end[1] - start[1]) / 2
    middle[1] -= bow * (end[0] - start[0]) / 2
    if not math.isnan(support):
        axes.text(*middle, '%.2g' % support, ha='center', va='center', fontsize=11.5, zorder=4, gid='support ' + name,
                  bbox={'boxstyle': 'round,pad=0.15', 'facecolor': 'white', 'edgecolor': 'none'})


def is_shown(row):
    """Whether to draw an edge: it is in the graph of all rows or, without that, in at least half of the halves."""
    return row['found'] == 'yes' or (row['found'] == '' and number(row['support']) >= 0.5)


def draw_fmri(folder, rows):
    methods = sorted({row['method'] for row in rows})
    figure, grid = pyplot.subplots(1, len(methods), squeeze=False, figsize=(6.6 * len(methods), 6.3))
    figure.subplots_adjust(left=0.025, right=0.975, top=0.865, bottom=0.145, wspace=0.06)
    for axes, method in zip(grid[0], methods):
        nodes = {}
        for name, place in REGIONS.items():
            nodes[name] = Ellipse(place, NODE_WIDTH, NODE_HEIGHT, facecolor='#f3f3f3', edgecolor='#333333', linewidth=1.4,
                                  zorder=3, gid='node %s %s' % (method, name))
            axes.add_patch(nodes[name])
            axes.text(*place, name, ha='center', va='center', fontsize=12, zorder=5)
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.06, 1.04)
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_color('#cccccc')
        axes.set_title(method, fontsize=13, pad=8)
        for row in rows:
            if row['method'] == method and is_shown(row):
                draw_edge(axes, nodes, row)
    lines = [Line2D([], [], linewidth=3, **looks) for looks in (FEASIBLE, INFEASIBLE)]
    figure.legend(lines, ['anatomically feasible', 'not feasible'], loc='upper center', bbox_to_anchor=(0.5, 0.125), ncol=2,
                  handlelength=3.2, fontsize=11.5)
    add_title(figure, 'Medial temporal lobe at rest: which region acts on which',
              'Every 14th point of each segment. Numbers and widths: share of random halves of these rows with the same edge.')
    save(figure, os.path.join(folder, 'fmri.svg'))


# ---- all ----

FIGURES = {'bivariate': draw_bivariate, 'six-variables': draw_six_variables, 'linear-ica': draw_linear_ica,
           'fmri': draw_fmri}


def main():
    parser = argparse.ArgumentParser(description='Draws the pictures of figures from the tables of `nonsens reproduce`.')
    parser.add_argument('folder', help='where the tables are, and the pictures go')
    parser.add_argument('figure', nargs='*', help='of %s; without one, all whose tables are there' % ', '.join(FIGURES))
    words = parser.parse_args()
    unknown = [name for name in words.figure if name not in FIGURES]
    if unknown:
        parser.error('%s is not a figure; there are: %s' % (unknown[0], ', '.join(FIGURES)))
    there = [name for name in FIGURES if os.path.exists(os.path.join(words.folder, name + '.csv'))]
    for name in words.figure or there:
        if name not in there:
            sys.exit('draw.py: there is no table %s.csv in %s; `nonsens reproduce %s --out %s` makes it'
                     % (name, words.folder, name, words.folder))
        rows = rows_of(os.path.join(words.folder, name + '.csv'))
        if not rows:
            sys.exit('draw.py: the table %s.csv in %s has no rows' % (name, words.folder))
        FIGURES[name](words.folder, rows)
    if not words.figure and not there:
        sys.exit('draw.py: there is no table of a figure in %s; `nonsens reproduce` makes them' % words.folder)


main()
