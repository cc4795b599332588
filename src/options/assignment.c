/* assignment.c - see assignment.h. */
#include "options/assignment.h"

#include "base/number.h"
#include "base/show.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-9; /* fraction of a step by which a grid may miss its end */

/* A part of the text. */
typedef struct piece {
    const char *begin, *end;
} piece;

static piece trim(piece p)
{
    while (p.begin < p.end && *p.begin == ' ') {
        p.begin++;
    }
    while (p.begin < p.end && p.end[-1] == ' ') {
        p.end--;
    }
    return p;
}

/* Takes the text up to the separator, or to the end; *rest becomes what follows it. */
static piece take_until(char separator, piece *rest)
{
    const char *at = memchr(rest->begin, separator, (size_t)(rest->end - rest->begin));
    piece taken = {rest->begin, at ? at : rest->end};
    rest->begin = at ? at + 1 : rest->end;
    return trim(taken);
}

static const char *show_piece(char out[SHOWN_BYTES], piece p)
{
    return show_bytes(out, p.begin, p.end - p.begin);
}

static nonsens_status read_number(nonsens_context *ctx, const char *option, piece p, double *value)
{
    char shown[SHOWN_BYTES];
    const char *end = number_parse(p.begin, p.end, value);
    if (p.begin == p.end || end != p.end || !isfinite(*value)) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--%s: %s is not a number; write a value such as 1.5, or a grid such as 20:40:5", option,
                    show_piece(shown, p));
    }
    return NONSENS_OK;
}

static nonsens_status fill_grid(nonsens_context *ctx, arena *a, const char *option, piece whole, const double *bound,
                                assignment *out)
{
    char shown[SHOWN_BYTES];
    double from = bound[0], to = bound[1], step = bound[2];
    if (!(step > 0.0) || !(to >= from)) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--%s: the grid %s has no values; write FROM:TO:STEP with FROM at most TO and a step above 0",
                    option, show_piece(shown, whole));
    }
    double steps = floor((to - from) / step + ROUNDING);
    if (!(steps < ASSIGNMENT_MAX_VALUES)) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s: the grid %s has more than %d values; take a larger step", option,
                    show_piece(shown, whole), ASSIGNMENT_MAX_VALUES);
    }
    out->count = 1 + (int64_t)steps;
    ARENA_TRY(ctx, a, out->value, out->count);
    for (int64_t i = 0; i < out->count; i++) {
        out->value[i] = fmin(from + (double)i * step, to);
    }
    return NONSENS_OK;
}

static nonsens_status read_values(nonsens_context *ctx, arena *a, const char *option, piece whole, assignment *out)
{
    char shown[SHOWN_BYTES];
    double bound[3];
    piece rest = whole;
    int64_t count = 0;
    for (const char *at = whole.begin; at < whole.end; at++) {
        count += *at == ':';
    }
    if (count != 0 && count != 2) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s: %s is neither a number nor a grid FROM:TO:STEP, such as 20:40:5",
                    option, show_piece(shown, whole));
    }
    out->is_grid = count == 2;
    for (int64_t i = 0; i <= count; i++) {
        TRY(read_number(ctx, option, take_until(':', &rest), &bound[i]));
    }
    if (out->is_grid) {
        return fill_grid(ctx, a, option, whole, bound, out);
    }
    out->count = 1;
    ARENA_TRY(ctx, a, out->value, 1);
    out->value[0] = bound[0];
    return NONSENS_OK;
}

/* Returns the last "=" of a piece, where the name ends; NULL if there is none. */
static const char *find_equals(piece p)
{
    for (const char *at = p.end; at > p.begin; at--) {
        if (at[-1] == '=') {
            return at - 1;
        }
    }
    return NULL;
}

static nonsens_status read_one(nonsens_context *ctx, arena *a, const char *option, piece whole, assignment *out)
{
    char shown[SHOWN_BYTES], *name;
    const char *equals = find_equals(whole);
    piece left = trim((piece){whole.begin, equals ? equals : whole.begin});
    if (!equals || left.begin == left.end) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s: %s does not name a variable and its value; write NAME=VALUE", option,
                    show_piece(shown, whole));
    }
    ARENA_TRY(ctx, a, name, left.end - left.begin + 1);
    memcpy(name, left.begin, (size_t)(left.end - left.begin));
    out->name = name;
    return read_values(ctx, a, option, trim((piece){equals + 1, whole.end}), out);
}

nonsens_status assignment_read(nonsens_context *ctx, arena *a, const char *option, const char *text,
                               assignment_list *out)
{
    char shown[SHOWN_BYTES];
    piece rest = {text, text + strlen(text)};
    int64_t capacity = 1;
    *out = (assignment_list){0};
    for (const char *at = text; *at; at++) {
        capacity += *at == ',';
    }
    ARENA_TRY(ctx, a, out->item, capacity);
    while (rest.begin < rest.end) {
        assignment *item = &out->item[out->count];
        TRY(read_one(ctx, a, option, take_until(',', &rest), item));
        for (int64_t i = 0; i < out->count; i++) {
            if (strcmp(out->item[i].name, item->name) == 0) {
                return fail(ctx, NONSENS_ERR_USAGE, "--%s gives %s two values; give it one", option,
                            show_quoted(shown, item->name));
            }
        }
        out->count++;
    }
    return NONSENS_OK;
}
