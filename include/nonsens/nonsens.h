/*
 * nonsens.h - causal direction from segmented data (the only installed header).
 *
 * The flow is always the same:
 *
 *     context -> data (read, or borrowed arrays) -> options -> run -> result -> writer
 *
 * Every fallible function returns a nonsens_status; the sentence that explains a failure is kept in the context
 * (nonsens_context_message).  The library never exits, prints, seeds from the clock, touches the locale or changes
 * global thread settings.  A context is used by one thread at a time; several contexts may be used at once.
 *
 * What a caller may pass (each comment states its exceptions in these words):
 *   pointers  Only those after "May be NULL:" may be NULL, and user data.  Elements of a list and functions of a struct
 *             may not.  Any other NULL is NONSENS_ERR_USAGE.
 *   counts    From 1, or 0 after "May be 0:", to NONSENS_MAX_COUNT.  Any other count is NONSENS_ERR_USAGE, and no list
 *             is read.  If a count is 0, its list is not read either and may be NULL.
 *   texts     End in a zero byte.  Names, labels and paths in a list may not be empty.
 *   strides   May be 0 or negative; an offset that does not fit into an address is NONSENS_ERR_USAGE.
 * An empty column name and a column name used twice are errors of the data: NONSENS_ERR_DATA.
 * Functions that return no status return 0, NULL or NaN if a pointer is NULL or an index is out of range, unless their
 * comment says otherwise; those that return nothing then do nothing.  All functions that free take NULL.
 */
#ifndef NONSENS_H
#define NONSENS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NONSENS_API __attribute__((visibility("default")))
#else
#define NONSENS_API
#endif

/* ---- version ------------------------------------------------------------------------------------------------- */

/* The version that this header belongs to. */
#define NONSENS_VERSION_MAJOR 0
#define NONSENS_VERSION_MINOR 1
#define NONSENS_VERSION_PATCH 0

/* "MAJOR.MINOR.PATCH" of the library that is loaded. */
NONSENS_API const char *nonsens_version(void);
/* How it was built: compiler, BLAS, JSON library; one line each, newline-separated. */
NONSENS_API const char *nonsens_build_info(void);

/* ---- limits -------------------------------------------------------------------------------------------------- */

/* Largest number of rows, columns, variables, segments, labels, files and bytes in one call. */
#define NONSENS_MAX_COUNT 2147483647
/* Largest number of bytes of a graph, in a file or in memory. */
#define NONSENS_MAX_GRAPH_BYTES 268435456

/* ---- status -------------------------------------------------------------------------------------------------- */

/* The values are pinned: they never change meaning between versions. */
typedef enum nonsens_status {
    NONSENS_OK = 0,
    NONSENS_ERR_MEMORY = 1,  /* an allocation failed */
    NONSENS_ERR_USAGE = 2,   /* unknown option or method; value out of range; options of another command */
    NONSENS_ERR_DATA = 3,    /* the data cannot be read or analysed, or lack a column that was named */
    NONSENS_ERR_OUTPUT = 4,  /* writing failed (full disk, closed pipe, no permission) */
    NONSENS_ERR_NUMERIC = 5, /* a computation broke down; the message says which and what to try */
    NONSENS_CANCELLED = 6    /* the progress callback or nonsens_context_cancel() asked to stop */
} nonsens_status;

/* ---- context ------------------------------------------------------------------------------------------------- */

typedef struct nonsens_context nonsens_context;

/* Called now and then from the thread that called the library; a non-zero return cancels the run. */
typedef int (*nonsens_progress_fn)(void *user, const char *phase, int64_t done, int64_t total);

/* A new context, or NULL when memory is exhausted.  Free it with nonsens_context_free (NULL is fine). */
NONSENS_API nonsens_context *nonsens_context_new(void);
NONSENS_API void nonsens_context_free(nonsens_context *ctx);
/*
 * The explanation of the last failure; "" if there was none, and a sentence if ctx is NULL.  Valid until the next call
 * with this context.
 */
NONSENS_API const char *nonsens_context_message(const nonsens_context *ctx);
/*
 * What the last run says beside its result, in one sentence: lines of its journal that were changed, and whose work was
 * done again.  "" if there is nothing to say, or if ctx is NULL.  Valid until the next call with this context.
 */
NONSENS_API const char *nonsens_context_warning(const nonsens_context *ctx);
/* Sets the function that is told of progress; NULL for none. */
NONSENS_API void nonsens_context_set_progress(nonsens_context *ctx, nonsens_progress_fn fn, void *user);
/*
 * Asks a running call to stop soon; async-signal-safe, callable from any thread.  The next call that reads or makes
 * data or runs a method clears the wish when it begins.
 */
NONSENS_API void nonsens_context_cancel(nonsens_context *ctx);

/* ---- options ------------------------------------------------------------------------------------------------- */

/* One table of options serves the program, JSON output, bindings and the man page; ask it instead of guessing. */
typedef enum nonsens_option_type {
    NONSENS_OPTION_FLAG = 0, /* no value on the command line; "true" or "false" here */
    NONSENS_OPTION_INTEGER = 1,
    NONSENS_OPTION_REAL = 2,
    NONSENS_OPTION_CHOICE = 3, /* one of the words in `choices`, separated by '|' */
    NONSENS_OPTION_TEXT = 4,
    NONSENS_OPTION_RANGE = 5 /* LO:HI, two reals */
} nonsens_option_type;

/* Commands; sets of them are bit masks. */
typedef enum nonsens_command {
    NONSENS_COMMAND_SIMULATE = 1,
    NONSENS_COMMAND_DIRECTION = 2,
    NONSENS_COMMAND_INDEPENDENCE = 4,
    NONSENS_COMMAND_DIAGNOSE = 8,
    NONSENS_COMMAND_ICA = 16,
    NONSENS_COMMAND_REPRODUCE = 32,
    NONSENS_COMMAND_DISCOVER = 64,
    NONSENS_COMMAND_COMPARE = 128,
    NONSENS_COMMAND_EXPLAIN = 256,
    NONSENS_COMMAND_REPORT = 512
} nonsens_command;

typedef struct nonsens_option_info {
    const char *key; /* as in `--key` and in JSON */
    nonsens_option_type type;
    unsigned commands;         /* NONSENS_COMMAND_* bits */
    const char *group;         /* heading in help */
    const char *default_value; /* as text */
    double lowest, highest;    /* bounds of integers, reals and both ends of a range; both allowed */
    const char *bounds;        /* the bounds in words where the two numbers do not say it; else NULL */
    const char *choices;       /* of a choice, "a|b|c"; else NULL */
    const char *unit;          /* "" where it has none */
    const char *text;          /* one sentence */
} nonsens_option_info;

typedef struct nonsens_options nonsens_options;

NONSENS_API size_t nonsens_option_count(void);
NONSENS_API const nonsens_option_info *nonsens_option_at(size_t index);
/* The option named key of one of the commands in the mask, or NULL. */
NONSENS_API const nonsens_option_info *nonsens_option_find(const char *key, unsigned commands);

/* Makes options of one command (one bit of NONSENS_COMMAND_*), all at their defaults. */
NONSENS_API nonsens_status nonsens_options_new(nonsens_context *ctx, nonsens_command command, nonsens_options **out);
NONSENS_API void nonsens_options_free(nonsens_options *options);
/*
 * Sets one option from text, which may have any length and is copied.  Unknown keys and values out of bounds are
 * errors, never clamped.  as-published sets others with it, which may be set anew afterwards.
 */
NONSENS_API nonsens_status nonsens_options_set(nonsens_context *ctx, nonsens_options *options, const char *key,
                                               const char *value);
/*
 * Checks what can be checked before any data are read.  It is an error if options contradict one another (x without y,
 * vars beside x and y, segment beside segments, keep above restarts), if the command cannot run the method, or if the
 * method cannot do what target, knowledge or as-published ask of it.
 */
NONSENS_API nonsens_status nonsens_options_check(nonsens_context *ctx, const nonsens_options *options);
/*
 * Gives the value of one option as nonsens_options_set takes it.  The text belongs to the options and is valid until
 * this option, or as-published, is set or the options are freed.  Unknown keys are errors.
 */
NONSENS_API nonsens_status nonsens_options_get(nonsens_context *ctx, const nonsens_options *options, const char *key,
                                               const char **out);

/* ---- data ---------------------------------------------------------------------------------------------------- */

typedef struct nonsens_data nonsens_data;

/*
 * Reads a table (CSV, TSV, blanks, .npy; "-" is standard input) and keeps the variables and the segment labels that the
 * options (of any command but simulate) name: segment, segments, vars, x, y, given, na,
 * no-header.  Where variables are named,
 * what other columns hold does not matter.  Rows, segments and columns
 * are brought into an order that depends on the values alone, so that their order and the label names cannot matter.
 */
NONSENS_API nonsens_status nonsens_data_read(nonsens_context *ctx, const char *path, const nonsens_options *options,
                                             nonsens_data **out);
/*
 * The same from several files, one per segment, in place of a segment column (segment and segments must not be set; one
 * file is what nonsens_data_read reads).  A segment is called after its file, without folder and ending, or by its path
 * where these names are not all different.  Columns are matched by name, their order in the files does not matter;
 * without header by position.  Every file must have every variable: all columns that hold numbers in some file, or
 * those that vars, x, y and given name, and then further columns do not matter.  Rows count through the files in their
 * order, which changes nothing else.  "-" may be one of them.
 */
NONSENS_API nonsens_status nonsens_data_read_files(nonsens_context *ctx, const char *const *paths, int64_t count,
                                                   const nonsens_options *options, nonsens_data **out);
/*
 * Makes a data set from arrays: value (i, j) is values[i * row_stride + j * column_stride] (strides in doubles).
 * names: d different names, or NULL for c1, c2, ...  segment: n labels as integers, used as categories, or
 * NULL for no segments.  Everything is copied. May be NULL: names, segment.
 */
NONSENS_API nonsens_status nonsens_data_from_arrays(nonsens_context *ctx, int64_t n, int64_t d, const double *values,
                                                    int64_t row_stride, int64_t column_stride, const char *const *names,
                                                    const int64_t *segment, nonsens_data **out);
/* A column of a table in memory. */
typedef struct nonsens_column {
    const char *name;     /* UTF-8, not empty, different from all others */
    const double *values; /* of row i: values[i * stride]; NaN is a missing one.  May be NULL: a column of text */
    int64_t stride;       /* in doubles */
} nonsens_column;

/*
 * What nonsens_data_read would make of a file with these columns and, where category is not NULL, one more with the
 * segment labels, whose name is the option `segment` or, where that is not set, "segment": row i has the label
 * label[category[i]], or lacks one where category[i] is negative.  Equal labels (UTF-8) are one segment, and a label
 * that no row has does not matter.  Without category, labels and label are not used.  All options of reading count,
 * missing values included, and the same data give the same result, bit for bit.  Everything is copied; columns of
 * stride 1 just once.
 * A table without rows or columns is NONSENS_ERR_DATA.
 * May be NULL: category.
 */
NONSENS_API nonsens_status nonsens_data_from_columns(nonsens_context *ctx, int64_t rows, int64_t columns,
                                                     const nonsens_column *column, const int32_t *category,
                                                     int64_t labels, const char *const *label,
                                                     const nonsens_options *options, nonsens_data **out);
NONSENS_API void nonsens_data_free(nonsens_data *data);
NONSENS_API int64_t nonsens_data_row_count(const nonsens_data *data);
NONSENS_API int64_t nonsens_data_variable_count(const nonsens_data *data);
NONSENS_API int64_t nonsens_data_segment_count(const nonsens_data *data); /* 0 where no segments were named */
/* Texts live as long as the data; NULL where there is no such variable or segment. */
NONSENS_API const char *nonsens_data_variable_at(const nonsens_data *data, int64_t variable);
/* The label of a segment; segments are counted in an order of the library's own, larger ones first. */
NONSENS_API const char *nonsens_data_segment_at(const nonsens_data *data, int64_t segment);
/* What the audit of the data found: sentences, in a fixed order. */
NONSENS_API int64_t nonsens_data_warning_count(const nonsens_data *data);
NONSENS_API const char *nonsens_data_warning_at(const nonsens_data *data, int64_t index);

/* ---- methods ------------------------------------------------------------------------------------------------- */

typedef struct nonsens_method_info {
    const char *name;
    const char *citation;
    const char *summary; /* one line */
    const char *assumes; /* what must hold for its answer to mean something */
    /* Keys of the options that it uses beside those of every run, separated by blanks; NULL if it cannot run so. */
    const char *direction_options;
    const char *discover_options; /* also those of explain */
    unsigned commands;            /* NONSENS_COMMAND_* that can run it: direction, discover, explain */
    unsigned disturbances;        /* NONSENS_COMMAND_* by which it estimates disturbances, for most data */
    int needs_segments;           /* 0: segments may be left out */
} nonsens_method_info;

NONSENS_API size_t nonsens_method_count(void);
/* Returns a row of the table of methods; NULL behind the last. */
NONSENS_API const nonsens_method_info *nonsens_method_at(size_t index);
/* Finds a method by its name; NULL if there is none. */
NONSENS_API const nonsens_method_info *nonsens_method_find(const char *name);

/* ---- runs ---------------------------------------------------------------------------------------------------- */

typedef struct nonsens_result nonsens_result;

/*
 * Bytes that the library will hold at most while the run of these options (of any command that takes data) is on: what
 * it holds now and what the method is expected to take, right within a factor of two or so.  Where the option
 * max-memory is set, a run that would hold more ends with NONSENS_ERR_MEMORY.
 */
NONSENS_API int64_t nonsens_data_estimate_memory(const nonsens_data *data, const nonsens_options *options);

/* Which of two variables causes the other (options of NONSENS_COMMAND_DIRECTION; method, x and y among them). */
NONSENS_API nonsens_status nonsens_run_direction(nonsens_context *ctx, const nonsens_data *data,
                                                 const nonsens_options *options, nonsens_result **out);
/* What causes what among two or more variables (options of NONSENS_COMMAND_DISCOVER): a graph. */
NONSENS_API nonsens_status nonsens_run_discover(nonsens_context *ctx, const nonsens_data *data,
                                                const nonsens_options *options, nonsens_result **out);
/*
 * Are two variables independent (inside each segment, where there are segments)?  x, y and given may be lists; given
 * ones are conditioned on.  The tests ks, levene and kruskal ask whether x alone changes over segments.  Takes options
 * of NONSENS_COMMAND_INDEPENDENCE.
 */
NONSENS_API nonsens_status nonsens_run_independence(nonsens_context *ctx, const nonsens_data *data,
                                                    const nonsens_options *options, nonsens_result **out);
/*
 * The same tests for many questions on one data set: answers are remembered, and so is what questions have in common
 * (kernel features, regressions, correlations).  Of the options (of NONSENS_COMMAND_INDEPENDENCE) test, pooling, null,
 * permutations, alpha (near which HSIC refines its p-values), seed and threads count; the data must outlive the tester.
 * Variables count from 0, as in the data; x and y, and the variables in given, may come in any order.  One tester may
 * be used by several threads, each with a context of its own.
 */
typedef struct nonsens_ci nonsens_ci;
/* Opens a tester on the data; takes options of NONSENS_COMMAND_INDEPENDENCE. */
NONSENS_API nonsens_status nonsens_ci_new(nonsens_context *ctx, const nonsens_data *data,
                                          const nonsens_options *options, nonsens_ci **out);
/* A test of the caller's own: writes the p-value of "x is independent of y given these", between 0 and 1. */
typedef nonsens_status (*nonsens_ci_fn)(void *user, int64_t x, int64_t y, const int64_t *given, int64_t count,
                                        double *p_value);
/*
 * Opens a tester on at least 2 variables that asks the caller's test, in the canonical order x < y and given ascending,
 * and remembers its answers.
 */
NONSENS_API nonsens_status nonsens_ci_new_callback(nonsens_context *ctx, int64_t variables, nonsens_ci_fn fn,
                                                   void *user, nonsens_ci **out);
/*
 * Tests whether x is independent of y given `count` other variables, all of them different.  The statistic is NaN for a
 * callback.  An error if too few rows can be tested.
 * May be NULL: statistic.  May be 0: count.
 */
NONSENS_API nonsens_status nonsens_ci_test(nonsens_context *ctx, nonsens_ci *tester, int64_t x, int64_t y,
                                           const int64_t *given, int64_t count, double *statistic, double *p_value);
/* Counts the questions asked so far. */
NONSENS_API int64_t nonsens_ci_asked_count(nonsens_ci *tester);
/* Counts those of them that were answered from memory. */
NONSENS_API int64_t nonsens_ci_remembered_count(nonsens_ci *tester);
NONSENS_API void nonsens_ci_free(nonsens_ci *tester);

/* What the data can and cannot support (options of NONSENS_COMMAND_DIAGNOSE). */
NONSENS_API nonsens_status nonsens_run_diagnose(nonsens_context *ctx, const nonsens_data *data,
                                                const nonsens_options *options, nonsens_result **out);
/*
 * Linear ICA of all variables (2 to 100; options of NONSENS_COMMAND_ICA): as many sources, independent inside each
 * segment, of which the variables are mixtures.  Each source has variance 1 inside segments (pooled) and a skewness
 * that is not negative; kurtosis descends from the first source to the last.  Segments may be missing but for
 * joint-diagonalisation.
 */
NONSENS_API nonsens_status nonsens_run_ica(nonsens_context *ctx, const nonsens_data *data,
                                           const nonsens_options *options, nonsens_result **out);
NONSENS_API void nonsens_result_free(nonsens_result *result);

/* What a result answers. */
typedef enum nonsens_kind {
    NONSENS_KIND_NONE = 0,         /* there is no result */
    NONSENS_KIND_DIRECTION = 1,    /* which of two variables causes the other */
    NONSENS_KIND_GRAPH = 2,        /* what causes what among several */
    NONSENS_KIND_INDEPENDENCE = 3, /* are two variables independent? */
    NONSENS_KIND_DIAGNOSIS = 4,    /* what the data can support */
    NONSENS_KIND_EXPLANATION = 5,  /* what changed in a segment, on a graph */
    NONSENS_KIND_ICA = 6           /* linear sources of all variables */
} nonsens_kind;

/* Tells what the result answers; NONSENS_KIND_NONE if result is NULL. */
NONSENS_API nonsens_kind nonsens_result_kind(const nonsens_result *result);

/*
 * What follows reads a result.  Texts and arrays belong to the result and live as long as it does.
 *
 * "a->b", "independent" or "inconclusive"; for independence "dependent" or "independent"; "none" for diagnose, ica,
 * discover and explain.
 * ("neither", where both directions are refuted, is kept for methods that can tell.)
 */
NONSENS_API const char *nonsens_result_decision(const nonsens_result *result);
/* The better direction if one must be named, or NULL. */
NONSENS_API const char *nonsens_result_direction(const nonsens_result *result);
/* Signed evidence, positive for first -> second; NaN where the method has none. */
NONSENS_API double nonsens_result_score(const nonsens_result *result);
/*
 * The p-value behind the decision: for direction that of the opposite direction (nonsens, corrected for its four
 * tests), for independence that of independence.  NaN where no direction is decided, for nonsens-lr, diagnose and
 * ica.
 */
NONSENS_API double nonsens_result_p_value(const nonsens_result *result);
/* Why the decision is what it is, in one sentence; NULL where it needs no reason. */
NONSENS_API const char *nonsens_result_reason(const nonsens_result *result);

/* One figure that the decision rests on, or that speaks for or against the assumptions. */
typedef struct nonsens_evidence {
    const char *name; /* the same for equal runs, e.g. "hsic(x1, x2)" */
    double value;     /* NaN where there is none */
    double p_value;   /* NaN where there is none */
    const char *text; /* what it means in words */
} nonsens_evidence;

NONSENS_API int64_t nonsens_result_evidence_count(const nonsens_result *result);
/* NULL where there is no such piece of evidence. */
NONSENS_API const nonsens_evidence *nonsens_result_evidence_at(const nonsens_result *result, int64_t index);
/* How a note bears on the answer. */
typedef enum nonsens_note_level {
    NONSENS_NOTE_INFO = 0,    /* it informs */
    NONSENS_NOTE_CAUTION = 1, /* it calls for care */
    NONSENS_NOTE_PROBLEM = 2  /* an assumption does not hold, or the answer rests on nothing */
} nonsens_note_level;

typedef struct nonsens_note {
    const char *text;
    nonsens_note_level level;
} nonsens_note;

/* Counts the findings in words, which come in a fixed order. */
NONSENS_API int64_t nonsens_result_note_count(const nonsens_result *result);
/* Returns a note, or NULL if there is no such note. */
NONSENS_API const nonsens_note *nonsens_result_note_at(const nonsens_result *result, int64_t index);
/* The reasoning from the data to the answer, step by step; of direction and discover, else none. */
NONSENS_API int64_t nonsens_result_reasoning_count(const nonsens_result *result);
NONSENS_API const char *nonsens_result_reasoning_at(const nonsens_result *result, int64_t index);

/*
 * An arrow; a line, whose direction is not known; an arrow with two heads: a hidden common cause or, in graphs of pc
 * and pc-nonsens, a direction on which tests contradict one another.
 */
typedef enum nonsens_edge_type {
    NONSENS_EDGE_NONE = -1, /* no edge; only in a nonsens_difference */
    NONSENS_EDGE_DIRECTED = 0,
    NONSENS_EDGE_UNDIRECTED = 1,
    NONSENS_EDGE_BIDIRECTED = 2
} nonsens_edge_type;

/* One edge of a graph; variables count from 0, as in the data. */
typedef struct nonsens_edge {
    int64_t from, to; /* the cause comes first; of edges without direction the smaller index */
    nonsens_edge_type type;
    double weight;  /* what one unit of the cause adds to the effect, in the data's units; NaN but for linear methods */
    double p_value; /* of the edge's absence; NaN where there is none */
    double support; /* share of resamples that have it, with the same direction; NaN without bootstrap */
} nonsens_edge;

/* The graph of discover or explain, ordered by `from`, then `to`; 0 and NULL for other commands. */
NONSENS_API int64_t nonsens_result_edge_count(const nonsens_result *result);
NONSENS_API const nonsens_edge *nonsens_result_edge_at(const nonsens_result *result, int64_t index);
/* (variables) Causes before effects, for methods that order all variables; else NULL. */
NONSENS_API const int64_t *nonsens_result_order(const nonsens_result *result);

typedef enum nonsens_verdict {
    NONSENS_VERDICT_CHANGED = 0,   /* its own disturbance, or its mechanism, changed */
    NONSENS_VERDICT_FOLLOWS = 1,   /* it changed as variables did that cause it, and of itself not visibly */
    NONSENS_VERDICT_UNCHANGED = 2, /* nothing is seen to have changed */
    NONSENS_VERDICT_UNCLEAR = 3    /* it changed, but how depends on what is not known; or it could not be tested */
} nonsens_verdict;

/* What explain found of one variable; lists belong to the result.  NaN where a figure is not known. */
typedef struct nonsens_change {
    int64_t variable; /* from 0, as in the data */
    nonsens_verdict verdict;
    double own, own_error;           /* Jeffreys divergence of its disturbance, nats per row; standard error */
    double own_low, own_high;        /* interval of level 1 - alpha */
    double p_value, q_value;         /* of no change of its own; q with the fdr option */
    double share;                    /* of the sum of all variables' own changes */
    double scale;                    /* how many times as wide the disturbance is */
    double scale_low, scale_high;    /* interval */
    double shift;                    /* difference of its medians, in mean absolute deviations */
    double shift_low, shift_high;    /* interval */
    const char *description;         /* "wider", "narrower, lower", ... as far as intervals say it; else "" */
    double marginal, marginal_error; /* as own: of the variable itself, whatever causes it */
    double marginal_p, marginal_q;   /* of no change of it */
    int64_t causes;                  /* in the graph, and */
    const int64_t *cause;            /* (causes) which variables they are */
    int64_t followed;                /* variables that changed themselves and cause it, directly or through others */
    const int64_t *follows;          /* (followed) */
} nonsens_change;

/* What explain found, root causes first, the largest change before others; 0 and NULL for other commands. */
NONSENS_API int64_t nonsens_result_change_count(const nonsens_result *result);
NONSENS_API const nonsens_change *nonsens_result_change_at(const nonsens_result *result, int64_t index);

/* How many rows were used. */
NONSENS_API int64_t nonsens_result_row_count(const nonsens_result *result);
/* (rows) The row of the input, from 0, that each row used was; rows are in an order of the library's own. */
NONSENS_API const int64_t *nonsens_result_input_rows(const nonsens_result *result);
/* How many sources there are: as many as variables where the method of direction or discover
 * estimates disturbances, and for ica; else 0. */
NONSENS_API int64_t nonsens_result_source_count(const nonsens_result *result);
/*
 * (rows) For a direction the estimated disturbance of the first (0) or second (1) variable, for ica a source, counted
 * from 0; NULL where there is none.
 */
NONSENS_API const double *nonsens_result_source_at(const nonsens_result *result, int64_t source);
/*
 * (d * d) For ica, else NULL.  Row by row: [k * d + j] of the unmixing is the weight of variable j in source k, so that
 * source = unmixing * (variables - their means over all rows); [j * d + k] of the mixing, its inverse, is the weight of
 * source k in variable j.
 */
NONSENS_API const double *nonsens_result_unmixing(const nonsens_result *result);
NONSENS_API const double *nonsens_result_mixing(const nonsens_result *result);

/* ---- graphs -------------------------------------------------------------------------------------------------- */

/* A graph that was read: names of nodes, and edges between them. */
typedef struct nonsens_graph nonsens_graph;

/*
 * Reads a graph ("-" is standard input); what is in the file tells its format: JSON of discover or of a simulation's
 * truth, a list of edges or a square matrix as CSV, or Tetrad's text (data formats: docs/graphs.md).  Everywhere row or
 * `from` is the cause: A[i][j] != 0 means i -> j.  column: for a list of edges, a row is an edge where this column is
 * not 0; NULL or "" for none.
 * May be NULL: column.
 */
NONSENS_API nonsens_status nonsens_graph_read(nonsens_context *ctx, const char *path, const char *column,
                                              nonsens_graph **out);
/*
 * The same from bytes in memory, at most NONSENS_MAX_GRAPH_BYTES; name is what messages call it.
 * May be NULL: column.
 */
NONSENS_API nonsens_status nonsens_graph_parse(nonsens_context *ctx, const char *name, const char *bytes, size_t size,
                                               const char *column, nonsens_graph **out);
NONSENS_API void nonsens_graph_free(nonsens_graph *graph);
NONSENS_API int64_t nonsens_graph_node_count(const nonsens_graph *graph);
/* Texts live as long as the graph; NULL where there is no such node. */
NONSENS_API const char *nonsens_graph_node_at(const nonsens_graph *graph, int64_t node);
NONSENS_API int64_t nonsens_graph_edge_count(const nonsens_graph *graph);
/* In the order of the file; NULL where there is no such edge. */
NONSENS_API const nonsens_edge *nonsens_graph_edge_at(const nonsens_graph *graph, int64_t index);
/* 0 for a list of edges, which knows only nodes that have an edge. */
NONSENS_API int nonsens_graph_lists_nodes(const nonsens_graph *graph);
/*
 * Which disturbances changed in a segment (options of NONSENS_COMMAND_EXPLAIN): of names it, against the segment that
 * it is compared with, or nothing for all others together.  The graph is the one given or, if that is NULL, read from
 * the file of the option `graph`, or found by `method`.  A graph given here and the option `graph` exclude each other;
 * in the result the option then has the graph's name. A variable's own change is the change of its distribution given
 * its causes; what merely follows from changes of its causes is none.  nonsens_result_change_at tells what was found,
 * nonsens_result_edge_at the graph.  Time: that of the graph, and one fit of each variable's mechanism.  May be NULL:
 * graph.
 */
NONSENS_API nonsens_status nonsens_run_explain(nonsens_context *ctx, const nonsens_data *data,
                                               const nonsens_graph *graph, const nonsens_options *options,
                                               nonsens_result **out);
/*
 * How well a graph's edges match those of the truth.  precision = true_positives / predicted, recall = true_positives /
 * actual; mcc: Matthews' correlation over all possible edges.  NaN for 0 / 0.
 */
typedef struct nonsens_score {
    int64_t true_positives, predicted, actual;
    int64_t possible; /* how many edges there could be */
    double precision, recall, f1, mcc;
} nonsens_score;

/* How far an estimate is from a truth. */
typedef struct nonsens_distance {
    const char *against;       /* "truth", "pattern" (the truth's CPDAG) or "closure" (its transitive closure) */
    int64_t missing, extra;    /* edges */
    int64_t reversed;          /* arrows that point the other way */
    int64_t marked;            /* other differences of marks: a line for an arrow and the like */
    int64_t shd;               /* structural Hamming distance, the sum of these: each pair of nodes counts once */
    int64_t undirected;        /* lines of the estimate */
    nonsens_score skeleton;    /* pairs of adjacent nodes, whatever the marks */
    nonsens_score arrows;      /* arrows with one head */
    int64_t directions;        /* true arrows whose nodes are adjacent in the estimate too, and */
    double direction_accuracy; /* the share of them that the estimate has as the same arrow; a line is not right */
    int64_t differences;       /* as many as shd */
} nonsens_distance;

/* Two nodes between which the graphs differ, each edge as that graph has it; type NONSENS_EDGE_NONE where it has none.
 */
typedef struct nonsens_difference {
    const char *what; /* "missing", "extra", "reversed" or "marked" */
    nonsens_edge estimated, actual;
} nonsens_difference;

typedef struct nonsens_comparison nonsens_comparison;

/*
 * Compares an estimated graph with the true one (options of NONSENS_COMMAND_COMPARE: pattern, closure).  Nodes are
 * matched by their names; a node that one graph has and the other, which lists its nodes, has not is an error.  The
 * first distance is that from the truth, or with `pattern` from its CPDAG; with `closure` that from the closure
 * follows.
 */
NONSENS_API nonsens_status nonsens_comparison_new(nonsens_context *ctx, const nonsens_graph *estimate,
                                                  const nonsens_graph *truth, const nonsens_options *options,
                                                  nonsens_comparison **out);
NONSENS_API void nonsens_comparison_free(nonsens_comparison *comparison);
/* The nodes of both graphs; edges of differences count them from 0. */
NONSENS_API int64_t nonsens_comparison_node_count(const nonsens_comparison *comparison);
NONSENS_API const char *nonsens_comparison_node_at(const nonsens_comparison *comparison, int64_t node);
NONSENS_API int64_t nonsens_comparison_distance_count(const nonsens_comparison *comparison);
/* NULL where there is none. */
NONSENS_API const nonsens_distance *nonsens_comparison_distance_at(const nonsens_comparison *comparison, int64_t index);
NONSENS_API const nonsens_difference *nonsens_comparison_difference_at(const nonsens_comparison *comparison,
                                                                       int64_t distance, int64_t index);

/* ---- many pairs ---------------------------------------------------------------------------------------------- */

/* A direction for each of many pairs of variables. */
typedef struct nonsens_pairs nonsens_pairs;

/* What was found of one pair; texts belong to the list and live as long as it does. */
typedef struct nonsens_pair {
    int64_t x, y;          /* variables, from 0, as in the data */
    const char *decision;  /* as nonsens_result_decision gives it; NULL where the pair failed */
    const char *direction; /* the better direction if one must be named, or NULL */
    double score, p_value; /* NaN where there is none */
    double q_value;        /* of the p-value among those of all pairs; NaN where it has none, or with fdr none */
    const char *error;     /* why the pair failed; NULL where it did not */
} nonsens_pair;

/*
 * Runs nonsens_run_direction on each pair that the option `pairs` names: all, in the order of the variables, or those
 * of a file with two names a line, in its order (names as in a line of CSV; lines that are blank or begin with # do not
 * count).  A pair that fails, as one with a constant column does, does not stop the others; data whose columns may be
 * constant must be read with `pairs` set.  The option fdr says how q-values are made; pairs without a p-value count as
 * tests with p = 1, failed ones do not count.
 *
 * journal: a file in which finished pairs are kept while others run, or NULL for none.  A run that was cancelled,
 * failed or killed goes on from there with `resume`, to the same end; without it a journal that is there already is an
 * error, and so is one that was begun with other data or options, or that another run has: it is locked until the pairs
 * are freed.  It may be removed once the results are written.
 * Takes options of NONSENS_COMMAND_DIRECTION.  May be NULL: journal.
 */
NONSENS_API nonsens_status nonsens_run_pairs(nonsens_context *ctx, const nonsens_data *data,
                                             const nonsens_options *options, const char *journal, nonsens_pairs **out);
NONSENS_API void nonsens_pairs_free(nonsens_pairs *pairs);
NONSENS_API int64_t nonsens_pairs_count(const nonsens_pairs *pairs);
/* NULL where there is no such pair. */
NONSENS_API const nonsens_pair *nonsens_pairs_at(const nonsens_pairs *pairs, int64_t index);

/* ---- simulation ---------------------------------------------------------------------------------------------- */

typedef struct nonsens_simulation nonsens_simulation;

/* Draws a model and rows from it (options of NONSENS_COMMAND_SIMULATE). */
NONSENS_API nonsens_status nonsens_simulation_new(nonsens_context *ctx, const nonsens_options *options,
                                                  nonsens_simulation **out);
NONSENS_API void nonsens_simulation_free(nonsens_simulation *simulation);
/*
 * What was simulated; arrays and texts live as long as the simulation.  Of values and sources, (rows * variables)
 * column by column, row i of variable j is at [j * rows + i]; a source is the disturbance of its variable.
 */
NONSENS_API int64_t nonsens_simulation_row_count(const nonsens_simulation *simulation);
NONSENS_API int64_t nonsens_simulation_variable_count(const nonsens_simulation *simulation);
NONSENS_API const char *nonsens_simulation_variable_at(const nonsens_simulation *simulation, int64_t variable);
NONSENS_API const double *nonsens_simulation_values(const nonsens_simulation *simulation);
NONSENS_API const double *nonsens_simulation_sources(const nonsens_simulation *simulation);
/* (rows) The segment of each row, from 0; its label is s1, s2, ... */
NONSENS_API const int32_t *nonsens_simulation_segments(const nonsens_simulation *simulation);
/* The simulated table as a data set: variables x1, x2, ..., segments s1, s2, ...; everything is copied. */
NONSENS_API nonsens_status nonsens_simulation_data(nonsens_context *ctx, const nonsens_simulation *simulation,
                                                   nonsens_data **out);

/* ---- writers ------------------------------------------------------------------------------------------------- */

/*
 * All writers take a path ("-" is standard output).  A regular file is written beside its target, synced and renamed,
 * so that a killed run leaves no half file; a symbolic link stays, and so it is with the file that it leads to; devices
 * and pipes are written through.
 */
/*
 * Could a writer write there?  Looks at the path, its folder and their access rights, and creates and changes nothing;
 * an error says why not.  A disk that is full shows up only in writing.
 */
NONSENS_API nonsens_status nonsens_output_check(nonsens_context *ctx, const char *path);
NONSENS_API nonsens_status nonsens_result_write_json(nonsens_context *ctx, const nonsens_result *result,
                                                     const char *path);
/* What a text has beside the answer: bits, added up. */
typedef enum nonsens_text_detail {
    NONSENS_TEXT_ALL = 1,      /* all evidence, options, time and threads */
    NONSENS_TEXT_REASONING = 2 /* the reasoning step by step */
} nonsens_text_detail;
/* Writes the result as text; other bits than these are NONSENS_ERR_USAGE. */
NONSENS_API nonsens_status nonsens_result_write_text(nonsens_context *ctx, const nonsens_result *result,
                                                     unsigned detail, const char *path);
typedef enum nonsens_graph_format {
    NONSENS_GRAPH_DOT = 1,    /* Graphviz */
    NONSENS_GRAPH_CSV = 2,    /* a list of edges: from, to, type, weight, p_value, support, meaning */
    NONSENS_GRAPH_TETRAD = 3, /* Tetrad's text */
    NONSENS_GRAPH_GRAPHML = 4 /* GraphML, for Cytoscape, igraph, yEd, networkx */
} nonsens_graph_format;

/* The graph in one of these formats; an error for other commands than discover. */
NONSENS_API nonsens_status nonsens_result_write_graph(nonsens_context *ctx, const nonsens_result *result,
                                                      nonsens_graph_format format, const char *path);
NONSENS_API nonsens_status nonsens_comparison_write_text(nonsens_context *ctx, const nonsens_comparison *comparison,
                                                         const char *path);
NONSENS_API nonsens_status nonsens_comparison_write_json(nonsens_context *ctx, const nonsens_comparison *comparison,
                                                         const char *path);
/*
 * The estimated disturbances or sources, one row per row of the input in its order; an error where the method has none.
 * For ica one column per source and, where there are segments, one with their labels.
 */
NONSENS_API nonsens_status nonsens_result_write_sources(nonsens_context *ctx, const nonsens_result *result,
                                                        const char *path);
/*
 * The result as one HTML page that needs no network: decision, graph, evidence, and with the data that it was found in
 * (else NULL) pictures of some of their rows.  files (count, may be 0): what the data's files are called in the command
 * that the page gives for running it again.  An error where the data are others.
 * May be NULL: data.  May be 0: count.
 */
NONSENS_API nonsens_status nonsens_result_write_html(nonsens_context *ctx, const nonsens_result *result,
                                                     const nonsens_data *data, const char *const *files, int64_t count,
                                                     const char *path);
/*
 * The same from a result that was written as JSON ("-" is standard input), and the data files (count, may be 0), which
 * are read as its options say.  other_data (may be NULL): 1 where the data are not those of the result, which the page
 * then says; else 0.  sources (may be NULL): the file of disturbances that nonsens_result_write_sources wrote, which
 * the JSON does not hold; needs the data.
 * May be NULL: sources, other_data.  May be 0: count.
 */
NONSENS_API nonsens_status nonsens_report_write_html(nonsens_context *ctx, const char *result, const char *const *files,
                                                     int64_t count, const char *sources, const char *path,
                                                     int *other_data);
/* One JSON object per line, the pairs in the order of the list; all lines have the same keys. */
NONSENS_API nonsens_status nonsens_pairs_write_json(nonsens_context *ctx, const nonsens_pairs *pairs, const char *path);
/* A table of all pairs, most certain first, and what its figures mean. */
NONSENS_API nonsens_status nonsens_pairs_write_text(nonsens_context *ctx, const nonsens_pairs *pairs, const char *path);
NONSENS_API nonsens_status nonsens_simulation_write_csv(nonsens_context *ctx, const nonsens_simulation *simulation,
                                                        const char *path);
NONSENS_API nonsens_status nonsens_simulation_write_truth(nonsens_context *ctx, const nonsens_simulation *simulation,
                                                          const char *path);

#ifdef __cplusplus
}
#endif

#endif
