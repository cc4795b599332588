/* accuracy_report.c - printed lines `accuracy METHOD GENERATOR key=value ...` and the same as rows of a CSV table. */
#include "accuracy.h"
#include "harness/summary.h"

#include <inttypes.h>
#include <math.h>

static const char *const COLUMN_NAME[COLUMNS] = {"right",    "wrong",   "undecided",   "direction",    "mcc",
                                                 "se",       "neither", "independent", "inconclusive", "concluded",
                                                 "rejected", "tested",  "rank",        "rank_share"};

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

void report_head(FILE *csv, int items, const report_item *item)
{
    fputs("method,generator,d,E,n,depth,reps", csv);
    for (int k = 0; k < items; k++) {
        fprintf(csv, ",%s", item[k].name);
    }
    fputc('\n', csv);
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

static void print_row(FILE *csv, const task *t, const char *method, int items, const report_item *item)
{
    fprintf(csv, "%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d", method, t->cell->generator, t->nodes,
            t->segments, t->rows, t->depth, t->reps);
    for (int k = 0; k < items; k++) {
        fputc(',', csv);
        if (!isnan(item[k].value)) {
            fprintf(csv, "%.*f", item[k].digits, item[k].value);
        }
    }
    fputc('\n', csv);
    fflush(csv);
}

void report_items(FILE *csv, const task *t, const char *method, int items, const report_item *item)
{
    print_line(t, method, items, item);
    if (csv) {
        print_row(csv, t, method, items, item);
    }
}

/* ---- those of pairs ---- */

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

void report_header(FILE *csv)
{
    report_item item[COLUMNS];
    report none = report_empty();
    fill_items(&none, item);
    report_head(csv, COLUMNS, item);
}

void report_print(FILE *csv, const task *t, const char *method, const report *r)
{
    report_item item[COLUMNS];
    fill_items(r, item);
    report_items(csv, t, method, COLUMNS, item);
}
