/* accuracy_report.c - printed lines `accuracy METHOD GENERATOR key=value ...` and the same as rows of a CSV table. */
#include "accuracy.h"

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

double report_share_error(double share, int reps)
{
    return sqrt(fmax(share * (1.0 - share), 0.0) / reps); /* a sum of many small parts may end above 1 */
}

void report_header(FILE *csv)
{
    fputs("method,generator,d,E,n,depth,reps", csv);
    for (int k = 0; k < COLUMNS; k++) {
        fprintf(csv, ",%s", COLUMN_NAME[k]);
    }
    fputc('\n', csv);
}

/* Shares have three digits, correlations and their errors four. */
static int digits_of(const report *r, enum column column)
{
    return column == COLUMN_RANK ? 0 : isnan(r->value[COLUMN_MCC]) ? 3 : 4;
}

static void print_line(const task *t, const char *method, const report *r)
{
    printf("accuracy %s %s d=2 E=%" PRId64 " n=%" PRId64 " depth=%" PRId64 " reps=%d", method, t->cell->generator,
           t->segments, t->rows, t->depth, t->reps);
    for (int k = 0; k < COLUMNS; k++) {
        if (!isnan(r->value[k])) {
            printf(" %s=%.*f", COLUMN_NAME[k], digits_of(r, (enum column)k), r->value[k]);
        }
    }
    putchar('\n');
    fflush(stdout);
}

static void print_row(FILE *csv, const task *t, const char *method, const report *r)
{
    fprintf(csv, "%s,%s,2,%" PRId64 ",%" PRId64 ",%" PRId64 ",%d", method, t->cell->generator, t->segments, t->rows,
            t->depth, t->reps);
    for (int k = 0; k < COLUMNS; k++) {
        fputc(',', csv);
        if (!isnan(r->value[k])) {
            fprintf(csv, "%.*f", digits_of(r, (enum column)k), r->value[k]);
        }
    }
    fputc('\n', csv);
    fflush(csv);
}

void report_print(FILE *csv, const task *t, const char *method, const report *r)
{
    print_line(t, method, r);
    if (csv) {
        print_row(csv, t, method, r);
    }
}
