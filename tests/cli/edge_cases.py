"""Data sets at the limits of what can be analysed."""
import math
import random


def pair(rows, draw):
    out = []
    for i in range(rows):
        x = draw.gauss(0, 1 + i % 3)
        out.append([x, math.tanh(x) + draw.gauss(0, 0.5 + i * 5 // rows % 3)])
    return out


def blocks(segments, rows):
    return ['s%d' % k for k in range(segments) for _ in range(rows)]


def plain_pair():
    return pair(300, random.Random(1)), blocks(5, 60)


def plain_three():
    draw = random.Random(2)
    return [[a, b, a + b + draw.gauss(0, 1)] for a, b in plain_pair()[0]]


def pairs():
    """Yields name, rows, labels."""
    draw = random.Random(3)
    plain, labels = plain_pair()
    yield 'plain', plain, labels
    yield 'smallest numbers', [[5e-324 * round(50 * a), b] for a, b in plain], labels
    yield 'largest numbers', [[1.7e307 * a / 10, b] for a, b in plain], labels
    yield 'both ends', [[1e-300 * a, 1e300 * b / 10] for a, b in plain], labels
    yield 'an offset of 1e12', [[1e12 + a, b - 1e12] for a, b in plain], labels
    yield 'an offset of 1e16', [[1e16 + a, b] for a, b in plain], labels
    yield 'ties', [[float(round(a)), float(round(b))] for a, b in plain], labels
    yield 'two values', [[float(a > 0), b] for a, b in plain], labels
    yield 'a constant column', [[1.0, b] for a, b in plain], labels
    yield 'a segment where one is constant', [[1.0 if i < 60 else a, b] for i, (a, b) in enumerate(plain)], labels
    yield ('a segment where one is nearly constant',
           [[1 + 1e-13 * a if i < 60 else a, b] for i, (a, b) in enumerate(plain)], labels)
    yield 'outliers of 1e12', [[1e12 if i == 7 else a, -1e12 if i == 99 else b] for i, (a, b) in enumerate(plain)], labels
    yield 'outliers of 1e300', [[1e300 if i == 7 else a, b] for i, (a, b) in enumerate(plain)], labels
    yield 'one twice the other', [[a, 2 * a] for a, b in plain], labels
    yield 'the same column twice', [[a, a] for a, b in plain], labels
    yield 'one row again and again', [plain[0]] * 300, labels
    yield 'two rows a segment', pair(40, draw), blocks(20, 2)
    yield 'one row a segment', pair(40, draw), blocks(40, 1)
    yield 'two rows', pair(2, draw), blocks(2, 1)
    yield 'one row', pair(1, draw), blocks(1, 1)
    yield 'one segment', plain, blocks(1, 300)
    yield 'a segment of one row among larger ones', plain, ['alone'] + labels[1:]
    yield '10,000 segments', pair(20000, draw), blocks(10000, 2)


def graphs():
    draw = random.Random(4)
    three, labels = plain_three(), plain_pair()[1]
    yield 'three', three, labels
    yield 'three on different scales', [[1e-30 * a, 1e30 * b, c + 1e6] for a, b, c in three], labels
    yield 'three with a constant', [[a, 1.0, c] for a, b, c in three], labels
    yield 'a sum of two others', [[a, b, a + b] for a, b, c in three], labels
    yield 'three, two rows a segment', three[:40], blocks(20, 2)
    yield ('more variables than rows', [[draw.gauss(0, 1 + i % 3) for _ in range(40)] for i in range(30)], blocks(3, 10))


# The kind of answer that each method gives, in the order of the names below: d decision, or a graph with edges;
# i inconclusive, or no edge, with a reason; n no edge and no reason; e error.
DIRECTION = ('structured', 'nonsens', 'nonsens-lr', 'linear-ica', 'lingam', 'resit', 'reci', 'icp', 'cdnod')
DISCOVER = ('structured', 'lingam', 'resit', 'icp', 'cdnod', 'pc', 'pc-nonsens')
OTHER = ('independence ', 'ica ', 'diagnose ', 'explain ', 'independence ks', 'independence levene', 'independence kruskal',
         'independence information', 'independence fisher-z', 'ica joint-diagonalisation', 'ica fastica', 'ica infomax')
EXPECTED = {
    'plain':                                  ('dididddii', 'iddiddd', 'dddidddddddd'),
    'smallest numbers':                       ('didididii', 'iediddd', 'dedidddddeee'),
    'largest numbers':                        ('dididddii', 'iddiddd', 'dddidddddddd'),
    'both ends':                              ('dididddii', 'iediddd', 'dedidddddeee'),
    'an offset of 1e12':                      ('dididddii', 'iddiddd', 'dddidddddddd'),
    'an offset of 1e16':                      ('didididii', 'iddiddd', 'dedidddddeee'),
    'ties':                                   ('dididddii', 'iddiddd', 'dddidddddddd'),
    'two values':                             ('dieidddii', 'dddiddd', 'dddddddddddd'),
    'a constant column':                      ('eeeeeeeee', 'eeeeeee', 'eedeeeeeeeee'),
    'a segment where one is constant':        ('iididdddd', 'iddiddd', 'dddidddddddd'),
    'a segment where one is nearly constant': ('iididdddd', 'iddiddd', 'dddidddddddd'),
    'outliers of 1e12':                       ('didididii', 'iididdd', 'dddidddddddd'),
    'outliers of 1e300':                      ('dieddidii', 'iiiiddd', 'dddidddddddd'),
    'one twice the other':                    ('eeeeeeeee', 'eeeeeee', 'dededddddeee'),
    'the same column twice':                  ('eeeeeeeee', 'eeeeeee', 'dededddddeee'),
    'one row again and again':                ('eeeeeeeee', 'eeeeeee', 'eeeeeeeeeeee'),
    'two rows a segment':                     ('ieeeiiiii', 'diiiiii', 'eedddedeeedd'),
    'one row a segment':                      ('eeeeiiiee', 'edieeie', 'eedeeeeeeedd'),
    'two rows':                               ('eeeeeeeee', 'eeeeeee', 'eedeeeeeeeee'),
    'one row':                                ('eeeeeeeee', 'eeeeeee', 'eeeeeeeeeeee'),
    'one segment':                            ('eeeedidee', 'eddeede', 'dddeeeeddedd'),
    'a segment of one row among larger ones': ('didididii', 'iddiddd', 'dddidddddddd'),
    '10,000 segments':                        ('deeeiidie', 'ediieii', 'eedededeeedd'),
    'three':                                  ('', 'dddiddd', 'dddddddddddd'),
    'three on different scales':              ('', 'dddiddd', 'dddddddddddd'),
    'three with a constant':                  ('', 'dddiddd', 'eddddddeeddd'),
    'a sum of two others':                    ('', 'eeeeeee', 'dededddddeee'),
    'three, two rows a segment':              ('', 'ddiiiii', 'eedddedeeedd'),
    'more variables than rows':               ('', 'eeeeeee', 'dedidddddeee')}
KINDS = {'d': 'decision', 'i': 'inconclusive', 'n': 'no edge', 'e': 'error'}


def expected(case, command, method):
    """Returns the expected letter for a case; `method` is the first word of its options, or empty."""
    direction, discover, other = EXPECTED[case]
    if command == 'direction':
        return direction[DIRECTION.index(method)]
    return discover[DISCOVER.index(method)] if command == 'discover' else other[OTHER.index(command + ' ' + method)]
