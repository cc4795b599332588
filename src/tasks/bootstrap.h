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
#include "json/json.h"

/* Finds the graph of a data set with these options; `state` is the caller's.  Several threads may call it at once. */
typedef nonsens_status bootstrap_fn(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                    const void *state, nonsens_result **out);

/*
 * Refuses options that contradict one another and a journal that cannot be written, before anything is computed.
 * keeps: whether the method also records its own work in a journal.
 */
nonsens_status bootstrap_check(nonsens_context *ctx, const nonsens_options *options, bool keeps);
/* What bootstrap samples depend on. */
typedef struct bootstrap_input {
    const nonsens_data *data;
    const nonsens_options *options;
    const knowledge *known; /* user's order; may be NULL.  `known` and `hit` only distinguish journals */
    const targets *hit;
    bootstrap_fn *find;
    const void *state; /* passed to `find` */
} bootstrap_input;

/* Refuses a journal of other data or options, before anything is computed. */
nonsens_status bootstrap_check_journal(nonsens_context *ctx, const bootstrap_input *in);

/*
 * Runs the method on options->bootstrap bootstrap samples of the data and fills in result->bootstrap, the support of
 * its edges and a note on bootstrap samples that failed.  Does nothing if options->bootstrap is 0.  With --journal each
 * finished bootstrap sample is a line of that file.  With --resume the samples in the file are not run again, and a
 * journal of other data or options is refused.  With --shard only its samples are run, and `result` may be NULL.
 */
nonsens_status bootstrap_run(nonsens_context *ctx, const bootstrap_input *in, nonsens_result *result);

typedef struct bootstrap bootstrap;
/* Makes what another member of the pool needs to run bootstrap samples. */
nonsens_status bootstrap_new(nonsens_context *ctx, arena *a, const bootstrap_input *in, bootstrap **out);
/* Returns how many bootstrap samples a process runs at once. */
int bootstrap_workers(const bootstrap *s);
/* Makes the line of a bootstrap sample; the state is a bootstrap (pool/pool.h). */
nonsens_status bootstrap_make(nonsens_context *ctx, arena *scratch, const void *state, int64_t number, int64_t seed,
                              json_value **line);
/* Sets the hash of what bootstrap samples depend on; it must be the same in all processes of a run. */
nonsens_status bootstrap_set_key(nonsens_context *ctx, const bootstrap_input *in);

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
struct journal_index;

/* Opens the journal for these data and options; on success the caller closes it. */
nonsens_status bootstrap_journal_open(nonsens_context *ctx, const bootstrap_input *in, struct journal *out);
/* Does the same for a run without bootstrap samples, for the method's own work; the caller always closes it. */
nonsens_status bootstrap_index_open(nonsens_context *ctx, const bootstrap_input *in, struct journal_index *out);
/* Makes the line of a finished bootstrap sample; incomplete or NULL if memory runs out. */
json_value *bootstrap_line(int64_t number, const bootstrap_outcome *outcome);
/*
 * Reads the line of a bootstrap sample of d variables; *read is false if it is no such line.  Edges are in memory from
 * `a`; the message lives as long as the line.
 */
nonsens_status bootstrap_read_line(nonsens_context *ctx, arena *a, const json_value *line, int64_t d, bool *read,
                                   bootstrap_outcome *out);
/* Returns the line of a bootstrap sample in the journal, which owns it; NULL if it has none. */
json_value *bootstrap_journal_find(const struct journal *j, int64_t number);

#endif
