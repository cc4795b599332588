/*
 * accuracy_cells.c - what the accuracy experiment runs, row by row.
 *
 * Names for --cells: `layered-*` and `cyclic-*` are the paper's methods (ACCURACY_MONTI); `eE-*`, with E segments, are
 * the public run of one method (ACCURACY_STRUCTURED).  Rows with the same data share finished data sets: `e10-null-*`
 * adds seeds to those of `e10-depth*`.
 */
#include "accuracy.h"

#define MONTI &ACCURACY_MONTI
#define STRUCTURED &ACCURACY_STRUCTURED
#define FIVE_DEPTHS(name, generator, options, judgement, family, seeds)           \
    {name "-depth1", generator, "depth=1" options, judgement, family, seeds},     \
        {name "-depth2", generator, "depth=2" options, judgement, family, seeds}, \
        {name "-depth3", generator, "depth=3" options, judgement, family, seeds}, \
        {name "-depth4", generator, "depth=4" options, judgement, family, seeds}, \
    {                                                                             \
        name "-depth5", generator, "depth=5" options, judgement, family, seeds    \
    }
#define MECHANISM(name)                                    \
    {                                                      \
        "e10-" name, name, NULL, JUDGE_DAG, STRUCTURED, 50 \
    }

/* Means and scales of Gaussian disturbances; the node generator bends even with depth=1, the layered one does not. */
#define MEANS_AND_SCALES "noise=gaussian mean=-2:2 scale=0.2:3"
#define MEANS "noise=gaussian mean=-2:2 scale=1:1"

/* clang-format off */
const cell ACCURACY_CELLS[] = {
    FIVE_DEPTHS("layered", "layered", "", JUDGE_DAG, MONTI, 100),
    {"cyclic-depth1", "layered-cyclic", "depth=1 cyclic=true", JUDGE_CYCLIC, MONTI, 100},
    {"cyclic-depth3", "layered-cyclic", "depth=3 cyclic=true", JUDGE_CYCLIC, MONTI, 100},
    {"cyclic-depth5", "layered-cyclic", "depth=5 cyclic=true", JUDGE_CYCLIC, MONTI, 100},

    FIVE_DEPTHS("e10", "layered", "", JUDGE_DAG, STRUCTURED, 200),
    FIVE_DEPTHS("e10-cyclic", "layered-cyclic", " cyclic=true", JUDGE_CYCLIC, STRUCTURED, 200),
    FIVE_DEPTHS("e20", "layered", " segments=20", JUDGE_DAG, STRUCTURED, 100),
    FIVE_DEPTHS("e5", "layered", " segments=5", JUDGE_DAG, STRUCTURED, 100),
    {"e3-depth2-n2000", "layered", "depth=2 segments=3 per-segment=2000", JUDGE_DAG, STRUCTURED, 100},
    {"e10-depth3-n128", "layered", "depth=3 per-segment=128", JUDGE_DAG, STRUCTURED, 100},

    {"e10-cause-only", "layered-cause-only", "depth=3 modulate=cause", JUDGE_DAG, STRUCTURED, 50},
    {"e10-effect-only", "layered-effect-only", "depth=3 modulate=effect", JUDGE_DAG, STRUCTURED, 50},
    {"e10-proportional", "layered-proportional", "depth=3 modulate=proportional", JUDGE_DAG, STRUCTURED, 50},
    {"e10-correlated", "layered-correlated", "depth=3 correlated=true", JUDGE_DAG, STRUCTURED, 50},
    {"e10-gaussian", "layered-gaussian", "depth=3 noise=gaussian", JUDGE_DAG, STRUCTURED, 50},
    {"e10-student", "layered-student", "depth=3 noise=student", JUDGE_DAG, STRUCTURED, 50},
    {"e10-changing", "layered-changing-mechanism", "depth=3 changing-mechanism=true", JUDGE_DAG, STRUCTURED, 50},
    {"e10-independent-depth1", "layered-independent", "depth=1 independent=true", JUDGE_INDEPENDENT, STRUCTURED, 50},
    {"e10-independent-depth3", "layered-independent", "depth=3 independent=true", JUDGE_INDEPENDENT, STRUCTURED, 50},
    {"e10-confounded-modulated", "layered-confounded", "depth=3 confounded=modulated",
     JUDGE_CONFOUNDED, STRUCTURED, 50},
    {"e10-confounded-modulated-n2000", "layered-confounded", "depth=3 confounded=modulated per-segment=2000",
     JUDGE_CONFOUNDED, STRUCTURED, 50},
    {"e10-confounded-stationary", "layered-confounded-stationary", "depth=3 confounded=stationary",
     JUDGE_CONFOUNDED, STRUCTURED, 50},
    {"e10-confounded-stationary-n2000", "layered-confounded-stationary",
     "depth=3 confounded=stationary per-segment=2000", JUDGE_CONFOUNDED, STRUCTURED, 50},

    {"e10-means-scales-depth1", "node-means-scales", "sem=node depth=1 " MEANS_AND_SCALES, JUDGE_DAG, STRUCTURED, 50},
    {"e10-means-scales-depth3", "node-means-scales", "sem=node depth=3 " MEANS_AND_SCALES, JUDGE_DAG, STRUCTURED, 50},
    {"e10-means-depth1", "node-means", "sem=node depth=1 " MEANS, JUDGE_DAG, STRUCTURED, 50},
    {"e10-means-linear", "layered-means", "depth=1 " MEANS, JUDGE_UNDECIDABLE, STRUCTURED, 50},

    MECHANISM("smooth-additive"),
    MECHANISM("location-scale"),
    MECHANISM("post-nonlinear"),
    MECHANISM("student-stretched"),
    MECHANISM("multiplicative"),
    MECHANISM("heavy-linear"),
    MECHANISM("smooth-network"),
    MECHANISM("mixed-unbalanced"),

    {"e10-null-depth1", "layered", "depth=1", JUDGE_NULL, STRUCTURED, 500},
    {"e10-null-depth3", "layered", "depth=3", JUDGE_NULL, STRUCTURED, 500},
};
/* clang-format on */

const int ACCURACY_CELL_COUNT = sizeof ACCURACY_CELLS / sizeof *ACCURACY_CELLS;
