/*
 * text_details.c - prints what `--verbose` adds to a text: how the answer was found, the evidence, all assumptions, the
 * options, and how to get the same result again.
 */
#include "base/number.h"
#include "base/shell_word.h"
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "write/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    VALUE_DIGITS = 4,
    SHORT_DIGITS = 3,
    NAME_COLUMNS_MAX = 40,
    NAME_CHARACTERS = 100, /* of a piece of evidence, which has up to two names of variables */
    NAME_BYTES = 4 * NAME_CHARACTERS + 8
};

static const double MAX_WHOLE = 1e9; /* smaller whole numbers are counts and shown in full */

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

static void print_evidence(FILE *f, const nonsens_result *r)
{
    int64_t lines = r->evidence_count;
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
}

/* ---- how to get it again ---- */

void text_print_whole(FILE *f, const char *text)
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
            text_print_whole(f, option_print(options, info, value));
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

static void print_origin(FILE *f, const nonsens_result *r)
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
    fprintf(f, "  took %s s on ", number_print(seconds, r->seconds, SHORT_DIGITS));
    text_print_count(f, r->threads, "thread", "\n");
}

/* ---- reasoning ---- */

void text_print_reasoning(FILE *f, const nonsens_result *r)
{
    if (r->steps > 0) {
        text_print_heading(f, "Step by step");
    }
    for (int64_t i = 0; i < r->steps; i++) {
        fprintf(f, "%3" PRId64 ". ", i + 1);
        text_print_words(f, r->step[i], 5, 5);
    }
}

/* ---- all of it ---- */

static void print_item(FILE *f, const char *text)
{
    fputs("  - ", f);
    text_print_words(f, text, 4, 4);
}

/* Prints notes that only inform; cautions are printed with the answer, and so are all notes of a diagnosis. */
static void print_notes(FILE *f, const nonsens_result *r)
{
    bool any = false;
    bool is_diagnosis = r->options.command == NONSENS_COMMAND_DIAGNOSE;
    for (int64_t i = 0; i < r->notes && !is_diagnosis; i++) {
        if (r->note[i].level == NONSENS_NOTE_INFO) {
            if (!any) {
                text_print_heading(f, "Notes");
            }
            any = true;
            print_item(f, r->note[i].text);
        }
    }
}

static void print_score(FILE *f, const nonsens_result *r)
{
    char value[NUMBER_BYTES], level[NUMBER_BYTES], a[TEXT_NAME_BYTES], b[TEXT_NAME_BYTES];
    char sentence[4 * TEXT_NAME_BYTES + 300];
    if (isnan(r->score)) {
        return;
    }
    text_name(a, r->names, r->variables, 0);
    text_name(b, r->names, r->variables, 1);
    snprintf(sentence, sizeof sentence,
             "Score %s: positive values speak for %s -> %s, negative ones for %s -> %s. "
             "Tests are judged at level %s.",
             number_print(value, r->score, VALUE_DIGITS), a, b, b, a,
             number_print(level, r->options.alpha, SHORT_DIGITS));
    text_print_heading(f, "Score");
    fputs("  ", f);
    text_print_words(f, sentence, 2, 2);
}

void text_print_details(FILE *f, const nonsens_result *r)
{
    print_score(f, r);
    print_notes(f, r);
    print_evidence(f, r);
    if (r->assumes) {
        text_print_heading(f, "What it assumes");
        fputs("  ", f);
        text_print_words(f, r->assumes, 2, 2);
    }
    print_options(f, &r->options);
    print_origin(f, r);
}
