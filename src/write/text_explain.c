/* text_explain.c - prints what `explain` found: root causes, a line for each of the top variables, and the graph. */
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "write/text.h"
#include "write/write_internal.h"

#include <inttypes.h>
#include <math.h>

enum {
    MAX_NAMED = 50,
    SHORT_LINES = 12,
    DIGITS = 3,
    RANKED = 3,        /* number of variables that are named if there is only a ranking */
    VERDICT_NAMES = 3, /* number of root causes that are named for a variable that follows them */
    CELL_BYTES = 2 * NUMBER_BYTES + 16,
    VERDICT_BYTES = (VERDICT_NAMES + 1) * (TEXT_NAME_BYTES + 2) + 40
};

static const char *number_cell(char cell[CELL_BYTES], double value)
{
    return !isfinite(value) ? "-" : value == 0.0 ? "0" : number_print(cell, value, DIGITS);
}

/* Writes a change, rounded to a thousandth of a nat. */
static const char *change(char cell[CELL_BYTES], double value)
{
    enum { MAX_DIGITS = 4 };
    double rounded = round(1000.0 * value) / 1000.0;
    return fabs(rounded) >= 1.0 ? number_print(cell, rounded, MAX_DIGITS) : number_cell(cell, rounded);
}

const char *report_verdict(int verdict)
{
    static const char *const word[] = {"changed itself", "follows", "unchanged", "unclear", "elsewhere"};
    return word[verdict];
}

static const char *name_of(char out[TEXT_NAME_BYTES], const nonsens_result *r, int64_t variable)
{
    return text_name(out, r->names, r->variables, variable);
}

static const char *verdict_text(char out[VERDICT_BYTES], const nonsens_result *r, const nonsens_change *c)
{
    char name[TEXT_NAME_BYTES];
    size_t used = (size_t)snprintf(out, VERDICT_BYTES, "%s", report_verdict(c->verdict));
    if (c->verdict == NONSENS_VERDICT_CHANGED && c->description[0]) {
        snprintf(out + used, VERDICT_BYTES - used, ": %s", c->description);
    }
    for (int64_t i = 0; c->verdict == NONSENS_VERDICT_FOLLOWS && i < c->followed && i <= VERDICT_NAMES; i++) {
        used += (size_t)snprintf(out + used, VERDICT_BYTES - used, "%s%s", i ? ", " : " ",
                                 i == VERDICT_NAMES ? "..." : name_of(name, r, c->follows[i]));
    }
    return out;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static int64_t count_verdict(const nonsens_result *r, int verdict)
{
    int64_t count = 0;
    for (int64_t i = 0; i < r->variables; i++) {
        count += (int)r->explained.variable[i].verdict == verdict;
    }
    return count;
}

/* Prints "root causes of s3: x2, x4". */
static int print_roots(FILE *f, const nonsens_result *r)
{
    char name[TEXT_NAME_BYTES];
    int64_t roots = count_verdict(r, NONSENS_VERDICT_CHANGED), named = roots < MAX_NAMED ? roots : MAX_NAMED;
    if (r->explained.ranking_only) {
        named = r->variables < RANKED ? r->variables : RANKED;
    }
    fprintf(f, "root causes of %s:%s", show_bare(name, r->explained.of),
            r->explained.ranking_only ? " ranking only, likeliest first:" : "");
    for (int64_t i = 0; i < named; i++) { // the likeliest come first
        fprintf(f, "%s %s", i ? "," : "", name_of(name, r, r->explained.variable[i].variable));
    }
    fputs(named == 0 ? " none found\n" : !r->explained.ranking_only && roots > named ? ", ...\n" : "\n", f);
    return 1;
}

/* Writes "x2 changed itself: narrower (q < 0.001)." */
static size_t add_first(char *out, size_t size, const nonsens_result *r)
{
    char name[TEXT_NAME_BYTES], verdict[VERDICT_BYTES], q[REASONING_P_BYTES];
    const nonsens_change *c = &r->explained.variable[0];
    if (r->explained.ranking_only || c->verdict != NONSENS_VERDICT_CHANGED) {
        return 0;
    }
    bool single = r->options.fdr == FDR_NONE;
    reasoning_p(q, single ? c->p_value : c->q_value);
    q[0] = q[0] && !single ? 'q' : q[0];
    return (size_t)snprintf(out, size, "Likeliest: %s %s%s%s%s. ", name_of(name, r, c->variable),
                            verdict_text(verdict, r, c), q[0] ? " (" : "", q, q[0] ? ")" : "");
}

static int print_sentence(FILE *f, const nonsens_result *r)
{
    char of[SHOWN_BYTES], against[SHOWN_BYTES], from[40] = "", before[60] = "", rows[TEXT_COUNT_BYTES];
    char other[TEXT_COUNT_BYTES], sentence[2 * TEXT_NAME_BYTES + 4 * SHOWN_BYTES + 400];
    const result_explanation *e = &r->explained;
    int64_t count = e->of_rows - e->onset + 1;
    show_bare(of, e->of);
    if (e->onset > 1) {
        snprintf(from, sizeof from, ", from its row %" PRId64 " on", e->onset);
        snprintf(before, sizeof before, "the %" PRId64 " before, and with ", e->onset - 1);
    }
    size_t used = add_first(sentence, sizeof sentence, r);
    used = used < sizeof sentence ? used : sizeof sentence - 1;
    snprintf(sentence + used, sizeof sentence - used, "%s (%s row%s%s) is compared with %s%s (%s rows).", of,
             text_count(rows, count), count == 1 ? "" : "s", from, before,
             e->against ? show_bare(against, e->against) : "all other segments", text_count(other, e->other_rows));
    fputc('\n', f);
    return 1 + text_print_words(f, sentence, 0, 0);
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* Returns whether the divergence of any variable was measured. */
static bool has_divergences(const nonsens_result *r)
{
    for (int64_t i = 0; i < r->variables; i++) {
        if (!isnan(r->explained.variable[i].own)) {
            return true;
        }
    }
    return false;
}

/* Returns whether variables have shares of the target's change. */
static bool has_shares(const nonsens_result *r)
{
    return r->explained.target && !r->explained.target->reason;
}

/* The columns of the table: all of them only with --verbose. */
typedef struct columns {
    int name, verdict;
    bool divergences, shares, all;
} columns;

static void print_line(FILE *f, const nonsens_result *r, int64_t rank, const columns *t)
{
    const nonsens_change *c = &r->explained.variable[rank];
    char name[TEXT_NAME_BYTES], cell[CELL_BYTES], other[CELL_BYTES], verdict[VERDICT_BYTES];
    fprintf(f, "  %4" PRId64 "  ", rank + 1);
    text_print_padded(f, name_of(name, r, c->variable), t->name);
    fputs("  ", f);
    text_print_padded(f, verdict_text(verdict, r, c), t->verdict);
    fprintf(f, "  %7s", number_cell(cell, round(1000.0 * c->size) / 1000.0));
    if (t->divergences) {
        fprintf(f, "  %6s", number_cell(cell, c->scale));
    } else {
        fprintf(f, "  %7s", number_cell(cell, c->score));
    }
    if (t->divergences && t->all) {
        fprintf(f, "  %7s  %7s", change(cell, c->own), change(other, c->own_error));
        fprintf(f, "  %8s", change(other, c->marginal));
    }
    if (t->all) {
        fprintf(f, "  %8s", number_print_p(cell, c->p_value));
    }
    fprintf(f, "  %8s", number_print_p(other, c->q_value));
    if (t->shares) {
        fprintf(f, "  %9s", number_cell(cell, c->effect_share));
    }
    fputc('\n', f);
}

static void print_head(FILE *f, const columns *t)
{
    fprintf(f, "\n  rank  %-*s  %-*s  %7s", t->name, "variable", t->verdict, "verdict", "size");
    fprintf(f, t->divergences ? "  %6s" : "  %7s", t->divergences ? "scale" : "score");
    if (t->divergences && t->all) {
        fprintf(f, "  %7s  %7s  %8s", "own", "error", "marginal");
    }
    fprintf(f, t->all ? "  %8s  %8s" : "  %.0s%8s", "p", "q");
    fprintf(f, "%s\n", t->shares ? "  on target" : "");
}

/* Explains the columns of the table. */
static int print_legend(FILE *f, const columns *t)
{
    fputs("  ", f);
    return text_print_words(
        f,
        t->divergences && t->all
            ? "size: shift of the variable's disturbance, in interquartile ranges of the rows that it is compared "
              "with; scale: how many "
              "times "
              "as wide the disturbance is; own: how far its distribution differs, at least, and marginal: how far that "
              "of the variable itself does (Jeffreys divergence, nats per row); error: standard error of own."
        : t->divergences ? "size: shift of the variable's own noise, in interquartile ranges of the rows that it is "
                           "compared with; scale: how "
                           "many times as wide the noise is."
                         : "size: shift of the variable's own noise, in interquartile ranges of the rows that it is "
                           "compared with; score: "
                           "how far its rows are from normal, in standard deviations.",
        2, 2);
}

/* Prints "... and 18 more: 3 follow others, 15 unchanged; --verbose shows them". */
static void print_others(FILE *f, const nonsens_result *r, int64_t from)
{
    static const char *const word[] = {"changed", "follow others", "unchanged", "unclear", "elsewhere"};
    int64_t count[5] = {0};
    for (int64_t i = from; i < r->variables; i++) {
        count[r->explained.variable[i].verdict]++;
    }
    fprintf(f, "  ... and %" PRId64 " more:", r->variables - from);
    const char *before = " ";
    for (int k = 0; k < 5; k++) {
        if (count[k] > 0) {
            fprintf(f, "%s%" PRId64 " %s", before, count[k], word[k]);
            before = ", ";
        }
    }
    fputs("; --verbose shows them\n", f);
}

static int print_table(FILE *f, const nonsens_result *r, bool all)
{
    int64_t lines = all || r->variables <= SHORT_LINES ? r->variables : SHORT_LINES - 1;
    char name[TEXT_NAME_BYTES], verdict[VERDICT_BYTES];
    columns t = {.name = 8, .verdict = 7, .divergences = has_divergences(r), .shares = has_shares(r), .all = all};
    for (int64_t i = 0; i < lines; i++) {
        t.name = text_wider(t.name, name_of(name, r, r->explained.variable[i].variable));
        t.verdict = text_wider(t.verdict, verdict_text(verdict, r, &r->explained.variable[i]));
    }
    print_head(f, &t);
    for (int64_t i = 0; i < lines; i++) {
        print_line(f, r, i, &t);
    }
    if (lines < r->variables) {
        print_others(f, r, lines);
    }
    return 2 + (int)lines + (lines < r->variables) + print_legend(f, &t);
}

int text_print_explained(FILE *f, const nonsens_result *r, bool all)
{
    int lines = print_roots(f, r);
    lines += print_sentence(f, r);
    lines += text_print_target(f, r);
    lines += print_table(f, r, all);
    fputc('\n', f);
    return lines + 1 + text_print_basis(f, r, all);
}
