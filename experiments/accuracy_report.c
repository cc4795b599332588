/* accuracy_report.c - prints lines `accuracy METHOD GENERATOR key=value ...` and writes them as rows of a CSV table. */
#include "accuracy.h"

#include <inttypes.h>
#include <math.h>

static const char *const COLUMN_NAME[COLUMNS] = {"right",      "wrong",     "undecided",   "direction",    "mcc",
                                                 "se",         "neither",   "independent", "inconclusive", "concluded",
                                                 "rejected",   "tested",    "rank",        "rank_share",   "firm_right",
                                                 "firm_wrong", "explained", "vetoed"};

report report_empty(void)
{
    report r;
    for (int k = 0; k < COLUMNS; k++) {
        r.value[k] = NAN;
    }
    return r;
}

void report_shares(report *r, enum column of, int reps)
{
    r->value[COLUMN_SE] = summary_of_share(reps, (int64_t)r->value[of]).error;
    for (int k = 0; k < COLUMNS; k++) {
        r->value[k] /= k == COLUMN_SE ? 1.0 : reps;
    }
}

/* ---- any columns ---- */

void report_head(table *csv, int items, const report_item *item)
{
    table_text(csv, "method,generator,d,E,n,depth,reps");
    for (int k = 0; k < items; k++) {
        table_text(csv, item[k].name);
    }
    table_end_row(csv);
}

static void print_line(const task *t, const char *method, int items, const report_item *item)
{
    printf("accuracy %s %s d=%" PRId64 " E=%" PRId64 " n=%" PRId64 " depth=%" PRId64 " reps=%d", method,
           t->cell->generator, t->nodes, t->segments, t->rows, t->depth, t->reps);
    for (int k = 0; k < items; k++) {
        if (!isnan(item[k].value)) {
            printf(" %s=%.*f", item[k].name, item[k].digits, item[k].value);
        }
    }
    putchar('\n');
    fflush(stdout);
}

static void write_row(table *csv, const task *t, const char *method, int items, const report_item *item)
{
    table_text(csv, method);
    table_text(csv, t->cell->generator);
    table_whole(csv, t->nodes);
    table_whole(csv, t->segments);
    table_whole(csv, t->rows);
    table_whole(csv, t->depth);
    table_whole(csv, t->reps);
    for (int k = 0; k < items; k++) {
        table_fixed(csv, item[k].value, item[k].digits);
    }
    table_end_row(csv);
}

void report_items(table *csv, const task *t, const char *method, int items, const report_item *item)
{
    print_line(t, method, items, item);
    write_row(csv, t, method, items, item);
    if (csv->out) {
        fflush(csv->out); // shows the results of a long run early
    }
}

/* ---- columns of pairs ---- */

/* Shares have three digits, correlations and their errors four. */
static int digits_of(const report *r, enum column column)
{
    return column == COLUMN_RANK ? 0 : isnan(r->value[COLUMN_MCC]) ? 3 : 4;
}

static void fill_items(const report *r, report_item *item)
{
    for (int k = 0; k < COLUMNS; k++) {
        item[k] = (report_item){COLUMN_NAME[k], r->value[k], digits_of(r, (enum column)k)};
    }
}

void report_header(table *csv)
{
    report_item item[COLUMNS];
    report none = report_empty();
    fill_items(&none, item);
    report_head(csv, COLUMNS, item);
}

void report_print(table *csv, const task *t, const char *method, const report *r)
{
    report_item item[COLUMNS];
    fill_items(r, item);
    report_items(csv, t, method, COLUMNS, item);
}
