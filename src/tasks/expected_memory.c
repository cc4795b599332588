/*
 * expected_memory.c - how much memory a run will take, from the size of the data and the method alone.
 *
 * What was measured with two threads on simulated data: so much in any case, per variable, row and value.  `make load`
 * holds it against what runs take.
 */
#include "tasks/expected_memory.h"

#include "methods/shared/rank_search_family.h"
#include "methods/shared/method.h"

#include <string.h>

/* Bytes: in any case, for each variable, for each row used, for each value used. */
typedef struct need {
    unsigned command;
    const char *method; /* or kind of test; NULL: the command has none */
    double fixed, per_variable, per_row, per_cell;
} need;

/* Tests of independence: where something is given, or by random features, features of every row are kept. */
static const char WITH_FEATURES[] = "with features", WITHOUT[] = "without";

/* clang-format off */
static const need table[] = {
    {NONSENS_CMD_DIRECTION, "nonsens", 3e6, 0, 480, 0},
    {NONSENS_CMD_DIRECTION, "nonsens-lr", 3e6, 0, 480, 0},
    {NONSENS_CMD_DIRECTION, "linear-ica", 4e6, 0, 155, 0},
    {NONSENS_CMD_DIRECTION, "lingam", 4e6, 0, 85, 0},
    {NONSENS_CMD_DIRECTION, "resit", 2e7, 0, 375, 0},
    {NONSENS_CMD_DIRECTION, "reci", 2e7, 0, 355, 0},
    {NONSENS_CMD_DIRECTION, "icp", 1.2e7, 0, 520, 0},
    {NONSENS_CMD_DIRECTION, "cdnod", 5e6, 0, 2650, 0},
    {NONSENS_CMD_DISCOVER, "structured", 0, 2e6, 0, 190},
    {NONSENS_CMD_DISCOVER, "lingam", 4e6, 1e6, 40, 10},
    {NONSENS_CMD_DISCOVER, "resit", 1.2e7, 0, 0, 650},
    {NONSENS_CMD_DISCOVER, "icp", 2.5e7, 0, 0, 770},
    {NONSENS_CMD_DISCOVER, "cdnod", 7e6, 0, 0, 4500},
    {NONSENS_CMD_DISCOVER, "pc", 1e6, 0, 110, 0},
    {NONSENS_CMD_DISCOVER, "pc-nonsens", 2.5e7, 0, 0, 450},
    {NONSENS_CMD_INDEPENDENCE, WITH_FEATURES, 5e6, 0, 20, 250},
    {NONSENS_CMD_INDEPENDENCE, WITHOUT, 5e6, 0, 70, 0},
    {NONSENS_CMD_DIAGNOSE, NULL, 5e6, 0, 85, 0},
    {NONSENS_CMD_ICA, NULL, 1e6, 0, 0, 80},
};
/* clang-format on */

static double rows_used(const nonsens_data *data, const nonsens_options *options, const method *m)
{
    int64_t most = m ? method_most_rows(m, options) : 0;
    return (double)(most > 0 && most < data->n ? most : data->n);
}

/* Rows, and Fisher matrices and their factors. */
static double need_of_classifiers(const nonsens_options *options, double rows, int64_t segments)
{
    enum { NUMBERS_PER_ROW = 60, MATRICES = 15, RANK = 2 };
    double basis = (double)family_spline_basis(options, (int64_t)rows);
    double parameters = RANK * basis * basis + (RANK + 1) * (double)segments;
    return rows * sizeof(double) * NUMBERS_PER_ROW + MATRICES * parameters * parameters * sizeof(double);
}

static bool is_meant(const need *n, const nonsens_options *options, const char *name)
{
    if (n->command == NONSENS_CMD_INDEPENDENCE) {
        return n->method == (options->given[0] || options->test == TEST_RCIT ? WITH_FEATURES : WITHOUT);
    }
    return !n->method || (name && strcmp(n->method, name) == 0);
}

double expected_memory(const nonsens_data *data, const nonsens_options *options, unsigned command, const char *name)
{
    const method *m = command & (NONSENS_CMD_DIRECTION | NONSENS_CMD_DISCOVER) ? method_find(name) : NULL;
    double rows = rows_used(data, options, m), bytes = 0.0;
    if (m && command == NONSENS_CMD_DIRECTION && strcmp(m->info.name, "structured") == 0) {
        bytes = need_of_classifiers(options, rows, data->segments);
    }
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const need *n = &table[k];
        if (n->command == command && is_meant(n, options, m ? m->info.name : NULL)) {
            double d = (double)data->d;
            bytes += n->fixed + n->per_variable * d + n->per_row * rows + n->per_cell * rows * d;
        }
    }
    double sampling = rows < (double)data->n ? 40.0 * (double)data->n : 0.0;
    return bytes + sampling + (double)data->n * sizeof(int64_t); // a result keeps the number of each row
}

int64_t nonsens_expected_memory(const nonsens_data *data, const nonsens_options *options)
{
    if (!data || !options) {
        return 0;
    }
    unsigned command = options->command == NONSENS_CMD_EXPLAIN ? NONSENS_CMD_DISCOVER : options->command;
    return memory_bytes() + (int64_t)expected_memory(data, options, command, options->method);
}
