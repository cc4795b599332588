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
 *   pointers  Only those listed after "May be NULL:", and user data, may be NULL.  Elements of a list and functions of
 *             a struct may not.  Any other NULL is NONSENS_ERR_USAGE.
 *   counts    At least 1, or 0 if listed after "May be 0:", and at most NONSENS_MAX_COUNT.  Any other count is
 *             NONSENS_ERR_USAGE, and no list is read.  If a count is 0, its list is not read and may be NULL.
 *   texts     End in a zero byte.  Names, labels and paths in a list may not be empty.
 *   strides   May be 0 or negative; an offset that does not fit into an address is NONSENS_ERR_USAGE.
 * An empty column name and a column name used twice are errors of the data: NONSENS_ERR_DATA.
 * Functions that return no status return 0, NULL or NaN if a pointer is NULL or an index is out of range, unless their
 * comment says otherwise; those that return nothing then do nothing.  All functions that free an object accept NULL.
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
#define NONSENS_VERSION_MINOR 2
#define NONSENS_VERSION_PATCH 0

/* Returns "MAJOR.MINOR.PATCH" of the library that is loaded. */
NONSENS_API const char *nonsens_version(void);
/* Returns how the library was built: compiler, BLAS and the like, one line each. */
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

/* Makes a context; NULL if memory is exhausted. */
NONSENS_API nonsens_context *nonsens_context_new(void);
/* Frees a context. */
NONSENS_API void nonsens_context_free(nonsens_context *ctx);
/*
 * Returns the explanation of the last failure; "" if there was none, and a sentence if ctx is NULL. Valid until the
 * next call with this context.
 */
NONSENS_API const char *nonsens_context_message(const nonsens_context *ctx);
/*
 * Returns a warning of the last run that is not part of its result: options were set that its method does not use, or
 * lines of its journal were changed and their work was done again. "" if there is no warning, or if ctx is NULL. Valid
 * until the next call with this context.
 */
NONSENS_API const char *nonsens_context_warning(const nonsens_context *ctx);
/* Sets the function that progress is reported to; NULL for none. */
NONSENS_API void nonsens_context_set_progress(nonsens_context *ctx, nonsens_progress_fn fn, void *user);
/*
 * Asks a running call to stop soon. Async-signal-safe; any thread may call it. The next call that reads or makes data
 * or runs a method resets the request.
 */
NONSENS_API void nonsens_context_cancel(nonsens_context *ctx);
/*
 * Asks a running call to end soon with what it has. nonsens_run_discover with the method structured then gives the best
 * graph so far, which nonsens_result_is_unfinished reports; every other call ends as if it was cancelled.
 * Async-signal-safe.
 */
NONSENS_API void nonsens_context_finish(nonsens_context *ctx);

/*
 * Processes that share the work of a run, such as those of MPI, and the functions that pass texts of any length between
 * them. Texts arrive in the order in which they were sent. The functions return 0 on success. They are called from the
 * thread that called the library. Not yet stable.
 */
typedef struct nonsens_members {
    int member;  /* number of this process, from 0 */
    int members; /* number of processes */
    int (*send)(void *user, int to, int tag, const char *text);
    /* Receives the next text, its sender and tag, or sets *text = NULL; valid until the next call. */
    int (*receive)(void *user, int *from, int *tag, const char **text);
    void *user;
} nonsens_members;

/*
 * Lets nonsens_run_pairs, nonsens_run_discover and nonsens_run_explain share their work with other processes; NULL for
 * none. All members call the same function with the same data and options. Member 0 gets the result, the same as that
 * of a single process; the others get NULL, and the status of the run. Not yet stable. May be NULL: members.
 */
NONSENS_API void nonsens_context_set_members(nonsens_context *ctx, const nonsens_members *members);

/* ---- options ------------------------------------------------------------------------------------------------- */

/* The command line, JSON output, bindings and the man page all use one table of options; look options up in it. */
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
    NONSENS_COMMAND_REPORT = 512,
    NONSENS_COMMAND_MERGE = 1024,
    NONSENS_COMMAND_EFFECT = 2048
} nonsens_command;

typedef struct nonsens_option_info {
    const char *key; /* as in `--key` and in JSON */
    nonsens_option_type type;
    unsigned commands;         /* NONSENS_COMMAND_* bits */
    const char *group;         /* heading in help */
    const char *default_value; /* as text */
    double lowest, highest;    /* inclusive bounds of integers, reals and both ends of a range */
    const char *bounds;        /* the bounds in words if two numbers cannot express them; else NULL */
    const char *choices;       /* a choice: "a|b|c"; an integer: a word that means 0; else NULL */
    const char *unit;          /* "" if it has none */
    const char *text;          /* one sentence */
} nonsens_option_info;

typedef struct nonsens_options nonsens_options;

/* Counts the options of all commands. */
NONSENS_API size_t nonsens_option_count(void);
/* Returns a row of the table of options. */
NONSENS_API const nonsens_option_info *nonsens_option_at(size_t index);
/* Finds the option called key among those of the commands (a bit mask); NULL if there is none. */
NONSENS_API const nonsens_option_info *nonsens_option_find(const char *key, unsigned commands);

/* Makes the options of one command, all at their defaults. */
NONSENS_API nonsens_status nonsens_options_new(nonsens_context *ctx, nonsens_command command, nonsens_options **out);
/* Frees options and their texts. */
NONSENS_API void nonsens_options_free(nonsens_options *options);
/*
 * Sets one option from text, which may have any length and is copied. Unknown keys and values out of bounds are
 * errors, never clamped. as-published also sets other options, which may be changed afterwards.
 */
NONSENS_API nonsens_status nonsens_options_set(nonsens_context *ctx, nonsens_options *options, const char *key,
                                               const char *value);
/*
 * Checks what can be checked before any data are read. It is an error if options contradict one another (x without y,
 * vars with x and y, segment with segments, keep above restarts, a number of vars other than two for a pair), if the
 * command cannot run the method, or if the method does not support target, knowledge or as-published.
 */
NONSENS_API nonsens_status nonsens_options_check(nonsens_context *ctx, const nonsens_options *options);
/*
 * Gives the value of one option as nonsens_options_set takes it. The text belongs to the options and is valid until
 * this option or as-published is set, or the options are freed. Unknown keys are errors.
 */
NONSENS_API nonsens_status nonsens_options_get(nonsens_context *ctx, const nonsens_options *options, const char *key,
                                               const char **out);

/* ---- data ---------------------------------------------------------------------------------------------------- */

typedef struct nonsens_data nonsens_data;

/*
 * Reads a table (CSV, TSV, blanks, .npy; "-" is standard input). The options, of any command but simulate, name the
 * variables (vars, x, y, given) and the segments (segment, segments), and say how to read (na, no-header). If variables
 * are named, it does not matter what other columns hold; if not, constant columns and copies of others are left out. So
 * are segments with too few rows. A warning names everything that was left out; keep-all keeps it. Rows, segments and
 * columns are sorted into an order that depends on the values alone, so that their order in the file and the names of
 * labels do not change the answer.
 */
NONSENS_API nonsens_status nonsens_data_read(nonsens_context *ctx, const char *path, const nonsens_options *options,
                                             nonsens_data **out);
/*
 * Reads several files, one per segment; segment and segments must not be set. A segment is named after its file,
 * without folder and extension, or after its path if these names are not all different. Columns are matched by name, or
 * by position if there is no header. Every file must have every variable: all columns that hold numbers in some file,
 * or those that vars, x, y and given name. "-" may be one of the files. A single file is read as by nonsens_data_read.
 */
NONSENS_API nonsens_status nonsens_data_read_files(nonsens_context *ctx, const char *const *paths, int64_t count,
                                                   const nonsens_options *options, nonsens_data **out);
/*
 * Makes a data set from arrays: value (i, j) is values[i * row_stride + j * column_stride] (strides in doubles).
 * names: d different names, or NULL for c1, c2, ... segment: n labels as integers, used as categories, or NULL for no
 * segments. Everything is copied. May be NULL: names, segment.
 */
NONSENS_API nonsens_status nonsens_data_from_arrays(nonsens_context *ctx, int64_t n, int64_t d, const double *values,
                                                    int64_t row_stride, int64_t column_stride, const char *const *names,
                                                    const int64_t *segment, nonsens_data **out);
/* A column of a table in memory. */
typedef struct nonsens_column {
    const char *name;     /* UTF-8, not empty, different from all others */
    const double *values; /* row i: values[i * stride]; NaN if missing.  May be NULL: a column of text */
    int64_t stride;       /* in doubles */
} nonsens_column;

/*
 * Makes what nonsens_data_read would make of a file with these columns, bit for bit. category, if not NULL, is one
 * more column with the segment labels: row i has label[category[i]], or lacks a label if category[i] is negative. Its
 * name is the option `segment` or, if that is not set, "segment". Equal labels (UTF-8) are one segment; a label that
 * no row has does not matter. All options for reading apply. Everything is copied. A table without rows or columns is
 * NONSENS_ERR_DATA. May be NULL: category.
 */
NONSENS_API nonsens_status nonsens_data_from_columns(nonsens_context *ctx, int64_t rows, int64_t columns,
                                                     const nonsens_column *column, const int32_t *category,
                                                     int64_t labels, const char *const *label,
                                                     const nonsens_options *options, nonsens_data **out);
/* Frees a data set. */
NONSENS_API void nonsens_data_free(nonsens_data *data);
/* Counts the rows. */
NONSENS_API int64_t nonsens_data_row_count(const nonsens_data *data);
/* Counts the variables. */
NONSENS_API int64_t nonsens_data_variable_count(const nonsens_data *data);
/* Counts the segments; 0 if none were named. */
NONSENS_API int64_t nonsens_data_segment_count(const nonsens_data *data);
/* Returns the name of a variable, which lives as long as the data. */
NONSENS_API const char *nonsens_data_variable_at(const nonsens_data *data, int64_t variable);
/* Returns the label of a segment. Segments are numbered in the library's own order, larger ones first. */
NONSENS_API const char *nonsens_data_segment_at(const nonsens_data *data, int64_t segment);
/* Counts what the audit of the data found. */
NONSENS_API int64_t nonsens_data_warning_count(const nonsens_data *data);
/* Returns one finding of the audit as a sentence; findings come in a fixed order. */
NONSENS_API const char *nonsens_data_warning_at(const nonsens_data *data, int64_t index);
/* Counts the notes on how a file was understood: decimal commas, units, dates and the like. */
NONSENS_API int64_t nonsens_data_note_count(const nonsens_data *data);
/* Returns one note as a sentence; notes come in a fixed order. */
NONSENS_API const char *nonsens_data_note_at(const nonsens_data *data, int64_t index);

/* ---- methods ------------------------------------------------------------------------------------------------- */

typedef struct nonsens_method_info {
    const char *name;
    const char *citation;
    const char *summary; /* one line */
    const char *assumes; /* what must hold if its answer is to mean something */
    /* Keys of the options that it uses beside those of every run, separated by blanks; NULL: it cannot run. */
    const char *direction_options;
    const char *discover_options; /* also those of explain */
    unsigned commands;            /* NONSENS_COMMAND_* that can run it: direction, discover, explain */
    unsigned disturbances;        /* NONSENS_COMMAND_* in which it estimates disturbances, for most data */
    int needs_segments;           /* 0: segments may be left out */
} nonsens_method_info;

/* Counts the methods. */
NONSENS_API size_t nonsens_method_count(void);
/* Returns a row of the table of methods. */
NONSENS_API const nonsens_method_info *nonsens_method_at(size_t index);
/* Finds a method by its name; NULL if there is none. */
NONSENS_API const nonsens_method_info *nonsens_method_find(const char *name);

/* ---- runs ---------------------------------------------------------------------------------------------------- */

typedef struct nonsens_result nonsens_result;

/*
 * Estimates the peak number of bytes that the library will hold during a run with these options, to within a factor of
 * about two: what it holds now and what the method takes. If the option max-memory is set, a run that would hold more
 * ends with NONSENS_ERR_MEMORY.
 */
NONSENS_API int64_t nonsens_data_estimate_memory(const nonsens_data *data, const nonsens_options *options);

/* What a run shall give beside its result: bits that can be combined. */
typedef enum nonsens_wanted {
    NONSENS_WANTED_SOURCES = 1 /* estimated disturbances or sources */
} nonsens_wanted;

/*
 * Checks what can be checked of a run on `count` data files before they are read: nonsens_options_check, and whether
 * the method lacks segments (NONSENS_ERR_DATA) or does not estimate what is wanted.
 */
NONSENS_API nonsens_status nonsens_run_check(nonsens_context *ctx, const nonsens_options *options, int64_t count,
                                             unsigned wanted);
/*
 * Decides which of two variables causes the other. Takes options of NONSENS_COMMAND_DIRECTION; method, x and y are
 * among them.
 */
NONSENS_API nonsens_status nonsens_run_direction(nonsens_context *ctx, const nonsens_data *data,
                                                 const nonsens_options *options, nonsens_result **out);
/*
 * Finds the graph of causes and effects among two or more variables. With `shard` only the journal is written, and *out
 * is NULL. Takes options of NONSENS_COMMAND_DISCOVER.
 */
NONSENS_API nonsens_status nonsens_run_discover(nonsens_context *ctx, const nonsens_data *data,
                                                const nonsens_options *options, nonsens_result **out);
/*
 * Tests whether two variables are independent, inside each segment if there are segments. x, y and given may be lists;
 * the test conditions on given. The tests ks, levene and kruskal ask instead whether the distribution of x changes over
 * segments. Takes options of NONSENS_COMMAND_INDEPENDENCE.
 */
NONSENS_API nonsens_status nonsens_run_independence(nonsens_context *ctx, const nonsens_data *data,
                                                    const nonsens_options *options, nonsens_result **out);
/*
 * Answers many questions about one data set.  It remembers answers, and results that questions have in common (kernel
 * features, regressions, correlations). x and y, and the variables in given, may come in any order.  Several threads
 * may use one tester, each with a context of its own.
 */
typedef struct nonsens_ci nonsens_ci;
/*
 * Makes a tester of the data, which must outlive it. Takes options of NONSENS_COMMAND_INDEPENDENCE, of which it uses
 * test, pooling, null, permutations, alpha (HSIC computes p-values near it more accurately), seed and threads.
 */
NONSENS_API nonsens_status nonsens_ci_new(nonsens_context *ctx, const nonsens_data *data,
                                          const nonsens_options *options, nonsens_ci **out);
/* A test that the caller supplies: writes the p-value of "x is independent of y given these", between 0 and 1. */
typedef nonsens_status (*nonsens_ci_fn)(void *user, int64_t x, int64_t y, const int64_t *given, int64_t count,
                                        double *p_value);
/*
 * Makes a tester of at least 2 variables that calls the caller's test, always with x < y and given ascending, and
 * remembers its answers.
 */
NONSENS_API nonsens_status nonsens_ci_new_callback(nonsens_context *ctx, int64_t variables, nonsens_ci_fn fn,
                                                   void *user, nonsens_ci **out);
/*
 * Tests whether x is independent of y given `count` other variables, all of them different. Variables are numbered from
 * 0, as in the data. The statistic is NaN for a callback. It is an error if too few rows can be tested. May be NULL:
 * statistic. May be 0: count.
 */
NONSENS_API nonsens_status nonsens_ci_test(nonsens_context *ctx, nonsens_ci *tester, int64_t x, int64_t y,
                                           const int64_t *given, int64_t count, double *statistic, double *p_value);
/* Counts the questions asked so far. */
NONSENS_API int64_t nonsens_ci_asked_count(nonsens_ci *tester);
/* Counts those of them that were answered from memory. */
NONSENS_API int64_t nonsens_ci_remembered_count(nonsens_ci *tester);
/* Frees a tester. */
NONSENS_API void nonsens_ci_free(nonsens_ci *tester);

/* Finds out what the data can and cannot support. Takes options of NONSENS_COMMAND_DIAGNOSE. */
NONSENS_API nonsens_status nonsens_run_diagnose(nonsens_context *ctx, const nonsens_data *data,
                                                const nonsens_options *options, nonsens_result **out);
/*
 * Finds sources, independent inside each segment, of which the 2 to 100 variables are linear mixtures. Each source has
 * variance 1 inside segments (pooled) and a skewness that is not negative; the source with the largest kurtosis comes
 * first. Only joint-diagonalisation needs segments. Takes options of NONSENS_COMMAND_ICA.
 */
NONSENS_API nonsens_status nonsens_run_ica(nonsens_context *ctx, const nonsens_data *data,
                                           const nonsens_options *options, nonsens_result **out);
/* Frees a result. */
NONSENS_API void nonsens_result_free(nonsens_result *result);

/* What a result answers. */
typedef enum nonsens_kind {
    NONSENS_KIND_NONE = 0,         /* there is no result */
    NONSENS_KIND_DIRECTION = 1,    /* which of two variables causes the other */
    NONSENS_KIND_GRAPH = 2,        /* what causes what among several */
    NONSENS_KIND_INDEPENDENCE = 3, /* are two variables independent? */
    NONSENS_KIND_DIAGNOSIS = 4,    /* what the data can support */
    NONSENS_KIND_EXPLANATION = 5,  /* what changed in a segment, on a graph */
    NONSENS_KIND_ICA = 6,          /* linear sources of all variables */
    NONSENS_KIND_EFFECT = 7        /* what would happen, on a graph */
} nonsens_kind;

/* ---- results: texts and arrays belong to the result and live as long as it does ------------------------------- */

/* Tells what the result answers; NONSENS_KIND_NONE if result is NULL. */
NONSENS_API nonsens_kind nonsens_result_kind(const nonsens_result *result);

/*
 * Returns the decision. Direction: "a->b", "independent", "inconclusive" or, if both directions are refuted,
 * "neither". Independence: "dependent" or "independent", with block-length also "inconclusive". Other kinds: "none".
 */
NONSENS_API const char *nonsens_result_decision(const nonsens_result *result);
/*
 * Returns the better direction of a pair if one must be named; NULL if there is none, and for every kind but
 * direction.
 */
NONSENS_API const char *nonsens_result_direction(const nonsens_result *result);
/*
 * Returns the signed evidence of a direction, positive for first -> second; NaN if the method has none, and for every
 * kind but direction.
 */
NONSENS_API double nonsens_result_score(const nonsens_result *result);
/*
 * Returns the p-value behind the decision: for a direction, of the opposite direction (nonsens corrects it for its four
 * tests); for independence, of independence. NaN if no direction is decided, for nonsens-lr, and for every other kind.
 */
NONSENS_API double nonsens_result_p_value(const nonsens_result *result);
/* Returns 0.001: no null distribution was checked further out, so show smaller p-values as "p < 0.001". */
NONSENS_API double nonsens_p_value_bound(void);
/* Returns in one sentence why the decision is what it is; NULL if it needs no reason. */
NONSENS_API const char *nonsens_result_reason(const nonsens_result *result);

/* Whether a decided direction rules out every other explanation that is checked. */
typedef enum nonsens_firm {
    NONSENS_FIRM_NONE = 0, /* no direction is decided, or the result is of another kind */
    NONSENS_FIRM_NO = 1,   /* no: nonsens_result_alternative_at lists those that are open */
    NONSENS_FIRM_YES = 2   /* no */
} nonsens_firm;

/* Tells whether the decided direction is firm. */
NONSENS_API nonsens_firm nonsens_result_firm(const nonsens_result *result);
/* Counts the other explanations that a direction leaves open; 0 if it is firm, and for every kind but direction. */
NONSENS_API int64_t nonsens_result_alternative_count(const nonsens_result *result);
/* Returns an open explanation: "hidden-cause", "measurement-error", "mechanism-change" or "selection". */
NONSENS_API const char *nonsens_result_alternative_at(const nonsens_result *result, int64_t index);

/* What another method says of the same pair. */
typedef struct nonsens_opinion {
    const char *method;    /* "graph": the models by which structured finds graphs; else the name of a method */
    const char *decision;  /* as nonsens_result_decision gives it */
    const char *direction; /* as nonsens_result_direction gives it; may be NULL */
    double score;          /* as nonsens_result_score gives it */
    double p_value;        /* as nonsens_result_p_value gives it */
} nonsens_opinion;

/* Counts the second opinions (option `opinions`); 0 for every kind but direction. */
NONSENS_API int64_t nonsens_result_opinion_count(const nonsens_result *result);
/* Returns a second opinion. */
NONSENS_API const nonsens_opinion *nonsens_result_opinion_at(const nonsens_result *result, int64_t index);

/* A value that the decision rests on, or that speaks for or against the assumptions. */
typedef struct nonsens_evidence {
    const char *name; /* the same in equal runs, e.g. "hsic(x1, x2)" */
    double value;     /* NaN if there is none */
    double p_value;   /* NaN if there is none */
    const char *text; /* what it means in words */
} nonsens_evidence;

/* Counts the pieces of evidence; every kind may have some. */
NONSENS_API int64_t nonsens_result_evidence_count(const nonsens_result *result);
/* Returns a piece of evidence. */
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

/* Counts the notes, which come in a fixed order; every kind may have some. */
NONSENS_API int64_t nonsens_result_note_count(const nonsens_result *result);
/* Returns a note. */
NONSENS_API const nonsens_note *nonsens_result_note_at(const nonsens_result *result, int64_t index);
/* Counts the steps from the data to the answer of a direction or graph; 0 for every other kind. */
NONSENS_API int64_t nonsens_result_reasoning_count(const nonsens_result *result);
/* Returns a step of the reasoning in words. */
NONSENS_API const char *nonsens_result_reasoning_at(const nonsens_result *result, int64_t index);

/*
 * Directed: an arrow. Undirected: a line, whose direction is not known. Bidirected: an arrow with two heads, which
 * means a hidden common cause or, in graphs of pc and pc-nonsens, that tests contradict one another on the direction.
 */
typedef enum nonsens_edge_type {
    NONSENS_EDGE_NONE = -1, /* no edge; only in a nonsens_difference */
    NONSENS_EDGE_DIRECTED = 0,
    NONSENS_EDGE_UNDIRECTED = 1,
    NONSENS_EDGE_BIDIRECTED = 2
} nonsens_edge_type;

/* What decided the direction of an arrow of `structured`; docs/many-variables.md says when each suffices. */
typedef enum nonsens_directed_by {
    NONSENS_DIRECTED_BY_NONE = 0,        /* no direction, or a method that does not say */
    NONSENS_DIRECTED_BY_KNOWLEDGE = 1,   /* prior knowledge */
    NONSENS_DIRECTED_BY_CHANGES = 2,     /* the disturbance of cause or effect changes over segments */
    NONSENS_DIRECTED_BY_V_STRUCTURE = 3, /* a -> c <- b, a and b not adjacent */
    NONSENS_DIRECTED_BY_RULES = 4,       /* follows from other arrows: otherwise a cycle or a new v-structure */
    NONSENS_DIRECTED_BY_LIKELIHOOD = 5   /* likelihood inside segments alone, at a strict level */
} nonsens_directed_by;

/* One edge of a graph; variables are numbered from 0, as in the data. */
typedef struct nonsens_edge {
    int64_t from, to; /* the cause comes first; in an edge without direction, the smaller index */
    nonsens_edge_type type;
    double weight;  /* what one unit of the cause adds to the effect, in the data's units; NaN if not linear */
    double p_value; /* of the hypothesis that the edge is absent; NaN if there is none */
    double support; /* share of bootstrap samples that have it, with the same direction; NaN without bootstrap */
    nonsens_directed_by directed_by;
    int confounded; /* 1: the noise of its two variables stays dependent, so a hidden common cause is likely; else 0 */
    double effect;  /* direct effect: change of the effect's mean from `lower` to `upper` of the cause; NaN: none */
    double effect_low, effect_high; /* ends of its 95 % interval, given the graph; NaN: none */
    double lower, upper;            /* quartiles of the cause; NaN without an effect */
} nonsens_edge;

/* Counts the edges of a graph or explanation; 0 for every other kind. */
NONSENS_API int64_t nonsens_result_edge_count(const nonsens_result *result);
/* Returns an edge; edges are ordered by `from`, then `to`. */
NONSENS_API const nonsens_edge *nonsens_result_edge_at(const nonsens_result *result, int64_t index);

typedef enum nonsens_target_kind {
    NONSENS_TARGET_FIXED = 1,    /* set from outside, whatever its causes */
    NONSENS_TARGET_CHANGED = 2,  /* its own mechanism differs in the segment */
    NONSENS_TARGET_ACTIVITY = 3, /* its effect on others differs */
    NONSENS_TARGET_UNKNOWN = 4   /* the segment intervened on a variable that the option targets does not name */
} nonsens_target_kind;

/* A segment in which a mechanism differs: named by the option targets, or found. */
typedef struct nonsens_target {
    const char *segment; /* its label */
    int64_t variable;    /* from 0, as in the data; -1 for NONSENS_TARGET_UNKNOWN */
    nonsens_target_kind kind;
    int known;      /* named by the option targets */
    double p_value; /* of the hypothesis that the other segments have the same mechanism; NaN if it was named */
} nonsens_target;

/* Counts the interventions of a graph, both named and found; 0 for every other kind. */
NONSENS_API int64_t nonsens_result_target_count(const nonsens_result *result);
/* Returns an intervention; they are ordered by the labels of the segments, then by variable. */
NONSENS_API const nonsens_target *nonsens_result_target_at(const nonsens_result *result, int64_t index);
/*
 * (variables) Returns the variables of a graph, causes before effects; NULL if the method does not order them all, and
 * for every other kind.
 */
NONSENS_API const int64_t *nonsens_result_order(const nonsens_result *result);
/*
 * Returns 1 if the search for a graph was ended early, by --time-limit or nonsens_context_finish, so that the graph is
 * only the best one so far; else 0, also for every other kind.
 */
NONSENS_API int nonsens_result_is_unfinished(const nonsens_result *result);

typedef enum nonsens_verdict {
    NONSENS_VERDICT_CHANGED = 0,   /* its own disturbance, or its mechanism, changed */
    NONSENS_VERDICT_FOLLOWS = 1,   /* it changed as its causes did, and no change of its own is seen */
    NONSENS_VERDICT_UNCHANGED = 2, /* nothing is seen to have changed */
    NONSENS_VERDICT_UNCLEAR = 3,   /* it changed, but the reason cannot be determined; or it could not be tested */
    NONSENS_VERDICT_ELSEWHERE = 4  /* it cannot reach the target in the graph */
} nonsens_verdict;

/* What explain found of one variable; lists belong to the result.  NaN if a value is not known. */
typedef struct nonsens_change {
    int64_t variable; /* from 0, as in the data */
    nonsens_verdict verdict;
    double size;                     /* shift of its disturbance in interquartile ranges of normal rows, >= 0 */
    double score;                    /* root mean square of it in normal standard deviations, less drift; for ranking */
    double own, own_error;           /* Jeffreys divergence of its disturbance, nats per row; standard error; or NaN */
    double own_low;                  /* lower bound of level 1 - alpha / 2; the true value may be much larger */
    double p_value, q_value;         /* of the hypothesis of no change of its own; q: as the option fdr says */
    double share;                    /* of the sum of all variables' own changes */
    double scale;                    /* how many times as wide the disturbance is */
    double scale_low, scale_high;    /* the bound towards 1; the other one is infinite, or 0 */
    double shift;                    /* difference of its medians, in mean absolute deviations */
    double shift_low, shift_high;    /* the bound towards 0; the other one is infinite */
    const char *description;         /* "wider", "narrower, lower", ... as far as intervals support it; else "" */
    double marginal, marginal_error; /* the same as own, of the variable itself without regard to its causes */
    double marginal_p, marginal_q;   /* of no change of it */
    int64_t causes;                  /* number of its causes in the graph, and */
    const int64_t *cause;            /* (causes) which variables they are */
    int64_t followed;                /* number of variables that changed themselves and cause it directly or not */
    const int64_t *follows;          /* (followed) which variables they are */
    double effect_share;             /* how much of the change of the target's mean it causes, in the target's units */
    double effect_error;             /* standard error of effect_share over rows, given the mechanisms */
    double effect_part;              /* effect_share / change; NaN if the change is below two standard errors */
} nonsens_change;

/*
 * How the mean of the target of explain differs between faulted and normal rows.  The shares (effect_share) of the
 * variables that changed themselves and the share of all others add up to the change.  NaN if a value is not known.
 */
typedef struct nonsens_target_change {
    int64_t variable;                               /* the target, from 0, as in the data */
    double normal, faulted;                         /* its means */
    double change, change_error;                    /* faulted - normal; standard error over rows */
    double others_share, others_error, others_part; /* as effect_share, ..., for all other variables together */
    const char *reason;                             /* why no variable has a share; NULL if some have */
} nonsens_target_change;

/* Counts the variables of an explanation; 0 for every other kind. */
NONSENS_API int64_t nonsens_result_change_count(const nonsens_result *result);
/* Returns what changed in one variable; root causes come first, larger changes before smaller ones. */
NONSENS_API const nonsens_change *nonsens_result_change_at(const nonsens_result *result, int64_t index);
/* Returns how the target of explain changed; NULL without a target and for every other kind. */
NONSENS_API const nonsens_target_change *nonsens_result_target_change(const nonsens_result *result);

/* An estimate and its interval of level 1 - alpha; low and high are NaN without bootstrap samples. */
typedef struct nonsens_estimate {
    double value, low, high;
} nonsens_estimate;

#define NONSENS_QUANTILES 5 /* .05, .25, .5, .75 and .95 of a distribution */

/* How a variable is distributed over rows, in the data's units. */
typedef struct nonsens_distribution {
    nonsens_estimate mean, quantile[NONSENS_QUANTILES];
} nonsens_distribution;

/* How a graph and the data answer a question. */
typedef enum nonsens_answered {
    NONSENS_ANSWERED_ONE = 0,     /* one answer */
    NONSENS_ANSWERED_NO_PATH = 1, /* no path leads to the variable, so the effect is exactly 0 */
    NONSENS_ANSWERED_RANGE = 2,   /* edges without direction: their directions give different answers */
    NONSENS_ANSWERED_NOT = 3      /* no answer: hidden common cause, too many open directions or too few similar rows */
} nonsens_answered;

/* What one refuter says of an answer: how the difference of means came out in repetitions (option refute). */
typedef struct nonsens_refutation {
    int64_t repetitions; /* 0: there are none, and the other members mean nothing */
    double mean;         /* over repetitions: must be 0 for placebo causes, and the answer itself for random subsets */
    double low, high;    /* the middle 95 % of them */
    double p_value;      /* of this outcome if the answer is right; NaN if too few repetitions could be run */
    int passes;          /* 1: p_value is at least alpha; else 0 */
} nonsens_refutation;

/* What setting or changing variables does to one variable; texts belong to the result. */
typedef struct nonsens_effect {
    int64_t on;          /* the variable, from 0, as in the data */
    const char *segment; /* its label, or NULL for all rows */
    double at;           /* the value on a curve (do: A=FROM:TO:STEP); NaN without one */
    nonsens_answered answered;
    nonsens_distribution now;  /* as the rows are */
    nonsens_distribution then; /* as they would be; for a range mean.value is NaN, and low and high bound all answers */
    nonsens_distribution difference; /* then - now */
    double least, most;              /* for a range, the smallest and the largest difference of means; else NaN */
    double support;                  /* share of the rows for which the data have similar rows; NaN: nothing is asked */
    double robustness; /* share of both residual variances that a hidden cause must explain to make difference 0 */
    double robustness_interval; /* the same, for the interval to include 0 */
    const char *reason;         /* sentences: how the graph answers */
    const char *settle;         /* which data would decide it; NULL if nothing is open */
    nonsens_refutation placebo; /* with the values of the changed variables shuffled, so that they have no effect */
    nonsens_refutation subsets; /* in random subsets of .8 of the rows */
} nonsens_effect;

/* Counts the answers of an effect; 0 for every other kind. */
NONSENS_API int64_t nonsens_result_effect_count(const nonsens_result *result);
/* Returns an answer; sorted by variable, then by value, then all rows before segments. */
NONSENS_API const nonsens_effect *nonsens_result_effect_at(const nonsens_result *result, int64_t index);

/* The effect of one variable on another if the former goes from its lower to its upper quartile in all rows. */
typedef struct nonsens_quartile_effect {
    int64_t cause, effect; /* from 0, as in the data */
    double lower, upper;   /* quartiles of the cause */
    double sd;             /* standard deviation of the effect variable; dividing by it standardises effects */
    nonsens_answered answered;
    nonsens_estimate total;  /* all variables between the two follow */
    nonsens_estimate direct; /* other causes of the effect stay as they are; 0 without an edge */
    double support;          /* as in nonsens_effect, for both quartiles */
    const char *reason;
} nonsens_quartile_effect;

/* Counts the effects of all variables on all others, which exist only if nothing is set or changed; else 0. */
NONSENS_API int64_t nonsens_result_quartile_effect_count(const nonsens_result *result);
/* Returns one of them; sorted by cause, then by effect. */
NONSENS_API const nonsens_quartile_effect *nonsens_result_quartile_effect_at(const nonsens_result *result,
                                                                             int64_t index);

/* What a variable would have been in one row. */
typedef struct nonsens_counterfactual {
    int64_t row;      /* of the input, from 0 */
    int64_t variable; /* from 0, as in the data */
    double now;
    nonsens_estimate then;
} nonsens_counterfactual;

/* Counts the counterfactuals: the number of rows asked about, times that of variables; 0 for every other kind. */
NONSENS_API int64_t nonsens_result_counterfactual_count(const nonsens_result *result);
/* Returns one of them; sorted by row in the order asked, then by variable. */
NONSENS_API const nonsens_counterfactual *nonsens_result_counterfactual_at(const nonsens_result *result, int64_t index);

/* Counts the rows that were used. */
NONSENS_API int64_t nonsens_result_row_count(const nonsens_result *result);
/* (rows) Returns the row of the input, from 0, for each row used; these are in the library's own order. */
NONSENS_API const int64_t *nonsens_result_input_rows(const nonsens_result *result);
/*
 * Counts the sources: as many as variables for ica, and for a direction or graph if the method estimates disturbances;
 * else 0.
 */
NONSENS_API int64_t nonsens_result_source_count(const nonsens_result *result);
/*
 * (rows) Returns a source of ica, or the estimated disturbance of a variable; for a pair 0 is the first, 1 the second.
 */
NONSENS_API const double *nonsens_result_source_at(const nonsens_result *result, int64_t source);
/*
 * (d * d) Returns the unmixing matrix of ica, row by row; NULL for every other kind. [k * d + j] is the weight of
 * variable j in source k: source = unmixing * (variables - their means over all rows).
 */
NONSENS_API const double *nonsens_result_unmixing(const nonsens_result *result);
/* (d * d) Returns the inverse of the unmixing matrix: [j * d + k] is the weight of source k in variable j. */
NONSENS_API const double *nonsens_result_mixing(const nonsens_result *result);

/* ---- graphs -------------------------------------------------------------------------------------------------- */

/* A graph that was read: names of nodes, and edges between them. */
typedef struct nonsens_graph nonsens_graph;

/*
 * Reads a graph ("-" is standard input). The format is recognised from the contents: JSON of discover or of a
 * simulation's truth, a list of edges or a square matrix as CSV, or Tetrad's text (docs/graphs.md). Row or `from` is
 * the cause: A[i][j] != 0 means i -> j. column: in a list of edges, rows with 0 in this column are no edges; NULL or ""
 * for none. May be NULL: column.
 */
NONSENS_API nonsens_status nonsens_graph_read(nonsens_context *ctx, const char *path, const char *column,
                                              nonsens_graph **out);
/*
 * Reads a graph from bytes in memory, at most NONSENS_MAX_GRAPH_BYTES; name is what messages call it. May be NULL:
 * column.
 */
NONSENS_API nonsens_status nonsens_graph_parse(nonsens_context *ctx, const char *name, const char *bytes, size_t size,
                                               const char *column, nonsens_graph **out);
/* Frees a graph. */
NONSENS_API void nonsens_graph_free(nonsens_graph *graph);
/* Counts the nodes. */
NONSENS_API int64_t nonsens_graph_node_count(const nonsens_graph *graph);
/* Returns the name of a node, which lives as long as the graph. */
NONSENS_API const char *nonsens_graph_node_at(const nonsens_graph *graph, int64_t node);
/* Counts the edges. */
NONSENS_API int64_t nonsens_graph_edge_count(const nonsens_graph *graph);
/* Returns an edge; edges are in the order of the file. */
NONSENS_API const nonsens_edge *nonsens_graph_edge_at(const nonsens_graph *graph, int64_t index);
/* Tells whether the file lists all nodes: 0 for a list of edges, which has only nodes with an edge. */
NONSENS_API int nonsens_graph_lists_nodes(const nonsens_graph *graph);
/*
 * Finds out which disturbances changed in a segment. Takes options of NONSENS_COMMAND_EXPLAIN: `of` names the segment,
 * `against` the one that it is compared with, or nothing for all others together. The graph is the one given or, if
 * that is NULL, read from the file of the option `graph`, or found by `method`. A graph given here and the option
 * `graph` exclude each other. A variable's own change is the change of its distribution given its causes; changes that
 * only follow from its causes do not count. In addition to the graph, costs one fit of each variable's mechanism. May
 * be NULL: graph.
 */
NONSENS_API nonsens_status nonsens_run_explain(nonsens_context *ctx, const nonsens_data *data,
                                               const nonsens_graph *graph, const nonsens_options *options,
                                               nonsens_result **out);
/*
 * Answers what would happen if variables were set or changed. Takes options of NONSENS_COMMAND_EFFECT: `do` and
 * `change` say what is done, `on` which variables are asked about; without both, the effects of all variables on all
 * others. The graph is the one given or, if that is NULL, read from the file of the option `graph`, or found by
 * `method`. A graph given here and the option `graph` exclude each other. May be NULL: graph.
 */
NONSENS_API nonsens_status nonsens_run_effect(nonsens_context *ctx, const nonsens_data *data,
                                              const nonsens_graph *graph, const nonsens_options *options,
                                              nonsens_result **out);
/*
 * How well a graph's edges match those of the truth. precision = true_positives / predicted, recall = true_positives /
 * actual; mcc: Matthews' correlation coefficient over all possible edges.  NaN for 0 / 0.
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
    int64_t marked;            /* other differences of edge type, such as a line for an arrow */
    int64_t shd;               /* structural Hamming distance, the sum of these; each pair of nodes counts once */
    int64_t undirected;        /* lines of the estimate */
    nonsens_score skeleton;    /* pairs of adjacent nodes, whatever the marks */
    nonsens_score arrows;      /* arrows with one head */
    int64_t directions;        /* number of true arrows whose nodes are adjacent in the estimate too, and */
    double direction_accuracy; /* the share of them that the estimate has as the same arrow; a line does not count */
    int64_t differences;       /* their number, equal to shd */
} nonsens_distance;

/* Two nodes between which the graphs differ, and the edge that each graph has there; NONSENS_EDGE_NONE for none. */
typedef struct nonsens_difference {
    const char *what; /* "missing", "extra", "reversed" or "marked" */
    nonsens_edge estimated, actual;
} nonsens_difference;

typedef struct nonsens_comparison nonsens_comparison;

/*
 * Compares an estimated graph with the true one. Takes options of NONSENS_COMMAND_COMPARE: pattern, closure. Nodes are
 * matched by name; it is an error if a graph that lists its nodes lacks a node of the other. The first distance is that
 * from the truth, or with `pattern` that from its CPDAG; with `closure`, the distance from the closure follows.
 */
NONSENS_API nonsens_status nonsens_comparison_new(nonsens_context *ctx, const nonsens_graph *estimate,
                                                  const nonsens_graph *truth, const nonsens_options *options,
                                                  nonsens_comparison **out);
/* Frees a comparison. */
NONSENS_API void nonsens_comparison_free(nonsens_comparison *comparison);
/* Counts the nodes of both graphs together. */
NONSENS_API int64_t nonsens_comparison_node_count(const nonsens_comparison *comparison);
/* Returns the name of a node; edges of differences number nodes in this order, from 0. */
NONSENS_API const char *nonsens_comparison_node_at(const nonsens_comparison *comparison, int64_t node);
/* Counts the distances. */
NONSENS_API int64_t nonsens_comparison_distance_count(const nonsens_comparison *comparison);
/* Returns a distance. */
NONSENS_API const nonsens_distance *nonsens_comparison_distance_at(const nonsens_comparison *comparison, int64_t index);
/* Returns a difference that a distance counts. */
NONSENS_API const nonsens_difference *nonsens_comparison_difference_at(const nonsens_comparison *comparison,
                                                                       int64_t distance, int64_t index);

/* ---- many pairs ---------------------------------------------------------------------------------------------- */

/* A direction for each of many pairs of variables. */
typedef struct nonsens_pairs nonsens_pairs;

/* What was found for one pair; texts belong to the list and live as long as it does. */
typedef struct nonsens_pair {
    int64_t x, y;          /* variables, from 0, as in the data */
    const char *decision;  /* as nonsens_result_decision gives it; NULL if the pair failed */
    const char *direction; /* the better direction if one must be named, or NULL */
    double score, p_value; /* NaN if there is none */
    double q_value;        /* of p_value among those of all pairs; NaN if there is no p-value, or with fdr none */
    const char *error;     /* why the pair failed; NULL if it did not */
} nonsens_pair;

/*
 * Runs nonsens_run_direction on each pair that the option `pairs` names: all, in the order of the variables, or those
 * of a file with two names per line (as in a line of CSV; blank lines and lines that begin with # do not count). A pair
 * that fails does not stop the others; if columns may be constant, the data must be read with `pairs` set. The option
 * fdr says how q-values are computed. Undecided pairs count with p = 1, failed ones do not count.
 *
 * journal: a file in which finished pairs are kept while others run. A run that was stopped continues from there with
 * `resume`, to the same result. Without `resume` a journal that exists already is an error; so is one that was begun
 * with other data or options, or that another run has locked. It may be removed once the results are written. NULL
 * takes the path from the option journal, which may be empty: no journal. With `shard` only the journal is written, and
 * *out is NULL. Takes options of NONSENS_COMMAND_DIRECTION. May be NULL: journal.
 */
NONSENS_API nonsens_status nonsens_run_pairs(nonsens_context *ctx, const nonsens_data *data,
                                             const nonsens_options *options, const char *journal, nonsens_pairs **out);
/*
 * Joins journals of one run, such as those of runs with `shard`, into a new journal, from which the run without `shard`
 * continues with `resume`. Journals whose inputs, options or version differ from the first, with lines that were
 * changed, or with a different result of the same unit are refused (NONSENS_ERR_DATA), and so is a path where a file
 * exists already (NONSENS_ERR_USAGE).
 */
NONSENS_API nonsens_status nonsens_journal_merge(nonsens_context *ctx, const char *const *files, int64_t count,
                                                 const char *path);
/* Frees the pairs and unlocks their journal. */
NONSENS_API void nonsens_pairs_free(nonsens_pairs *pairs);
/* Counts the pairs. */
NONSENS_API int64_t nonsens_pairs_count(const nonsens_pairs *pairs);
/* Returns a pair; pairs are in the order of the list. */
NONSENS_API const nonsens_pair *nonsens_pairs_at(const nonsens_pairs *pairs, int64_t index);

/* ---- all segments -------------------------------------------------------------------------------------------- */

/* The value of the option `of` that means every segment in turn, unless a segment has this label. */
#define NONSENS_ALL_SEGMENTS "all"

/* Explanations of many segments. */
typedef struct nonsens_explanations nonsens_explanations;

/* What was found for one segment; texts belong to the list and live as long as it does. */
typedef struct nonsens_explained {
    const char *segment;    /* its label */
    int64_t rows;           /* number of its rows; 0 if it was left out of the data */
    const char *verdict;    /* in words: "x3 changed itself: wider (size 2.3)", "nothing unusual", ... */
    int64_t root_causes;    /* how many variables changed themselves */
    const char *root_cause; /* the likeliest of them; NULL if there is none */
    double size;            /* of root_cause, as in nonsens_change; NaN if there is none */
    int unclear;            /* 1: no root cause was found, but the absence of one is not established either; else 0 */
    const char *problem;    /* a note that says why the answer is weak, or NULL */
    double p_value;         /* of no root cause, over all variables together; NaN if there is none, or with fdr none */
    double q_value;         /* of p_value among those of all segments; NaN if there is none */
    const char *error;      /* why the segment failed; NULL if it did not */
} nonsens_explained;

/* Returns 1 if the option `of` means every segment of the data in turn, else 0. */
NONSENS_API int nonsens_explains_all(const nonsens_data *data, const nonsens_options *options);
/*
 * Runs nonsens_run_explain on each segment, except for the one that the option `against` names, in natural order: 2
 * before 10. The option `of` must be "all". A segment that fails does not stop the others. The graph and the mechanisms
 * are found once. The option fdr says how q-values over segments are computed, from the smallest q-value of each
 * segment.
 *
 * journal: as for nonsens_run_pairs, with finished segments. With `shard` only the journal is written, and *out is
 * NULL. Takes options of NONSENS_COMMAND_EXPLAIN. May be NULL: graph, journal.
 */
NONSENS_API nonsens_status nonsens_run_explain_all(nonsens_context *ctx, const nonsens_data *data,
                                                   const nonsens_graph *graph, const nonsens_options *options,
                                                   const char *journal, nonsens_explanations **out);
/* Frees the explanations and unlocks their journal. */
NONSENS_API void nonsens_explanations_free(nonsens_explanations *explanations);
/* Counts the segments. */
NONSENS_API int64_t nonsens_explanations_count(const nonsens_explanations *explanations);
/* Returns what was found for a segment. */
NONSENS_API const nonsens_explained *nonsens_explanations_at(const nonsens_explanations *explanations, int64_t index);

/* ---- simulation ---------------------------------------------------------------------------------------------- */

typedef struct nonsens_simulation nonsens_simulation;

/* Draws a model and rows from it. Takes options of NONSENS_COMMAND_SIMULATE. */
NONSENS_API nonsens_status nonsens_simulation_new(nonsens_context *ctx, const nonsens_options *options,
                                                  nonsens_simulation **out);
/* Frees a simulation. */
NONSENS_API void nonsens_simulation_free(nonsens_simulation *simulation);
/* Counts the rows. */
NONSENS_API int64_t nonsens_simulation_row_count(const nonsens_simulation *simulation);
/* Counts the variables. */
NONSENS_API int64_t nonsens_simulation_variable_count(const nonsens_simulation *simulation);
/* Returns the name of a variable, which lives as long as the simulation. */
NONSENS_API const char *nonsens_simulation_variable_at(const nonsens_simulation *simulation, int64_t variable);
/*
 * (rows * variables) Returns the simulated values, column by column: row i of variable j is at [j * rows + i].  Arrays
 * live as long as the simulation.
 */
NONSENS_API const double *nonsens_simulation_values(const nonsens_simulation *simulation);
/* (rows * variables) Returns the disturbances of the variables, in the same order. */
NONSENS_API const double *nonsens_simulation_sources(const nonsens_simulation *simulation);
/* (rows) Returns the segment of each row, from 0; its label is s1, s2, ... */
NONSENS_API const int32_t *nonsens_simulation_segments(const nonsens_simulation *simulation);
/* Makes a data set of the simulated table: variables x1, x2, ..., segments s1, s2, ... Everything is copied. */
NONSENS_API nonsens_status nonsens_simulation_data(nonsens_context *ctx, const nonsens_simulation *simulation,
                                                   nonsens_data **out);

/* ---- writers ------------------------------------------------------------------------------------------------- */

/*
 * All writers take a path ("-" is standard output).  A regular file is written beside its target, synced and renamed,
 * so that a killed run leaves no partial file; a symbolic link stays, and the file that it leads to is replaced in this
 * way; devices and pipes are written to directly.
 */
/*
 * Checks whether a writer could write to the path: looks at it, its folder and their access rights, and creates and
 * changes nothing. A full disk is noticed only when writing.
 */
NONSENS_API nonsens_status nonsens_output_check(nonsens_context *ctx, const char *path);
/* Writes the whole result as JSON. */
NONSENS_API nonsens_status nonsens_result_write_json(nonsens_context *ctx, const nonsens_result *result,
                                                     const char *path);
/* What a text has beside the answer, which fits a screen: bits that can be combined. */
typedef enum nonsens_text_detail {
    NONSENS_TEXT_ALL = 1,      /* all edges, cautions, notes and evidence, assumptions in full, options, the command */
    NONSENS_TEXT_REASONING = 2 /* the reasoning step by step */
} nonsens_text_detail;
/* Writes the result as text. detail: bits of nonsens_text_detail; any other bit is NONSENS_ERR_USAGE. */
NONSENS_API nonsens_status nonsens_result_write_text(nonsens_context *ctx, const nonsens_result *result,
                                                     unsigned detail, const char *path);
typedef enum nonsens_graph_format {
    NONSENS_GRAPH_DOT = 1,    /* Graphviz */
    NONSENS_GRAPH_CSV = 2,    /* a list of edges: from, to, type, weight, p_value, support, meaning */
    NONSENS_GRAPH_TETRAD = 3, /* Tetrad's text */
    NONSENS_GRAPH_GRAPHML = 4 /* GraphML, for Cytoscape, igraph, yEd, networkx */
} nonsens_graph_format;

/* Writes the graph in one of these formats; an error for every kind but a graph. */
NONSENS_API nonsens_status nonsens_result_write_graph(nonsens_context *ctx, const nonsens_result *result,
                                                      nonsens_graph_format format, const char *path);
/* Writes the comparison as text. */
NONSENS_API nonsens_status nonsens_comparison_write_text(nonsens_context *ctx, const nonsens_comparison *comparison,
                                                         const char *path);
/* Writes the comparison as JSON. */
NONSENS_API nonsens_status nonsens_comparison_write_json(nonsens_context *ctx, const nonsens_comparison *comparison,
                                                         const char *path);
/*
 * Writes the estimated disturbances or sources, one row per row of the input in its order; an error if the method has
 * none. For ica one column per source and, if there are segments, one with their labels.
 */
NONSENS_API nonsens_status nonsens_result_write_sources(nonsens_context *ctx, const nonsens_result *result,
                                                        const char *path);
/*
 * Writes the result as one HTML page that needs no network: decision, graph, evidence and, if the data are given,
 * plots of some of their rows. files: names of the data files in the command that the page shows for running it again.
 * It is an error if the data are not those of the result. May be NULL: data. May be 0: count.
 */
NONSENS_API nonsens_status nonsens_result_write_html(nonsens_context *ctx, const nonsens_result *result,
                                                     const nonsens_data *data, const char *const *files, int64_t count,
                                                     const char *path);
/*
 * Writes the same page from a result that was written as JSON ("-" is standard input) and its data files, which are
 * read as its options say. sources: the file that nonsens_result_write_sources wrote, which needs the data; NULL for
 * none. *other_data becomes 1, and the page says so, if the data are not those of the result; else 0. May be NULL:
 * sources, other_data. May be 0: count.
 */
NONSENS_API nonsens_status nonsens_report_write_html(nonsens_context *ctx, const char *result, const char *const *files,
                                                     int64_t count, const char *sources, const char *path,
                                                     int *other_data);
/* Writes one JSON object per line, the pairs in the order of the list; all lines have the same keys. */
NONSENS_API nonsens_status nonsens_pairs_write_json(nonsens_context *ctx, const nonsens_pairs *pairs, const char *path);
/* Writes a table of pairs, most certain first; of many pairs only the first. detail: bits of nonsens_text_detail. */
NONSENS_API nonsens_status nonsens_pairs_write_text(nonsens_context *ctx, const nonsens_pairs *pairs, unsigned detail,
                                                    const char *path);
/*
 * Writes one JSON object per line, the segments in the order of the list: what nonsens_result_write_json writes for
 * each, without `seconds` and `threads`, and its segment, p_value, q_value and error.
 */
NONSENS_API nonsens_status nonsens_explanations_write_json(nonsens_context *ctx,
                                                           const nonsens_explanations *explanations, const char *path);
/* Writes a table of segments; of many segments only those with root causes. detail: bits of nonsens_text_detail. */
NONSENS_API nonsens_status nonsens_explanations_write_text(nonsens_context *ctx,
                                                           const nonsens_explanations *explanations, unsigned detail,
                                                           const char *path);
/* Writes the simulated table as CSV. */
NONSENS_API nonsens_status nonsens_simulation_write_csv(nonsens_context *ctx, const nonsens_simulation *simulation,
                                                        const char *path);
/* Writes the true graph and how the data were simulated as JSON. */
NONSENS_API nonsens_status nonsens_simulation_write_truth(nonsens_context *ctx, const nonsens_simulation *simulation,
                                                          const char *path);
/* Writes the interventions of --interventions as CSV (segment,variable,kind), which the option targets reads. */
NONSENS_API nonsens_status nonsens_simulation_write_targets(nonsens_context *ctx, const nonsens_simulation *simulation,
                                                            const char *path);

#ifdef __cplusplus
}
#endif

#endif
