/* structured_hidden_report.c - puts hidden common causes into the result: edges, marks, reasons and a note. */
#include "base/number.h"
#include "base/show.h"
#include "math/special.h"
#include "methods/shared/reasoning.h"
#include "methods/structured_graph/structured_hidden.h"

#include <math.h>
#include <stdio.h>

enum { LISTED = 8, LIST_BYTES = LISTED * (2 * SHOWN_BYTES + REASONING_P_BYTES + 16) + 40 };

static const char *name_of(const nonsens_data *data, int64_t node)
{
    return data->names[data->column_rank[node]];
}

static nonsens_status say_instead(nonsens_context *ctx, const nonsens_data *data, const hidden_pair *p,
                                  nonsens_result *result)
{
    char a[SHOWN_BYTES], b[SHOWN_BYTES], gain[NUMBER_BYTES], arrow[NUMBER_BYTES], value[REASONING_P_BYTES];
    double n = (double)data->n;
    show_bare(a, name_of(data, p->a));
    show_bare(b, name_of(data, p->b));
    number_print(gain, p->common.total / n, REASONING_DIGITS);
    reasoning_p(value, special_normal_tail(p->common.z));
    if (!p->was_arrow) {
        return result_reason(ctx, result,
                             "%s <-> %s: no arrow between them helps, but their noise stays dependent inside segments. "
                             "A hidden common cause would gain %s nats per row (%s).",
                             a, b, gain, value);
    }
    return result_reason(ctx, result,
                         "%s <-> %s: a hidden common cause predicts held-out rows better by %s nats per row (%s), and "
                         "the better arrow by %s. The arrow leaves dependent noise, or fits as well in both "
                         "directions, as the noise of two effects of one cause does.",
                         a, b, gain, value, number_print(arrow, p->arrow.total / n, REASONING_DIGITS));
}

static nonsens_status say_marked(nonsens_context *ctx, const nonsens_data *data, const hidden_pair *p,
                                 nonsens_result *result)
{
    char a[SHOWN_BYTES], b[SHOWN_BYTES], left[NUMBER_BYTES], value[REASONING_P_BYTES];
    show_bare(a, name_of(data, p->a));
    show_bare(b, name_of(data, p->b));
    if (p->kind == HIDDEN_UNCLEAR) {
        return result_reason(
            ctx, result,
            "%s and %s: a hidden common cause predicts held-out rows about as well as the arrow, though "
            "the noise of both changes over segments, which should show the difference. A hidden "
            "common cause is possible, or a mechanism that differs between segments.",
            a, b);
    }
    if (p->kind == HIDDEN_OR_DIFFERENT) {
        return result_reason(ctx, result,
                             "%s and %s: a mechanism that differs between segments explains their dependence, and a "
                             "hidden common cause would, too. The fits do not separate the two explanations.",
                             a, b);
    }
    return result_reason(ctx, result,
                         "%s and %s: their noise stays dependent inside segments, worth %s nats per row (%s). A hidden "
                         "common cause is likely, or a mechanism that differs between segments.",
                         a, b, number_print(left, p->left.total / (double)data->n, REASONING_DIGITS),
                         reasoning_p(value, special_normal_tail(p->left.z)));
}

/* Marks the edge between two of the user's columns; returns false if there is none. */
static bool mark_edge(nonsens_result *result, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < result->edges; i++) {
        nonsens_edge *e = &result->edge[i];
        if ((e->from == a && e->to == b) || (e->from == b && e->to == a)) {
            e->confounded = 1;
            return true;
        }
    }
    return false;
}

/* What a note says before and after the pairs of one kind. */
typedef struct note_words {
    bool of[HIDDEN_INSTEAD + 1];
    const char *before, *after;
} note_words;

static const note_words NOTE[] = {
    {{[HIDDEN_BESIDE] = true, [HIDDEN_INSTEAD] = true},
     "A hidden common cause is likely",
     "A mechanism that differs between segments can look the same."},
    {{[HIDDEN_UNCLEAR] = true},
     "A hidden common cause is possible",
     "It predicts held-out rows about as well as the arrow."},
    {{[HIDDEN_OR_DIFFERENT] = true},
     "A hidden common cause, or a mechanism that differs between segments",
     "The fits do not separate the two."},
};

static nonsens_status note_pairs(nonsens_context *ctx, const nonsens_data *data, const hidden_causes *hidden,
                                 const note_words *words, nonsens_result *result)
{
    char list[LIST_BYTES] = "", first[SHOWN_BYTES], second[SHOWN_BYTES];
    size_t used = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < hidden->count; k++) {
        const hidden_pair *p = &hidden->pair[k];
        if (words->of[p->kind] && count++ < LISTED) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s and %s", used ? ", " : "",
                                     show_bare(first, name_of(data, p->a)), show_bare(second, name_of(data, p->b)));
        }
    }
    return count == 0 ? NONSENS_OK
                      : result_note(ctx, result, NONSENS_NOTE_CAUTION, "%s: %s%s. %s", words->before, list,
                                    count > LISTED ? " and others" : "", words->after);
}

nonsens_status structured_report_hidden(nonsens_context *ctx, const nonsens_data *data, const hidden_causes *hidden,
                                        nonsens_result *result)
{
    for (int64_t k = 0; k < hidden->count; k++) {
        const hidden_pair *p = &hidden->pair[k];
        int64_t a = data->column_rank[p->a], b = data->column_rank[p->b];
        if (p->kind == HIDDEN_INSTEAD) {
            TRY(result_edge(ctx, result, a, b, NONSENS_EDGE_BIDIRECTED, NAN, special_normal_tail(p->common.z)));
            TRY(say_instead(ctx, data, p, result));
        } else if (mark_edge(result, a, b)) {
            TRY(say_marked(ctx, data, p, result));
        }
        mark_edge(result, a, b);
    }
    for (size_t k = 0; k < sizeof NOTE / sizeof *NOTE; k++) {
        TRY(note_pairs(ctx, data, hidden, &NOTE[k], result));
    }
    return NONSENS_OK;
}
