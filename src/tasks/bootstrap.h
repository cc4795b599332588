/*
 * bootstrap.h - how far an edge depends on the rows that happen to be there: `discover` again on bootstrap samples of
 * them.
 */
#ifndef TASKS_BOOTSTRAP_H
#define TASKS_BOOTSTRAP_H

#include "base/rng.h"
#include "data/dataset.h"
#include "graph/knowledge.h"
#include "methods/shared/result.h"

/* Finds the graph of a data set with these options; `state` is the caller's.  May run in several threads at once. */
typedef nonsens_status bootstrap_fn(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                    const void *state, nonsens_result **out);

/* Refuses options that contradict one another and a journal that cannot be written, before anything is computed. */
nonsens_status bootstrap_check(nonsens_context *ctx, const nonsens_options *options);
/* Refuses a journal of other data or options, likewise. */
nonsens_status bootstrap_check_journal(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                       const knowledge *known);

/*
 * Runs the method on options->bootstrap bootstrap samples of the data and fills in result->resampled, the support of
 * its edges and a note on bootstrap samples that failed; nothing where options->bootstrap is 0.  known (user's order)
 * may be NULL; it only distinguishes journals.  With --journal each finished bootstrap sample is a line of that file;
 * with --resume those that are there are not run again, and a journal of other data or options is refused.
 */
nonsens_status bootstrap_run(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                             const knowledge *known, bootstrap_fn *find, const void *state, nonsens_result *result);

/* One such bootstrap sample, drawn from the stream within segments; to be freed by the caller. */
nonsens_status bootstrap_resample(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                  enum option_resample kind, rng *r, nonsens_data **out);

/* ---- for bootstrap.c and bootstrap_journal.c ---- */

/* An edge of a bootstrap sample; variables by their canonical rank in the whole data. */
typedef struct bootstrap_edge {
    int64_t from, to;
    int type;
} bootstrap_edge;

/* What came of a bootstrap sample: a graph, or the words of a failure. */
typedef struct bootstrap_outcome {
    int64_t edges;
    bootstrap_edge *edge; /* (edges) */
    const char *failure;  /* NULL if it went well */
} bootstrap_outcome;

struct journal;

/* Opens the journal for these data and options; to be closed by the caller where it went well. */
nonsens_status bootstrap_journal_open(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                      const knowledge *known, struct journal *out);
/* Appends a finished bootstrap sample. */
nonsens_status bootstrap_journal_keep(nonsens_context *ctx, struct journal *j, int64_t resample,
                                      const bootstrap_outcome *outcome);
/*
 * *there: is the bootstrap sample, of d variables, in the journal?  Then what came of it; edges are in memory from `a`,
 * words live as long as the journal.
 */
nonsens_status bootstrap_journal_find(nonsens_context *ctx, arena *a, const struct journal *j, int64_t resample,
                                      int64_t d, bool *there, bootstrap_outcome *out);

#endif
