/*
 * text.c - writes a result as text: the decision as a sentence, the evidence for both directions, what speaks against
 * the assumptions, and how to get the same result again.  Names are escaped and cut (base/show.h): they come from
 * outside, and every line must stay one line.
 */
#include "write/text.h"
#include "base/number.h"
#include "base/output.h"
#include "base/shell_word.h"
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "methods/shared/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    COLUMNS = 100,       /* lines are broken here, between words */
    EVIDENCE_LINES = 60, /* more only when verbose; JSON has all */
    VALUE_DIGITS = 4,
    SHORT_DIGITS = 3,
    NAME_COLUMNS_MAX = 40,
    NAME_CHARACTERS = 100, /* of a piece of evidence, which holds up to two names */
    NAME_BYTES = 4 * NAME_CHARACTERS + 8,
    SENTENCE_CHARACTERS = 1500, /* a longer sentence contains an overlong name */
    SENTENCE_BYTES = 4 * SENTENCE_CHARACTERS + 8
};

static const double MAX_WHOLE = 1e9; /* whole numbers below it are counts and shown in full */

/* ---- layout ---- */

int text_columns(const char *text, size_t bytes)
{
    int columns = 0;
    for (size_t i = 0; i < bytes; i++) {
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return columns;
}

int text_wider(int width, const char *text)
{
    int columns = text_columns(text, strlen(text));
    return columns > width ? columns : width;
}

void text_print_padded(FILE *f, const char *text, int columns)
{
    int used = text_columns(text, strlen(text));
    fprintf(f, "%s%*s", text, columns > used ? columns - used : 0, "");
}

/* Returns the bytes of a word; "p < 0.001" and "p = 0.03" stay on one line. */
static size_t word_bytes(const char *word)
{
    size_t bytes = strcspn(word, " ");
    while (strncmp(word + bytes, " < ", 3) == 0 || strncmp(word + bytes, " = ", 3) == 0) {
        bytes += 3;
        bytes += strcspn(word + bytes, " ");
    }
    return bytes;
}

void text_print_words(FILE *f, const char *text, int at, int indent)
{
    char sentence[SENTENCE_BYTES];
    bool first = true;
    show_text(sentence, sizeof sentence, text, (int64_t)strlen(text), SENTENCE_CHARACTERS);
    for (const char *word = sentence + strspn(sentence, " "); *word;) {
        size_t bytes = word_bytes(word);
        int width = text_columns(word, bytes);
        if (!first && at + 1 + width > COLUMNS) {
            fprintf(f, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        at += width + !first;
        fprintf(f, "%s%.*s", first ? "" : " ", (int)bytes, word);
        first = false;
        word += bytes;
        word += strspn(word, " ");
    }
    fputc('\n', f);
}

static void print_item(FILE *f, const char *text)
{
    fputs("  - ", f);
    text_print_words(f, text, 4, 4);
}

void text_print_heading(FILE *f, const char *title)
{
    fprintf(f, "\n%s\n", title);
}

/* ---- the decision ---- */

/* The names of the pair as they are shown. */
typedef struct pair {
    char a[SHOWN_BYTES], b[SHOWN_BYTES];
} pair;

static pair shown_pair(const nonsens_result *r)
{
    pair p = {"", ""};
    if (r->variables >= 2) {
        show_bare(p.a, r->names[0]);
        show_bare(p.b, r->names[1]);
    }
    return p;
}

static void print_sentence(FILE *f, const nonsens_result *r, const pair *p)
{
    const char *where = r->segments > 1 && r->options.pooling == POOLING_STRATIFIED ? " inside segments" : "";
    bool first_causes = r->decision == DECISION_FIRST_CAUSES;
    if (r->sentence) {
        text_print_words(f, r->sentence, 0, 0);
        return;
    }
    switch (r->decision) {
    case DECISION_FIRST_CAUSES:
    case DECISION_SECOND_CAUSES:
        fprintf(f, "%s, %s causes %s.\n",
                r->assumes_effect ? "If one of the two causes the other" : "If the assumptions below hold",
                first_causes ? p->a : p->b, first_causes ? p->b : p->a);
        break;
    case DECISION_INDEPENDENT:
        fprintf(f, "%s and %s are not seen to depend on one another%s.\n", p->a, p->b, where);
        break;
    case DECISION_NEITHER:
        fprintf(f, "Neither %s->%s nor %s->%s fits the data.\n", p->a, p->b, p->b, p->a);
        break;
    case DECISION_INCONCLUSIVE:
        fprintf(f, "The data do not decide between %s->%s and %s->%s.\n", p->a, p->b, p->b, p->a);
        break;
    case DECISION_DEPENDENT: // has a sentence
    case DECISION_NONE:
        break;
    }
}

static void print_values(FILE *f, const nonsens_result *r, const pair *p)
{
    char value[NUMBER_BYTES], p_value[REASONING_P_BYTES];
    if (r->direction_text && r->decision == DECISION_INCONCLUSIVE) {
        bool first = r->better == BETTER_FIRST;
        fprintf(f, "If a direction must be named: %s->%s.\n", first ? p->a : p->b, first ? p->b : p->a);
    }
    if (!isnan(r->p_value)) {
        fprintf(f, "%s, judged at level %s.\n", reasoning_p(p_value, r->p_value),
                number_print(value, r->options.alpha, SHORT_DIGITS));
    }
    if (!isnan(r->score)) {
        fprintf(f, "Score %s (positive speaks for %s->%s, negative for %s->%s).\n",
                number_print(value, r->score, VALUE_DIGITS), p->a, p->b, p->b, p->a);
    }
}

/* "a hidden common cause, an error ... or ..." */
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

static void print_firm(FILE *f, const nonsens_result *r)
{
    char list[200] = "", sentence[300];
    if (r->firm == NONSENS_FIRM_YES) {
        text_print_words(f, "This is firm: no other explanation that was checked is left open.", 0, 0);
    } else if (r->firm == NONSENS_FIRM_NO) {
        list_alternatives(r, list, sizeof list);
        snprintf(sentence, sizeof sentence, "This is not firm: %s could look the same.", list);
        text_print_words(f, sentence, 0, 0);
    }
}

/* "Second opinions: graph agrees; resit b->a; cdnod cannot tell." */
static void print_opinions(FILE *f, const nonsens_result *r)
{
    if (r->opinions == 0) {
        return;
    }
    fputs("Second opinions:", f);
    for (int64_t i = 0; i < r->opinions; i++) {
        const nonsens_opinion *o = &r->opinion[i];
        bool open = strcmp(o->decision, "inconclusive") == 0;
        bool same = r->decision_text && strcmp(o->decision, r->decision_text) == 0;
        char shown[NAME_BYTES];
        show_text(shown, sizeof shown, o->decision, (int64_t)strlen(o->decision), NAME_CHARACTERS);
        fprintf(f, "%s %s: %s", i ? ";" : "", o->method, open ? "cannot tell" : same ? "agrees" : shown);
    }
    fputs(".\n", f);
}

void text_print_count(FILE *f, int64_t count, const char *noun, const char *after)
{
    fprintf(f, "%" PRId64 " %s%s%s", count, noun, count == 1 ? "" : "s", after);
}

static void print_support(FILE *f, const nonsens_result *r)
{
    fputs("What the data can and cannot support: ", f);
    text_print_count(f, r->rows, "row", ", ");
    text_print_count(f, r->segments, "segment", ", ");
    text_print_count(f, r->variables, "variable", "\n");
}

static void print_decision(FILE *f, const nonsens_result *r)
{
    pair p = shown_pair(r);
    switch (r->decision) {
    case DECISION_NONE:
        (r->effects.question     ? text_print_effects
         : r->explained.variable ? text_print_explained
         : r->is_graph           ? text_print_graph
         : r->unmixed.unmixing   ? text_print_unmixed
                                 : print_support)(f, r);
        return;
    case DECISION_FIRST_CAUSES:
        fprintf(f, "decision: %s->%s\n\n", p.a, p.b);
        break;
    case DECISION_SECOND_CAUSES:
        fprintf(f, "decision: %s->%s\n\n", p.b, p.a);
        break;
    case DECISION_INDEPENDENT:
    case DECISION_NEITHER:
    case DECISION_INCONCLUSIVE:
    case DECISION_DEPENDENT:
        fprintf(f, "decision: %s\n\n", r->decision_text);
        break;
    }
    print_sentence(f, r, &p);
    if (r->reason) {
        text_print_words(f, r->reason, 0, 0);
    }
    print_firm(f, r);
    print_values(f, r, &p);
    print_opinions(f, r);
}

/* ---- evidence ---- */

static const char *shown_name(char out[NAME_BYTES], const nonsens_evidence *e)
{
    return show_text(out, NAME_BYTES, e->name, (int64_t)strlen(e->name), NAME_CHARACTERS);
}

static int name_columns(const nonsens_result *r, int64_t lines)
{
    char name[NAME_BYTES];
    int widest = 4;
    for (int64_t i = 0; i < lines; i++) {
        widest = text_wider(widest, shown_name(name, &r->evidence[i]));
    }
    return widest < NAME_COLUMNS_MAX ? widest : NAME_COLUMNS_MAX;
}

const char *text_value(char buffer[NUMBER_BYTES], double value)
{
    if (fabs(value) < MAX_WHOLE && value == floor(value)) { // counts in full
        snprintf(buffer, NUMBER_BYTES, "%" PRId64, (int64_t)value);
        return buffer;
    }
    return !isfinite(value) ? "-" : number_print(buffer, value, VALUE_DIGITS);
}

static void print_evidence(FILE *f, const nonsens_result *r, bool verbose)
{
    int64_t count = r->evidence_count - (verbose ? 0 : r->unmixed.tabled);
    int64_t lines = verbose || count <= EVIDENCE_LINES ? count : EVIDENCE_LINES;
    int width = name_columns(r, lines);
    char value[NUMBER_BYTES], p_value[NUMBER_BYTES], name[NAME_BYTES];
    if (lines == 0) {
        return;
    }
    text_print_heading(f, "Evidence");
    fprintf(f, "  %-*s  %10s  %9s\n", width, "name", "value", "p-value");
    for (int64_t i = 0; i < lines; i++) {
        const nonsens_evidence *e = &r->evidence[i];
        fputs("  ", f);
        text_print_padded(f, shown_name(name, e), width);
        fprintf(f, "  %10s  %9s  ", text_value(value, e->value), number_print_p(p_value, e->p_value));
        text_print_words(f, e->text, width + 27, width + 27);
    }
    if (lines < count) {
        fprintf(f, "  ... and %" PRId64 " more; -v or --json shows them\n", count - lines);
    }
}

/* ---- assumptions ---- */

/* Prints, right after the decision, what the data and the fit say against it. */
static void print_findings(FILE *f, const nonsens_result *r)
{
    if (r->notes + r->warnings > 0) {
        text_print_heading(f, r->decision == DECISION_NONE ? "Findings" : "What bears on it");
    }
    for (int64_t i = 0; i < r->warnings; i++) {
        print_item(f, r->warning[i]);
    }
    for (int64_t i = 0; i < r->notes; i++) {
        print_item(f, r->note[i].text);
    }
}

static void print_assumptions(FILE *f, const nonsens_result *r)
{
    if (r->assumes) {
        text_print_heading(f, "What it assumes");
        fputs("  ", f);
        text_print_words(f, r->assumes, 2, 2);
    }
}

/* ---- how to get it again ---- */

/* Prints a text of any length on one line; bytes that are not printable are escaped as in show.h. */
static void print_shown(FILE *f, const char *text)
{
    for (int64_t left = (int64_t)strlen(text), step; left > 0; text += step, left -= step) {
        step = show_printable_length(text, left);
        if (step > 0) {
            fwrite(text, 1, (size_t)step, f);
        } else {
            fprintf(f, "\\x%02x", (unsigned char)*text);
            step = 1;
        }
    }
}

static void print_options(FILE *f, const nonsens_options *options)
{
    char value[OPTION_VALUE_BYTES];
    text_print_heading(f, "Options");
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if (info->commands & options->command) {
            fprintf(f, "  %s = ", info->key);
            print_shown(f, option_print(options, info, value));
            fputc('\n', f);
        }
    }
}

void text_print_command(FILE *f, const nonsens_options *options, int64_t segments)
{
    char buffer[OPTION_VALUE_BYTES];
    bool files = segments > 0 && !options->segment[0] && !options->segments[0]; // each file was a segment
    fprintf(f, "  nonsens %s FILE%s", option_command_name(options->command), files ? "..." : "");
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if (!(info->commands & options->command) || !option_changes_results(info)) {
            continue; // this command does not take the option, or it changes no result
        }
        const char *value = option_print(options, info, buffer);
        if (strcmp(value, option_usual(options, info)) == 0) {
            continue;
        }
        bool flag = info->type == NONSENS_OPTION_FLAG;
        fprintf(f, " --%s", info->key);
        if (!flag) {
            fputc(' ', f);
            shell_word_print(f, value);
        }
    }
    fputc('\n', f);
}

static void print_origin(FILE *f, const nonsens_result *r, bool verbose)
{
    char seconds[NUMBER_BYTES];
    text_print_heading(f, "To get the same result again");
    text_print_command(f, &r->options, r->segments);
    fprintf(f, "  with nonsens %s on data %016" PRIx64 " (", nonsens_version(), r->data_hash);
    text_print_count(f, r->rows, "row", ", ");
    if (r->segments > 0) {
        text_print_count(f, r->segments, "segment", ")\n");
    } else {
        fputs("no segments)\n", f);
    }
    if (verbose) {
        fprintf(f, "  took %s s on ", number_print(seconds, r->seconds, SHORT_DIGITS));
        text_print_count(f, r->threads, "thread", "\n");
        print_options(f, &r->options);
    }
}

/* ---- reasoning ---- */

static void print_reasoning(FILE *f, const nonsens_result *r)
{
    if (r->steps > 0) {
        text_print_heading(f, "Step by step");
    }
    for (int64_t i = 0; i < r->steps; i++) {
        fprintf(f, "%3" PRId64 ". ", i + 1);
        text_print_words(f, r->step[i], 5, 5);
    }
}

nonsens_status nonsens_result_write_text(nonsens_context *ctx, const nonsens_result *result, unsigned detail,
                                         const char *path)
{
    NEEDED(ctx, result, path);
    if (detail & ~((unsigned)NONSENS_TEXT_ALL | NONSENS_TEXT_REASONING)) {
        return fail(ctx, NONSENS_ERR_USAGE, "there is no detail %u of a text; add up bits of NONSENS_TEXT_*", detail);
    }
    bool verbose = detail & NONSENS_TEXT_ALL;
    output *out;
    TRY(output_open(ctx, path, &out));
    FILE *f = output_stream(out);
    print_decision(f, result);
    print_findings(f, result);
    if (detail & NONSENS_TEXT_REASONING) {
        print_reasoning(f, result);
    }
    print_evidence(f, result, verbose);
    print_assumptions(f, result);
    print_origin(f, result, verbose);
    return output_close(ctx, out);
}
