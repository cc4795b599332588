/*
 * accuracy_cells.c - the table of cells that the accuracy experiment runs.
 *
 * Names for --cells: `layered-*` and `cyclic-*` are the paper's methods (ACCURACY_MONTI).  `eE-*`, with E segments, are
 * the public run of one method (ACCURACY_STRUCTURED).  So are `METHOD-*`, baselines on pairs that satisfy or violate
 * their assumptions.  Cells with the same data share finished data sets: `e10-null-*` judges those of `e10-depth*`.
 *
 * `graph-METHOD-GENERATOR-eE-depthL` are graphs of six variables (ACCURACY_GRAPH) with two expected neighbours each,
 * the simulator's default: six edges.  `graph-structured-node-d20-*` has twenty variables and as many expected edges,
 * `graph-structured-node-d50-*` fifty.  In `graph-METHOD-two-change-*` only two of the six disturbances change over
 * segments.  In `graph-structured-hidden-*` two variables have a hidden common cause.  Methods with kernel tests have
 * fewer seeds, because they take longest.
 */
#include "accuracy.h"

#define MONTI &ACCURACY_MONTI
#define STRUCTURED &ACCURACY_STRUCTURED
#define FIVE_DEPTHS(name, generator, options, judgement, evaluation, seeds)                       \
    {name "-depth1", generator, "depth=1" options, judgement, evaluation, seeds, NULL, NULL},     \
        {name "-depth2", generator, "depth=2" options, judgement, evaluation, seeds, NULL, NULL}, \
        {name "-depth3", generator, "depth=3" options, judgement, evaluation, seeds, NULL, NULL}, \
        {name "-depth4", generator, "depth=4" options, judgement, evaluation, seeds, NULL, NULL}, \
    {                                                                                             \
        name "-depth5", generator, "depth=5" options, judgement, evaluation, seeds, NULL, NULL    \
    }
/* Many segments with few rows; `size` gives the numbers. */
#define MANY_SEGMENTS(prefix, size, seeds)                                                                           \
    CELL(prefix "-depth1", "layered", "depth=1 " size, JUDGE_DAG, STRUCTURED, seeds),                                \
        CELL(prefix "-depth3", "layered", "depth=3 " size, JUDGE_DAG, STRUCTURED, seeds),                            \
        CELL(prefix "-depth5", "layered", "depth=5 " size, JUDGE_DAG, STRUCTURED, seeds),                            \
        CELL(prefix "-node-depth1", "node", "sem=node depth=1 " size, JUDGE_DAG, STRUCTURED, seeds),                 \
        CELL(prefix "-node-depth3", "node", "sem=node depth=3 " size, JUDGE_DAG, STRUCTURED, seeds),                 \
        CELL(prefix "-means-scales", "node-means-scales", "sem=node depth=3 " MEANS_AND_SCALES " " size, JUDGE_DAG,  \
             STRUCTURED, seeds),                                                                                     \
        CELL(prefix "-cause-only", "layered-cause-only", "depth=3 modulate=cause " size, JUDGE_DAG, STRUCTURED,      \
             seeds),                                                                                                 \
        CELL(prefix "-effect-only", "layered-effect-only", "depth=3 modulate=effect " size, JUDGE_DAG, STRUCTURED,   \
             seeds),                                                                                                 \
        CELL(prefix "-proportional", "layered-proportional", "depth=3 modulate=proportional " size, JUDGE_DAG,       \
             STRUCTURED, seeds),                                                                                     \
        CELL(prefix "-changing", "layered-changing", "depth=3 changing-mechanism=true " size, JUDGE_DAG, STRUCTURED, \
             seeds),                                                                                                 \
        CELL(prefix "-cyclic-depth1", "layered", "depth=1 cyclic=true " size, JUDGE_CYCLIC, STRUCTURED, seeds),      \
        CELL(prefix "-cyclic-depth3", "layered", "depth=3 cyclic=true " size, JUDGE_CYCLIC, STRUCTURED, seeds),      \
        CELL(prefix "-independent", "layered-independent", "depth=3 independent=true " size, JUDGE_INDEPENDENT,      \
             STRUCTURED, seeds),                                                                                     \
        CELL(prefix "-independent-proportional", "layered-independent",                                              \
             "depth=3 independent=true modulate=proportional " size, JUDGE_INDEPENDENT, STRUCTURED, seeds),          \
        CELL(prefix "-still", "layered-still", "depth=3 scale=1:1 " size, JUDGE_UNDECIDABLE, STRUCTURED, seeds),     \
        CELL(prefix "-modulated", "layered-confounded", "depth=3 confounded=modulated " size, JUDGE_CONFOUNDED,      \
             STRUCTURED, seeds),                                                                                     \
        CELL(prefix "-stationary", "layered-confounded", "depth=3 confounded=stationary " size, JUDGE_CONFOUNDED,    \
             STRUCTURED, seeds),                                                                                     \
        CELL(prefix "-null-depth1", "layered", "depth=1 " size, JUDGE_NULL, STRUCTURED, seeds),                      \
        CELL(prefix "-null-depth3", "layered", "depth=3 " size, JUDGE_NULL, STRUCTURED, seeds)
#define CELL(...)               \
    {                           \
        __VA_ARGS__, NULL, NULL \
    }
#define MECHANISM(name)                                                \
    {                                                                  \
        "e10-" name, name, NULL, JUDGE_DAG, STRUCTURED, 50, NULL, NULL \
    }

/* A pair from violations.c; its name begins with `e10-` like all runs of one method on ten segments, for comparison. */
#define VIOLATION(name, judgement)                                      \
    {                                                                   \
        "e10-" name, name, NULL, judgement, STRUCTURED, 100, NULL, NULL \
    }

/* The same, with rows that follow one another in time. */
#define IN_TIME(name, judgement)                                                       \
    {                                                                                  \
        "e10-" name, name, NULL, judgement, STRUCTURED, 100, "block-length=auto", NULL \
    }

#define BASELINE(method, name, judgement)                                               \
    {                                                                                   \
        method "-" name, name, NULL, judgement, STRUCTURED, 100, "method=" method, NULL \
    }

#define GRAPH(evaluation, method, sem, segments, depth, seeds)                                                        \
    {                                                                                                                 \
        "graph-" method "-" sem "-e" segments "-depth" depth, sem,                                                    \
            "nodes=6 sem=" sem " segments=" segments " depth=" depth, JUDGE_DAG, evaluation, seeds, "method=" method, \
            method                                                                                                    \
    }
#define GRAPH_DEPTHS(evaluation, method, sem, segments, seeds)                                                  \
    GRAPH(evaluation, method, sem, segments, "1", seeds), GRAPH(evaluation, method, sem, segments, "3", seeds), \
        GRAPH(evaluation, method, sem, segments, "5", seeds)
#define GRAPH_FEW(method) \
    GRAPH_DEPTHS(&ACCURACY_GRAPH, method, "node", "10", 5), GRAPH_DEPTHS(&ACCURACY_GRAPH, method, "layered", "10", 5)
#define GRAPH_ALL(evaluation, method)                                                                          \
    GRAPH_DEPTHS(evaluation, method, "node", "10", 20), GRAPH_DEPTHS(evaluation, method, "layered", "10", 20), \
        GRAPH_DEPTHS(evaluation, method, "node", "20", 20), GRAPH_DEPTHS(evaluation, method, "layered", "20", 20)

#define GRAPH_TWO_CHANGE(evaluation, method, depth)                                                              \
    {                                                                                                            \
        "graph-" method "-two-change-e10-depth" depth, "node-two-change",                                        \
            "nodes=6 sem=node segments=10 changing=2 depth=" depth, JUDGE_DAG, evaluation, 40, "method=" method, \
            method                                                                                               \
    }

/*
 * Half of the segments intervene on one variable each; `unused`: the method is not told; `unknown`: only the segments.
 */
#define GRAPH_TARGETS(what, evaluation, kind, changing, name)                                                    \
    {                                                                                                            \
        "graph-structured-" what "-" kind name, "node-targets-" kind name,                                       \
            "nodes=6 sem=node segments=12 interventions=" kind " changing=" changing, JUDGE_DAG, evaluation, 40, \
            "method=structured", "structured-" what                                                              \
    }
#define GRAPH_TARGETS_ALL(kind, changing, name)                                            \
    GRAPH_TARGETS("targets", &ACCURACY_GRAPH_TARGETS, kind, changing, name),               \
        GRAPH_TARGETS("targets-unused", &ACCURACY_GRAPH_STRUCTURED, kind, changing, name), \
        GRAPH_TARGETS("targets-unknown", &ACCURACY_GRAPH_UNKNOWN, kind, changing, name)
/* A hidden variable is a common cause of two of the six variables. */
#define GRAPH_HIDDEN(name, options)                                                                                 \
    {                                                                                                               \
        "graph-structured-hidden-" name, "hidden-" name, "nodes=6 sem=node segments=10 " options, JUDGE_CONFOUNDED, \
            &ACCURACY_GRAPH_STRUCTURED, 40, "method=structured", "structured"                                       \
    }

/* Means and scales of Gaussian disturbances; at depth=1 the layered generator is linear, the node generator is not. */
#define MEANS_AND_SCALES "noise=gaussian mean=-2:2 scale=0.2:3"
#define MEANS "noise=gaussian mean=-2:2 scale=1:1"

/* clang-format off */
const cell ACCURACY_CELLS[] = {
    FIVE_DEPTHS("layered", "layered", "", JUDGE_DAG, MONTI, 100),
    CELL("cyclic-depth1", "layered-cyclic", "depth=1 cyclic=true", JUDGE_CYCLIC, MONTI, 100),
    CELL("cyclic-depth3", "layered-cyclic", "depth=3 cyclic=true", JUDGE_CYCLIC, MONTI, 100),
    CELL("cyclic-depth5", "layered-cyclic", "depth=5 cyclic=true", JUDGE_CYCLIC, MONTI, 100),

    FIVE_DEPTHS("e10", "layered", "", JUDGE_DAG, STRUCTURED, 200),
    FIVE_DEPTHS("e10-cyclic", "layered-cyclic", " cyclic=true", JUDGE_CYCLIC, STRUCTURED, 200),
    FIVE_DEPTHS("e20", "layered", " segments=20", JUDGE_DAG, STRUCTURED, 100),
    FIVE_DEPTHS("e5", "layered", " segments=5", JUDGE_DAG, STRUCTURED, 100),
    CELL("e3-depth2-n2000", "layered", "depth=2 segments=3 per-segment=2000", JUDGE_DAG, STRUCTURED, 100),
    CELL("e10-depth3-n128", "layered", "depth=3 per-segment=128", JUDGE_DAG, STRUCTURED, 100),

    CELL("e10-cause-only", "layered-cause-only", "depth=3 modulate=cause", JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-effect-only", "layered-effect-only", "depth=3 modulate=effect", JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-proportional", "layered-proportional", "depth=3 modulate=proportional", JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-correlated", "layered-correlated", "depth=3 correlated=true", JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-gaussian", "layered-gaussian", "depth=3 noise=gaussian", JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-student", "layered-student", "depth=3 noise=student", JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-changing", "layered-changing-mechanism", "depth=3 changing-mechanism=true", JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-independent-depth1", "layered-independent", "depth=1 independent=true",
         JUDGE_INDEPENDENT, STRUCTURED, 50),
    CELL("e10-independent-depth3", "layered-independent", "depth=3 independent=true",
         JUDGE_INDEPENDENT, STRUCTURED, 50),
    CELL("e10-confounded-modulated", "layered-confounded", "depth=3 confounded=modulated",
     JUDGE_CONFOUNDED, STRUCTURED, 50),
    CELL("e10-confounded-modulated-n2000", "layered-confounded", "depth=3 confounded=modulated per-segment=2000",
     JUDGE_CONFOUNDED, STRUCTURED, 50),
    CELL("e10-confounded-stationary", "layered-confounded-stationary", "depth=3 confounded=stationary",
     JUDGE_CONFOUNDED, STRUCTURED, 50),
    CELL("e10-confounded-stationary-n2000", "layered-confounded-stationary",
     "depth=3 confounded=stationary per-segment=2000", JUDGE_CONFOUNDED, STRUCTURED, 50),

    CELL("e10-means-scales-depth1", "node-means-scales", "sem=node depth=1 " MEANS_AND_SCALES,
         JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-means-scales-depth3", "node-means-scales", "sem=node depth=3 " MEANS_AND_SCALES,
         JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-means-depth1", "node-means", "sem=node depth=1 " MEANS, JUDGE_DAG, STRUCTURED, 50),
    CELL("e10-means-linear", "layered-means", "depth=1 " MEANS, JUDGE_UNDECIDABLE, STRUCTURED, 50),

    MECHANISM("smooth-additive"),
    MECHANISM("location-scale"),
    MECHANISM("post-nonlinear"),
    MECHANISM("student-stretched"),
    MECHANISM("multiplicative"),
    MECHANISM("heavy-linear"),
    MECHANISM("smooth-network"),
    MECHANISM("mixed-unbalanced"),

    VIOLATION("location-and-scale", JUDGE_DAG),
    VIOLATION("uniform", JUDGE_DAG),
    VIOLATION("outliers", JUDGE_DAG),
    VIOLATION("error-90", JUDGE_DAG),
    VIOLATION("error-70", JUDGE_DAG),
    VIOLATION("error-50", JUDGE_DAG),
    VIOLATION("error-cause-changes", JUDGE_DAG),
    VIOLATION("gain-drift", JUDGE_DAG),
    VIOLATION("hidden-stationary", JUDGE_CONFOUNDED),
    VIOLATION("hidden-changing", JUDGE_CONFOUNDED),
    VIOLATION("hidden-alone-changes", JUDGE_CONFOUNDED),
    VIOLATION("hidden-one-child", JUDGE_CONFOUNDED),
    VIOLATION("hidden-and-effect", JUDGE_DAG),
    VIOLATION("slopes", JUDGE_DAG),
    IN_TIME("autoregression", JUDGE_DAG),
    VIOLATION("selected", JUDGE_DAG),
    IN_TIME("series-0", JUDGE_INDEPENDENT),
    IN_TIME("series-50", JUDGE_INDEPENDENT),
    IN_TIME("series-80", JUDGE_INDEPENDENT),
    IN_TIME("series-90", JUDGE_INDEPENDENT),
    IN_TIME("series-95", JUDGE_INDEPENDENT),
    IN_TIME("still-90", JUDGE_UNDECIDABLE),

    CELL("e10-null-depth1", "layered", "depth=1", JUDGE_NULL, STRUCTURED, 200),
    MANY_SEGMENTS("e400", "segments=400 per-segment=10", 40),
    MANY_SEGMENTS("e1000", "segments=1000 per-segment=10", 40),
    MANY_SEGMENTS("e5000", "segments=5000 per-segment=20", 10),
    MANY_SEGMENTS("e100", "segments=100 per-segment=40", 40),
    CELL("e10-null-depth3", "layered", "depth=3", JUDGE_NULL, STRUCTURED, 200),
    CELL("e10-null-depth3-n10000", "layered", "depth=3 per-segment=10000", JUDGE_NULL, STRUCTURED, 50),
    CELL("e10-depth3-n10000", "layered", "depth=3 per-segment=10000", JUDGE_DAG, STRUCTURED, 50),

    BASELINE("lingam", "linear", JUDGE_DAG),
    BASELINE("lingam", "linear-gaussian", JUDGE_UNDECIDABLE),
    BASELINE("lingam", "additive", JUDGE_DAG),
    BASELINE("lingam", "unrelated", JUDGE_INDEPENDENT),
    BASELINE("resit", "additive", JUDGE_DAG),
    BASELINE("resit", "linear-gaussian", JUDGE_UNDECIDABLE),
    BASELINE("resit", "noise-scaled", JUDGE_DAG),
    BASELINE("resit", "unrelated", JUDGE_INDEPENDENT),
    BASELINE("reci", "additive-small", JUDGE_DAG),
    BASELINE("reci", "additive", JUDGE_DAG),
    {"reci-polynomial-additive-small", "additive-small", NULL, JUDGE_DAG, STRUCTURED, 100,
     "method=reci regression=polynomial", "reci-polynomial"},
    {"reci-polynomial-additive", "additive", NULL, JUDGE_DAG, STRUCTURED, 100,
     "method=reci regression=polynomial", "reci-polynomial"},
    BASELINE("icp", "cause-changes", JUDGE_DAG),
    {"icp-levene-cause-changes", "cause-changes", NULL, JUDGE_DAG, STRUCTURED, 100,
     "method=icp invariance=levene-rank", "icp-levene-rank"},
    BASELINE("icp", "both-change", JUDGE_DAG),
    BASELINE("icp", "nothing-changes", JUDGE_DAG),
    BASELINE("cdnod", "cause-changes", JUDGE_DAG),
    BASELINE("cdnod", "effect-changes", JUDGE_DAG),
    BASELINE("cdnod", "both-change", JUDGE_DAG),
    BASELINE("cdnod", "both-change-20", JUDGE_DAG),
    BASELINE("cdnod", "nothing-changes", JUDGE_DAG),

    GRAPH_ALL(&ACCURACY_GRAPH_STRUCTURED, "structured"),
    {"graph-structured-node-d20-e20-depth3", "node", "nodes=20 sem=node segments=20 depth=3", JUDGE_DAG,
     &ACCURACY_GRAPH_STRUCTURED, 3, "method=structured", "structured"},
    {"graph-structured-node-d50-e20-depth3", "node", "nodes=50 sem=node segments=20 depth=3", JUDGE_DAG,
     &ACCURACY_GRAPH_STRUCTURED, 3, "method=structured", "structured"},
    {"graph-structured-few-rows", "node-few-rows", "nodes=3 sem=node segments=6 per-segment=150 depth=1", JUDGE_DAG,
     &ACCURACY_GRAPH_STRUCTURED, 100, "method=structured", "structured"},
    GRAPH_TWO_CHANGE(&ACCURACY_GRAPH_STRUCTURED, "structured", "1"),
    GRAPH_TWO_CHANGE(&ACCURACY_GRAPH_STRUCTURED, "structured", "3"),
    GRAPH_TARGETS_ALL("fixed", "4", ""),
    GRAPH_TARGETS_ALL("changed", "4", ""),
    GRAPH_TARGETS_ALL("mixed", "4", ""),
    GRAPH_TARGETS_ALL("mixed", "0", "-all-change"),
    {"graph-structured-slopes-e10", "node-slopes", "nodes=6 sem=node changing-mechanism=true", JUDGE_DAG,
     &ACCURACY_GRAPH_STRUCTURED, 40, "method=structured", "structured"},
    GRAPH_HIDDEN("depth1", "depth=1 confounded=stationary"),
    GRAPH_HIDDEN("depth1-modulated", "depth=1 confounded=modulated"),
    GRAPH_HIDDEN("depth3", "depth=3 confounded=stationary"),
    GRAPH_TWO_CHANGE(&ACCURACY_GRAPH, "pc-nonsens", "1"),
    GRAPH_TWO_CHANGE(&ACCURACY_GRAPH, "pc-nonsens", "3"),
    GRAPH_ALL(&ACCURACY_GRAPH, "pc-nonsens"),
    GRAPH_ALL(&ACCURACY_GRAPH, "pc"),
    GRAPH_ALL(&ACCURACY_GRAPH, "lingam"),
    GRAPH_FEW("resit"),
    GRAPH_FEW("cdnod"),
};
/* clang-format on */

const int ACCURACY_CELL_COUNT = sizeof ACCURACY_CELLS / sizeof *ACCURACY_CELLS;

void accuracy_cell_name(int64_t number, char name[CELL_NAME_BYTES])
{
    snprintf(name, CELL_NAME_BYTES, "%s", ACCURACY_CELLS[number].name);
}

int64_t accuracy_seeds(int64_t number)
{
    return ACCURACY_CELLS[number].seeds;
}
