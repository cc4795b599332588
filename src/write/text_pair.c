/*
 * text_pair.c - prints a decision on a pair: the decision line for scripts, the answer in a sentence, a line for each
 * direction, and the opinions of other methods.
 */
#include "base/number.h"
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "write/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DIGITS = 3, TESTS = 4, TEST_CHARACTERS = 60, SENTENCE_BYTES = 4 * TEXT_NAME_BYTES + 600 };

/* The names of the pair as shown. */
typedef struct pair {
    char a[TEXT_NAME_BYTES], b[TEXT_NAME_BYTES];
} pair;

/* ---- the first line ---- */

/* Prints a name in full, because scripts read it. */
static void print_name(FILE *f, const char *name)
{
    text_print_whole(f, name[0] ? name : "\"\"");
}

static void print_first_line(FILE *f, const nonsens_result *r)
{
    bool first = r->decision == DECISION_FIRST_CAUSES;
    fputs("decision: ", f);
    if (result_names_direction(r)) {
        print_name(f, r->names[!first]);
        fputs("->", f);
        print_name(f, r->names[first]);
    } else {
        fputs(r->decision_text, f);
    }
    fputs("\n\n", f);
}

/* ---- the answer in a sentence ---- */

static void answer(const nonsens_result *r, const pair *p, char *out, size_t size)
{
    bool first = r->decision == DECISION_FIRST_CAUSES;
    const char *where = r->segments > 1 && r->options.pooling == POOLING_STRATIFIED ? " inside segments" : "";
    switch (r->decision) {
    case DECISION_FIRST_CAUSES:
    case DECISION_SECOND_CAUSES:
        snprintf(out, size, "%s%s causes %s", r->assumes_effect ? "If one of the two causes the other, " : "",
                 first ? p->a : p->b, first ? p->b : p->a);
        break;
    case DECISION_INDEPENDENT:
        snprintf(out, size, "No dependence between %s and %s is seen%s", p->a, p->b, where);
        break;
    case DECISION_NEITHER:
        snprintf(out, size, "Neither %s -> %s nor %s -> %s fits the data", p->a, p->b, p->b, p->a);
        break;
    case DECISION_INCONCLUSIVE:
        snprintf(out, size, "The data do not decide between %s -> %s and %s -> %s", p->a, p->b, p->b, p->a);
        break;
    case DECISION_DEPENDENT: // these have a sentence
    case DECISION_NONE:
        snprintf(out, size, "%s", "");
        break;
    }
}

/* Prints "rain causes harvest (p < 0.001; 3,650 rows in 10 segments)." */
static int print_sentence(FILE *f, const nonsens_result *r, const pair *p)
{
    char sentence[SENTENCE_BYTES], data[TEXT_DATA_BYTES], p_value[REASONING_P_BYTES];
    answer(r, p, sentence, sizeof sentence - TEXT_DATA_BYTES - REASONING_P_BYTES);
    if (r->sentence) {
        snprintf(sentence, sizeof sentence - TEXT_DATA_BYTES - REASONING_P_BYTES, "%s", r->sentence);
    }
    size_t used = strlen(sentence);
    used -= used > 0 && sentence[used - 1] == '.';
    reasoning_p(p_value, r->p_value);
    snprintf(sentence + used, sizeof sentence - used, " (%s%s%s).", p_value, p_value[0] ? "; " : "",
             text_data(data, r));
    return text_print_words(f, sentence, 0, 0);
}

/* Prints the reason, unless the lines of the directions show it. */
static int print_reason(FILE *f, const nonsens_result *r, const pair *p)
{
    char sentence[SENTENCE_BYTES];
    int lines = 0;
    if (r->reason && !r->is_plain) {
        lines += text_print_words(f, r->reason, 0, 0);
    }
    if (r->direction_text && r->decision == DECISION_INCONCLUSIVE) {
        bool first = r->better == BETTER_FIRST;
        snprintf(sentence, sizeof sentence, "If a direction must be named: %s -> %s, a weak guess.",
                 first ? p->a : p->b, first ? p->b : p->a);
        lines += text_print_words(f, sentence, 0, 0);
    }
    return lines;
}

/* Writes "a hidden common cause, an error ... or ...". */
static void list_alternatives(const nonsens_result *r, char *out, size_t size)
{
    static const char *const words[] = {"a hidden common cause", "an error in the measured cause",
                                        "a mechanism that differs between segments", "a selection of rows"};
    enum { WORDS = sizeof words / sizeof *words };
    int64_t count = nonsens_result_alternative_count(r), seen = 0;
    size_t used = 0;
    for (int k = 0; k < WORDS; k++) {
        if (r->alternatives >> k & 1U) {
            const char *before = seen == 0 ? "" : seen + 1 == count ? " or " : ", ";
            used += (size_t)snprintf(out + used, size - used, "%s%s", before, words[k]);
            seen++;
        }
    }
}

static int print_firm(FILE *f, const nonsens_result *r)
{
    char list[200] = "", sentence[300];
    if (r->firm == NONSENS_FIRM_YES) {
        return text_print_words(f, "This is firm: no other explanation that was checked fits the data.", 0, 0);
    }
    if (r->firm == NONSENS_FIRM_NO) {
        list_alternatives(r, list, sizeof list);
        snprintf(sentence, sizeof sentence, "This is not firm: %s could look the same.", list);
        return text_print_words(f, sentence, 0, 0);
    }
    return 0;
}

/* ---- a line for each direction ---- */

/* Writes a value of a table, right-aligned, with three decimals if it is small. */
static const char *loss_cell(char cell[NUMBER_BYTES], double value)
{
    double rounded = round(1000.0 * value) / 1000.0;
    return !isfinite(value) ? "-" : rounded == 0.0 ? "0" : number_print(cell, rounded, DIGITS);
}

static void print_direction(FILE *f, const nonsens_result *r, const pair *p, int first, int width)
{
    const result_direction *d = &r->judged[first ? 0 : 1];
    char arrow[2 * TEXT_NAME_BYTES + 8], loss[NUMBER_BYTES], low[NUMBER_BYTES], high[NUMBER_BYTES], level[NUMBER_BYTES];
    snprintf(arrow, sizeof arrow, "%s -> %s", first ? p->a : p->b, first ? p->b : p->a);
    fputs("  ", f);
    text_print_padded(f, arrow, width);
    fprintf(f, "   %-8s", d->verdict);
    if (isnan(d->loss)) {
        fputs("   nothing changes in the cause, so nothing is lost\n", f);
        return;
    }
    fprintf(f, "   held-out loss %6s   %s %% CI %s .. %s\n", loss_cell(loss, d->loss),
            number_print(level, 100.0 * (1.0 - r->options.alpha), DIGITS), loss_cell(low, d->low),
            loss_cell(high, d->high));
}

static int print_directions(FILE *f, const nonsens_result *r, const pair *p)
{
    int width = text_columns(p->a, strlen(p->a)) + text_columns(p->b, strlen(p->b)) + 4;
    bool second =
        r->decision == DECISION_SECOND_CAUSES || (r->decision == DECISION_INCONCLUSIVE && r->better == BETTER_SECOND);
    if (!r->judged[0].verdict) {
        return 0;
    }
    fputc('\n', f);
    print_direction(f, r, p, !second, width);
    print_direction(f, r, p, second, width);
    return 3;
}

/* ---- other methods: their tests ---- */

static int64_t list_tests(const nonsens_result *r, int64_t index[TESTS])
{
    int64_t count = 0;
    for (int pass = 0; pass < 2 && count == 0; pass++) { // tests, or other evidence if there are no tests
        for (int64_t i = 0; i < r->evidence_count && count < TESTS; i++) {
            if (pass == 1 || !isnan(r->evidence[i].p_value)) {
                index[count++] = i;
            }
        }
    }
    return count;
}

static int print_tests(FILE *f, const nonsens_result *r)
{
    enum { BYTES = 4 * TEST_CHARACTERS + 8 };
    char name[BYTES], value[NUMBER_BYTES], p[REASONING_P_BYTES];
    int64_t index[TESTS], count = r->judged[0].verdict ? 0 : list_tests(r, index);
    int width = 4;
    for (int64_t k = 0; k < count; k++) {
        const char *whole = r->evidence[index[k]].name;
        width = text_wider(width, show_text(name, BYTES, whole, (int64_t)strlen(whole), TEST_CHARACTERS));
    }
    for (int64_t k = 0; k < count; k++) {
        const nonsens_evidence *e = &r->evidence[index[k]];
        fputs(k == 0 ? "\n  " : "  ", f);
        text_print_padded(f, show_text(name, BYTES, e->name, (int64_t)strlen(e->name), TEST_CHARACTERS), width);
        fprintf(f, "  %9s  %s\n", text_value(value, e->value), reasoning_p(p, e->p_value));
    }
    return count > 0 ? (int)count + 1 : 0;
}

/* ---- second opinions ---- */

/* Returns the words for an opinion: "agrees" if its decision is the same; names are as in the first line. */
static const char *opinion_words(const nonsens_result *r, const pair *p, const nonsens_opinion *o,
                                 char out[2 * TEXT_NAME_BYTES + 8])
{
    if (strcmp(o->decision, "inconclusive") == 0) {
        return "cannot tell";
    }
    if (r->decision_text && strcmp(o->decision, r->decision_text) == 0) {
        return "agrees";
    }
    bool directed = o->direction && strcmp(o->decision, o->direction) == 0;
    if (!directed) {
        return o->decision;
    }
    size_t length = strlen(r->names[0]);
    bool first = strncmp(o->decision, r->names[0], length) == 0 && strncmp(o->decision + length, "->", 2) == 0;
    snprintf(out, 2 * TEXT_NAME_BYTES + 8, "%s -> %s", first ? p->a : p->b, first ? p->b : p->a);
    return out;
}

/* Prints "Second opinions: graph model agrees; resit b -> a; cdnod cannot tell." */
static int print_opinions(FILE *f, const nonsens_result *r, const pair *p)
{
    enum { ROOM = 2 * TEXT_NAME_BYTES + 8, LINE = 8 * ROOM };
    char line[LINE] = "Second opinions:", words[ROOM];
    size_t used = strlen(line);
    if (r->opinions == 0) {
        return 0;
    }
    for (int64_t i = 0; i < r->opinions && used + ROOM + 100 < LINE; i++) {
        const nonsens_opinion *o = &r->opinion[i];
        bool model = strcmp(o->method, "graph") == 0; // the mechanisms of `discover`
        used += (size_t)snprintf(line + used, LINE - used, "%s %s: %s", i ? ";" : "", model ? "graph model" : o->method,
                                 opinion_words(r, p, o, words));
    }
    fputc('\n', f);
    return 1 + text_print_words(f, line, 0, 2);
}

int text_print_pair(FILE *f, const nonsens_result *r)
{
    pair p = {"", ""};
    if (r->variables >= 2) {
        text_name(p.a, r->names, 2, 0);
        text_name(p.b, r->names, 2, 1);
    }
    print_first_line(f, r);
    int lines = 2 + print_sentence(f, r, &p);
    lines += print_reason(f, r, &p);
    lines += print_firm(f, r);
    lines += print_directions(f, r, &p);
    lines += print_tests(f, r);
    return lines + print_opinions(f, r, &p);
}
