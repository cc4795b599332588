/*
 * knowledge_file.c - reads knowledge from a text file in Tetrad's format.
 *
 * Tetrad (Ramsey et al., "TETRAD - a toolbox for causal discovery", 2018) reads "/knowledge", then sections of tiers,
 * forbidden and required arrows.  Differences: a comment is a whole line and may begin with #; names may be in quotes.
 * What Tetrad resolves silently (a variable in two tiers, an arrow required and forbidden) is an error here.  So is an
 * unknown name, because a misspelt name would silently lose knowledge.  Sections of groups are allowed only if empty.
 *
 * The file is read once to fill in the flags.  It is read again to report which lines contradict one another, so no
 * line numbers are stored for arrows.
 */
#include "base/input.h"
#include "read/knowledge_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BEGIN "/knowledge\n" // no real path begins like this

enum { MAX_BYTES = 1 << 24, MAX_TIER = 1000000000, MAX_SHOWN = 6 };

/* ---- statements ---- */

/* Reads the title of a section, if the line is one: arrows have two words and tiers begin with a number. */
static bool read_title(knowledge_reader *r)
{
    static const struct {
        const char *title;
        enum knowledge_section section;
    } titles[] = {{"addtemporal", SECTION_TIERS},      {"forbiddirect", SECTION_FORBIDDEN},
                  {"requiredirect", SECTION_REQUIRED}, {"forbiddengroup", SECTION_GROUPS},
                  {"requiredgroup", SECTION_GROUPS},   {"forbidgroup", SECTION_GROUPS},
                  {"requiregroup", SECTION_GROUPS}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        size_t length = strlen(titles[i].title);
        if ((size_t)(r->stop - r->rest) == length && memcmp(r->rest, titles[i].title, length) == 0) {
            r->section = titles[i].section;
            return true;
        }
    }
    return false;
}

/* Reads both ends of an arrow, or of all arrows that match the patterns, into r->side. */
static nonsens_status read_arrow(knowledge_reader *r)
{
    knowledge_word w[2], more;
    int64_t words = 0;
    const char *begin = r->rest;
    for (;; words++) {
        TRY(knowledge_next_word(r, words < 2 ? &w[words] : &more));
        if ((words < 2 ? w[words] : more).length == 0) {
            break;
        }
    }
    if (words != 2) {
        return FAIL_LINE(r, r->line,
                         "an arrow is two names, the cause and then the effect, but here %s %" PRId64
                         "; names with blanks stand in double quotes, comments on lines of their own",
                         words == 1 ? "is" : "are", words);
    }
    TRY(knowledge_resolve(r, &w[0], &r->side[0]));
    TRY(knowledge_resolve(r, &w[1], &r->side[1]));
    if (r->side[0].node[0] == r->side[1].node[0] && !r->side[0].pattern && !r->side[1].pattern) {
        char shown[SHOWN_BYTES];
        return FAIL_LINE(r, r->line, "%s is an arrow from a variable to itself; name two different ones",
                         show_bytes(shown, begin, r->stop - begin));
    }
    return NONSENS_OK;
}

static nonsens_status read_tier_number(knowledge_reader *r, int64_t *tier, uint8_t *marks)
{
    knowledge_word w;
    TRY(knowledge_next_word(r, &w));
    int64_t at = 0, number = 0;
    for (; at < w.length && w.text[at] >= '0' && w.text[at] <= '9' && number <= MAX_TIER; at++) {
        number = 10 * number + (w.text[at] - '0');
    }
    bool is_number = at > 0 && number <= MAX_TIER;
    *marks = 0;
    for (; at < w.length && (w.text[at] == '*' || w.text[at] == '-'); at++) {
        *marks = (uint8_t)(*marks | (w.text[at] == '*' ? TIER_CLOSED : TIER_NEXT_ONLY));
    }
    *tier = number;
    if (is_number && at == w.length) {
        return NONSENS_OK;
    }
    char shown[SHOWN_BYTES];
    return FAIL_LINE(r, r->line,
                     "a line of addtemporal begins with the number of its tier, such as 1 or 2*, not with %s; write "
                     "the number, then the names",
                     show_bytes(shown, w.text, w.length));
}

static nonsens_status refuse_marks(const knowledge_reader *r, int64_t tier, int64_t line, int64_t other)
{
    return FAIL_LINE(r, line,
                     "tier %" PRId64 " has other marks (* or -) here than on line %" PRId64 "; write the same on both",
                     tier, other);
}

static nonsens_status put_into_tier(knowledge_reader *r, int64_t node, int64_t tier, uint8_t marks)
{
    char shown[SHOWN_BYTES];
    if (r->tier[node] >= 0 && r->tier[node] != tier) {
        return FAIL_LINE(r, r->line,
                         "%s is in tier %" PRId64 " here and in tier %" PRId64 " on line %" PRId64
                         "; name it in one tier only",
                         knowledge_name(r, node, shown), tier, r->tier[node], r->tier_line[node]);
    }
    if (r->tier[node] == tier && r->tier_marks[node] != marks) {
        return refuse_marks(r, tier, r->line, r->tier_line[node]);
    }
    r->tier[node] = tier;
    r->tier_line[node] = r->line;
    r->tier_marks[node] = marks;
    return NONSENS_OK;
}

static nonsens_status read_tier(knowledge_reader *r)
{
    int64_t tier;
    uint8_t marks;
    TRY(read_tier_number(r, &tier, &marks));
    for (knowledge_word w;;) {
        TRY(knowledge_next_word(r, &w));
        if (w.length == 0) {
            return NONSENS_OK;
        }
        TRY(knowledge_resolve(r, &w, &r->side[0]));
        for (int64_t i = 0; i < r->side[0].count; i++) {
            TRY(put_into_tier(r, r->side[0].node[i], tier, marks));
        }
    }
}

static void add_arrows(const knowledge_reader *r, void (*add)(knowledge *k, int64_t a, int64_t b))
{
    for (int64_t i = 0; i < r->side[0].count; i++) {
        for (int64_t j = 0; j < r->side[1].count; j++) {
            if (r->side[0].node[i] != r->side[1].node[j]) {
                add(r->known, r->side[0].node[i], r->side[1].node[j]);
            }
        }
    }
}

static nonsens_status read_statement(knowledge_reader *r)
{
    char shown[SHOWN_BYTES];
    TRY(check_cancelled(r->ctx));
    show_bytes(shown, r->rest, r->stop - r->rest);
    switch (r->section) {
    case SECTION_TIERS:
        return read_tier(r);
    case SECTION_FORBIDDEN:
        TRY(read_arrow(r));
        add_arrows(r, knowledge_forbid);
        return NONSENS_OK;
    case SECTION_REQUIRED:
        TRY(read_arrow(r));
        add_arrows(r, knowledge_require);
        return NONSENS_OK;
    case SECTION_GROUPS:
        return FAIL_LINE(r, r->line,
                         "%s: groups are not supported; write their arrows one by one (a name may have a *) into "
                         "forbiddirect or requiredirect",
                         shown);
    case SECTION_NONE:
        break;
    }
    return FAIL_LINE(r, r->line,
                     "%s stands before any section; begin one with addtemporal, forbiddirect or "
                     "requiredirect",
                     shown);
}

static nonsens_status read_statements(knowledge_reader *r)
{
    static const char head[] = "/knowledge";
    knowledge_rewind(r);
    bool has_line = knowledge_next_line(r);
    if (!has_line || r->stop - r->rest != (ptrdiff_t)sizeof head - 1 || memcmp(r->rest, head, sizeof head - 1) != 0) {
        return FAIL_LINE(r, r->line > 0 ? r->line : 1,
                         "a knowledge file begins with a line /knowledge, and this one %s",
                         has_line ? "does not; write it first" : "is empty");
    }
    while (knowledge_next_line(r)) {
        if (!read_title(r)) {
            TRY(read_statement(r));
        }
    }
    return NONSENS_OK;
}

/* ---- what follows from tiers ---- */

static bool tiers_forbid(const knowledge_reader *r, int64_t from, int64_t to)
{
    int64_t a = r->tier[from], b = r->tier[to];
    if (from == to || a < 0 || b < 0) {
        return false;
    }
    return a > b || (a == b && (r->tier_marks[from] & TIER_CLOSED)) ||
           (b > a + 1 && (r->tier_marks[from] & TIER_NEXT_ONLY));
}

static nonsens_status add_tiers(knowledge_reader *r)
{
    for (int64_t a = 0; a < r->d; a++) {
        for (int64_t b = 0; b < r->d; b++) {
            if (r->tier[a] >= 0 && r->tier[a] == r->tier[b] && r->tier_marks[a] != r->tier_marks[b]) {
                return refuse_marks(r, r->tier[a], r->tier_line[a], r->tier_line[b]);
            }
            if (tiers_forbid(r, a, b)) {
                knowledge_forbid(r->known, a, b);
            }
        }
    }
    return NONSENS_OK;
}

/* ---- contradictions ---- */

static bool selects(const knowledge_selection *s, int64_t node)
{
    for (int64_t i = 0; i < s->count; i++) {
        if (s->node[i] == node) {
            return true;
        }
    }
    return false;
}

/* Returns the first line of this section that names the arrow; 0 if none does.  The file is known to be valid. */
static int64_t find_line(knowledge_reader *r, enum knowledge_section section, int64_t from, int64_t to)
{
    knowledge_rewind(r);
    knowledge_next_line(r);
    while (knowledge_next_line(r)) {
        if (!read_title(r) && r->section == section && read_arrow(r) == NONSENS_OK && selects(&r->side[0], from) &&
            selects(&r->side[1], to)) {
            return r->line;
        }
    }
    return 0;
}

static nonsens_status refuse_contradiction(knowledge_reader *r, int64_t from, int64_t to)
{
    char a[SHOWN_BYTES], b[SHOWN_BYTES];
    knowledge_name(r, from, a);
    knowledge_name(r, to, b);
    int64_t required = find_line(r, SECTION_REQUIRED, from, to), other = find_line(r, SECTION_FORBIDDEN, from, to);
    if (other > 0) {
        return FAIL_LINE(r, required,
                         "the arrow from %s to %s is required here and forbidden on line %" PRId64 "; drop one of them",
                         a, b, other);
    }
    if (tiers_forbid(r, from, to)) {
        return FAIL_LINE(r, required,
                         "the arrow from %s to %s is required here and forbidden by the tiers of lines %" PRId64
                         " and %" PRId64 "; drop it or move one of the two",
                         a, b, r->tier_line[from], r->tier_line[to]);
    }
    other = find_line(r, SECTION_REQUIRED, to, from);
    return FAIL_LINE(r, required,
                     "the arrow from %s to %s is required here and the opposite one on line %" PRId64
                     "; drop one of them",
                     a, b, other);
}

static nonsens_status check_arrows(knowledge_reader *r)
{
    for (int64_t a = 0; a < r->d; a++) {
        for (int64_t b = 0; b < r->d; b++) {
            if (knowledge_requires(r->known, a, b) && !knowledge_allows(r->known, a, b)) {
                return refuse_contradiction(r, a, b);
            }
        }
    }
    return NONSENS_OK;
}

/*
 * Removes nodes until each remaining node has a remaining required cause; returns how many nodes remain.  Nodes that
 * were removed do not come back, so the search for a cause continues where it stopped.
 */
static int64_t peel(const knowledge_reader *r, bool *left, int64_t *cause)
{
    int64_t count = r->d;
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t b = 0; b < r->d; b++) {
            while (cause[b] < r->d && !(left[cause[b]] && knowledge_requires(r->known, cause[b], b))) {
                cause[b]++;
            }
            if (left[b] && cause[b] == r->d) {
                left[b] = false;
                count--;
                changed = true;
            }
        }
    }
    return count;
}

static nonsens_status refuse_cycle(knowledge_reader *r, int64_t on_cycle, const int64_t *cause)
{
    char text[MESSAGE_BYTES] = "", shown[SHOWN_BYTES];
    int64_t node = on_cycle, first_line = 0;
    size_t used = 0;
    for (int k = 0; k < MAX_SHOWN && (k == 0 || node != on_cycle); k++) {
        int64_t line = find_line(r, SECTION_REQUIRED, cause[node], node);
        first_line = k == 0 ? line : first_line;
        used += (size_t)snprintf(text + used, sizeof text - used, "%sinto %s on line %" PRId64, k ? ", " : "",
                                 knowledge_name(r, node, shown), line);
        used = used < sizeof text ? used : sizeof text - 1;
        node = cause[node];
    }
    return FAIL_LINE(r, first_line, "required arrows make a cycle: %s%s; drop one of them", text,
                     node == on_cycle ? "" : ", ...");
}

static nonsens_status check_cycles(nonsens_context *ctx, arena *scratch, knowledge_reader *r)
{
    bool *left;
    int64_t *cause, node = 0;
    ARENA_TRY(ctx, scratch, left, r->d);
    ARENA_TRY(ctx, scratch, cause, r->d);
    memset(left, true, (size_t)r->d * sizeof *left);
    if (peel(r, left, cause) == 0) {
        return NONSENS_OK;
    }
    while (!left[node]) {
        node++;
    }
    for (int64_t k = 0; k < r->d; k++) { // d steps to causes must end on a cycle
        node = cause[node];
    }
    return refuse_cycle(r, node, cause);
}

/* ---- whole files ---- */

static int compare_variables(const void *left, const void *right)
{
    return strcmp(((const knowledge_variable *)left)->name, ((const knowledge_variable *)right)->name);
}

nonsens_status knowledge_parse(nonsens_context *ctx, arena *a, const char *path, const char *bytes, int64_t size,
                               int64_t d, const char *const *names, knowledge *out)
{
    SCOPED_ARENA(scratch);
    TRY(knowledge_new(ctx, a, d, out));
    knowledge_reader r = {.ctx = ctx, .begin = bytes, .end = bytes + size, .d = d, .known = out};
    show_path(r.path, path);
    ARENA_TRY(ctx, &scratch, r.sorted, d);
    ARENA_TRY(ctx, &scratch, r.plain, size + 1);
    ARENA_TRY(ctx, &scratch, r.tier, d);
    ARENA_TRY(ctx, &scratch, r.tier_line, d);
    ARENA_TRY(ctx, &scratch, r.tier_marks, d);
    ARENA_TRY(ctx, &scratch, r.side[0].node, d);
    ARENA_TRY(ctx, &scratch, r.side[1].node, d);
    for (int64_t i = 0; i < d; i++) {
        r.sorted[i] = (knowledge_variable){names[i], i};
        r.tier[i] = -1;
    }
    qsort(r.sorted, (size_t)d, sizeof *r.sorted, compare_variables);
    TRY(read_statements(&r));
    TRY(add_tiers(&r));
    TRY(check_arrows(&r));
    return check_cycles(ctx, &scratch, &r);
}

nonsens_status knowledge_read(nonsens_context *ctx, arena *a, const char *path, int64_t d, const char *const *names,
                              knowledge *out)
{
    SCOPED(input_free) input file = {0};
    *out = (knowledge){0};
    if (strncmp(path, TEXT_BEGIN, strlen(TEXT_BEGIN)) == 0) {
        return knowledge_parse(ctx, a, "(text)", path, (int64_t)strlen(path), d, names, out);
    }
    if (strcmp(path, "-") == 0) { // because it may be read more than once
        return fail(ctx, NONSENS_ERR_DATA, "knowledge file -: it cannot come from standard input; give a path");
    }
    TRY(input_read_other(ctx, "knowledge file", path, MAX_BYTES, &file));
    return knowledge_parse(ctx, a, path, file.bytes, (int64_t)file.size, d, names, out);
}
