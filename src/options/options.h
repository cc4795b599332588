/*
 * options.h - every option of every command, in one table (options_table.c).
 *
 * The table gives key, type, default, bounds and text; the command line, JSON output, bindings, help and man page all
 * read it.  The code reads the struct below.
 */
#ifndef OPTIONS_OPTIONS_H
#define OPTIONS_OPTIONS_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct range {
    double lo, hi;
} range;

/* Choices; the order is that of the words in the table. */
enum option_na_rule { NA_ERROR, NA_DROP_ROWS, NA_PAIRWISE };
enum option_decimal { DECIMAL_AUTO, DECIMAL_POINT, DECIMAL_COMMA };
enum option_sem { SEM_LAYERED, SEM_NODE };
enum option_noise { NOISE_LAPLACE, NOISE_GAUSSIAN, NOISE_STUDENT, NOISE_UNIFORM };
enum option_modulate { MODULATE_BOTH, MODULATE_CAUSE, MODULATE_EFFECT, MODULATE_PROPORTIONAL };
enum option_interventions { INTERVENTIONS_NONE, INTERVENTIONS_FIXED, INTERVENTIONS_CHANGED, INTERVENTIONS_MIXED };
enum option_confounded { CONFOUNDED_NO, CONFOUNDED_MODULATED, CONFOUNDED_STATIONARY };
enum option_activation { ACTIVATION_LEAKY_RELU, ACTIVATION_MAXOUT, ACTIVATION_TANH };
enum option_last_layer { LAST_LINEAR, LAST_ABS, LAST_SMOOTH_ABS };
enum option_features { FEATURES_AUTO, FEATURES_SPLINE, FEATURES_NETWORK };
enum option_opinions { OPINIONS_GRAPH, OPINIONS_ALL, OPINIONS_NONE };
enum option_inputs { INPUTS_MIXED, INPUTS_PLAIN, INPUTS_SCORES };
enum option_optimiser { OPTIMISER_ADAM, OPTIMISER_SGD };
enum option_unmixing {
    UNMIX_AUTO,
    UNMIX_JOINT_DIAGONALISATION,
    UNMIX_SCORE_MATCHING,
    UNMIX_TWO_STATISTIC,
    UNMIX_ENTROPY,
    UNMIX_FASTICA,
    UNMIX_INFOMAX
};
enum option_whitening { WHITENING_AUTO, WHITENING_WITHIN, WHITENING_TOTAL };
enum option_statistic {
    STATISTIC_AUTO,
    STATISTIC_LOG_COSH,
    STATISTIC_SMOOTH_ABS,
    STATISTIC_ASYMMETRIC,
    STATISTIC_GAUSSIAN_BASE,
    STATISTIC_TWO,
    STATISTIC_THREE
};
enum option_contrast { CONTRAST_LOG_COSH, CONTRAST_EXP, CONTRAST_CUBE, CONTRAST_SKEW };
enum option_decide_by { DECIDE_BY_TESTS, DECIDE_BY_RATIO };
enum option_ratio { RATIO_INFORMATION, RATIO_JACOBIAN, RATIO_PRINTED };
enum option_pooling { POOLING_STRATIFIED, POOLING_POOLED };
enum option_null_kind { NULL_GAMMA, NULL_PERMUTATION, NULL_SPECTRAL };
enum option_independence_test {
    TEST_AUTO,
    TEST_HSIC,
    TEST_KCI,
    TEST_RCIT,
    TEST_FISHER_Z,
    TEST_RESIDUALS,
    TEST_INFORMATION,
    TEST_KS,
    TEST_LEVENE,
    TEST_KRUSKAL
};

enum option_coefficients { COEFFICIENTS_LASSO, COEFFICIENTS_TESTED, COEFFICIENTS_ALL };
enum option_regression { REGRESSION_GP, REGRESSION_POLYNOMIAL };
enum option_invariance { INVARIANCE_KS, INVARIANCE_LEVENE_RANK };
enum option_resample { RESAMPLE_HALF, RESAMPLE_BOOTSTRAP };
enum option_fdr { FDR_BH, FDR_BY, FDR_NONE };
enum option_colliders { COLLIDERS_PLAIN, COLLIDERS_CONSERVATIVE, COLLIDERS_MAJORITY };
enum option_conflicts { CONFLICTS_BIDIRECTED, CONFLICTS_PRIORITY };

/*
 * Texts are never NULL; "" means not set.  They belong to the options, or to the arena of options_copy.  A plain copy
 * of the struct borrows them: it is valid as long as the original exists and is not changed.
 */
struct nonsens_options {
    unsigned command;
    /* every command */
    int64_t seed, threads, max_memory;
    double time_limit;
    double alpha;
    /* reading data */
    const char *segment, *segments, *vars, *x, *y, *given, *exclude, *na_values, *thousands;
    enum option_decimal decimal;
    bool no_header, keep_all, reversed;
    enum option_na_rule na;
    /* direction, discover, explain, effect: the method, and the rows that it uses (also diagnose) */
    const char *method;
    int64_t max_rows; /* --max-rows */
    bool as_published;
    /* direction: networks and their training (discover: layers) */
    int64_t layers, width, folds, restarts, keep, epochs, patience, batch;
    enum option_inputs inputs;
    enum option_activation activation;
    enum option_last_layer last;
    enum option_optimiser optimiser;
    double learning_rate, momentum, weight_decay, validation;
    /* direction, diagnose: segment classifiers (block_length: every analysis but ica; onset: explain) */
    enum option_features features;
    enum option_opinions opinions;
    int64_t score_folds, block_length, basis, onset;
    double undersmooth;
    /* direction, ica: unmixing */
    enum option_unmixing unmixing;
    enum option_whitening whitening;
    enum option_statistic statistic;
    enum option_contrast contrast;
    double sharpness;
    bool deflation;
    int64_t starts;
    /* direction, discover, independence, diagnose: tests and what decides */
    enum option_decide_by rule;
    enum option_ratio ratio;
    enum option_pooling pooling;
    enum option_null_kind null_kind;
    int64_t permutations, test_rows;
    enum option_independence_test test;
    /* direction: many pairs (fdr: also explain) */
    const char *pairs;
    enum option_fdr fdr;
    /* direction, discover: options of single methods (target: also explain; knowledge: also explain, effect) */
    enum option_coefficients coefficients;
    enum option_regression regression;
    int64_t degree, max_given, knots;
    enum option_invariance invariance;
    enum option_colliders colliders;
    enum option_conflicts conflicts;
    int orient_by; /* index of its choice, which is the name of a method */
    const char *target, *knowledge, *targets;
    /* discover: bootstrap samples */
    int64_t bootstrap;
    enum option_resample resample;
    const char *journal, *shard; /* also direction, explain */
    /* explain: what changed in a segment */
    const char *of, *against, *graph; /* graph: also effect */
    /* effect: the question, together with do_values */
    const char *change, *on, *in, *row, *rows;
    int64_t draws, graph_uncertainty, refute;
    bool extrapolate;
    /* compare */
    bool pattern, closure;
    const char *truth_column;
    /* simulate */
    enum option_sem sem;
    int64_t nodes, depth, sim_segments, per_segment, changing;
    enum option_noise noise;
    range scale, mean;
    enum option_modulate modulate;
    enum option_confounded confounded;
    enum option_interventions interventions;
    bool correlated, cyclic, independent, changing_mechanism;
    double edge_prob, fault;
    const char *do_values;
    /* reproduce (resume: also direction, discover and explain) */
    int64_t reps;
    const char *out, *cells, *data;
    bool resume, fine;

    struct option_text *texts; /* what was set, as text (options.c); NULL in copies */
};

/* Copies the options with their texts, which the arena then owns; for objects that outlive the caller's options. */
nonsens_status options_copy(nonsens_context *ctx, arena *a, const nonsens_options *from, nonsens_options *to);

/* Checks options independently of the method: the first part of nonsens_options_check. */
nonsens_status options_check(nonsens_context *ctx, const nonsens_options *options);

/*
 * Starts every public call that takes options: calls context_begin, then refuses options that were made for a command
 * outside the mask or that contradict one another.  Options for reading are not checked: a caller may read with --vars,
 * then name pairs with --x and --y.
 */
nonsens_status options_begin(nonsens_context *ctx, const nonsens_options *options, unsigned commands);

/*
 * Finds the next name in a list separated by commas: [*begin, *end), blanks included; *rest, at first the whole list,
 * becomes what follows it.  False at the end.
 */
bool option_next_name(const char **rest, const char **begin, const char **end);
/* Counts the names in such a list. */
int64_t option_count_names(const char *list);

/* Returns k - 1 for "#k", k from 1 to `count`; -1 for everything else. */
int64_t option_column_number(const char *name, int64_t count);

/* Returns the character of --thousands, ' ' for blanks of all kinds; 0 if it is not given or not valid. */
char options_thousands(const nonsens_options *options);

/* Says whether the test asks if the distribution of one variable changes over segments. */
static inline bool option_is_sample_test(enum option_independence_test test)
{
    return test == TEST_KS || test == TEST_LEVENE || test == TEST_KRUSKAL;
}

/* The message if --block-length is refused. */
#define OPTION_BLOCKS_REFUSED                                                                                 \
    "--block-length shifts variables in time, which only hsic can use; take --test hsic without --given, or " \
    "thin the rows, keeping every k-th"

/* Returns K of --segments equal:K; 0 if it is not given or has another form. */
int64_t options_blocks(const nonsens_options *options);

/* Returns the word on the command line for one NONSENS_COMMAND_* bit. */
const char *option_command_name(unsigned command);

/* Writes the name of a test of independence, as in --test, into the caller's buffer, and returns it. */
enum { OPTION_WORD_BYTES = 32 };
const char *option_test_word(enum option_independence_test test, char word[OPTION_WORD_BYTES]);

/* Writes the word with this index in "a|b|c". */
void option_print_choice(const char *choices, int index, char *buffer, size_t bytes);

/* Says whether the option changes results; false for threads, journals and the like. */
bool option_changes_results(const nonsens_option_info *info);

/* Returns the value of an option that is not set: its default, or its value in --as-published if that is set. */
const char *option_usual(const nonsens_options *options, const nonsens_option_info *info);

/*
 * Returns the value of an option as nonsens_options_set takes it: the text of a text option, or what was written into
 * the caller's buffer.
 */
enum { OPTION_VALUE_BYTES = 96 };
const char *option_print(const nonsens_options *options, const nonsens_option_info *info,
                         char buffer[OPTION_VALUE_BYTES]);

#endif
