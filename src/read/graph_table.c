/*
 * graph_table.c - reads graphs from tables: lists of edges and matrices, from the cells that csv_cells.c finds.
 *
 * A table whose header has a column for the cause and one for the effect is a list of edges.  Any other table must be a
 * square matrix with a header of names, in which row i and column j say whether i -> j.  Rows of a matrix may begin
 * with their names; then rows and columns need not be in the same order.
 *
 * Lines at the beginning of the file that start with # are skipped.
 */
#include "graph/edge.h"
#include "read/csv_internal.h"
#include "read/graph_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum role { ROLE_OTHER, ROLE_FROM, ROLE_TO, ROLE_TYPE, ROLE_WEIGHT, ROLE_P_VALUE, ROLE_SUPPORT, ROLE_CONFOUNDED };

typedef struct header_cell {
    char *name;
    enum role role;
    bool chooses;    /* it is the column that says which rows are edges */
    bool not_binary; /* a cell was neither 0 nor 1 */
    bool has_zero;
} header_cell;

typedef struct graph_table {
    graph_builder *b;
    csv_reader r;
    header_cell *column; /* (cols) */
    int64_t cols;
} graph_table;

/* ---- the header ------------------------------------------------------------------------------------------------- */

static enum role role_of(const char *name)
{
    static const struct {
        const char *word;
        enum role role;
    } words[] = {
        {"from", ROLE_FROM},       {"cause", ROLE_FROM},
        {"source", ROLE_FROM},     {"parent", ROLE_FROM},
        {"to", ROLE_TO},           {"effect", ROLE_TO},
        {"target", ROLE_TO},       {"child", ROLE_TO},
        {"type", ROLE_TYPE},       {"weight", ROLE_WEIGHT},
        {"coef", ROLE_WEIGHT},     {"coefficient", ROLE_WEIGHT},
        {"p_value", ROLE_P_VALUE}, {"p-value", ROLE_P_VALUE},
        {"support", ROLE_SUPPORT}, {"confounded", ROLE_CONFOUNDED},
    };
    char lower[16];
    size_t length = strlen(name);
    if (length >= sizeof lower) {
        return ROLE_OTHER;
    }
    for (size_t i = 0; i <= length; i++) {
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 'a' - 'A' : name[i]);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(lower, words[i].word) == 0) {
            return words[i].role;
        }
    }
    return ROLE_OTHER;
}

static nonsens_status read_header(graph_table *t)
{
    const char *start = t->r.at;
    int64_t line = t->r.line;
    TRY(csv_count_cells(&t->r, &t->cols));
    if (t->cols > GRAPH_MAX_NODES + 1) {
        return graph_fail(t->b, line, "more than %d columns; give a smaller graph", GRAPH_MAX_NODES);
    }
    t->r.at = start;
    t->r.line = line;
    ARENA_TRY(t->b->ctx, &t->b->scratch, t->column, t->cols);
    for (int64_t j = 0; j < t->cols; j++) {
        csv_cell cell;
        header_cell *c = &t->column[j];
        TRY(csv_scan_cell(&t->r, &cell));
        ARENA_TRY(t->b->ctx, &t->b->scratch, c->name, cell.length + 1);
        if (cell.length) {
            memcpy(c->name, cell.text, (size_t)cell.length);
        }
        c->role = role_of(c->name);
        csv_next_cell(&t->r);
    }
    return NONSENS_OK;
}

/* Counts the columns that have the role. */
static int64_t count_role(const graph_table *t, enum role role)
{
    int64_t count = 0;
    for (int64_t j = 0; j < t->cols; j++) {
        count += t->column[j].role == role;
    }
    return count;
}

static nonsens_status check_roles(graph_table *t)
{
    static const enum role once[] = {ROLE_FROM, ROLE_TO, ROLE_TYPE};
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        if (count_role(t, once[i]) > 1) {
            return graph_fail(t->b, t->r.line - 1, "two columns for the same end or type of an edge; rename one");
        }
    }
    bool found = !t->b->column;
    for (int64_t j = 0; j < t->cols && !found; j++) {
        t->column[j].chooses = found = strcmp(t->column[j].name, t->b->column) == 0;
    }
    char shown[SHOWN_BYTES];
    return found ? NONSENS_OK
                 : graph_fail(t->b, 0, "no column %s; its header names others", show_quoted(shown, t->b->column));
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static bool is_number(csv_cell cell, double *value)
{
    const char *end = cell.text + cell.length;
    return cell.length > 0 && number_parse(cell.text, end, value) == end && isfinite(*value);
}

static nonsens_status need_number(graph_table *t, int64_t line, csv_cell cell, double *value)
{
    char shown[SHOWN_BYTES];
    if (is_number(cell, value)) {
        return NONSENS_OK;
    }
    return graph_fail(t->b, line,
                      "%s is not a number; a list of edges needs a header with the columns from and to, a matrix a "
                      "header of names and numbers below it",
                      show_bytes(shown, cell.text, cell.length));
}

static nonsens_status fail_cells(graph_table *t, int64_t line, int64_t cells, int64_t expected)
{
    return graph_fail(t->b, line, "%" PRId64 " field%s in place of %" PRId64 "; give each row as many", cells,
                      cells == 1 ? "" : "s", expected);
}

/* ---- lists of edges --------------------------------------------------------------------------------------------- */

typedef struct edge_row {
    int64_t line;
    nonsens_edge edge;
    bool reversed, chosen;
} edge_row;

static nonsens_status take_cell(graph_table *t, edge_row *row, header_cell *column, csv_cell cell)
{
    double value = NAN;
    bool number = is_number(cell, &value);
    switch (column->role) {
    case ROLE_FROM:
        return graph_take_node(t->b, row->line, cell.text, cell.length, &row->edge.from);
    case ROLE_TO:
        return graph_take_node(t->b, row->line, cell.text, cell.length, &row->edge.to);
    case ROLE_TYPE:
        return graph_read_type(t->b, row->line, cell.text, cell.length, &row->edge.type, &row->reversed);
    case ROLE_OTHER:
        column->not_binary = column->not_binary || !number || (value != 0.0 && value != 1.0);
        column->has_zero = column->has_zero || (number && value == 0.0);
        return NONSENS_OK;
    case ROLE_CONFOUNDED:
        row->edge.confounded = (number && value != 0.0) || (cell.length == 4 && memcmp(cell.text, "true", 4) == 0);
        return NONSENS_OK;
    case ROLE_WEIGHT:
    case ROLE_P_VALUE:
    case ROLE_SUPPORT:
        break;
    }
    if (number) {
        *(column->role == ROLE_WEIGHT    ? &row->edge.weight
          : column->role == ROLE_P_VALUE ? &row->edge.p_value
                                         : &row->edge.support) = value;
    }
    return NONSENS_OK;
}

static nonsens_status read_edge(graph_table *t)
{
    edge_row row = {
        .line = t->r.line, .edge = {.weight = NAN, .p_value = NAN, .support = NAN, EDGE_NO_EFFECT}, .chosen = true};
    int64_t cells = 0;
    do {
        csv_cell cell;
        double value = 1.0;
        TRY(csv_scan_cell(&t->r, &cell));
        if (cells == t->cols) {
            return fail_cells(t, row.line, cells + 1, t->cols);
        }
        if (t->column[cells].chooses) {
            TRY(need_number(t, row.line, cell, &value));
            row.chosen = value != 0.0;
        }
        TRY(take_cell(t, &row, &t->column[cells], cell));
        cells++;
    } while (csv_next_cell(&t->r));
    if (cells < t->cols) {
        return fail_cells(t, row.line, cells, t->cols);
    }
    if (row.reversed) {
        int64_t from = row.edge.from;
        row.edge.from = row.edge.to;
        row.edge.to = from;
    }
    return row.chosen ? graph_take_edge(t->b, row.line, row.edge) : NONSENS_OK;
}

/* Fails if a column of zeros and ones may say which rows are edges: the caller must say so, it is not guessed. */
static nonsens_status check_choice(graph_table *t)
{
    for (int64_t j = 0; j < t->cols && !t->b->column; j++) {
        const header_cell *c = &t->column[j];
        if (c->role == ROLE_OTHER && c->has_zero && !c->not_binary) {
            char shown[SHOWN_BYTES];
            return graph_fail(
                t->b, 0,
                "the column %s holds zeros and ones, as if it said which edges there are; name the column "
                "that does (--truth-column), or remove it",
                show_quoted(shown, c->name));
        }
    }
    return NONSENS_OK;
}

static nonsens_status read_edges(graph_table *t)
{
    enum { EDGES_BETWEEN_CHECKS = 4096 };
    t->b->graph->format = "edge list";
    TRY(check_roles(t));
    for (int64_t row = 0; t->r.at < t->r.end; row++) {
        if (row % EDGES_BETWEEN_CHECKS == 0) {
            TRY(check_cancelled(t->b->ctx));
        }
        TRY(read_edge(t));
    }
    return check_choice(t);
}

/* ---- matrices --------------------------------------------------------------------------------------------------- */

typedef struct graph_matrix {
    int64_t d;
    int64_t corner; /* 1 if the header has a first cell above the names of the rows, else 0 */
    bool named;     /* rows begin with their names */
    bool *taken;    /* (d) the row has been read */
} graph_matrix;

/* Decides from the first row whether rows begin with their names; does not move the reader. */
static nonsens_status inspect_row(graph_table *t, graph_matrix *m)
{
    csv_reader before = t->r;
    csv_cell cell;
    int64_t cells;
    double value;
    if (t->r.at == t->r.end) {
        return graph_fail(t->b, 0, "one line only; a list of edges has a header with the columns from and to");
    }
    TRY(csv_scan_cell(&t->r, &cell));
    bool text = !is_number(cell, &value);
    t->r.at = before.at;
    t->r.line = before.line;
    TRY(csv_count_cells(&t->r, &cells));
    t->r.at = before.at;
    t->r.line = before.line;
    m->corner = cells == t->cols && (text || !t->column[0].name[0]);
    m->named = m->corner || cells == t->cols + 1;
    m->d = t->cols - m->corner;
    return NONSENS_OK;
}

static nonsens_status take_row_name(graph_table *t, graph_matrix *m, int64_t line, int64_t *row)
{
    csv_cell cell;
    char shown[SHOWN_BYTES];
    TRY(csv_scan_cell(&t->r, &cell));
    TRY(graph_take_node(t->b, line, cell.text, cell.length, row));
    if (*row >= m->d) {
        return graph_fail(t->b, line,
                          "the row of %s has no column of that name; a matrix has both, and a list of edges a header "
                          "with the columns from and to",
                          show_bytes(shown, cell.text, cell.length));
    }
    if (m->taken[*row]) {
        return graph_fail(t->b, line, "a second row for %s; give one", show_bytes(shown, cell.text, cell.length));
    }
    if (!csv_next_cell(&t->r)) {
        return fail_cells(t, line, 1, m->d + 1);
    }
    return NONSENS_OK;
}

static nonsens_status read_matrix_row(graph_table *t, graph_matrix *m, int64_t row)
{
    int64_t line = t->r.line, col = 0;
    if (m->named) {
        TRY(take_row_name(t, m, line, &row));
    }
    m->taken[row] = true;
    do {
        csv_cell cell;
        double value;
        TRY(csv_scan_cell(&t->r, &cell));
        if (col == m->d) {
            return fail_cells(t, line, col + 1 + m->named, m->d + m->named);
        }
        TRY(need_number(t, line, cell, &value));
        if (value != 0.0) {
            TRY(graph_take_edge(
                t->b, line,
                (nonsens_edge){row, col, NONSENS_EDGE_DIRECTED, value, NAN, .support = NAN, EDGE_NO_EFFECT}));
        }
        col++;
    } while (csv_next_cell(&t->r));
    return col == m->d ? NONSENS_OK : fail_cells(t, line, col + m->named, m->d + m->named);
}

static nonsens_status read_matrix(graph_table *t, int64_t header_line)
{
    graph_matrix m = {0};
    int64_t rows = 0;
    TRY(inspect_row(t, &m));
    for (int64_t j = m.corner; j < t->cols; j++) {
        TRY(graph_list_node(t->b, header_line, t->column[j].name, (int64_t)strlen(t->column[j].name)));
    }
    ARENA_TRY(t->b->ctx, &t->b->scratch, m.taken, m.d + 1);
    for (; t->r.at < t->r.end; rows++) {
        if (rows == m.d) {
            return graph_fail(t->b, t->r.line, "more rows than the %" PRId64 " names; a matrix is square", m.d);
        }
        TRY(check_cancelled(t->b->ctx));
        TRY(read_matrix_row(t, &m, rows));
    }
    if (rows < m.d) {
        return graph_fail(t->b, 0, "%" PRId64 " row%s for %" PRId64 " names; a matrix is square", rows,
                          rows == 1 ? "" : "s", m.d);
    }
    t->b->graph->format = "matrix";
    t->b->graph->lists_nodes = true;
    return NONSENS_OK;
}

/* ---- whole tables ----------------------------------------------------------------------------------------------- */

static void free_table(graph_table *t)
{
    csv_free(&t->r);
}

nonsens_status graph_parse_table(graph_builder *b, const char *bytes, size_t size)
{
    const char *at = bytes, *end = bytes + size, *text;
    int64_t lines = 0, length;
    while (at < end && *at == '#' && graph_next_line(&at, end, &text, &length)) {
        lines++;
    }
    SCOPED(free_table) graph_table t = {.b = b, .r = {.ctx = b->ctx, .path = b->graph->path, .begin = at, .end = end}};
    TRY(csv_open(&t.r));
    t.r.line += lines;
    TRY(read_header(&t));
    if (count_role(&t, ROLE_FROM) && count_role(&t, ROLE_TO)) {
        return read_edges(&t);
    }
    return b->column ? graph_fail(b, 0, "no list of edges, so that it has no columns to choose by (--truth-column)")
                     : read_matrix(&t, lines + 1);
}
