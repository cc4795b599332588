/*
 * result.h - what a method found: decision, evidence in both directions, assumptions and what speaks against them.
 *
 * A method fills it in; src/write writes it.  "first" and "second" are the user's two columns (--x, --y).
 */
#ifndef METHODS_SHARED_RESULT_H
#define METHODS_SHARED_RESULT_H

#include "base/matrix.h"
#include "base/memory.h"
#include "options/options.h"

enum result_decision {
    DECISION_FIRST_CAUSES, /* first -> second */
    DECISION_SECOND_CAUSES,
    DECISION_INDEPENDENT,
    DECISION_NEITHER,
    DECISION_INCONCLUSIVE,
    DECISION_DEPENDENT, /* `independence` only */
    DECISION_NONE       /* `diagnose`, `ica`, `discover`: no decision, findings only */
};

enum result_better { BETTER_NONE, BETTER_FIRST, BETTER_SECOND };

/* Joins what an answer assumes and what is assumed by the method that found its graph. */
#define RESULT_GRAPH_ASSUMES " For the graph by "

/* Other explanations of what is seen, as bits of result->alternatives. */
enum result_alternative {
    ALTERNATIVE_HIDDEN_CAUSE = 1,
    ALTERNATIVE_MEASUREMENT_ERROR = 2,
    ALTERNATIVE_MECHANISM_CHANGE = 4,
    ALTERNATIVE_SELECTION = 8,
    ALTERNATIVE_ALL = 15
};

typedef nonsens_evidence evidence; /* NaN is written as null */
typedef nonsens_edge graph_edge;

/* The direct effect of an edge as a curve: mean of the effect against values of the cause (tasks/edge_effects.h). */
enum { RESULT_CURVE_POINTS = 9 };
typedef struct result_curve {
    bool is_known;
    double x[RESULT_CURVE_POINTS]; /* from the 5 % to the 95 % quantile of the cause */
    double y[RESULT_CURVE_POINTS]; /* mean of the effect, minus that with the cause at its median */
} result_curve;

/* How many bootstrap samples of `discover --bootstrap` have each kind of edge between two variables. */
typedef struct result_edge_counts {
    int64_t a, b;              /* user's indices, a < b */
    int64_t forward, backward; /* a -> b, b -> a */
    int64_t undirected, bidirected;
    int64_t adjacent; /* at least one of these */
} result_edge_counts;

typedef struct result_bootstrap {
    int64_t replicates, failed;
    result_edge_counts *pair; /* (pairs) those adjacent at least once, ordered by a, b */
    int64_t pairs;
} result_bootstrap;

/* What `ica` found in addition to the sources and their modulation; unmixing is NULL for all other commands. */
typedef struct result_unmixing {
    double *unmixing;            /* (sources, variables) row by row, as the public header gives them */
    double *mixing;              /* (variables, sources) row by row */
    double *kurtosis, *skewness; /* (sources) */
    const char *convention;      /* what is what, and how scales, signs and order are chosen */
    const char *statistic;       /* of score matching, else NULL */
    double sharpness;            /* of the statistic, NaN if it has none */
    int iterations;
    bool converged;
    int64_t tabled; /* how many of the last pieces of evidence repeat what is here */
} result_unmixing;

/* What `explain` found; variable is NULL for all other commands. */
typedef struct result_explanation {
    const char *of, *against;      /* labels; against is NULL for all other segments */
    int64_t of_rows, other_rows;   /* rows of `of` and of what it is compared with */
    int64_t onset;                 /* row of `of`, from 1, at which the fault begins */
    double drift;                  /* median shift of all variables, in interquartile ranges; at least 1 */
    bool ranking_only;             /* most variables shifted: none is called a root cause */
    nonsens_change *variable;      /* (variables of the result) by rank */
    nonsens_target_change *target; /* NULL without --target */
} result_explanation;

/* A variable that `effect` sets or changes. */
typedef struct result_action {
    int64_t variable;
    bool adds;    /* `value` is added to each row's own; else the variable is set to it */
    double value; /* NaN: several values, a curve */
} result_action;

/* What `effect` found; question is NULL for all other commands. */
typedef struct result_effects {
    const char *question; /* "temp = 30, speed + 1"; "" for all variables */
    int64_t actions;
    result_action *action; /* (actions) the question, part by part */
    int64_t effects, quartile_effects, counterfactuals;
    nonsens_effect *effect;
    nonsens_quartile_effect *quartile_effect;
    nonsens_counterfactual *counterfactual;
    const char *check; /* how well a given graph fits the data; NULL: the graph was found from the data */
} result_effects;

/* How networks learned: lowest, middle and highest loss, in nats per row, of the networks that reached an epoch. */
typedef struct result_training {
    int64_t networks, epochs; /* epochs 0: nothing was trained */
    double chance;            /* loss of the segment shares alone */
    int64_t *running;         /* (epochs) networks that reached it */
    double *loss[2][3];       /* (epochs) [training rows, held-out rows][lowest, middle, highest]; NaN: none */
} result_training;

/* What a method says about one direction of a pair. */
typedef struct result_direction {
    const char *verdict;    /* "fits", "rejected", "doubtful"; NULL: the method judges no single direction */
    double loss, low, high; /* on held-out rows, nats per row, with its interval at level 1 - alpha; NaN: no loss */
} result_direction;

struct nonsens_result {
    arena memory; /* owns everything below */
    nonsens_options options;
    const char *method; /* "nonsens", ...; "independence" and "diagnose" for those commands, the unmixing for `ica` */
    enum result_decision decision;
    enum result_better better;
    char *decision_text, *direction_text; /* "x1->x2" and the like, made by result_finish; direction may be NULL */
    const char *sentence;                 /* the decision in words; NULL if names and decision say it all */
    const char *reason;                   /* one sentence why; NULL if the decision needs none */
    bool assumes_effect;
    nonsens_firm firm;
    unsigned alternatives; /* result_alternative; 0 if firm */
    nonsens_opinion *opinion;
    int64_t opinions, opinion_capacity;
    double score, p_value; /* NaN if there is none */
    nonsens_evidence *evidence;
    int64_t evidence_count, evidence_capacity;
    nonsens_note *note; /* diagnostics that speak for or against the assumptions, in words */
    int64_t notes, note_capacity;
    char **step; /* the reasoning from the data to the decision, a sentence or two each */
    int64_t steps, step_capacity;
    result_direction judged[2];  /* first -> second, second -> first */
    int64_t passed;              /* checks of assumptions that found nothing; what others found is in a note */
    bool is_plain;               /* one direction fits and the other is rejected: the reason says no more than that */
    const char *assumes;         /* from the registry */
    const char *assumes_briefly; /* in a line; NULL: `assumes` is short enough */
    const char *bidirected_meaning; /* from the registry: what a <-> b means; NULL: a hidden common cause */
    /* of the data */
    int64_t rows, segments, variables;
    char **names, **labels, **warning;
    int64_t *label_order; /* (segments) segments in the order in which labels are listed (base/natural.h) */
    int64_t warnings;
    char **data_note; /* (data_notes) how the file was understood */
    int64_t data_notes;
    uint64_t data_hash;
    bool sampled; /* a sample of the rows was used, and no disturbances are kept (subsample.h) */
    /* estimated disturbances or sources and their modulation, if the method has them; else v is NULL */
    matrix source; /* (rows, 2) in canonical row order; column j belongs to the user's column j; `ica`: (rows, d) */
    char **source_name; /* (source.cols) s1, s2, ... of `ica`; NULL if they belong to the variables */
    int64_t *input_row; /* (rows) of the input table, from 0 */
    int64_t *start;     /* (segments + 1) rows of segment e are start[e] .. start[e+1]-1 */
    matrix modulation;  /* (segments, source.cols) how source j changes: its sd in each segment over its pooled sd;
                           structured, a pair: the mean in each segment of the estimate of q(N_j), scaled to variance 1;
                           structured, many: the scale of N_j in each segment */
    result_training training;
    result_unmixing unmixed;
    /* of `discover` and `explain` */
    bool is_graph;
    bool unfinished;                  /* the search was ended early: the graph is the best one so far */
    const struct knowledge *known;    /* prior knowledge, user's order, while the method runs; NULL: nothing */
    const struct targets *targets;    /* interventions, user's order, while the method runs; NULL: none are known */
    const struct method *pair_method; /* the method asks it about pairs while it runs; NULL: none */
    struct journal_index *journal;    /* stores units of the method's work while it runs; NULL: no journal */
    nonsens_edge *edge;               /* (edges) result_finish orders them by from, to */
    int64_t edges, edge_capacity;
    result_curve *curve;    /* (edges) of direct effects; NULL: none was asked for */
    nonsens_target *target; /* (target_count) interventions, known and found; by segment's label, then variable */
    int64_t target_count, target_capacity;
    int64_t *order;               /* (variables) user's indices, causes first; NULL if the method has no order */
    result_bootstrap bootstrap;   /* replicates 0: without --bootstrap */
    result_explanation explained; /* of `explain`, in addition to the graph */
    result_effects effects;       /* of `effect`, in addition to the graph */
    double seconds;
    int threads;
};

/* Makes a result and copies the facts of the data and the options into it. */
struct nonsens_data;
nonsens_status result_new(nonsens_context *ctx, const struct nonsens_data *data, const nonsens_options *options,
                          const char *method, nonsens_result **out);
/* Adds a piece of evidence; text may be NULL. */
nonsens_status result_add(nonsens_context *ctx, nonsens_result *result, double value, double p_value, const char *text,
                          const char *name_format, ...) __attribute__((format(printf, 6, 7)));
/* Adds a note: one or more sentences. */
nonsens_status result_note(nonsens_context *ctx, nonsens_result *result, nonsens_note_level level, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));
/* Adds a caution if `text` is not NULL, else counts a check that found nothing. */
nonsens_status result_check(nonsens_context *ctx, nonsens_result *result, const char *text);
/* Adds a note on the segments that an independence test left out, if there are any. */
nonsens_status result_note_skipped(nonsens_context *ctx, nonsens_result *result, int64_t skipped, int64_t min_rows);
/* Adds the next step of the reasoning (reasoning.h). */
nonsens_status result_reason(nonsens_context *ctx, nonsens_result *result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns whether the decision names a direction. */
bool result_names_direction(const nonsens_result *result);
/* Adds a second opinion; its texts are copied. */
nonsens_status result_add_opinion(nonsens_context *ctx, nonsens_result *result, const nonsens_opinion *opinion);
/* Returns "first->second", or the reverse, with the names of the variables; memory of the result. */
char *result_arrow(nonsens_context *ctx, nonsens_result *result, bool first_causes);
/*
 * Adds an edge between two variables (user's indices); weight and p_value may be NaN.  An edge without a direction is
 * stored from the smaller index to the larger.
 */
nonsens_status result_edge(nonsens_context *ctx, nonsens_result *result, int64_t from, int64_t to, int type,
                           double weight, double p_value);
/* Adds an intervention; segment and variable are indices of the data, variable -1 if it is not known. */
nonsens_status result_target(nonsens_context *ctx, nonsens_result *result, int64_t segment, int64_t variable, int kind,
                             bool known, double p_value);
/* Allocates result->source and result->modulation with this number of columns, filled with zeros. */
nonsens_status result_make_sources(nonsens_context *ctx, nonsens_result *result, int64_t columns);
/* Keeps the order of the variables, causes first: canonical indices, which the data set's column_rank maps back. */
nonsens_status result_keep_order(nonsens_context *ctx, nonsens_result *result, const int32_t *column_rank,
                                 const int64_t *order);
/* Writes decision_text and direction_text from the enums and names; orders the edges. */
nonsens_status result_finish(nonsens_context *ctx, nonsens_result *result);

#endif
