/*
 * structured_scores.h - how well sets of causes explain each variable: fits of mechanisms, each made once and stored,
 * as sums of held-out log densities over groups of rows.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_SCORES_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_SCORES_H

#include "data/time_blocks.h"
#include "indep/hsic.h"
#include "mechanism/mechanism.h"
#include "methods/shared/change.h"
#include "methods/structured_graph/structured_parts.h"

enum { SCORE_BUCKETS = 4096, SCORE_FOLDS = 5, SCORE_MAX_GROUPS = 256 }; /* of the table; of fits; of rows */

/* The fit of some segments. */
typedef struct structured_part {
    const part_rows *of;
    double total, fold_total[MECHANISM_MAX_FOLDS], smooth[MECHANISM_WEIGHTS];
    double loss[MECHANISM_MAX_CAUSES]; /* estimates of what leaving out each cause loses (mechanism_fit) */
    double *theta; /* parameters of the fit of all its rows, then of those without a fold (mechanism_fit) */
    double *group; /* (cells) sums of held-out log densities */
} structured_part;

typedef struct structured_score {
    int64_t effect, causes, cause[MECHANISM_MAX_CAUSES]; /* ascending */
    int64_t version;                                     /* of the interventions on the effect (structured_parts.h) */
    int64_t parts;                                       /* 1 without interventions */
    structured_part *part;                               /* (parts) */
    double total;                                        /* sum over the parts */
    double loss[MECHANISM_MAX_CAUSES];                   /* the same */
    double *group;                                       /* (cells) the same */
    bool settled;                                        /* the fit was made */
    bool wanted;                                         /* it is in the list of wanted ones */
    struct structured_score *next;
} structured_score;

/* Values that are missing.  A cell has the rows of a group in which the same values are missing. */
typedef struct structured_gaps {
    int64_t words;
    uint64_t *missing; /* (words, cells) bits of the nodes whose values are missing */
    int32_t *group;    /* (cells) */
    double *rows;      /* (cells) how many */
} structured_gaps;

/* Nodes are the variables in canonical order. */
typedef struct structured_scores {
    const nonsens_data *data;
    mechanism_data rows;
    structured_parts parts; /* of segments that share a mechanism */
    int threads;
    time_blocks time;    /* of rows that follow one another in time */
    int64_t *time_order; /* (n) rows of each segment in order of time; NULL without blocks */
    int32_t *group_of;   /* (n) random; groups differ by at most one row, or block, in size */
    int64_t groups;
    int32_t *cell_of; /* (n) the cell of each row, and how many there are; the groups if no value is missing */
    int64_t cells;
    const structured_gaps *gaps; /* NULL: no value is missing */
    arena memory;                /* of the entries */
    structured_score **table;    /* hash table, chained */
    structured_score **wanted;
    int64_t wanted_count, wanted_capacity, fits;
    int64_t wave;                  /* index of the first wanted fit of those being made */
    bool shared;                   /* the process pool of the context knows this table, and makes fits of it */
    struct journal_index *journal; /* stores fits; NULL: no journal */
} structured_scores;

/*
 * Prepares an empty table of scores.  hit: interventions on nodes; may be NULL.  Memory comes from `a`, except for what
 * structured_scores_free frees; *out must stay where it is.
 */
nonsens_status structured_scores_new(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                     const nonsens_options *options, const targets *hit, structured_scores *out);
void structured_scores_free(structured_scores *s);

/* Asks for a score; cause is ascending.  _version: with interventions other than the current ones. */
nonsens_status scores_want(nonsens_context *ctx, structured_scores *s, int64_t effect, int64_t causes,
                           const int64_t *cause);
nonsens_status scores_want_version(nonsens_context *ctx, structured_scores *s, int64_t version, int64_t effect,
                                   int64_t causes, const int64_t *cause);
/* Fits the part->of rows from nothing, cause by cause; part->theta and part->group are allocated. */
nonsens_status scores_fit_part(nonsens_context *ctx, arena *scratch, const structured_scores *s, int64_t effect,
                               int64_t causes, const int64_t *cause, structured_part *part);
nonsens_status scores_new_part(nonsens_context *ctx, arena *a, const structured_scores *s, int64_t causes,
                               const part_rows *of, structured_part *part);
/* Returns the best of the existing fits with one cause fewer, from which a fit starts, or NULL. */
const structured_score *scores_find_start(const structured_scores *s, const structured_score *entry);
/* Makes the fit of an entry from this one, which may be NULL. */
nonsens_status scores_fit(nonsens_context *ctx, arena *scratch, const structured_scores *s,
                          const structured_score *start, structured_score *entry);
/* Sums the totals of the entry's parts. */
void scores_add_parts(const structured_scores *s, structured_score *entry);
/* Makes all fits that were asked for and not made yet, in parallel. */
nonsens_status scores_settle(nonsens_context *ctx, structured_scores *s, const char *phase);
/* Returns a score, or NULL if it was never asked for. */
const structured_score *scores_get(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause);
const structured_score *scores_get_version(const structured_scores *s, int64_t version, int64_t effect, int64_t causes,
                                           const int64_t *cause);

/* Returns which segments are in the first part of a fit, the shared one if there is one (segments); NULL: all. */
const bool *scores_shared(const structured_score *fit);
/* Says whether some segment intervened on the effect of a fit. */
bool scores_is_target(const structured_scores *s, const structured_score *fit);

/*
 * Tests whether the location and the scale of a disturbance v (n) change over the segments, keep (segments; NULL: all).
 * If rows are in blocks, the means of blocks are tested, and their mean distances from the segment's mean; effects are
 * those of the rows.
 */
nonsens_status scores_test_changes(nonsens_context *ctx, arena *scratch, const structured_scores *s, const bool *keep,
                                   const double *v, change_test *location, change_test *scale);

/* Returns the settings of tests of independence inside segments; rows in blocks are tested in the order of time. */
hsic_options scores_test_options(const structured_scores *s, const nonsens_options *options);

#endif
