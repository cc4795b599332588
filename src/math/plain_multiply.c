/*
 * plain_multiply.c - products of matrices; compiled once per instruction set.
 *
 * The scheme of K. Goto and R. van de Geijn, Anatomy of high-performance matrix multiplication, ACM Trans. Math. Softw.
 * 34(3), 2008, as F. Van Zee and R. van de Geijn, BLIS, ACM Trans. Math. Softw. 41(3), 2015, reduced it to one kernel:
 * a tile of C stays in registers while it adds up outer products of a column of A's panel with a row of B's. Panels of
 * A are copied into the order in which they are read, in blocks that fit into the second-level cache.  Rows of B are
 * read one number at a time, so that B is copied only if its columns are not contiguous.  Numbers that are already in a
 * good order and are read only a few times are not copied.
 */
#include "math/plain_in_set.h"
#include "math/plain_lanes.h"

/*
 * Rows (in vectors) and columns of a tile; terms added up at once; rows and columns of a tile of dot products.  BLOCK:
 * rows of a block, a multiple of a tile's.
 */
#if defined __AVX512F__
enum { TILE_VECTORS = 2, COLUMNS = 8, DEPTH = 256, DOT_ROWS = 4, DOT_COLUMNS = 4 };
#elif defined __AVX2__
enum { TILE_VECTORS = 2, COLUMNS = 6, DEPTH = 256, DOT_ROWS = 3, DOT_COLUMNS = 4 };
#elif defined __aarch64__
enum { TILE_VECTORS = 4, COLUMNS = 6, DEPTH = 256, DOT_ROWS = 4, DOT_COLUMNS = 4 };
#else
enum { TILE_VECTORS = 2, COLUMNS = 4, DEPTH = 128, DOT_ROWS = 3, DOT_COLUMNS = 4 };
#endif
enum { LOW = TILE_VECTORS / 2, NARROW = COLUMNS / 2 /* for tiles at the edges */ };
enum { ROWS = TILE_VECTORS * LANES, BLOCK = 48, SMALL = 1024 /* numbers in a panel of a small product */ };
enum { FEW_PAGES = 4096 /* numbers that are read fast without being copied */, FEW_COLUMNS = 24 };

typedef struct panels {
    double *a, *b;
    int64_t room; /* of a */
} panels;

static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Copies the first `few` numbers of each line, width <= few <= 2 width, and does not change the rest of the line. */
INLINE void copy_lines(int width, int64_t few, int64_t line, int64_t depth, const double *from, int64_t step,
                       double *to)
{
    for (int64_t l = 0; l < depth; l++, from += step, to += line) {
        memcpy(to, from, (size_t)width * sizeof *to);
        memcpy(to + few - width, from + few - width, (size_t)width * sizeof *to);
    }
}

/* Copies `few` <= line contiguous numbers, depth times, with zeros up to the end of each line. */
INLINE void pack_lines(int64_t few, int64_t line, int64_t depth, const double *from, int64_t step, double *to)
{
    if (few == line) {
        for (int64_t l = 0; l < depth; l++) {
            memcpy(to + l * line, from + l * step, (size_t)line * sizeof *to);
        }
        return;
    }
    memset(to, 0, (size_t)(line * depth) * sizeof *to);
    if (few >= 8) {
        copy_lines(8, few, line, depth, from, step, to);
    } else if (few >= 4) {
        copy_lines(4, few, line, depth, from, step, to);
    } else if (few >= 2) {
        copy_lines(2, few, line, depth, from, step, to);
    } else {
        copy_lines(1, few, line, depth, from, step, to);
    }
}

typedef double four __attribute__((vector_size(4 * sizeof(double))));

/* Transposes a block of four by four. */
INLINE void turn_square(const double *from, int64_t across, double *to, int64_t line)
{
    four r[4], pair[4], transposed[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        memcpy(&r[i], from + i * across, sizeof r[i]);
    }
    for (int i = 0; i < 2; i++) {
        pair[i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 4, 2, 6);
        pair[i + 2] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 1, 5, 3, 7);
    }
    for (int i = 0; i < 2; i++) {
        transposed[i] = __builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 0, 1, 4, 5);
        transposed[i + 2] = __builtin_shufflevector(pair[2 * i], pair[2 * i + 1], 2, 3, 6, 7);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        memcpy(to + i * line, &transposed[i], sizeof transposed[i]);
    }
}

/* Does the same as pack_lines for numbers that are `across` apart, and for lines that are neighbours. */
INLINE void pack_across(int64_t few, int64_t line, int64_t depth, const double *from, int64_t across, double *to)
{
    int64_t squares = few / 4 * 4, deep = depth / 4 * 4;
    for (int64_t i = 0; i < squares; i += 4) {
        for (int64_t l = 0; l < deep; l += 4) {
            turn_square(from + i * across + l, across, to + l * line + i, line);
        }
    }
    for (int64_t i = 0; i < line; i++) {
        for (int64_t l = i < squares ? deep : 0; l < depth; l++) {
            to[l * line + i] = i < few ? from[i * across + l] : 0.0;
        }
    }
}

/* Copies `rows` <= ROWS rows of A, depth terms of each, for tile(); missing rows become zero. */
static void pack_rows(int64_t rows, int64_t depth, plain_view a, double *to)
{
    if (a.row == 1) {
        pack_lines(rows, ROWS, depth, a.v, a.column, to);
    } else {
        pack_across(rows, ROWS, depth, a.v, a.row, to);
    }
}

/* Does the same for columns of B. */
static void pack_columns(int64_t columns, int64_t depth, plain_view b, double *to)
{
    if (b.column == 1) {
        pack_lines(columns, COLUMNS, depth, b.v, b.row, to);
    } else {
        pack_across(columns, COLUMNS, depth, b.v, b.column, to);
    }
}

typedef struct tile_place {
    int64_t rows, columns;
    double alpha, beta, *c;
    int64_t ldc;
} tile_place;

typedef struct tile_sums {
    lanes column[COLUMNS][TILE_VECTORS];
} tile_sums;

/* Adds the sums of whole columns to C. */
INLINE void add_columns(int vectors, int columns, const tile_place *at, const tile_sums *sum)
{
#pragma GCC unroll 8
    for (int j = 0; j < columns; j++) {
        double *c = at->c + j * at->ldc;
        for (int i = 0; i < vectors && j < at->columns; i++, c += LANES) {
            lanes value = at->alpha * sum->column[j][i];
            store(c, at->beta == 0.0 ? value : value + at->beta * load(c));
        }
    }
}

/* Adds the sums to the first `rows` rows of a tile of C. */
static void add_part(const tile_place *at, const double *sum)
{
    for (int64_t j = 0; j < at->columns; j++, sum += ROWS) {
        double *c = at->c + j * at->ldc;
        int64_t i = 0;
        for (; i + LANES <= at->rows; i += LANES) {
            lanes value = at->alpha * load(sum + i);
            store(c + i, at->beta == 0.0 ? value : value + at->beta * load(c + i));
        }
        for (; i < at->rows; i++) {
            double value = at->alpha * sum[i];
            c[i] = at->beta == 0.0 ? value : value + at->beta * c[i];
        }
    }
}

/*
 * Adds A B to a tile of C: term l of A's rows is at a + l * a_step, that of B's column j at b + l * b_row + j *
 * b_column.  Computes only the first vectors and columns of the tile.
 */
INLINE void tile(int vectors, int columns, int64_t depth, const double *a, int64_t a_step, const double *b,
                 int64_t b_row, int64_t b_column, const tile_place *at)
{
    tile_sums sum;
    double part[COLUMNS * ROWS];
#pragma GCC unroll 32
    for (int t = 0; t < COLUMNS * TILE_VECTORS; t++) {
        sum.column[t / TILE_VECTORS][t % TILE_VECTORS] = (lanes){0};
    }
    for (int64_t l = 0; l < depth; l++, a += a_step, b += b_row) {
        lanes left[TILE_VECTORS];
#pragma GCC unroll 4
        for (int i = 0; i < vectors; i++) {
            left[i] = load(a + i * LANES);
        }
#pragma GCC unroll 8
        for (int j = 0; j < columns; j++) {
            double right = b[j * b_column];
#pragma GCC unroll 4
            for (int i = 0; i < vectors; i++) {
                sum.column[j][i] += left[i] * right;
            }
        }
    }
    if (at->rows == vectors * LANES) {
        add_columns(vectors, columns, at, &sum);
    } else {
#pragma GCC unroll 32
        for (int t = 0; t < COLUMNS * TILE_VECTORS; t++) {
            store(part + t * LANES, sum.column[t / TILE_VECTORS][t % TILE_VECTORS]);
        }
        add_part(at, part);
    }
}

static void tile_direct(int64_t depth, const double *a, int64_t a_step, const double *b, int64_t b_column,
                        const tile_place *at)
{
    if (at->rows <= LOW * LANES) {
        tile(LOW, COLUMNS, depth, a, a_step, b, 1, b_column, at);
    } else {
        tile(TILE_VECTORS, COLUMNS, depth, a, a_step, b, 1, b_column, at);
    }
}

static void tile_packed(int64_t depth, const double *a, int64_t a_step, const double *b, const tile_place *at)
{
    bool low = at->rows <= LOW * LANES;
    if (at->columns > NARROW) {
        if (low) {
            tile(LOW, COLUMNS, depth, a, a_step, b, COLUMNS, 1, at);
        } else {
            tile(TILE_VECTORS, COLUMNS, depth, a, a_step, b, COLUMNS, 1, at);
        }
    } else if (low) {
        tile(LOW, NARROW, depth, a, a_step, b, COLUMNS, 1, at);
    } else {
        tile(TILE_VECTORS, NARROW, depth, a, a_step, b, COLUMNS, 1, at);
    }
}

/* Returns whether the tile has no element in the wanted part of C. */
static bool is_outside(plain_part part, int64_t i, int64_t j)
{
    return (part == PLAIN_LOWER && i + ROWS <= j) || (part == PLAIN_UPPER && i >= j + COLUMNS);
}

/* The terms from l to l + depth, for `rows` rows of C from i on. */
typedef struct stripe {
    int64_t i, rows, l, depth;
    double beta;
    bool reads_a; /* full panels of A are read in place */
} stripe;

static void multiply_columns(const plain_product *p, const stripe *s, int64_t j, const panels *own)
{
    int64_t columns = min_of(COLUMNS, p->n - j);
    plain_view b = plain_from(p->b, s->l, j);
    bool reads_b = b.row == 1 && columns == COLUMNS;
    if (!reads_b) {
        pack_columns(columns, s->depth, b, own->b);
    }
    for (int64_t i = 0; i < s->rows; i += ROWS) {
        if (is_outside(p->part, s->i + i, j)) {
            continue;
        }
        tile_place at = {min_of(ROWS, s->rows - i), columns, p->alpha, s->beta, p->c + (s->i + i) + j * p->ldc, p->ldc};
        bool reads_a = s->reads_a && at.rows == ROWS;
        const double *a = reads_a ? plain_from(p->a, s->i + i, s->l).v : own->a + i * s->depth;
        int64_t a_step = reads_a ? p->a.column : ROWS;
        if (reads_b) {
            tile_direct(s->depth, a, a_step, b.v, b.column, &at);
        } else {
            tile_packed(s->depth, a, a_step, own->b, &at);
        }
    }
}

static void multiply_stripe(const plain_product *p, const stripe *s, const panels *own)
{
    for (int64_t i = 0; i < s->rows; i += ROWS) {
        int64_t rows = min_of(ROWS, s->rows - i);
        if (!s->reads_a || rows < ROWS) {
            pack_rows(rows, s->depth, plain_from(p->a, s->i + i, s->l), own->a + i * s->depth);
        }
    }
    int64_t first = p->part == PLAIN_UPPER ? s->i / COLUMNS * COLUMNS : 0;
    int64_t end = p->part == PLAIN_LOWER ? min_of(p->n, s->i + s->rows) : p->n;
    for (int64_t j = first; j < end; j += COLUMNS) {
        multiply_columns(p, s, j, own);
    }
}

static void multiply_with(const plain_product *p, const panels *own)
{
    bool reads_a = p->a.row == 1 && (p->n <= 2 * COLUMNS || p->a.column * p->k <= FEW_PAGES);
    int64_t block = own->room / min_of(DEPTH, p->k) / ROWS * ROWS;
    for (int64_t l = 0; l < p->k; l += DEPTH) {
        double beta = l == 0 ? p->beta : 1.0;
        for (int64_t i = 0; i < p->m; i += block) {
            stripe s = {i, min_of(block, p->m - i), l, min_of(DEPTH, p->k - l), beta, reads_a};
            multiply_stripe(p, &s, own);
        }
    }
}

static __attribute__((noinline)) void multiply_small(const plain_product *p)
{
    double a[SMALL] __attribute__((aligned(64))), b[SMALL] __attribute__((aligned(64)));
    multiply_with(p, &(panels){a, b, SMALL});
}

static __attribute__((noinline)) void multiply_large(const plain_product *p)
{
    double a[BLOCK * DEPTH] __attribute__((aligned(64))), b[COLUMNS * DEPTH] __attribute__((aligned(64)));
    multiply_with(p, &(panels){a, b, BLOCK * DEPTH});
}

static void scale(const plain_product *p)
{
    for (int64_t j = 0; j < p->n; j++) {
        for (int64_t i = 0; i < p->m; i++) {
            p->c[j * p->ldc + i] = p->beta == 0.0 ? 0.0 : p->beta * p->c[j * p->ldc + i];
        }
    }
}

/* ---- products of columns with columns, A' B: nothing needs to be copied ---- */

enum { SUMS = DOT_ROWS * DOT_COLUMNS, PIECE = 512 /* terms; for all columns of a tile, the L1 cache holds them */ };

/* Adds pairs of neighbouring lanes: those of x, then those of y. */
INLINE lanes add_pairs(lanes x, lanes y)
{
#if defined __AVX512F__
    return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15);
#elif defined __AVX2__
    return __builtin_shufflevector(x, y, 0, 2, 4, 6) + __builtin_shufflevector(x, y, 1, 3, 5, 7);
#else
    return __builtin_shufflevector(x, y, 0, 2) + __builtin_shufflevector(x, y, 1, 3);
#endif
}

/* Sets `to` (SUMS) to the totals of the lanes of each sum. */
INLINE void totals(lanes sum[SUMS], double *to)
{
    int count = SUMS;
    for (int width = LANES; width > 1; width /= 2) {
        count /= 2;
        for (int t = 0; t < count; t++) {
            sum[t] = add_pairs(sum[2 * t], sum[2 * t + 1]);
        }
    }
    memcpy(to, sum, SUMS * sizeof *to);
}

/* The columns of a tile; beyond the last one, the last one is repeated. */
typedef struct dot_columns {
    const double *a[DOT_ROWS], *b[DOT_COLUMNS];
} dot_columns;

INLINE void add_terms(const dot_columns *c, int64_t l, lanes sum[SUMS])
{
    lanes left[DOT_ROWS];
#pragma GCC unroll 4
    for (int i = 0; i < DOT_ROWS; i++) {
        left[i] = load(c->a[i] + l);
    }
#pragma GCC unroll 4
    for (int j = 0; j < DOT_COLUMNS; j++) {
        lanes right = load(c->b[j] + l);
#pragma GCC unroll 4
        for (int i = 0; i < DOT_ROWS; i++) {
            sum[j * DOT_ROWS + i] += left[i] * right;
        }
    }
}

/* Adds the last terms, fewer than LANES, padded with zeros. */
INLINE void add_last_terms(const dot_columns *c, int64_t l, int64_t depth, lanes sum[SUMS])
{
    double rest[DOT_ROWS + DOT_COLUMNS][LANES] = {0};
    dot_columns padded;
    for (int i = 0; i < DOT_ROWS; i++) {
        padded.a[i] = memcpy(rest[i], c->a[i] + l, (size_t)(depth - l) * sizeof **rest);
    }
    for (int j = 0; j < DOT_COLUMNS; j++) {
        padded.b[j] = memcpy(rest[DOT_ROWS + j], c->b[j] + l, (size_t)(depth - l) * sizeof **rest);
    }
    add_terms(&padded, 0, sum);
}

static void dot_tile(const plain_product *p, int64_t i, int64_t j, int64_t first, int64_t depth)
{
    lanes sum[SUMS] = {0};
    dot_columns c;
    double dot[SUMS], beta = first == 0 ? p->beta : 1.0;
    int64_t rows = min_of(DOT_ROWS, p->m - i), columns = min_of(DOT_COLUMNS, p->n - j), l = 0;
    for (int64_t r = 0; r < DOT_ROWS; r++) {
        c.a[r] = p->a.v + min_of(i + r, p->m - 1) * p->a.row + first;
    }
    for (int64_t r = 0; r < DOT_COLUMNS; r++) {
        c.b[r] = p->b.v + min_of(j + r, p->n - 1) * p->b.column + first;
    }
    for (; l + LANES <= depth; l += LANES) {
        add_terms(&c, l, sum);
    }
    if (l < depth) {
        add_last_terms(&c, l, depth, sum);
    }
    totals(sum, dot);
    for (int64_t t = 0; t < columns; t++) {
        double *to = p->c + (j + t) * p->ldc + i;
        for (int64_t r = 0; r < rows; r++) {
            double value = p->alpha * dot[t * DOT_ROWS + r];
            to[r] = beta == 0.0 ? value : value + beta * to[r];
        }
    }
}

static void multiply_dots(const plain_product *p)
{
    for (int64_t l = 0; l < p->k; l += PIECE) {
        for (int64_t i = 0; i < p->m; i += DOT_ROWS) {
            for (int64_t j = 0; j < p->n; j += DOT_COLUMNS) {
                if (!(p->part == PLAIN_LOWER && i + DOT_ROWS <= j) &&
                    !(p->part == PLAIN_UPPER && i >= j + DOT_COLUMNS)) {
                    dot_tile(p, i, j, l, min_of(PIECE, p->k - l));
                }
            }
        }
    }
}

/* Returns whether dot products of columns are faster than panels. */
static bool suits_dots(const plain_product *p)
{
    return p->a.column == 1 && p->b.row == 1 && p->k >= 16 * LANES && min_of(p->m, p->n) <= FEW_COLUMNS;
}

void plain_multiply(const plain_product *p)
{
    int64_t rows = (p->m + ROWS - 1) / ROWS * ROWS, depth = min_of(p->k, DEPTH);
    if (p->k == 0) {
        scale(p);
    } else if (suits_dots(p)) {
        multiply_dots(p);
    } else if (rows * depth <= SMALL && COLUMNS * depth <= SMALL) {
        multiply_small(p);
    } else {
        multiply_large(p);
    }
}
