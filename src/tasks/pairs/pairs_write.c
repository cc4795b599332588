/*
 * pairs_write.c - writes many pairs as JSON lines, in the order of the list, and as a table, most certain first.
 */
#include "base/number.h"
#include "base/output.h"
#include "base/show.h"
#include "tasks/pairs/pairs.h"
#include "write/text.h"
#include "write/write_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

static void complete_line(const void *run, int64_t index, json_value *line)
{
    const nonsens_pairs *pairs = run;
    json_object_set(line, "q_value", json_real(pairs->pair[index].q_value));
}

nonsens_status nonsens_pairs_write_json(nonsens_context *ctx, const nonsens_pairs *pairs, const char *path)
{
    NEEDED(ctx, pairs, path);
    return unit_lines_write(ctx, &pairs->lines, complete_line, pairs, REPORT_DIGITS, path);
}

/* ---- order of the table ---- */

/* What decides a pair's position in the table. */
typedef struct ranked {
    double q, p;  /* infinite if NaN */
    double score; /* absolute value; 0 if NaN, -1 if the pair failed */
    int64_t index;
} ranked;

static int compare(double a, double b)
{
    return a < b ? -1 : a > b;
}

/* Orders by q, then p, then the size of the score, then the order of the list; failed pairs come last. */
static int by_certainty(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    int order = compare(x->q, y->q);
    order = order ? order : compare(x->p, y->p);
    order = order ? order : compare(y->score, x->score);
    return order ? order : x->index < y->index ? -1 : 1;
}

static nonsens_status order_pairs(nonsens_context *ctx, arena *scratch, const nonsens_pairs *pairs, ranked **out)
{
    ARENA_TRY(ctx, scratch, *out, pairs->count);
    for (int64_t k = 0; k < pairs->count; k++) {
        const nonsens_pair *pair = &pairs->pair[k];
        (*out)[k] =
            (ranked){isnan(pair->q_value) ? INFINITY : pair->q_value, isnan(pair->p_value) ? INFINITY : pair->p_value,
                     pair->error          ? -1.0
                     : isnan(pair->score) ? 0.0
                                          : fabs(pair->score),
                     k};
    }
    qsort(*out, (size_t)pairs->count, sizeof **out, by_certainty);
    return NONSENS_OK;
}

/* ---- table ---- */

enum { NAME_COLUMNS_MAX = 40, ALPHA_DIGITS = 3, SHORT_LINES = 25, SHORT_FAILURES = 3 };

static int64_t count_decision(const nonsens_pairs *pairs, const char *decision)
{
    int64_t count = 0;
    for (int64_t k = 0; k < pairs->count; k++) {
        count += pairs->pair[k].decision && strcmp(pairs->pair[k].decision, decision) == 0;
    }
    return count;
}

static void print_summary(FILE *f, const nonsens_pairs *pairs)
{
    int64_t decided = 0, sure = 0, failed = 0;
    char alpha[NUMBER_BYTES];
    for (int64_t k = 0; k < pairs->count; k++) {
        const nonsens_pair *pair = &pairs->pair[k];
        decided += pairs->arrow[k] != 0;
        sure += pairs->arrow[k] != 0 && pair->q_value <= pairs->options.alpha;
        failed += pair->error != NULL;
    }
    fprintf(f, "pairs: %" PRId64 ", of which %" PRId64 " decided", pairs->count, decided);
    if (pairs->options.fdr != FDR_NONE) {
        fprintf(f, " (%" PRId64 " with q <= %s)", sure, number_print(alpha, pairs->options.alpha, ALPHA_DIGITS));
    }
    fprintf(f, ", %" PRId64 " independent, %" PRId64 " neither, %" PRId64 " inconclusive, %" PRId64 " failed\n",
            count_decision(pairs, "independent"), count_decision(pairs, "neither"),
            count_decision(pairs, "inconclusive"), failed);
}

typedef struct cells {
    char x[TEXT_NAME_BYTES], y[TEXT_NAME_BYTES], decision[2 * TEXT_NAME_BYTES + 2];
} cells;

static const char *name_of(char out[TEXT_NAME_BYTES], const nonsens_pairs *pairs, int64_t variable)
{
    return text_name(out, pairs->names, pairs->variables, variable);
}

/* Fills the cells of a pair; the decision has the names as shown (escaped), like all cells. */
static void fill_cells(const nonsens_pairs *pairs, int64_t index, cells *c)
{
    const nonsens_pair *pair = &pairs->pair[index];
    int arrow = pairs->arrow[index];
    name_of(c->x, pairs, pair->x);
    name_of(c->y, pairs, pair->y);
    if (arrow == 0) {
        show_bare(c->decision, pair->error ? "failed" : pair->decision);
    } else {
        snprintf(c->decision, sizeof c->decision, "%s->%s", arrow > 0 ? c->x : c->y, arrow > 0 ? c->y : c->x);
    }
}

static int wider(int width, const char *text)
{
    int columns = text_columns(text, strlen(text));
    columns = columns < NAME_COLUMNS_MAX ? columns : NAME_COLUMNS_MAX;
    return columns > width ? columns : width;
}

static void print_table(FILE *f, const nonsens_pairs *pairs, const ranked *order, bool all)
{
    char p[NUMBER_BYTES], q[NUMBER_BYTES];
    int x = 1, y = 1, decision = (int)sizeof "decision" - 1;
    int64_t lines = all || pairs->count <= SHORT_LINES ? pairs->count : SHORT_LINES - 1;
    cells c;
    for (int64_t k = 0; k < lines; k++) {
        fill_cells(pairs, order[k].index, &c);
        x = wider(x, c.x);
        y = wider(y, c.y);
        decision = wider(decision, c.decision);
    }
    fprintf(f, "\n  %-*s  %-*s  %-*s  %9s  %9s\n", x, "x", y, "y", decision, "decision", "p-value", "q-value");
    for (int64_t k = 0; k < lines; k++) {
        const nonsens_pair *pair = &pairs->pair[order[k].index];
        fill_cells(pairs, order[k].index, &c);
        fputs("  ", f);
        text_print_padded(f, c.x, x + 2);
        text_print_padded(f, c.y, y + 2);
        text_print_padded(f, c.decision, decision + 2);
        fprintf(f, "%9s  %9s\n", number_print_p(p, pair->p_value), number_print_p(q, pair->q_value));
    }
    if (lines < pairs->count) {
        fprintf(f, "  ... and %" PRId64 " less certain pairs; --verbose shows them\n", pairs->count - lines);
    }
}

/* ---- words ---- */

static void print_failures(FILE *f, const nonsens_pairs *pairs, bool all)
{
    char x[TEXT_NAME_BYTES], y[TEXT_NAME_BYTES];
    int64_t failed = 0;
    for (int64_t k = 0; k < pairs->count; k++) {
        const nonsens_pair *pair = &pairs->pair[k];
        if (!pair->error) {
            continue;
        }
        if (failed == 0) {
            text_print_heading(f, "Failed");
        }
        if (failed++ < SHORT_FAILURES || all) {
            int used = fprintf(f, "  - %s, %s: ", name_of(x, pairs, pair->x), name_of(y, pairs, pair->y));
            text_print_words(f, pair->error, used, 4);
        }
    }
    if (failed > SHORT_FAILURES && !all) {
        fprintf(f, "  ... and %" PRId64 " more; --verbose shows them\n", failed - SHORT_FAILURES);
    }
}

/* Warns that each pair was tested without the other columns. */
static void print_caution(FILE *f, const nonsens_pairs *pairs)
{
    if (pairs->variables > 2) {
        text_print_words(f,
                         "caution: each pair was looked at alone, so common causes among the other columns are not "
                         "excluded; `nonsens discover` looks at all of them together.",
                         0, 2);
    }
}

static void print_meaning(FILE *f, const nonsens_pairs *pairs)
{
    static const char *const rule[] = {"Benjamini and Hochberg", "Benjamini and Yekutieli"};
    text_print_heading(f, "What it means");
    fputs("  ", f);
    text_print_words(f, pairs->method->info.assumes, 2, 2);
    if (pairs->options.fdr == FDR_NONE) {
        fputs("  p-values are those of single pairs: of many pairs, some fall below any level by chance.\n", f);
        return;
    }
    char sentence[512];
    snprintf(sentence, sizeof sentence,
             "q-values (%s): among the decisions with q up to some level, at most that share is expected to be false. "
             "Undecided pairs count with p = 1; failed ones do not count.",
             rule[pairs->options.fdr]);
    fputs("  ", f);
    text_print_words(f, sentence, 2, 2);
}

/* Says in a line or two what q-values mean and what the method assumes. */
static void print_briefly(FILE *f, const nonsens_pairs *pairs)
{
    char sentence[600];
    if (pairs->options.fdr != FDR_NONE) {
        text_print_words(f,
                         "q-value: among the decisions with q up to some level, at most that share is expected to be "
                         "false.",
                         0, 2);
    }
    snprintf(sentence, sizeof sentence, "This assumes: %s (docs/reading.md)", pairs->method->assumes_briefly);
    text_print_words(f, sentence, 0, 2);
    fputs("More: --verbose, --json pairs.jsonl\n", f);
}

static void print_origin(FILE *f, const nonsens_pairs *pairs)
{
    text_print_heading(f, "To get the same result again");
    text_print_command(f, &pairs->options, pairs->segments);
    fprintf(f, "  with nonsens %s on data %016" PRIx64 " (", nonsens_version(), pairs->data_hash);
    text_print_count(f, pairs->rows, "row", ", ");
    text_print_count(f, pairs->variables, "variable", ", ");
    if (pairs->segments > 0) {
        text_print_count(f, pairs->segments, "segment", ")\n");
    } else {
        fputs("no segments)\n", f);
    }
}

nonsens_status nonsens_pairs_write_text(nonsens_context *ctx, const nonsens_pairs *pairs, unsigned detail,
                                        const char *path)
{
    NEEDED(ctx, pairs, path);
    TRY(text_check_detail(ctx, detail));
    bool all = detail & NONSENS_TEXT_ALL;
    output *out;
    ranked *order; // (count)
    arena scratch = {0};
    nonsens_status status = order_pairs(ctx, &scratch, pairs, &order);
    status = status == NONSENS_OK ? output_open(ctx, path, &out) : status;
    if (status == NONSENS_OK) {
        FILE *f = output_stream(out);
        print_summary(f, pairs);
        print_table(f, pairs, order, all);
        print_failures(f, pairs, all);
        fputc('\n', f);
        print_caution(f, pairs);
        if (all) {
            print_meaning(f, pairs);
            print_origin(f, pairs);
        } else {
            print_briefly(f, pairs);
        }
        status = output_close(ctx, out);
    }
    arena_free(&scratch);
    return status;
}
