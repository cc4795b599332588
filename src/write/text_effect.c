/* text_effect.c - prints what `effect` found: a line with the answer, tables, the reasons, and the graph. */
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "write/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SHORT_LINES = 12, DIGITS = 4, CELL_BYTES = 3 * NUMBER_BYTES, SENTENCE_BYTES = 5000, MEDIAN = 2 };

static const char *number(char cell[CELL_BYTES], double value)
{
    return isnan(value) ? "-" : value == 0.0 ? "0" : number_print(cell, value, DIGITS);
}

/* Writes "4.21 (3.98 to 4.45)", or "4.21" if there is no interval. */
static const char *estimate(char cell[CELL_BYTES], const nonsens_estimate *e)
{
    char value[CELL_BYTES], low[CELL_BYTES], high[CELL_BYTES];
    if (isnan(e->low) || (e->low == e->value && e->high == e->value)) {
        snprintf(cell, CELL_BYTES, "%s", number(value, e->value));
    } else if (isnan(e->value)) {
        snprintf(cell, CELL_BYTES, "%s to %s", number(low, e->low), number(high, e->high));
    } else {
        snprintf(cell, CELL_BYTES, "%s (%s to %s)", number(value, e->value), number(low, e->low),
                 number(high, e->high));
    }
    return cell;
}

static const char *name_of(char shown[TEXT_NAME_BYTES], const nonsens_result *r, int64_t variable)
{
    return text_name(shown, r->names, r->variables, variable);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

enum { MAX_COLUMNS = 8 };

/* A table whose columns are as wide as their widest cell; empty cells show a dash. */
typedef struct table {
    int columns, width[MAX_COLUMNS];
    bool printing; /* false: cells are only measured */
    FILE *f;
    int at;
} table;

static void cell(table *t, const char *text)
{
    if (!t->printing) {
        t->width[t->at] = text_wider(t->width[t->at], text);
    } else if (t->at + 1 < t->columns) {
        fputs("  ", t->f);
        text_print_padded(t->f, text, t->width[t->at]);
    } else {
        fprintf(t->f, "  %s\n", text);
    }
    t->at = t->at + 1 < t->columns ? t->at + 1 : 0;
}

/* Adds the cells of a line; returns false and adds nothing if this item has no line. */
typedef bool table_line_fn(table *t, const nonsens_result *r, int64_t index);

/* Measures and then prints a head and the lines that a function adds; returns the number of lines. */
static int print_table(FILE *f, const nonsens_result *r, int columns, const char *const *head, int64_t count,
                       table_line_fn *line, bool all)
{
    table t = {.columns = columns, .f = f};
    int64_t listed = 0, shown = 0;
    for (int k = 0; k < columns; k++) {
        cell(&t, head[k]);
    }
    for (int64_t i = 0; i < count; i++) {
        listed += line(&t, r, i);
    }
    int64_t lines = all || listed <= SHORT_LINES ? listed : SHORT_LINES - 1;
    t.printing = true;
    fputc('\n', f);
    for (int k = 0; k < columns; k++) {
        cell(&t, head[k]);
    }
    for (int64_t i = 0; i < count && shown < lines; i++) {
        shown += line(&t, r, i);
    }
    if (lines < listed) {
        fprintf(f, "  ... and %" PRId64 " more; --verbose shows them\n", listed - lines);
    }
    return 2 + (int)lines + (lines < listed);
}

/* ---- questions with --do and --change -----------------------------------------------------------------------------
 */

/* Writes what a line is about besides the variable: a value, a segment, or all rows. */
static const char *where(char out[SHOWN_BYTES + CELL_BYTES], const nonsens_effect *e)
{
    char shown[SHOWN_BYTES], value[CELL_BYTES];
    if (!isnan(e->at)) {
        snprintf(out, SHOWN_BYTES + CELL_BYTES, "%s", number(value, e->at));
    } else {
        snprintf(out, SHOWN_BYTES + CELL_BYTES, "%s", e->segment ? show_bare(shown, e->segment) : "all rows");
    }
    return out;
}

static bool print_effect(table *t, const nonsens_result *r, int64_t index)
{
    const nonsens_effect *e = &r->effects.effect[index];
    char shown[TEXT_NAME_BYTES], at[SHOWN_BYTES + CELL_BYTES], text[CELL_BYTES];
    cell(t, name_of(shown, r, e->on));
    cell(t, where(at, e));
    cell(t, number(text, e->now.mean.value));
    cell(t, estimate(text, &e->then.mean));
    cell(t, estimate(text, &e->difference.mean));
    return true;
}

static bool print_median(table *t, const nonsens_result *r, int64_t index)
{
    const nonsens_effect *e = &r->effects.effect[index];
    char shown[TEXT_NAME_BYTES], at[SHOWN_BYTES + CELL_BYTES], text[CELL_BYTES];
    cell(t, name_of(shown, r, e->on));
    cell(t, where(at, e));
    cell(t, number(text, e->now.quantile[MEDIAN].value));
    cell(t, estimate(text, &e->then.quantile[MEDIAN]));
    return true;
}

/* Prints the answer for a single target in a line. */
static int print_answer(FILE *f, const nonsens_result *r, const nonsens_effect *e)
{
    char shown[TEXT_NAME_BYTES], text[CELL_BYTES], other[CELL_BYTES], line[SENTENCE_BYTES];
    size_t used =
        (size_t)snprintf(line, sizeof line, "effect of %s on %s", r->effects.question, name_of(shown, r, e->on));
    switch (e->answered) {
    case NONSENS_ANSWERED_NO_PATH:
        snprintf(line + used, sizeof line - used, ": exactly 0");
        break;
    case NONSENS_ANSWERED_NOT:
        snprintf(line + used, sizeof line - used, ": no answer");
        break;
    case NONSENS_ANSWERED_RANGE:
        snprintf(line + used, sizeof line - used, ": the mean changes by %s to %s, as open directions may be",
                 number(text, e->least), number(other, e->most));
        break;
    case NONSENS_ANSWERED_ONE:
        snprintf(line + used, sizeof line - used, ": mean %s, now %s", estimate(text, &e->then.mean),
                 number(other, e->now.mean.value));
        break;
    }
    return text_print_words(f, line, 0, 0);
}

/* Prints reasons, each only once if several answers for a target have the same one. */
static int print_reasons(FILE *f, const nonsens_result *r)
{
    int lines = 0;
    for (int64_t i = 0; i < r->effects.effects; i++) {
        const nonsens_effect *e = &r->effects.effect[i], *before = i > 0 ? e - 1 : NULL;
        if (before && before->on == e->on && strcmp(before->reason, e->reason) == 0) {
            continue;
        }
        lines += text_print_words(f, e->reason, 0, 0);
        if (e->settle) {
            lines += text_print_words(f, e->settle, 0, 0);
        }
    }
    return lines;
}

static int percent(double share)
{
    return (int)lround(100.0 * share);
}

static int print_robustness(FILE *f, const nonsens_result *r)
{
    const nonsens_effect *e = &r->effects.effect[0];
    char line[SENTENCE_BYTES], shown[TEXT_NAME_BYTES];
    if (e->robustness > 0.0) {
        int used = snprintf(line, sizeof line,
                            "A hidden common cause would have to explain %d %% of the remaining variation of both the "
                            "changed variable and %s to bring the effect to zero",
                            percent(e->robustness), name_of(shown, r, e->on));
        if (e->robustness_interval > 0.0) {
            snprintf(line + used, sizeof line - (size_t)used, ", and %d %% to bring zero into the interval.",
                     percent(e->robustness_interval));
        } else {
            snprintf(line + used, sizeof line - (size_t)used, "; zero is in the interval already.");
        }
        return text_print_words(f, line, 0, 0);
    }
    return 0;
}

static int print_verdict(FILE *f, const nonsens_refutation *r, const char *what, const char *expected)
{
    char line[SENTENCE_BYTES], mean[CELL_BYTES], low[CELL_BYTES], high[CELL_BYTES], p[REASONING_P_BYTES];
    if (r->repetitions == 0) {
        return 0;
    }
    if (isnan(r->p_value)) {
        snprintf(line, sizeof line, "%s: not tested; too few rows or repetitions.", what);
    } else {
        snprintf(line, sizeof line, "%s: difference %s on average (%s to %s in %" PRId64 " repetitions), %s: %s (%s).",
                 what, number(mean, r->mean), number(low, r->low), number(high, r->high), r->repetitions, expected,
                 r->passes ? "passes" : "fails", reasoning_p(p, r->p_value));
    }
    return text_print_words(f, line, 0, 0);
}

/* Prints verdicts on the only answer or, of several, how many pass; a note counts failures. */
static int print_refuters(FILE *f, const nonsens_result *r, bool one)
{
    int64_t judged = 0, passed[2] = {0};
    char value[CELL_BYTES], expected[SENTENCE_BYTES];
    for (int64_t k = 0; k < r->effects.effects; k++) {
        const nonsens_effect *e = &r->effects.effect[k];
        judged += e->placebo.repetitions > 0;
        passed[0] += e->placebo.passes;
        passed[1] += e->subsets.passes;
    }
    if (one) {
        const nonsens_effect *e = &r->effects.effect[0];
        snprintf(expected, sizeof expected, "%s with all rows", number(value, e->difference.mean.value));
        int lines = print_verdict(f, &e->placebo, "Placebo cause", "0 expected");
        return lines + print_verdict(f, &e->subsets, "Random subsets", expected);
    }
    if (judged > 0) {
        fprintf(
            f, "Refuters: of %" PRId64 " answers, %" PRId64 " pass the placebo cause and %" PRId64 " random subsets.\n",
            judged, passed[0], passed[1]);
    }
    return judged > 0;
}

static int print_effects(FILE *f, const nonsens_result *r, bool all)
{
    static const char *const head[] = {"variable", "where", "mean now", "then", "difference"};
    static const char *const medians[] = {"variable", "where", "median now", "then"};
    const result_effects *found = &r->effects;
    bool one = found->effects > 0 && found->effect[0].on == found->effect[found->effects - 1].on;
    bool single = one && isnan(found->effect[0].at);
    int lines = 1;
    if (single) {
        lines += print_answer(f, r, &found->effect[0]);
    } else {
        fprintf(f, "effect of ");
        lines += text_print_words(f, found->question, 10, 0);
    }
    fputc('\n', f);
    lines += print_reasons(f, r);
    lines += single ? print_robustness(f, r) : 0;
    lines += print_refuters(f, r, single);
    lines += print_table(f, r, (int)(sizeof head / sizeof *head), head, found->effects, print_effect, all);
    if (all) {
        lines += print_table(f, r, (int)(sizeof medians / sizeof *medians), medians, found->effects, print_median, all);
    }
    return lines;
}

/* ---- all effects ------------------------------------------------------------------------------------------------- */

static bool print_quartile_effect(table *t, const nonsens_result *r, int64_t index)
{
    const nonsens_quartile_effect *e = &r->effects.quartile_effect[index];
    char shown[TEXT_NAME_BYTES], text[CELL_BYTES], low[CELL_BYTES], high[CELL_BYTES];
    if (e->answered == NONSENS_ANSWERED_NO_PATH) {
        return false;
    }
    bool one = e->answered == NONSENS_ANSWERED_ONE;
    cell(t, name_of(shown, r, e->cause));
    cell(t, name_of(shown, r, e->effect));
    snprintf(text, sizeof text, "%s to %s", number(low, e->lower), number(high, e->upper));
    cell(t, text);
    cell(t, one ? estimate(text, &e->total) : e->answered == NONSENS_ANSWERED_RANGE ? "open" : "no answer");
    cell(t, one ? number(text, e->total.value / e->sd) : "-");
    cell(t, one ? estimate(text, &e->direct) : "-");
    return true;
}

static int print_unanswered(FILE *f, const nonsens_result *r)
{
    int lines = 0;
    const char *last = "";
    for (int64_t k = 0; k < r->effects.quartile_effects; k++) {
        const nonsens_quartile_effect *e = &r->effects.quartile_effect[k];
        bool is_open = e->answered == NONSENS_ANSWERED_RANGE || e->answered == NONSENS_ANSWERED_NOT;
        if (is_open && strcmp(e->reason, last) != 0) {
            lines += text_print_words(f, e->reason, 0, 0);
            last = e->reason;
        }
    }
    return lines;
}

/* Prints the table of all effects, without lines for pairs that have no path. */
static int print_quartile_effects(FILE *f, const nonsens_result *r, bool all)
{
    static const char *const head[] = {"cause", "effect", "step", "total effect", "per sd", "direct effect"};
    fprintf(f, "effects of %" PRId64 " variables on one another\n\n", r->variables);
    int lines = 2 + text_print_words(f,
                                     "How far the mean of the effect moves if the cause goes from its lower to its "
                                     "upper quartile. total: by all paths; direct: the other causes as they are; per "
                                     "sd: the total effect in standard deviations. Pairs that are not listed have no "
                                     "path: their effects are exactly 0.",
                                     0, 0);
    lines += print_unanswered(f, r);
    return lines + print_table(f, r, (int)(sizeof head / sizeof *head), head, r->effects.quartile_effects,
                               print_quartile_effect, all);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

static bool print_counterfactual(table *t, const nonsens_result *r, int64_t index)
{
    const nonsens_counterfactual *c = &r->effects.counterfactual[index];
    char shown[TEXT_NAME_BYTES], text[CELL_BYTES];
    snprintf(text, sizeof text, "%" PRId64, c->row + 1);
    cell(t, text);
    cell(t, name_of(shown, r, c->variable));
    cell(t, number(text, c->now));
    cell(t, estimate(text, &c->then));
    return true;
}

static int print_counterfactuals(FILE *f, const nonsens_result *r, bool all)
{
    static const char *const head[] = {"row", "variable", "now", "would have been"};
    fputs("what rows would have been with ", f);
    int lines = text_print_words(f, r->effects.question, 31, 0);
    return lines + print_table(f, r, (int)(sizeof head / sizeof *head), head, r->effects.counterfactuals,
                               print_counterfactual, all);
}

/* Returns whether a note has the sentence on the test of the graph, as it does if the graph failed. */
static bool is_noted(const nonsens_result *r, const char *sentence)
{
    bool found = false;
    for (int64_t i = 0; i < r->notes; i++) {
        found = found || strstr(r->note[i].text, sentence);
    }
    return found;
}

int text_print_effects(FILE *f, const nonsens_result *r, bool all)
{
    const result_effects *found = &r->effects;
    int lines = (found->counterfactuals > 0 ? print_counterfactuals
                 : found->quartile_effects  ? print_quartile_effects
                                            : print_effects)(f, r, all);
    fputc('\n', f);
    lines += 1 + text_print_basis(f, r, all);
    return lines + (found->check && !is_noted(r, found->check) ? text_print_words(f, found->check, 0, 0) : 0);
}
