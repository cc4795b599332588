/*
 * bivariate.h - the paper's experiments with two variables: cells, rules, and what a data set says about each rule.
 *
 * A cell is a setting of the simulator and a family of methods that share a fit.  All families see the same data sets,
 * so that rules are compared by paired differences.
 */
#ifndef FIGURES_BIVARIATE_H
#define FIGURES_BIVARIATE_H

#include "figures/figure.h"
#include "harness/summary.h"
#include "methods/shared/result.h"

/* ---- settings ---- */

enum { BIVARIATE_DEPTHS = 5 };

typedef struct bivariate_point {
    int64_t segments, rows; /* rows of each segment */
    bool fine;
} bivariate_point;

enum { BIVARIATE_POINTS = 9 };
extern const bivariate_point BIVARIATE_POINT[BIVARIATE_POINTS];

/* Families of methods.  The last one assumes an effect, and so has nothing to say about cyclic data. */
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

bivariate_setting bivariate_setting_of(int64_t cell);
void bivariate_cell_name(int64_t cell, char name[CELL_NAME_BYTES]);

/* ---- rules ---- */

enum { BIVARIATE_RULES = 15, RULES_OF_FAMILY = 3 };

typedef struct bivariate_rule {
    const char *name;
    enum bivariate_family family;
    bool decides; /* may answer "inconclusive"; a rule that does not assumes an effect */
    bool names;   /* names the better direction if one must be named */
} bivariate_rule;

extern const bivariate_rule BIVARIATE_RULE[BIVARIATE_RULES];

/* The k-th rule of a family, as a number of BIVARIATE_RULE; -1 beyond the last. */
int bivariate_rule_of(enum bivariate_family family, int k);

/* ---- units ---- */

enum cause { CAUSE_NONE = -1, CAUSE_FIRST = 0, CAUSE_SECOND = 1 };

/* What a rule says about a data set. */
typedef struct bivariate_answer {
    enum result_decision decided;
    enum cause named; /* the better direction, if one must be named */
} bivariate_answer;

/* Answers of the rules of the cell's family. */
typedef struct bivariate_unit {
    enum cause truth;
    bool failed;
    bivariate_answer answer[RULES_OF_FAMILY];
} bivariate_unit;

nonsens_status bivariate_run(nonsens_context *ctx, arena *scratch, const void *base, int64_t cell, unit_seed seed,
                             json_value *line);
bool bivariate_read(const json_value *line, void *place);

/* ---- shares ---- */

/*
 * Of a unit, by rule k of its family.  Right: the cause is named, or on cyclic data the question is left open; wrong: a
 * direction that is not there, or independence, which no data here have.  A failed unit is neither.
 */
bool bivariate_is_right(const bivariate_unit *u, int k);
bool bivariate_is_wrong(const bivariate_unit *u, int k);
/* The better direction is the true one. */
bool bivariate_is_named(const bivariate_unit *u, int k);

/* The cell of a setting among those that were asked for: its units and how many, or NULL. */
const bivariate_unit *bivariate_units_of(const study_units *units, bivariate_setting setting, int64_t *reps);

/* Mean and standard error over units of one of the three above. */
typedef bool (*bivariate_measure)(const bivariate_unit *u, int k);
summary bivariate_share(const bivariate_unit *u, int64_t reps, bivariate_measure measure, int k);

#endif
