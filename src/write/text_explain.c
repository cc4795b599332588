/* text_explain.c - prints what `explain` found: root causes, a line per variable, the graph it rests on. */
#include "base/show.h"
#include "write/text.h"
#include "write/write_internal.h"

#include <inttypes.h>
#include <math.h>

enum {
    MAX_NAMED = 50,
    MAX_LINES = 200,
    DIGITS = 3,
    RANKED = 3,        /* variables that are named where nothing can be called */
    VERDICT_NAMES = 3, /* of root causes that a variable follows */
    CELL_BYTES = 2 * NUMBER_BYTES + 16,
    VERDICT_BYTES = (VERDICT_NAMES + 1) * (SHOWN_BYTES + 2) + 40
};

static const char *number_cell(char cell[CELL_BYTES], double value)
{
    return !isfinite(value) ? "-" : value == 0.0 ? "0" : number_print(cell, value, DIGITS);
}

/* Changes are rounded to a thousandth of a nat. */
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

static const char *verdict_text(char out[VERDICT_BYTES], const nonsens_result *r, const nonsens_change *c)
{
    char name[SHOWN_BYTES];
    size_t used = (size_t)snprintf(out, VERDICT_BYTES, "%s", report_verdict(c->verdict));
    if (c->verdict == NONSENS_VERDICT_CHANGED && c->description[0]) {
        snprintf(out + used, VERDICT_BYTES - used, ": %s", c->description);
    }
    for (int64_t i = 0; c->verdict == NONSENS_VERDICT_FOLLOWS && i < c->followed && i <= VERDICT_NAMES; i++) {
        used += (size_t)snprintf(out + used, VERDICT_BYTES - used, "%s%s", i ? ", " : " ",
                                 i == VERDICT_NAMES ? "..." : show_bare(name, r->names[c->follows[i]]));
    }
    return out;
}

/* ---- the first line --------------------------------------------------------------------------------------------- */

static void print_roots(FILE *f, const nonsens_result *r)
{
    char name[SHOWN_BYTES];
    int64_t named = 0;
    fprintf(f, "root causes of %s:", show_bare(name, r->explained.of));
    if (r->explained.ranking_only) {
        fputs(" ranking only, likeliest first:", f);
        for (int64_t i = 0; i < r->variables && i < RANKED; i++) {
            fprintf(f, "%s %s", i ? "," : "", show_bare(name, r->names[r->explained.variable[i].variable]));
        }
        fputc('\n', f);
        return;
    }
    for (int64_t i = 0; i < r->variables && r->explained.variable[i].verdict == NONSENS_VERDICT_CHANGED; i++, named++) {
        if (named < MAX_NAMED) {
            fprintf(f, "%s %s", named ? "," : "", show_bare(name, r->names[r->explained.variable[i].variable]));
        }
    }
    fputs(named == 0 ? " none found\n" : named > MAX_NAMED ? ", ...\n" : "\n", f);
}

static void print_sentence(FILE *f, const nonsens_result *r)
{
    char of[SHOWN_BYTES], against[SHOWN_BYTES], alpha[NUMBER_BYTES], from[40] = "", before[60] = "", sentence[1200];
    const result_explanation *e = &r->explained;
    int64_t rows = e->of_rows - e->onset + 1;
    show_bare(of, e->of);
    if (e->onset > 1) {
        snprintf(from, sizeof from, ", from its row %" PRId64 " on", e->onset);
        snprintf(before, sizeof before, "the %" PRId64 " before, and with ", e->onset - 1);
    }
    snprintf(sentence, sizeof sentence,
             "%s (%" PRId64 " row%s%s) is compared with %s%s (%" PRId64 " rows). A variable changed itself where its "
             "distribution given its causes differs between them (%s at most %s); what changed only as its causes did "
             "follows them.",
             of, rows, rows == 1 ? "" : "s", from, before,
             e->against ? show_bare(against, e->against) : "all other segments", e->other_rows,
             r->options.fdr == FDR_NONE ? "p" : "q", number_print(alpha, r->options.alpha, DIGITS));
    fputc('\n', f);
    text_print_words(f, sentence, 0, 0);
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* Says whether divergences were measured, of any variable. */
static bool has_divergences(const nonsens_result *r)
{
    for (int64_t i = 0; i < r->variables; i++) {
        if (!isnan(r->explained.variable[i].own)) {
            return true;
        }
    }
    return false;
}

/* Says whether variables have shares of the target's change. */
static bool has_shares(const nonsens_result *r)
{
    return r->explained.target && !r->explained.target->reason;
}

static void print_line(FILE *f, const nonsens_result *r, const nonsens_change *c, int64_t rank, int width, bool all)
{
    char name[SHOWN_BYTES], cell[CELL_BYTES], other[CELL_BYTES], verdict[VERDICT_BYTES];
    fprintf(f, "  %4" PRId64 "  ", rank);
    text_print_padded(f, show_bare(name, r->names[c->variable]), width);
    fprintf(f, "  %8s", number_cell(cell, round(1000.0 * c->size) / 1000.0));
    if (all) {
        fprintf(f, "  %7s  %7s", change(cell, c->own), change(other, c->own_error));
    } else {
        fprintf(f, "  %8s", number_cell(cell, c->score));
    }
    fprintf(f, "  %8s  %8s", number_print_p(cell, c->p_value), number_print_p(other, c->q_value));
    if (all) {
        fprintf(f, "  %6s  %8s", number_cell(cell, c->scale), change(other, c->marginal));
    }
    if (has_shares(r)) {
        fprintf(f, "  %9s", number_cell(cell, c->effect_share));
    }
    fprintf(f, "  %s\n", verdict_text(verdict, r, c));
}

static void print_head(FILE *f, int width, bool all, bool shares)
{
    fprintf(f, "\n  rank  %-*s  %8s", width, "variable", "size");
    if (all) {
        fprintf(f, "  %7s  %7s  %8s  %8s  %6s  %8s", "own", "error", "p", "q", "scale", "marginal");
    } else {
        fprintf(f, "  %8s  %8s  %8s", "score", "p", "q");
    }
    fprintf(f, "%s  verdict\n", shares ? "  on target" : "");
}

static void print_table(FILE *f, const nonsens_result *r)
{
    int64_t lines = r->variables < MAX_LINES ? r->variables : MAX_LINES;
    char name[SHOWN_BYTES];
    bool all = has_divergences(r);
    int width = 8;
    for (int64_t i = 0; i < lines; i++) {
        width = text_wider(width, show_bare(name, r->names[r->explained.variable[i].variable]));
    }
    print_head(f, width, all, has_shares(r));
    for (int64_t i = 0; i < lines; i++) {
        print_line(f, r, &r->explained.variable[i], i + 1, width, all);
    }
    if (lines < r->variables) {
        fprintf(f, "  ... and %" PRId64 " more; --json shows them\n", r->variables - lines);
    }
    fputs("\n  ", f);
    text_print_words(
        f,
        all ? "size: shift of the variable's disturbance, in interquartile ranges of normal rows; own: how "
              "far its distribution differs, at least, and marginal: how far that of the variable itself "
              "does (Jeffreys divergence, nats per row); error: standard error of own; scale: how many "
              "times as wide the disturbance is."
            : "size: shift of the variable's disturbance, in interquartile ranges of normal rows; score: "
              "how far its rows are from normal, in standard deviations.",
        2, 2);
}

void text_print_explained(FILE *f, const nonsens_result *r)
{
    print_roots(f, r);
    print_sentence(f, r);
    text_print_target(f, r);
    print_table(f, r);
    text_print_heading(f, "The graph");
    text_print_graph(f, r);
}
