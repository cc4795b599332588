/* segments_write.c - writes what was found in each segment: JSON lines, and a table in the order of the segments. */
#include "base/number.h"
#include "base/output.h"
#include "base/show.h"
#include "tasks/segments/segments.h"
#include "write/text.h"
#include "write/write_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- JSON ---- */

static void complete_line(const void *run, int64_t index, json_value *line)
{
    const nonsens_explanations *all = run;
    json_object_set(line, "q_value", json_real(all->item[index].q_value));
}

nonsens_status nonsens_explanations_write_json(nonsens_context *ctx, const nonsens_explanations *all, const char *path)
{
    NEEDED(ctx, all, path);
    return unit_lines_write(ctx, &all->lines, complete_line, all, REPORT_DIGITS, path);
}

/* ---- table ---- */

enum { ALPHA_DIGITS = 3, SENTENCE_BYTES = 1200, SHORT_LINES = 20, SHORT_PROBLEMS = 2 };

static void print_summary(FILE *f, const nonsens_explanations *all)
{
    int64_t changed = 0, sure = 0, unclear = 0, failed = 0;
    char alpha[NUMBER_BYTES];
    for (int64_t k = 0; k < all->count; k++) {
        const nonsens_explained *item = &all->item[k];
        changed += item->root_causes > 0;
        sure += item->root_causes > 0 && item->q_value <= all->options.alpha;
        unclear += item->unclear;
        failed += item->error != NULL;
    }
    fprintf(f, "segments: %" PRId64 ", of which %" PRId64 " with root causes", all->count, changed);
    if (all->options.fdr != FDR_NONE) {
        fprintf(f, " (%" PRId64 " with q <= %s)", sure, number_print(alpha, all->options.alpha, ALPHA_DIGITS));
    }
    fprintf(f, ", %" PRId64 " with nothing unusual, %" PRId64 " unclear, %" PRId64 " failed\n",
            all->count - changed - unclear - failed, unclear, failed);
}

/* Returns whether to list a segment; if there are too many for the table, only those with root causes. */
static bool is_listed(const nonsens_explanations *all, int64_t index, bool changed_only)
{
    return !changed_only || all->item[index].root_causes > 0;
}

static void print_line(FILE *f, const nonsens_explained *item, int width)
{
    char name[SHOWN_BYTES], q[NUMBER_BYTES];
    fputs("  ", f);
    text_print_padded(f, show_bare(name, item->segment), width);
    if (item->error) {
        fprintf(f, "  %6s  %11s  %9s  failed\n", "-", "-", "-");
        return;
    }
    fprintf(f, "  %6" PRId64 "  %11" PRId64 "  %9s  %s\n", item->rows, item->root_causes,
            number_print_p(q, item->q_value), item->verdict);
}

static void print_table(FILE *f, const nonsens_explanations *all, bool verbose)
{
    char name[SHOWN_BYTES];
    int width = (int)sizeof "segment" - 1;
    bool cut = !verbose && all->count > SHORT_LINES;
    int64_t lines = cut ? SHORT_LINES - 1 : all->count, shown = 0;
    for (int64_t k = 0; k < all->count; k++) {
        width = text_wider(width, show_bare(name, all->item[k].segment));
    }
    fprintf(f, "\n  %-*s  %6s  %11s  %9s  verdict\n", width, "segment", "rows", "root causes", "q-value");
    for (int64_t k = 0; k < all->count && shown < lines; k++) {
        if (is_listed(all, k, cut)) {
            print_line(f, &all->item[k], width);
            shown++;
        }
    }
    if (cut) {
        fprintf(f, "  ... and %" PRId64 " more; --verbose shows them\n", all->count - shown);
    }
}

/* ---- words ---- */

/* Lists why segments failed or, if not `failed`, why others have no clear answer. */
static void print_problems(FILE *f, const nonsens_explanations *all, bool failed, bool verbose)
{
    char name[SHOWN_BYTES];
    int64_t listed = 0;
    for (int64_t k = 0; k < all->count; k++) {
        const nonsens_explained *item = &all->item[k];
        const char *why = failed ? item->error : item->unclear ? item->problem : NULL;
        if (!why) {
            continue;
        }
        if (listed == 0) {
            text_print_heading(f, failed ? "Failed" : "Unclear");
        }
        if (listed++ < SHORT_PROBLEMS || verbose) {
            int used = fprintf(f, "  - %s: ", show_bare(name, item->segment));
            text_print_words(f, why, used, 4);
        }
    }
    if (listed > SHORT_PROBLEMS && !verbose) {
        fprintf(f, "  ... and %" PRId64 " more; --verbose shows them\n", listed - SHORT_PROBLEMS);
    }
}

static void print_paragraph(FILE *f, const char *text)
{
    fputs("  ", f);
    text_print_words(f, text, 2, 2);
}

/* Says what it means for the answers that many segments were tested. */
static void print_many(FILE *f, const nonsens_explanations *all)
{
    static const char *const rule[] = {"Benjamini and Hochberg", "Benjamini and Yekutieli"};
    char sentence[SENTENCE_BYTES], alpha[NUMBER_BYTES], expected[NUMBER_BYTES];
    number_print(alpha, all->options.alpha, ALPHA_DIGITS);
    int64_t explained = 0;
    for (int64_t k = 0; k < all->count; k++) {
        explained += !all->item[k].error;
    }
    number_print(expected, all->options.alpha * (double)explained, 2);
    bool single = all->options.fdr == FDR_NONE;
    snprintf(sentence, sizeof sentence,
             "%" PRId64
             " segments were tested, each at level %s: if nothing changed in any of them, %s %s would have a root "
             "cause by chance.",
             all->count, alpha, single ? "more than" : "about", expected);
    print_paragraph(f, sentence);
    if (single) {
        return;
    }
    snprintf(sentence, sizeof sentence,
             "q-values over segments (%s) allow for that: among the segments with q up to some level, at most that "
             "share is expected to have no root cause. Segments without a p-value count with p = 1; failed ones do "
             "not count.",
             rule[all->options.fdr]);
    print_paragraph(f, sentence);
}

static const char AGAINST_ALL[] =
    "each segment is compared with all others together, so a large change in one makes the others look different too. "
    "If you know a normal segment, name it with --against.";

static void print_meaning(FILE *f, const nonsens_explanations *all)
{
    text_print_heading(f, "What it means");
    print_many(f, all);
    if (all->assumes) {
        print_paragraph(f, all->assumes);
    }
}

/* Prints the command for the first segment that has a root cause or, if none has, for the first segment. */
static void print_one(FILE *f, const nonsens_explanations *all)
{
    nonsens_options one = all->options;
    int64_t shown = 0;
    for (int64_t k = all->count - 1; k >= 0; k--) {
        shown = all->item[k].root_causes > 0 ? k : shown;
    }
    one.of = all->item[shown].segment;
    fputs("Next: one segment in detail:\n", f);
    text_print_command(f, &one, all->segments);
}

static void print_origin(FILE *f, const nonsens_explanations *all)
{
    text_print_heading(f, "To get the same result again");
    text_print_command(f, &all->options, all->segments);
    fprintf(f, "  with nonsens %s on data %016" PRIx64 " (", nonsens_version(), all->data_hash);
    text_print_count(f, all->rows, "row", ", ");
    text_print_count(f, all->variables, "variable", ", ");
    text_print_count(f, all->segments, "segment", ")\n");
}

/* Prints what the answers assume; --verbose adds what the method that found the graph assumes. */
static void print_assumed(FILE *f, const nonsens_explanations *all)
{
    char sentence[SENTENCE_BYTES];
    const char *whole = all->assumes, *graph = whole ? strstr(whole, RESULT_GRAPH_ASSUMES) : NULL;
    if (whole) {
        snprintf(sentence, sizeof sentence, "This assumes: %.*s (docs/explain.md)",
                 (int)(graph ? (size_t)(graph - whole) : strlen(whole)), whole);
        text_print_words(f, sentence, 0, 2);
    }
}

nonsens_status nonsens_explanations_write_text(nonsens_context *ctx, const nonsens_explanations *all, unsigned detail,
                                               const char *path)
{
    NEEDED(ctx, all, path);
    output *out;
    bool verbose = detail & NONSENS_TEXT_ALL;
    TRY(text_check_detail(ctx, detail));
    TRY(output_open(ctx, path, &out));
    FILE *f = output_stream(out);
    print_summary(f, all);
    print_table(f, all, verbose);
    print_problems(f, all, true, verbose);
    print_problems(f, all, false, verbose);
    fputc('\n', f);
    if (!all->options.against[0]) {
        char sentence[SENTENCE_BYTES];
        snprintf(sentence, sizeof sentence, "caution: %s", AGAINST_ALL);
        text_print_words(f, sentence, 0, 2);
    }
    if (!verbose) {
        print_assumed(f, all);
    }
    print_one(f, all);
    if (verbose) {
        print_meaning(f, all);
        print_origin(f, all);
    } else {
        fputs("More: --verbose, --json segments.jsonl\n", f);
    }
    return output_close(ctx, out);
}
