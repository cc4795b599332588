/*
 * text.c - writes a result as text: the answer first, then how sure it is, what speaks against it, and what it assumes.
 * It fits on a screen; `--verbose` adds the rest (text_details.c).  Names are escaped and shortened (base/show.h),
 * because they come from outside and every line must stay a single line.
 */
#include "write/text.h"
#include "base/number.h"
#include "base/output.h"
#include "base/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    COLUMNS = 100,              /* longer lines are broken between words */
    SENTENCE_CHARACTERS = 1500, /* a longer sentence contains an overlong name */
    SENTENCE_BYTES = 4 * SENTENCE_CHARACTERS + 8
};

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

/* Returns the number of bytes of a word; "p < 0.001" and "p = 0.03" count as one word, to stay on one line. */
static size_t word_bytes(const char *word)
{
    size_t bytes = strcspn(word, " ");
    while (strncmp(word + bytes, " < ", 3) == 0 || strncmp(word + bytes, " = ", 3) == 0) {
        bytes += 3;
        bytes += strcspn(word + bytes, " ");
    }
    return bytes;
}

int text_print_words(FILE *f, const char *text, int at, int indent)
{
    char sentence[SENTENCE_BYTES];
    bool first = true;
    int lines = 1;
    show_text(sentence, sizeof sentence, text, (int64_t)strlen(text), SENTENCE_CHARACTERS);
    for (const char *word = sentence + strspn(sentence, " "); *word;) {
        size_t bytes = word_bytes(word);
        int width = text_columns(word, bytes);
        bool breaks = !first && at + 1 + width > COLUMNS;
        at = breaks ? indent + width : at + width + !first;
        lines += breaks;
        if (f) {
            fprintf(f,
                    breaks  ? "\n%*s%.*s"
                    : first ? "%.*s%.*s"
                            : " %.*s%.*s",
                    breaks ? indent : 0, "", (int)bytes, word);
        }
        first = false;
        word += bytes;
        word += strspn(word, " ");
    }
    if (f) {
        fputc('\n', f);
    }
    return lines;
}

void text_print_heading(FILE *f, const char *title)
{
    fprintf(f, "\n%s\n", title);
}

void text_print_count(FILE *f, int64_t count, const char *noun, const char *after)
{
    fprintf(f, "%" PRId64 " %s%s%s", count, noun, count == 1 ? "" : "s", after);
}

const char *text_count(char out[TEXT_COUNT_BYTES], int64_t count)
{
    enum { GROUP = 3 };
    char digits[TEXT_COUNT_BYTES];
    int length = snprintf(digits, sizeof digits, "%" PRId64, count), used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % GROUP == 0 && used > 0 && out[used - 1] != '-') {
            out[used++] = ',';
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

const char *text_name(char out[TEXT_NAME_BYTES], char *const *names, int64_t count, int64_t index)
{
    char other[SHOWN_BYTES];
    const char *name = names[index];
    show_bare(out, name);
    if (strcmp(out, name) == 0) {
        return out; // not shortened
    }
    for (int64_t k = 0; k < count; k++) {
        if (k != index && strcmp(show_bare(other, names[k]), out) == 0) {
            return show_text(out, TEXT_NAME_BYTES, name, (int64_t)strlen(name), TEXT_NAME_CHARACTERS);
        }
    }
    return out;
}

const char *text_data(char out[TEXT_DATA_BYTES], const nonsens_result *r)
{
    char rows[TEXT_COUNT_BYTES], segments[TEXT_COUNT_BYTES];
    int used = snprintf(out, TEXT_DATA_BYTES, "%s row%s", text_count(rows, r->rows), r->rows == 1 ? "" : "s");
    if (r->segments > 0) {
        snprintf(out + used, TEXT_DATA_BYTES - (size_t)used, " in %s segment%s", text_count(segments, r->segments),
                 r->segments == 1 ? "" : "s");
    }
    return out;
}

nonsens_status text_check_detail(nonsens_context *ctx, unsigned detail)
{
    return detail & ~((unsigned)NONSENS_TEXT_ALL | NONSENS_TEXT_REASONING)
               ? fail(ctx, NONSENS_ERR_USAGE, "there is no detail %u of a text; add up bits of NONSENS_TEXT_*", detail)
               : NONSENS_OK;
}

/* ---- what speaks against it ---- */

/* Returns a caution; they are ordered: problems, then cautions of the method, then warnings about the data. */
static const char *caution_at(const nonsens_result *r, int64_t index, const char **label)
{
    static const nonsens_note_level level[] = {NONSENS_NOTE_PROBLEM, NONSENS_NOTE_CAUTION};
    static const char *const word[] = {"problem", "caution"};
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < r->notes; i++) {
            if (r->note[i].level == level[k] && index-- == 0) {
                *label = word[k];
                return r->note[i].text;
            }
        }
    }
    *label = word[1];
    return index >= 0 && index < r->warnings ? r->warning[index] : NULL;
}

static int64_t count_cautions(const nonsens_result *r)
{
    const char *label;
    int64_t count = 0;
    while (caution_at(r, count, &label)) {
        count++;
    }
    return count;
}

/* Prints a caution, unless f is NULL; returns its number of lines. */
static int print_caution(FILE *f, const char *label, const char *text)
{
    int at = (int)strlen(label) + 4;
    if (f) {
        fprintf(f, "  %s: ", label);
    }
    return text_print_words(f, text, at, 4);
}

/* Prints a caution if it fits, or else its first sentence if that fits; returns its lines, 0 if neither fits. */
static int fit_caution(FILE *f, const char *label, const char *text, int room)
{
    char sentence[SENTENCE_BYTES];
    const char *end = strstr(text, ". ");
    if (print_caution(NULL, label, text) <= room) {
        return print_caution(f, label, text);
    }
    snprintf(sentence, sizeof sentence, "%.*s. (...)", end ? (int)(end - text) : 0, text);
    return end && print_caution(NULL, label, sentence) <= room ? print_caution(f, label, sentence) : 0;
}

void text_print_checks(FILE *f, const nonsens_result *r, int room)
{
    enum { FIRST_CAUTION = 4 };
    int64_t count = count_cautions(r), passed = r->passed + (r->passed > 0 && r->warnings == 0), shown = 0;
    const char *label, *text;
    if (count == 0 && passed == 0) {
        return;
    }
    fputs("Checks: ", f);
    if (passed > 0) {
        fprintf(f, "%" PRId64 " passed%s", passed, count > 0 ? ", " : "\n");
    }
    if (count > 0) {
        text_print_count(f, count, "caution", "\n");
    }
    for (int lines; (text = caution_at(r, shown, &label)); shown++, room -= lines) {
        int needed = shown == 0 && room < FIRST_CAUTION ? FIRST_CAUTION : room; // one is always shown
        lines = fit_caution(f, label, text, needed - (shown + 1 < count));      // a line for how many more there are
        if (lines == 0) {
            break;
        }
    }
    if (shown < count) {
        fprintf(f, "  %" PRId64 "%s; --verbose shows %s\n", count - shown, shown > 0 ? " more" : "",
                count - shown == 1 ? "it" : "them");
    }
}

/* ---- what it assumes ---- */

/* Writes the assumptions in a line or two; --verbose adds those of a method that found the graph. */
static void brief_assumptions(const nonsens_result *r, char *out, size_t size)
{
    const char *whole = r->assumes_briefly ? r->assumes_briefly : r->assumes,
               *graph = strstr(whole, RESULT_GRAPH_ASSUMES);
    size_t length = graph ? (size_t)(graph - whole) : strlen(whole);
    bool lowers = whole[0] >= 'A' && whole[0] <= 'Z' && whole[1] >= 'a' && whole[1] <= 'z';
    snprintf(out, size, "This assumes: %c%.*s", lowers ? whole[0] | 0x20 : whole[0], (int)length - 1, whole + 1);
    size_t used = strlen(out);
    bool ends = used > 0 && out[used - 1] == '.';
    snprintf(out + used - ends, size - used + ends, " (docs/reading.md)");
}

int text_print_assumed(FILE *f, const nonsens_result *r)
{
    char sentence[SENTENCE_BYTES];
    if (!r->assumes) {
        return 0;
    }
    brief_assumptions(r, sentence, sizeof sentence);
    return text_print_words(f, sentence, 0, 2);
}

/* ---- the parts of a text ---- */

enum { PAIR_LINES = 18, GRAPH_LINES = 30, SCREEN_LINES = 40, NO_LIMIT = 1000000 };

/* Prints the answer; returns how many lines it took. */
static int print_answer(FILE *f, const nonsens_result *r, bool verbose)
{
    return r->decision != DECISION_NONE ? text_print_pair(f, r)
           : r->effects.question        ? text_print_effects(f, r, verbose)
           : r->explained.variable      ? text_print_explained(f, r, verbose)
           : r->is_graph                ? text_print_discovered(f, r, verbose)
           : r->unmixed.unmixing        ? text_print_unmixed(f, r, verbose)
                                        : text_print_diagnosis(f, r, verbose);
}

static int most_lines(const nonsens_result *r)
{
    return r->decision != DECISION_NONE                                    ? PAIR_LINES
           : r->is_graph && !r->effects.question && !r->explained.variable ? GRAPH_LINES
                                                                           : SCREEN_LINES;
}

nonsens_status nonsens_result_write_text(nonsens_context *ctx, const nonsens_result *result, unsigned detail,
                                         const char *path)
{
    enum { FIXED = 3, NEXT = 2 }; /* lines: an empty one, the head of the checks, where to find more; what to do next */
    NEEDED(ctx, result, path);
    TRY(text_check_detail(ctx, detail));
    bool verbose = detail & NONSENS_TEXT_ALL;
    output *out;
    TRY(output_open(ctx, path, &out));
    FILE *f = output_stream(out);
    int used = print_answer(f, result, verbose) + text_print_assumed(NULL, result) + FIXED;
    used += result->decision == DECISION_NONE ? NEXT : 0;
    fputc('\n', f);
    text_print_checks(f, result, verbose ? NO_LIMIT : most_lines(result) - used);
    if (!verbose) {
        text_print_assumed(f, result);
        text_print_next(f, result);
    }
    if (detail & NONSENS_TEXT_REASONING) {
        text_print_reasoning(f, result);
    }
    if (verbose) {
        text_print_details(f, result);
    }
    return output_close(ctx, out);
}
