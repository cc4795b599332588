/*
 * bootstrap.h - how far an edge depends on the particular rows: runs `discover` again on bootstrap samples of them.
 */
#ifndef TASKS_BOOTSTRAP_H
#define TASKS_BOOTSTRAP_H

#include "base/rng.h"
#include "data/dataset.h"
#include "graph/knowledge.h"
#include "graph/targets.h"
#include "methods/shared/result.h"

/* Finds the graph of a data set with these options; `state` is the caller's.  May run in several threads at once. */
typedef nonsens_status bootstrap_fn(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                    const void *state, nonsens_result **out);

/* Refuses options that contradict one another and a journal that cannot be written, before anything is computed. */
nonsens_status bootstrap_check(nonsens_context *ctx, const nonsens_options *options);
/* Refuses a journal of other data or options, before anything is computed. */
nonsens_status bootstrap_check_journal(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                       const knowledge *known, const targets *hit);

/*
 * Runs the method on options->bootstrap bootstrap samples of the data and fills in result->bootstrap, the support of
 * its edges and a note on bootstrap samples that failed.  Does nothing if options->bootstrap is 0.  known and hit
 * (user's order) may be NULL; they only distinguish journals.  With --journal each finished bootstrap sample is a line
 * of that file; with --resume those in the file are not run again, and a journal of other data or options is refused.
 */
nonsens_status bootstrap_run(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                             const knowledge *known, const targets *hit, bootstrap_fn *find, const void *state,
                             nonsens_result *result);

/* Draws one bootstrap sample, or half sample, within segments from the random stream; the caller frees it. */
nonsens_status bootstrap_draw(nonsens_context *ctx, arena *scratch, const nonsens_data *data, enum option_resample kind,
                              rng *r, nonsens_data **out);

/* ---- for bootstrap.c and bootstrap_journal.c ---- */

/* An edge of a bootstrap sample; variables by their canonical rank in the whole data. */
typedef struct bootstrap_edge {
    int64_t from, to;
    int type;
} bootstrap_edge;

/* The outcome of a bootstrap sample: a graph, or the message of a failure. */
typedef struct bootstrap_outcome {
    int64_t edges;
    bootstrap_edge *edge; /* (edges) */
    const char *failure;  /* NULL on success */
} bootstrap_outcome;

struct journal;

/* Opens the journal for these data and options; on success the caller closes it. */
nonsens_status bootstrap_journal_open(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                      const knowledge *known, const targets *hit, struct journal *out);
/* Appends a finished bootstrap sample. */
nonsens_status bootstrap_journal_keep(nonsens_context *ctx, struct journal *j, int64_t number,
                                      const bootstrap_outcome *outcome);
/*
 * Looks for a bootstrap sample, of d variables, in the journal.  If *found, fills in its outcome: edges are in memory
 * from `a`, the message lives as long as the journal.
 */
nonsens_status bootstrap_journal_find(nonsens_context *ctx, arena *a, const struct journal *j, int64_t number,
                                      int64_t d, bool *found, bootstrap_outcome *out);

#endif
