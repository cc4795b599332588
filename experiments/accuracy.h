/*
 * accuracy.h - the parts of the accuracy experiment.
 *
 *     cell (a row of the table) -> task (a cell and settings) -> drawn data -> journal line -> printed shares
 *
 * A unit of work is one data set of a cell, identified by its seed (harness/study.h).  An evaluation turns data into a
 * line of the journal, and the units of a cell into printed lines.
 */
#ifndef EXPERIMENTS_ACCURACY_H
#define EXPERIMENTS_ACCURACY_H

#include "data/dataset.h"
#include "harness/study.h"
#include "harness/table.h"
#include "mechanisms.h"
#include "simulate/simulate.h"

/* How the data of a cell arise, which determines what is correct and what is wrong. */
enum judgement {
    JUDGE_DAG,         /* correct: the true direction; wrong: the other */
    JUDGE_CYCLIC,      /* wrong: any direction */
    JUDGE_INDEPENDENT, /* correct: independent; wrong: any direction */
    JUDGE_CONFOUNDED,  /* wrong: any direction */
    JUDGE_UNDECIDABLE, /* both directions fit; wrong: any direction */
    JUDGE_NULL         /* as JUDGE_DAG, but counts how often the model of the true direction is rejected */
};

typedef struct accuracy_evaluation accuracy_evaluation;

typedef struct cell {
    const char *name;      /* for --cells */
    const char *generator; /* in printed lines; the name of a mechanism if options is NULL */
    const char *options;   /* of simulate: "key=value key=value"; NULL for mechanisms */
    enum judgement judgement;
    const accuracy_evaluation *evaluation;
    int seeds;
    const char *run;   /* options of the method that the cell fixes: "key=value key=value"; NULL: none */
    const char *label; /* replaces the method's name in printed lines; NULL: the method's name */
} cell;

extern const cell ACCURACY_CELLS[];
extern const int ACCURACY_CELL_COUNT;
/* Writes the name of a cell. */
void accuracy_cell_name(int64_t number, char name[CELL_NAME_BYTES]);
/* Returns how many seeds the table gives a cell. */
int64_t accuracy_seeds(int64_t number);

enum { FINGERPRINT_BYTES = 17 };

/* A cell with everything that a run of it needs. */
typedef struct task {
    const cell *cell;
    nonsens_options *simulate;            /* NULL for a mechanism */
    const mechanism *mechanism;           /* NULL for simulate */
    nonsens_options *options;             /* of the method */
    int64_t nodes, depth, segments, rows; /* depth is 0 for a mechanism; rows per segment, on average */
    int reps;
    char fingerprint[FINGERPRINT_BYTES]; /* hash of everything that a unit depends on, except its seed */
} task;

/* One data set; its variables are called x1, x2, ... */
typedef struct drawn {
    nonsens_simulation *simulation; /* NULL for a mechanism */
    nonsens_data *data;
    int cause; /* of two variables: 0 or 1, -1 if neither or both cause the other; of more variables: -1 */
} drawn;

/* Evaluations whose lines have the same columns share a table. */
enum table_kind { TABLE_PAIRS, TABLE_GRAPHS, TABLES };

struct accuracy_evaluation {
    study study;      /* made by EVALUATION_STUDY */
    unsigned command; /* the command whose options its methods take */
    enum table_kind table;
    bool side_by_side; /* one data set per thread; otherwise one data set at a time on all threads */
    bool any_method;   /* runs the method that --method names */
    /* Runs the method and adds its results to the line. */
    nonsens_status (*run)(nonsens_context *ctx, arena *a, const nonsens_options *options, const drawn *d,
                          json_value *line);
    /* Writes the first line of its table. */
    void (*header)(table *csv);
    /* Prints the results of the units (task->reps) of a cell. */
    void (*print)(const task *t, const void *units, table *csv);
};

/* The study of an evaluation: a unit's key is the task's fingerprint, and the task draws the unit's data. */
#define EVALUATION_STUDY(label, number, unit, reader)                                                    \
    {                                                                                                    \
        .name = label, .revision = number, .cell_name = accuracy_cell_name, .cell_reps = accuracy_seeds, \
        .key = task_key, .run = task_run, .unit_bytes = sizeof(unit), .read = reader                     \
    }

extern const accuracy_evaluation ACCURACY_MONTI, ACCURACY_STRUCTURED, ACCURACY_GRAPH, ACCURACY_GRAPH_STRUCTURED;
/* The same with --targets: the true interventions, and the affected segments without the variables. */
extern const accuracy_evaluation ACCURACY_GRAPH_TARGETS, ACCURACY_GRAPH_UNKNOWN;

/* ---- accuracy_task.c ---- */

/* Prepares a task.  Copies `options`, those of the evaluation's command; `method` is used if it has any_method. */
nonsens_status task_open(nonsens_context *ctx, const cell *c, const nonsens_options *options, const char *method,
                         task *out);
void task_close(task *t);
/* For studies whose data is a task: write the key of a unit, and run a unit. */
void task_key(const void *data, int64_t number, char key[UNIT_KEY_BYTES]);
nonsens_status task_run(nonsens_context *ctx, arena *a, const void *data, int64_t number, unit_seed seed,
                        json_value *line);

/* ---- accuracy_report.c ---- */

enum column {
    COLUMN_CORRECT,
    COLUMN_WRONG,
    COLUMN_UNDECIDED,
    COLUMN_DIRECTION, /* share of data sets whose better direction is the true one */
    COLUMN_MCC,
    COLUMN_SE, /* standard error of the line's main share or mean */
    COLUMN_NEITHER,
    COLUMN_INDEPENDENT,
    COLUMN_INCONCLUSIVE,
    COLUMN_CONCLUDED, /* share that concludes a direction or independence */
    COLUMN_REJECTED,  /* share of data sets in which the true model is rejected */
    COLUMN_TESTED,    /* share in which the true model has a p-value */
    COLUMN_RANK,      /* the most frequent rank */
    COLUMN_RANK_SHARE,
    COLUMN_FIRM_CORRECT, /* share that names the true direction and calls it firm */
    COLUMN_FIRM_WRONG,
    COLUMN_EXPLAINED, /* share of the directions that are not firm that leave the true explanation open */
    COLUMN_VETOED,    /* share in which the true direction leaves correlated disturbances, and so cannot be firm */
    COLUMNS
};

/* The values of one line; NaN if there is no value. */
typedef struct report {
    double value[COLUMNS];
} report;

/* Returns a report full of NaN. */
report report_empty(void);
/* Divides counts of data sets by reps; the standard error is that of the column `of`. */
void report_shares(report *r, enum column of, int reps);
/* Prints one line on stdout and writes one row of the table. */
void report_print(table *csv, const task *t, const char *method, const report *r);
/* Writes the table's first line. */
void report_header(table *csv);

/* A column and its value, for evaluations with other columns; a value of NaN is left out. */
typedef struct report_item {
    const char *name;
    double value;
    int digits;
} report_item;

/* Print a line and write a row, or write the table's first line, with these columns. */
void report_items(table *csv, const task *t, const char *method, int items, const report_item *item);
void report_head(table *csv, int items, const report_item *item);

#endif
