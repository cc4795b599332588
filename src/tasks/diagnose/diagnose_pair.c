/*
 * diagnose_pair.c - reports the segment classifiers of a pair (diagnose_classifiers.h) in evidence and sentences.
 */
#include "tasks/diagnose/diagnose_pair.h"

#include "base/number.h"
#include "base/show.h"
#include "data/audit.h"
#include "tasks/diagnose/diagnose_classifiers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MIN_SEGMENTS = 3,
    MIN_ROWS = 200, /* with fewer, the penalty determines the features */
    LISTED = 10,
    NAME_BYTES = 512,
    TEXT_BYTES = 320,
    LIST_BYTES = 1600,
    DIGITS = 3
};
static const double NEARLY_PROPORTIONAL = 0.2;
static const double WANTED_Z = 3.0;

/* ---- words ---- */

typedef struct report {
    nonsens_context *ctx;
    const diagnose_classifiers *p;
    nonsens_result *result;
    const char *column[2];     /* names as they are */
    char name[2][SHOWN_BYTES]; /* names for sentences */
    char tail[NAME_BYTES];     /* end of names of evidence: says which pair is meant, if there are several */
} report;

static int percent(double share)
{
    return (int)lround(100.0 * fmin(fmax(share, 0.0), 1.0));
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* Reports whether the segments can be distinguished at all. */
static nonsens_status report_information(const report *r)
{
    const diagnose_classifiers *p = r->p;
    char text[TEXT_BYTES], gain[NUMBER_BYTES], share[NUMBER_BYTES];
    number_print(gain, p->gain.mean, DIGITS);
    number_print(share, 100.0 * p->gain.mean / p->entropy, DIGITS);
    snprintf(text, sizeof text,
             "information on the segment in held-out rows, nats per row; %s %% of the segments' entropy", share);
    TRY(result_add(r->ctx, r->result, p->gain.mean, p->free.step[1].p_value, text, "segment information(%s, %s)",
                   r->column[0], r->column[1]));
    if (p->free.rank == 0) {
        return result_note(
            r->ctx, r->result, NONSENS_NOTE_PROBLEM,
            "%s and %s together do not distinguish the segments of held-out rows: no change is visible, so "
            "segments carry no information about direction. Collect data under conditions that differ "
            "more.",
            r->name[0], r->name[1]);
    }
    return result_note(r->ctx, r->result, NONSENS_NOTE_INFO,
                       "%s and %s together distinguish the segments: %s nats per held-out row, %s %% of the segments' "
                       "entropy.",
                       r->name[0], r->name[1], gain, share);
}

/* Reports the ranks that were found; `what` names the variables in the name of the evidence. */
static nonsens_status add_ranks(const report *r, const rank_search_outcome *found, const char *what, const char *tail)
{
    TRY(result_add(r->ctx, r->result, (double)found->rank, NAN, "ways in which the segments are seen to differ",
                   "rank(%s)%s", what, tail));
    for (int64_t k = 1; k <= found->tried; k++) {
        bool scored = k <= found->fitted && found->fit[k].held_out;
        TRY(result_add(r->ctx, r->result, scored ? found->step[k].mean : NAN, found->step[k].p_value,
                       scored ? "nats per row gained on held-out rows by this many ways over one less"
                              : "this many ways against one less",
                       "rank %" PRId64 "(%s)%s", k, what, tail));
    }
    return NONSENS_OK;
}

static const char *rank_words(int64_t rank)
{
    return rank == 1 ? ": one disturbance changes, or both in proportion"
           : rank == 2
               ? ", as the model expects if each disturbance changes in its own way"
               : ", more than the 2 that the model expects: disturbances that change in several statistics (say "
                 "location and scale), a changing mechanism, mixed segments and a hidden common cause all look "
                 "like this";
}

static nonsens_status note_rank(const report *r)
{
    int64_t rank = r->p->free.rank, max_rank = r->p->search.max_rank;
    if (rank == 0) {
        return NONSENS_OK;
    }
    TRY(result_note(r->ctx, r->result, NONSENS_NOTE_INFO, "%s and %s: the segments differ in %" PRId64 " way%s%s%s.",
                    r->name[0], r->name[1], rank, plural(rank), rank == RANK_SEARCH_MAX_RANK + 1 ? " or more" : "",
                    rank_words(rank)));
    if (rank < max_rank || rank > RANK_SEARCH_MAX_RANK) {
        return NONSENS_OK;
    }
    return result_note(r->ctx, r->result, NONSENS_NOTE_INFO,
                       "%s and %s: with %" PRId64 " segments no more than %" PRId64
                       " ways can be seen; more segments would show whether there are more.",
                       r->name[0], r->name[1], r->p->search.segments, max_rank);
}

static nonsens_status report_ranks(const report *r)
{
    char what[NAME_BYTES];
    snprintf(what, sizeof what, "%s, %s", r->column[0], r->column[1]);
    TRY(add_ranks(r, &r->p->free, what, ""));
    for (int c = 0; c < 2; c++) {
        TRY(add_ranks(r, &r->p->alone[c], r->column[c], r->tail));
    }
    return note_rank(r);
}

/* Reports how much of the information each variable carries, and which variable does not change. */
static nonsens_status report_shares(const report *r)
{
    const diagnose_classifiers *p = r->p;
    double share[2];
    if (p->free.rank == 0) {
        return NONSENS_OK;
    }
    for (int c = 0; c < 2; c++) {
        share[c] = p->gained[c].mean / p->gain.mean;
        TRY(result_add(r->ctx, r->result, share[c], NAN, "share of the segment information that it carries alone",
                       "share(%s)%s", r->column[c], r->tail));
        if (p->alone[c].rank == 0) {
            TRY(result_note(r->ctx, r->result, NONSENS_NOTE_CAUTION,
                            "%s alone does not distinguish the segments: its own noise does not visibly change.",
                            r->name[c]));
        }
    }
    return result_note(r->ctx, r->result, NONSENS_NOTE_INFO,
                       "Of the information that %s and %s have on the segment, %s alone has %d %% and %s alone %d %%.",
                       r->name[0], r->name[1], r->name[0], percent(share[0]), r->name[1], percent(share[1]));
}

static nonsens_status report_proportion(const report *r)
{
    const diagnose_classifiers *p = r->p;
    char number[NUMBER_BYTES];
    if (isnan(p->proportion)) {
        return NONSENS_OK;
    }
    TRY(result_add(r->ctx, r->result, p->proportion, NAN,
                   p->free.rank >= 2 ? "second singular value of the segment weights over the first; near 0 where both "
                                       "disturbances change in proportion or one hardly changes"
                                     : "second singular value of the segment weights over the first: noise, since no "
                                       "second way is seen",
                   "second way(%s, %s)", r->column[0], r->column[1]));
    if (p->free.rank < 2 || p->proportion >= NEARLY_PROPORTIONAL) {
        return NONSENS_OK;
    }
    return result_note(
        r->ctx, r->result, NONSENS_NOTE_CAUTION,
        "%s and %s: the second way is %s of the size of the first; the two disturbances change nearly in "
        "proportion, or one of them hardly changes, and a direction rests on little.",
        r->name[0], r->name[1], number_print(number, p->proportion, DIGITS));
}

/* Notes the segments without which rank three is not found; lists the labels of the first LISTED of them. */
static nonsens_status note_settling(const report *r)
{
    const diagnose_classifiers *p = r->p;
    char list[LIST_BYTES] = "";
    int64_t found = 0;
    size_t used = 0;
    for (int64_t k = 0; k < p->left_outs; k++) {
        char label[SHOWN_BYTES];
        if (p->without[k].p_value <= rank_search_level(&p->search) || ++found > LISTED) {
            continue;
        }
        show_bare(label, p->search.pair->labels[p->search.user_segment[p->left_out[k]]]);
        if (used + strlen(label) + sizeof ", " <= LIST_BYTES) {
            used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", found > 1 ? ", " : "", label);
        }
    }
    if (found == 0) {
        return result_note(
            r->ctx, r->result, NONSENS_NOTE_CAUTION,
            "%s and %s: no single segment explains the further ways; without any one of them there are still "
            "more than 2.",
            r->name[0], r->name[1]);
    }
    if (2 * found > p->left_outs) {
        return result_note(r->ctx, r->result, NONSENS_NOTE_INFO,
                           "%s and %s: the third way is just visible; it disappears without any one of %" PRId64
                           " segments, so none of them stands out.",
                           r->name[0], r->name[1], found);
    }
    return result_note(
        r->ctx, r->result, NONSENS_NOTE_CAUTION,
        "%s and %s: without %s %s%s the others differ in no more than 2 ways; see whether something else "
        "happened there, or leave it out.",
        r->name[0], r->name[1], found > 1 ? "any one of the segments" : "segment", list, found > LISTED ? ", ..." : "");
}

static nonsens_status report_left_out(const report *r)
{
    const diagnose_classifiers *p = r->p;
    for (int64_t k = 0; k < p->left_outs; k++) {
        TRY(result_add(r->ctx, r->result, p->without[k].ratio, p->without[k].p_value,
                       "log likelihood ratio, about, of a third way if this segment is left out",
                       "rank 3 without(%s)%s", p->search.pair->labels[p->search.user_segment[p->left_out[k]]],
                       r->tail));
    }
    return p->left_outs > 0 ? note_settling(r) : NONSENS_OK;
}

double diagnose_rows_wanted(double rows, double z, double wanted)
{
    return z > 0.0 ? rows * (wanted / z) * (wanted / z) : NAN;
}

/* Rounds up to two digits: such a guess is not more precise. */
static int64_t round_guess(double wanted)
{
    double unit = pow(10.0, fmax(floor(log10(wanted)) - 1.0, 0.0)), rounded = unit * ceil(wanted / unit);
    return rounded < 1e18 ? (int64_t)rounded : (int64_t)1e18;
}

static nonsens_status note_rows(const report *r, double rows, double z, double wanted)
{
    bool two = r->p->free.fitted >= 2; // rank two was tried
    if (z >= WANTED_Z) {
        return result_note(r->ctx, r->result, NONSENS_NOTE_INFO, "%s and %s: there are enough rows already to see %s.",
                           r->name[0], r->name[1], two ? "two ways" : "one way");
    }
    if (isnan(wanted)) {
        return result_note(r->ctx, r->result, NONSENS_NOTE_CAUTION,
                           "%s and %s: it is not known how many rows would be enough, since with %" PRId64
                           " per segment %s way gains nothing on held-out rows.",
                           r->name[0], r->name[1], (int64_t)round(rows), two ? "a second" : "a first");
    }
    return result_note(r->ctx, r->result, NONSENS_NOTE_CAUTION,
                       "%s and %s: about %" PRId64
                       " rows per segment are needed to see %s clearly on held-out rows; there are %" PRId64 ".",
                       r->name[0], r->name[1], round_guess(wanted), two ? "two ways" : "a way", (int64_t)round(rows));
}

static nonsens_status report_rows_wanted(const report *r)
{
    const diagnose_classifiers *p = r->p;
    const rank_search_outcome *f = &p->free;
    double rows = (double)p->search.pair->n / (double)p->search.pair->segments, z = f->step[1].z;
    char text[TEXT_BYTES], number[NUMBER_BYTES];
    if (f->fitted >= 2) {
        z = fmin(z, f->step[2].z);
    }
    bool enough = z >= WANTED_Z; // then z does not tell what fewer rows would give: the fit would differ
    double wanted = enough ? NAN : diagnose_rows_wanted(rows, z, WANTED_Z);
    snprintf(text, sizeof text,
             "rows per segment at which the gain of the weaker of two ways would be 3 standard errors; now it is %s%s",
             number_print(number, z, DIGITS), enough ? ", enough already" : "");
    TRY(result_add(r->ctx, r->result, ceil(wanted), NAN, text, "rows wanted(%s, %s)", r->column[0], r->column[1]));
    return note_rows(r, rows, z, wanted);
}

/* ---- all of the report ---- */

static nonsens_status say_not_fitted(const report *r, const char *why)
{
    return result_note(r->ctx, r->result, NONSENS_NOTE_CAUTION, "%s and %s: no segment classifier was fitted: %s.",
                       r->name[0], r->name[1], why);
}

/* Returns why these data cannot be fitted; NULL if they can. */
static const char *find_obstacle(const nonsens_data *pair, const nonsens_options *options, char why[TEXT_BYTES])
{
    int64_t segments = pair->segments, min_rows = 2 * options->score_folds;
    if (segments < MIN_SEGMENTS) {
        snprintf(why, TEXT_BYTES, "it takes at least %d segments, and there %s %" PRId64, MIN_SEGMENTS,
                 segments == 1 ? "is" : "are", segments);
        return why;
    }
    if (pair->n < MIN_ROWS) {
        snprintf(why, TEXT_BYTES, "it takes at least %d rows", MIN_ROWS);
        return why;
    }
    if (segments <= RANK_SEARCH_UNGROUPED &&
        pair->start[segments] - pair->start[segments - 1] < min_rows) { // the smallest
        snprintf(why, TEXT_BYTES,
                 "every segment must have at least %" PRId64 " rows, two for each of the %" PRId64 " folds", min_rows,
                 options->score_folds);
        return why;
    }
    return NULL;
}

nonsens_status diagnose_pair(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                             const nonsens_options *options, bool single, nonsens_result *result)
{
    report r = {.ctx = ctx, .result = result, .column = {pair->names[0], pair->names[1]}};
    char why[TEXT_BYTES];
    diagnose_classifiers *p;
    show_bare(r.name[0], pair->names[0]);
    show_bare(r.name[1], pair->names[1]);
    if (!single) {
        snprintf(r.tail, sizeof r.tail, " in (%s, %s)", r.column[0], r.column[1]);
    }
    if (find_obstacle(pair, options, why)) {
        return say_not_fitted(&r, why);
    }
    ARENA_TRY(ctx, scratch, p, 1);
    nonsens_status status = audit_require_pair(ctx, pair);
    status = status == NONSENS_OK ? diagnose_classify(ctx, scratch, pair, options, p) : status;
    if (status == NONSENS_ERR_DATA || status == NONSENS_ERR_NUMERIC) { // a result to report, not a failed diagnosis
        TRY(say_not_fitted(&r, ctx->message));
        ctx->message[0] = '\0';
        return NONSENS_OK;
    }
    TRY(status);
    r.p = p;
    TRY(report_information(&r));
    TRY(report_ranks(&r));
    TRY(report_shares(&r));
    TRY(report_proportion(&r));
    TRY(report_left_out(&r));
    return report_rows_wanted(&r);
}
