/*
 * bivariate.h - the paper's experiments with two variables: cells, rules, and the answers of each rule on a data set.
 *
 * A cell is a simulator setting and a family of methods that share a fit.  All families see the same data sets, so
 * rules are compared by paired differences.
 */
#ifndef FIGURES_BIVARIATE_H
#define FIGURES_BIVARIATE_H

#include "figures/figure.h"
#include "harness/summary.h"
#include "methods/shared/result.h"

/* ---- settings ---- */

enum { BIVARIATE_DEPTHS = 5 };

typedef struct bivariate_point {
    int64_t segments, rows; /* rows per segment */
    bool fine;              /* only on the finer grid */
} bivariate_point;

enum { BIVARIATE_POINTS = 9 };
extern const bivariate_point BIVARIATE_POINT[BIVARIATE_POINTS];

/* Families of methods.  The last one assumes an effect, so it is not run on cyclic data. */
enum bivariate_family {
    FAMILY_STRUCTURED,
    FAMILY_NONSENS,
    FAMILY_PUBLISHED,
    FAMILY_TRUE_SOURCES,
    FAMILY_LINEAR_ICA,
    FAMILY_LINGAM,
    FAMILY_RESIT,
    FAMILY_ICP,
    FAMILY_CDNOD,
    FAMILY_RECI,
    FAMILIES
};

typedef struct bivariate_setting {
    bool cyclic;
    int64_t depth; /* from 1 */
    int64_t point;
    enum bivariate_family family;
} bivariate_setting;

enum { BIVARIATE_CELLS = BIVARIATE_DEPTHS * BIVARIATE_POINTS * (2 * FAMILIES - 1) };

/* Returns the setting of a cell. */
bivariate_setting bivariate_setting_of(int64_t cell);
/* Writes the name of a cell. */
void bivariate_cell_name(int64_t cell, char name[CELL_NAME_BYTES]);

/* ---- rules ---- */

enum { BIVARIATE_RULES = 15, RULES_OF_FAMILY = 3 };

typedef struct bivariate_rule {
    const char *name;
    enum bivariate_family family;
    bool decides;    /* may answer "inconclusive"; a rule that never does assumes an effect */
    bool has_better; /* also names the better direction when it does not decide */
} bivariate_rule;

extern const bivariate_rule BIVARIATE_RULE[BIVARIATE_RULES];

/* Returns the index in BIVARIATE_RULE of the k-th rule of a family; -1 beyond the last. */
int bivariate_rule_of(enum bivariate_family family, int k);

/* ---- units ---- */

enum cause { CAUSE_NONE = -1, CAUSE_FIRST = 0, CAUSE_SECOND = 1 };

/* The answer of a rule on a data set. */
typedef struct bivariate_answer {
    enum result_decision decided;
    enum cause better; /* the better direction, even if undecided */
} bivariate_answer;

/* Answers of the rules of the cell's family. */
typedef struct bivariate_unit {
    enum cause truth;
    bool failed;
    bivariate_answer answer[RULES_OF_FAMILY];
} bivariate_unit;

/* Run a unit, and read it from its line (study.h). */
nonsens_status bivariate_run(nonsens_context *ctx, arena *scratch, const void *base, int64_t cell, unit_seed seed,
                             json_value *line);
bool bivariate_read(const json_value *line, void *place);

/* ---- shares ---- */

/*
 * Return whether rule k of its family is correct, or wrong, on a unit.  Correct: it finds the cause, or does not decide
 * on cyclic data.  Wrong: it decides on a false direction, or on independence, which holds in none of the data sets. A
 * failed unit is neither.
 */
bool bivariate_is_correct(const bivariate_unit *u, int k);
bool bivariate_is_wrong(const bivariate_unit *u, int k);
/* Returns whether the better direction is the true one. */
bool bivariate_better_is_true(const bivariate_unit *u, int k);

/* Returns the units of a setting's cell and their number; NULL if the cell was not selected. */
const bivariate_unit *bivariate_units_of(const study_units *units, bivariate_setting setting, int64_t *reps);

/* One of the three functions above. */
typedef bool (*bivariate_measure)(const bivariate_unit *u, int k);
/* Computes its mean and standard error over units. */
summary bivariate_share(const bivariate_unit *u, int64_t reps, bivariate_measure measure, int k);

#endif
