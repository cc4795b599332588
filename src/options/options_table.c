/*
 * options_table.c - the one table of options.
 *
 * A row names the field of struct nonsens_options that it fills.  Adding an option = one field + one row; help, man
 * page, JSON output and bindings follow.
 */
#include "options/options_internal.h"

/* Choices are stored as int: every choice enum of options.h has that size. */
_Static_assert(sizeof(enum option_sem) == sizeof(int), "choices are stored as int");

enum {
    SIM = NONSENS_COMMAND_SIMULATE,
    DIR = NONSENS_COMMAND_DIRECTION,
    IND = NONSENS_COMMAND_INDEPENDENCE,
    DIA = NONSENS_COMMAND_DIAGNOSE,
    ICA = NONSENS_COMMAND_ICA,
    REP = NONSENS_COMMAND_REPRODUCE,
    DIS = NONSENS_COMMAND_DISCOVER,
    COM = NONSENS_COMMAND_COMPARE,
    EXP = NONSENS_COMMAND_EXPLAIN,
    EFF = NONSENS_COMMAND_EFFECT,
    ANALYSE = DIR | IND | DIA | ICA | DIS | EXP | EFF
};

#define RUN "Run"
#define DATA "Data"
#define NETWORK "Network"
#define CLASSIFIER "Segment classifier"
#define UNMIXING "Unmixing"
#define TESTS "Tests"
#define BASELINES "Baselines"
#define QUESTION "Question"
#define MODEL "Model"
#define DEVIATIONS "Deviations from the model"
#define COMPARISON "Comparison"

#define FIELD(name) offsetof(struct nonsens_options, name)
#define INTEGER(key, field, commands, group, initial, lo, hi, unit, text)                                     \
    {                                                                                                         \
        {key, NONSENS_OPTION_INTEGER, commands, group, initial, lo, hi, NULL, NULL, unit, text}, FIELD(field) \
    }
/* A whole number, or a word that stands for 0. */
#define INTEGER_OR(key, field, commands, group, initial, word, hi, bounds, unit, text)                         \
    {                                                                                                          \
        {key, NONSENS_OPTION_INTEGER, commands, group, initial, 1, hi, bounds, word, unit, text}, FIELD(field) \
    }
#define REAL(key, field, commands, group, initial, lo, hi, bounds, text)                                   \
    {                                                                                                      \
        {key, NONSENS_OPTION_REAL, commands, group, initial, lo, hi, bounds, NULL, "", text}, FIELD(field) \
    }
#define CHOICE(key, field, commands, group, initial, choices, text)                                         \
    {                                                                                                       \
        {key, NONSENS_OPTION_CHOICE, commands, group, initial, 0, 0, NULL, choices, "", text}, FIELD(field) \
    }
#define TEXT(key, field, commands, group, initial, text)                                               \
    {                                                                                                  \
        {key, NONSENS_OPTION_TEXT, commands, group, initial, 0, 0, NULL, NULL, "", text}, FIELD(field) \
    }
#define FLAG(key, field, commands, group, text)                                                        \
    {                                                                                                  \
        {key, NONSENS_OPTION_FLAG, commands, group, "false", 0, 0, NULL, NULL, "", text}, FIELD(field) \
    }
#define RANGE(key, field, commands, group, initial, lo, hi, text)                                         \
    {                                                                                                     \
        {key, NONSENS_OPTION_RANGE, commands, group, initial, lo, hi, NULL, NULL, "", text}, FIELD(field) \
    }

#define UNMIXINGS "auto|joint-diagonalisation|score-matching|two-statistic|entropy|fastica|infomax"

/* clang-format off */
const option_row option_table[] = {
    INTEGER("seed", seed, SIM | ANALYSE, RUN, "1", 0, 0x1p53, "",
            "Seed of every random number; the same seed gives the same result on any number of threads."),
    INTEGER("seed", seed, REP, RUN, "100001", 0, 0x1p52, "",
            "Seed of the first repetition; the others count up from it. Reported figures use seeds from 100,001."),
    INTEGER("threads", threads, ANALYSE | REP, RUN, "0", 0, 1024, "threads",
            "How many threads to use, under mpirun in each process; 0 means all cores, or one where several processes "
            "of the run share a machine."),
    INTEGER("max-memory", max_memory, SIM | ANALYSE | REP, RUN, "0", 0, 1e9, "megabytes",
            "Stop with an error rather than hold more memory than this; 0 means no limit."),
    REAL("time-limit", time_limit, DIS, RUN, "0", 0, 1e9, "seconds, at least 0",
         "structured: end the search after so many seconds and give the best graph so far, marked unfinished; 0 means no "
         "limit. How far the search gets depends on the machine."),
    REAL("alpha", alpha, ANALYSE & ~(DIS | EXP | EFF), RUN, "0.05", 1e-300, 1.0 - 1e-16, "between 0 and 1, both excluded",
         "Error level of the decision as a whole."),
    REAL("alpha", alpha, DIS, RUN, "0.05", 1e-300, 1.0 - 1e-16, "between 0 and 1, both excluded",
         "Error level of the decision as a whole; pc, pc-nonsens and cdnod: of each test of independence."),
    REAL("alpha", alpha, EXP, RUN, "0.05", 1e-300, 1.0 - 1e-16, "between 0 and 1, both excluded",
         "A disturbance is said to have changed where its q-value is at most this; also the level of the method that "
         "finds the graph, and one minus that of intervals."),
    REAL("alpha", alpha, EFF, RUN, "0.05", 1e-300, 1.0 - 1e-16, "between 0 and 1, both excluded",
         "One minus the level of intervals; also the error level of the method that finds the graph, and of tests of a graph "
         "that is given."),
    TEXT("method", method, DIR, RUN, "structured", "The method that decides; `nonsens methods` lists them."),
    TEXT("method", method, DIS | EXP | EFF, RUN, "structured", "The method that finds the graph; `nonsens methods` lists them."),
    CHOICE("method", unmixing, ICA, RUN, "auto", UNMIXINGS,
           "How the variables are separated into sources; auto means score-matching."),
    INTEGER("most-rows", max_rows, DIR | DIS | EXP | EFF, RUN, "0", 0, 1000000000000, "rows",
            "Use a sample of so many rows, drawn evenly from all segments, where there are more; 0 leaves the choice to "
            "the method (100000 for those that take long or need much memory, all for the others)."),
    INTEGER("most-rows", max_rows, DIA, RUN, "0", 0, 1000000000000, "rows",
            "Segment classifiers use a sample of so many rows, drawn evenly from all segments, where there are more; 0 "
            "means as many as direction uses (100000)."),
    FLAG("as-published", as_published, DIR, RUN,
         "nonsens, nonsens-lr: the method as the paper prints it: one network, trained by sgd on all rows, scores these "
         "rows; score-matching; pooled tests of all rows; the printed ratio. Sets folds, restarts, keep, features, "
         "inputs, optimiser, learning-rate, momentum, batch, epochs, patience, unmixing, ratio, pooling, null and "
         "test-rows; options after it override it, and it overrides those before it."),
    FLAG("as-published", as_published, DIS, RUN,
         "pc-nonsens with --orient-by nonsens or nonsens-lr: edges are directed as by `nonsens direction "
         "--as-published`. Sets pooling and null, which the tests of pc-nonsens share; options after it override it, "
         "and it overrides those before it."),
    INTEGER("reps", reps, REP, RUN, "0", 0, 1000000, "data sets",
            "Data sets per cell; 0 means as many as the figure's default."),
    TEXT("out", out, REP, RUN, "results",
         "Folder that gets journal and table of each figure; it is made if it is missing."),
    TEXT("cells", cells, REP, RUN, "*",
         "Which cells to run and to show, patterns with * and ? separated by commas; a cell is one setting of a figure."),
    FLAG("fine", fine, REP, RUN, "Run and show the cells of a finer grid as well."),
    TEXT("data", data, REP, RUN, "data",
         "Folder with the real data of a figure that needs some; the figure is skipped where they are missing."),
    INTEGER("bootstrap", bootstrap, DIS, RUN, "0", 0, 100000, "resamples",
            "Find the graph again in so many resamples of the rows, and tell how many of them have each edge."),
    CHOICE("resample", resample, DIS, RUN, "half", "half|bootstrap",
           "What a resample is: half of the rows of each segment, or as many as there are, drawn with replacement "
           "(then rows repeat, which tests of independence take for dependence)."),
    TEXT("journal", journal, DIS, RUN, "",
         "File that gets a line for each finished resample, or without --bootstrap for each fit of structured, so that a "
         "run that was stopped can go on with --resume."),
    TEXT("journal", journal, DIR, RUN, "",
         "pairs: file that gets a line for each finished pair, so that a run that was stopped can go on with --resume; "
         "left out, it is FILE.journal of --json FILE."),
    TEXT("journal", journal, EXP, RUN, "",
         "--of all: file that gets a line for each finished segment, so that a run that was stopped can go on with "
         "--resume; left out, it is FILE.journal of --json FILE."),
    TEXT("shard", shard, DIR | DIS | EXP, RUN, "",
         "I/N: run only part I of N of the pairs, resamples or segments and write the journal only, as one of N jobs of a scheduler; "
         "`nonsens merge` joins the journals."),
    TEXT("pairs", pairs, DIR, RUN, "",
         "Decide on many pairs: all, or a file with two names a line; --json FILE gets one line per pair."),
    CHOICE("fdr", fdr, DIR, RUN, "bh", "bh|by|none",
           "pairs: q-values that bound the share of false decisions, by Benjamini and Hochberg (bh) or, for pairs that "
           "depend on one another in any way, Benjamini and Yekutieli (by)."),
    CHOICE("fdr", fdr, EXP, RUN, "bh", "bh|by|none",
           "q-values over variables that bound the share of false ones among those said to have changed, by Benjamini "
           "and Hochberg (bh) or, under any dependence, Benjamini and Yekutieli (by); none: p-values as they are."),
    INTEGER_OR("block-length", block_length, EXP | EFF, RUN, "auto", "auto", 1000000000, "from 1 to 1000000000, or auto", "",
               "For rows that follow one another in time: blocks of this many neighbouring rows count as independent of "
               "one another. auto finds the length from the autocorrelation of the rows: 1 if there is none."),
    FLAG("resume", resume, REP | DIS, RUN, "Go on with the journal that is there, without doing anything twice."),
    FLAG("resume", resume, DIR, RUN, "pairs: go on with the journal of a run that was stopped: --journal FILE, or FILE.journal beside --json FILE."),
    FLAG("resume", resume, EXP, RUN, "--of all: go on with the journal of a run that was stopped: --journal FILE, or FILE.journal beside --json FILE."),

    INTEGER("draws", draws, EFF, RUN, "100", 0, 100000, "bootstrap samples",
            "Resamples of the rows inside segments, in which mechanisms are fitted again: intervals come from them. 0: no "
            "intervals; else at least 20."),
    INTEGER("graph-uncertainty", graph_uncertainty, EFF, RUN, "0", 0, 100000, "half samples",
            "Find the graph again in so many half samples of the rows, and widen intervals to what these graphs answer; 20 or "
            "more. 0: intervals are given the graph."),
    INTEGER("refute", refute, EFF, RUN, "0", 0, 100000, "repetitions",
            "Try to refute the answer, for questions with --do or --change: so many times a placebo takes the place of the "
            "cause, whose effect must be 0, and so many times the question is answered in a random 80 % of the rows. Each "
            "takes as long as an answer without intervals, twice N in all. 0: no refuters; else at least 10."),
    FLAG("extrapolate", extrapolate, EFF, RUN,
         "Answer also where few rows, or none, are like those asked about. Values beyond the range of the data count as its "
         "ends."),

    TEXT("do", do_values, EFF, QUESTION, "",
         "Sets variables: A=VALUE, or A=FROM:TO:STEP for a curve; several, separated by commas, are set together."),
    TEXT("change", change, EFF, QUESTION, "",
         "Adds to variables: A=+1 or A=-2; several, separated by commas, are changed together."),
    TEXT("on", on, EFF, QUESTION, "all", "The variable that is asked about, or several, separated by commas; all: every other one."),
    TEXT("in", in, EFF, QUESTION, "",
         "Label of a segment: what would happen there, with its disturbances; left out, in all rows and in each segment."),
    TEXT("row", row, EFF, QUESTION, "",
         "What these rows would have been: numbers from 1, separated by commas, or all. The first line below the names is row 1."),
    TEXT("rows", rows, EFF, QUESTION, "", "File with such numbers, one a line."),

    TEXT("segment", segment, ANALYSE, DATA, "",
         "Column with the segment labels, a name or #k (from 1); any text or number, used as a category only. Several "
         "files need none: each is a segment, called after its file."),
    TEXT("segments", segments, ANALYSE, DATA, "", "equal:K cuts the rows, in their order, into K blocks instead."),
    TEXT("of", of, EXP, DATA, "", "Label of the segment to be explained; all: each segment in turn, unless one has this label."),
    TEXT("against", against, EXP, DATA, "",
         "Label of the segment that it is compared with; left out, all other segments together."),
    TEXT("graph", graph, EXP | EFF, DATA, "",
         "File with the graph, in a format that `nonsens compare` reads; left out, --method finds one."),
    FLAG("reversed", reversed, EXP | EFF, DATA,
         "The arrows of --graph point from effects to causes, as in a call graph: caller -> callee."),
    TEXT("target", target, EXP, DATA, "",
         "The variable in which the fault was seen: only variables that can reach it in the graph count. The answer says "
         "how much of the change of its mean each root cause accounts for."),
    INTEGER_OR("onset", onset, EXP, DATA, "1", "auto", 1000000000, "from 1 to 1000000000, or auto", "",
               "The fault begins at this row of the segment, in the order of the file: the rows before it show what is "
               "normal. auto finds the row from --target."),
    TEXT("vars", vars, ANALYSE, DATA, "",
         "Variables, names or #k (#1 is the first column), separated by commas; left out, all numeric columns but the "
         "segment column."),
    TEXT("x", x, DIR | DIA, DATA, "", "The first of the two variables, a name or #k."),
    TEXT("y", y, DIR | DIA, DATA, "", "The second of the two variables, a name or #k."),
    TEXT("x", x, IND, DATA, "", "The first variable, a name or #k; several, separated by commas, make a vector."),
    TEXT("y", y, IND, DATA, "", "The second variable, likewise."),
    TEXT("given", given, IND, DATA, "",
         "Variables to condition on, separated by commas: the question is then whether x and y are "
         "independent once these are known."),
    FLAG("no-header", no_header, ANALYSE, DATA, "The file has no line of names; columns are called c1, c2, ..."),
    TEXT("knowledge", knowledge, DIS | EXP | EFF, DATA, "",
         "File with what is known beforehand, in Tetrad's text format: tiers, forbidden and required arrows."),
    TEXT("targets", targets, DIS, DATA, "",
         "CSV file with the interventions: segment,variable,kind. kind is fixed, changed, activity or unknown; left out, "
         "changed."),
    CHOICE("na", na, ANALYSE & ~EXP, DATA, "error", "error|drop-rows",
           "What to do about missing values (empty, NA, NaN, null, ?): stop, or leave out the rows that have one."),
    CHOICE("na", na, EXP, DATA, "pairwise", "error|drop-rows|pairwise",
           "What to do about missing values (empty, NA, NaN, null, ?): stop; leave out the rows that have one; or "
           "judge each variable by the rows that have it and its causes."),
    FLAG("keep-all", keep_all, ANALYSE, DATA,
         "Leave nothing out. Otherwise constant columns, copies of other columns (up to rounding and scale) and segments "
         "with too few rows are left out with a warning."),

    INTEGER("layers", layers, DIR, NETWORK, "3", 0, 20, "layers",
            "Hidden layers of the segment classifier; 0 makes it linear."),
    INTEGER("layers", layers, DIS, NETWORK, "3", 0, 20, "layers",
            "pc-nonsens with --orient-by nonsens or nonsens-lr: hidden layers of the segment classifier; 0 makes it "
            "linear."),
    INTEGER("width", width, DIR, NETWORK, "32", 1, 4096, "units", "Units of each hidden layer."),
    CHOICE("activation", activation, DIR, NETWORK, "leaky-relu", "leaky-relu|maxout|tanh",
           "Activation of the hidden layers."),
    CHOICE("last", last, DIR, NETWORK, "linear", "linear|abs|smooth-abs",
           "What is applied to the features before the classifier's last step."),
    CHOICE("optimiser", optimiser, DIR, NETWORK, "adam", "adam|sgd", "How the weights are trained."),
    REAL("learning-rate", learning_rate, DIR, NETWORK, "0.02", 1e-9, 10, NULL, "Step size of the optimiser."),
    REAL("momentum", momentum, DIR, NETWORK, "0.9", 0, 0.9999, NULL, "Momentum of sgd."),
    REAL("weight-decay", weight_decay, DIR, NETWORK, "0.0001", 0, 10, NULL, "Decay of the weights per step."),
    INTEGER("batch", batch, DIR, NETWORK, "256", 1, 1 << 20, "rows", "Rows per step of training."),
    INTEGER("epochs", epochs, DIR, NETWORK, "100", 1, 1000000, "epochs", "Most passes over the training rows."),
    INTEGER("patience", patience, DIR, NETWORK, "20", 1, 1000000, "epochs",
            "Stop after so many epochs without a better cross-entropy on the rows kept back."),
    REAL("validation", validation, DIR, NETWORK, "0.1", 0.001, 0.9, NULL,
         "Share of the training rows kept back to decide when to stop."),
    INTEGER("folds", folds, DIR, NETWORK, "10", 1, 100, "folds",
            "Every row is scored by networks trained on the other folds; 1 means by networks trained on all rows, so "
            "that p-values are too small."),
    INTEGER("restarts", restarts, DIR, NETWORK, "4", 1, 1000, "networks",
            "Networks per fold, from different starts."),
    INTEGER("keep", keep, DIR, NETWORK, "0", 0, 1000, "networks",
            "How many restarts of a fold, best held-out cross-entropy first, are averaged; 0 means all."),

    CHOICE("inputs", inputs, DIR, NETWORK, "mixed", "mixed|plain|scores",
           "What the networks see: whitened values (plain), these and normal scores (scores), or both kinds of network "
           "in turn (mixed)."),
    CHOICE("features", features, DIR, CLASSIFIER, "auto", "auto|spline|network",
           "What the features that tell segments apart are made of; auto means spline for structured, network for "
           "nonsens and nonsens-lr."),
    CHOICE("opinions", opinions, DIR, RUN, "graph", "graph|all|none",
           "Second opinions on the pair: graph asks the mechanisms by which structured finds graphs, all asks resit, "
           "cdnod, lingam and icp as well; none: the classifiers of structured decide alone."),
    INTEGER("score-folds", score_folds, DIR | DIA, CLASSIFIER, "5", 3, 100, "folds",
            "structured: every row is scored by classifiers fitted on the other folds."),
    INTEGER("basis", basis, DIR | DIA, CLASSIFIER, "0", 0, 40, "functions",
            "structured: B-splines per variable, at least 6; 0 means 14 up to about 5,000 rows and more for more rows, "
            "up to 20, and that or four fewer, by nested cross-validation, for scores on unseen rows."),
    REAL("undersmooth", undersmooth, DIR | DIA, CLASSIFIER, "30", 1, 1e6, NULL,
         "structured: tests use the penalty that predicts best divided by this."),
    INTEGER_OR("block-length", block_length, DIR | DIA | DIS, CLASSIFIER, "1", "auto", 1000000000,
               "from 1 to 1000000000, or auto", "",
               "structured: for rows that follow one another in time; blocks of this many neighbouring rows count as "
               "independent of one another. auto finds the length from the autocorrelation of the rows."),
    CHOICE("unmixing", unmixing, DIR, UNMIXING, "auto", UNMIXINGS,
           "How the learned features (linear-ica: the variables) are separated into one disturbance per variable; auto "
           "means joint-diagonalisation (linear-ica: score-matching)."),
    CHOICE("whitening", whitening, ICA, UNMIXING, "auto", "auto|within|total",
           "Covariance that is made the unit matrix first: inside segments, or of all rows; auto means within, but "
           "total for fastica and infomax."),
    CHOICE("statistic", statistic, DIR | ICA, UNMIXING, "auto",
           "auto|log-cosh|smooth-abs|asymmetric|gaussian-base|two-statistic|three-statistic",
           "score-matching: what changes over segments in the sources' log density; auto means the best on rows kept "
           "back (direction: log-cosh for learned features, as in the paper)."),
    REAL("sharpness", sharpness, ICA, UNMIXING, "0", 0, 1000, "from 0.1 to 1000, or 0 for automatic",
         "score-matching: how sharp the bend of the statistic is, in units of one over a source's deviation."),
    CHOICE("contrast", contrast, ICA, UNMIXING, "log-cosh", "log-cosh|exp|cube|skew", "fastica: the contrast."),
    FLAG("deflation", deflation, ICA, UNMIXING, "fastica: one source after another instead of all at once."),
    INTEGER("starts", starts, ICA, UNMIXING, "3", 1, 1000, "starts",
            "Starting points of which the best result is kept; the first ones are not random."),

    CHOICE("test", test, IND, TESTS, "auto", "auto|hsic|kci|rcit|fisher-z|residuals|information|ks|levene|kruskal",
           "The test: kernel (hsic), conditional kernel (kci), random features (rcit), partial correlation (fisher-z), "
           "hsic of what Gaussian processes of --given leave over (residuals), mutual information (information); or of "
           "--x alone against the segment: ks, levene (scale), kruskal (location). auto means hsic, with --given kci."),
    CHOICE("test", test, DIS, TESTS, "auto", "auto|hsic|kci|rcit|fisher-z",
           "pc, pc-nonsens, cdnod: the test of conditional independence: partial correlation (fisher-z; see --bends); "
           "kernels (kci, which is hsic where nothing is given; hsic means the same here); random features (rcit). "
           "auto means fisher-z for pc and pc-nonsens, kci for cdnod."),
    CHOICE("rule", rule, DIR, TESTS, "tests", "tests|likelihood-ratio",
           "linear-ica: decide by the four tests, or by the likelihood ratio, which assumes an effect."),
    CHOICE("ratio", ratio, DIR, TESTS, "information", "information|jacobian|printed",
           "How nonsens-lr estimates its ratio: by mutual information, by entropies and derivatives with the fold "
           "correction, or the latter as the paper prints it."),
    CHOICE("pooling", pooling, DIR | IND | DIS, TESTS, "stratified", "stratified|pooled",
           "Test inside each segment and add up, or throw all segments together (as in the paper)."),
    CHOICE("null", null_kind, DIR | IND | DIA | DIS, TESTS, "gamma", "gamma|permutation|spectral",
           "Distribution under independence: a gamma distribution with the same moments, permutations, or the sum of "
           "squares that the kernels' eigenvalues give for many rows."),
    INTEGER("permutations", permutations, DIR | IND | DIA | DIS, TESTS, "999", 1, 10000000, "permutations",
            "How many permutations a permutation test draws."),
    INTEGER_OR("block-length", block_length, IND, TESTS, "1", "auto", 1000000000, "from 1 to 1000000000, or auto", "",
               "hsic: for rows that follow one another in time; those this far apart count as independent of one "
               "another, and shifts in time of y against x show what independence looks like. auto finds the length "
               "from the autocorrelation of the rows."),
    INTEGER("test-rows", test_rows, DIR, TESTS, "0", 0, 1000000000, "rows",
            "Rows per segment that enter the four tests; 0 leaves the choice to the method, 1000000000 means all."),

    CHOICE("coefficients", coefficients, DIS, BASELINES, "adaptive-lasso", "adaptive-lasso|tested|all",
           "lingam: which weights stay once the order is found: by the adaptive lasso, by tests of least squares, or "
           "all of them."),
    CHOICE("regression", regression, DIR, BASELINES, "gp", "gp|polynomial",
           "reci: what the errors are of, Gaussian-process or polynomial regression."),
    INTEGER("degree", degree, DIR, BASELINES, "3", 1, 20, "", "reci: degree of the polynomial."),
    CHOICE("invariance", invariance, DIR | DIS, BASELINES, "ks", "ks|levene-rank",
           "icp: how residuals are compared over segments, by Kolmogorov-Smirnov distances or by Levene's test of scale "
           "and a rank test of location."),
    TEXT("target", target, DIS, BASELINES, "", "icp: look for the causes of this variable alone, a name or #k."),
    INTEGER("max-given", max_given, DIS, BASELINES, "3", 0, 100, "variables",
            "pc, pc-nonsens, cdnod: most variables that a test conditions on at once; icp: most causes of a "
            "variable."),
    INTEGER("bends", bends, DIS, BASELINES, "-1", -1, 100, "bends",
            "pc, pc-nonsens with fisher-z: variables are conditioned on by functions of each that are linear between "
            "so many bends; 0 means linear ones, as usual; -1 means 0 for pc and 4 for pc-nonsens."),
    CHOICE("colliders", colliders, DIS, BASELINES, "majority", "plain|conservative|majority",
           "pc, pc-nonsens: when a - b - c is a v-structure a -> b <- c: where b is not in the set that was found to "
           "separate a and c; in none of all sets of their neighbours that do; in less than half of them."),
    CHOICE("conflicts", conflicts, DIS, BASELINES, "bidirected", "bidirected|priority",
           "pc, pc-nonsens: where v-structures contradict one another, draw arrows with two heads, or let those with "
           "the largest p-value of their separated ends go first and leave out the others."),
    CHOICE("orient-by", orient_by, DIS, BASELINES, "structured", "structured|nonsens|nonsens-lr",
           "pc-nonsens: the method that directs an edge between two variables where the pattern leaves it open."),

    CHOICE("sem", sem, SIM, MODEL, "layered", "layered|node",
           "The paper's layered mixing, or one mechanism per variable (a clean sparse graph)."),
    INTEGER("nodes", nodes, SIM, MODEL, "2", 2, 1000, "variables", "How many variables."),
    INTEGER("depth", depth, SIM, MODEL, "3", 1, 100, "layers", "Layers of the mechanism; 1 is linear."),
    INTEGER("segments", sim_segments, SIM, MODEL, "10", 1, 1000000, "segments", "How many segments."),
    INTEGER("per-segment", per_segment, SIM, MODEL, "512", 1, 1000000000, "rows", "Rows in each segment."),
    CHOICE("noise", noise, SIM, MODEL, "laplace", "laplace|gaussian|student|uniform", "Family of the disturbances."),
    RANGE("scale", scale, SIM, MODEL, "0.2:3", 1e-9, 1e9,
          "The scale of each disturbance in each segment is drawn evenly from this range."),
    RANGE("mean", mean, SIM, MODEL, "0:0", -1e9, 1e9, "Likewise the mean; 0:0 leaves it at zero."),
    CHOICE("modulate", modulate, SIM, MODEL, "both", "both|cause|effect|proportional",
           "Whose disturbance changes over segments; proportional: all by the same factor."),
    INTEGER("changing", changing, SIM, MODEL, "0", 0, 1000, "variables",
            "How many disturbances change over segments, drawn at random from those of --modulate; the others keep "
            "scale 1 and mean 0. 0 means all of them."),
    FLAG("correlated", correlated, SIM, MODEL, "The scales of all disturbances grow together over segments."),
    REAL("fault", fault, SIM, MODEL, "0", 0, 1e9, "from 0, which means none, to 1e9",
         "The last segment is like the first, but for one disturbance, drawn at random, that is so many times as wide; "
         "the truth file names it."),
    CHOICE("interventions", interventions, SIM, MODEL, "none", "none|fixed|changed|mixed",
           "Half of the segments, drawn at random, intervene on one variable each: fixed draws it from outside, whatever "
           "its causes; changed gives it another mechanism. The truth file lists them."),
    TEXT("do", do_values, SIM, MODEL, "",
         "--sem node: NAME=VALUE[,NAME=VALUE...] sets variables from outside. All disturbances stay as they are without it, "
         "so the data of two runs with the same seed differ by the effects of these values alone."),
    REAL("edge-prob", edge_prob, SIM, MODEL, "-1", -1, 1, "from 0 to 1, or -1",
         "Probability of an edge between two variables; -1 means 2/(nodes-1)."),

    FLAG("cyclic", cyclic, SIM, DEVIATIONS, "The variables cause one another."),
    FLAG("independent", independent, SIM, DEVIATIONS, "No variable causes another."),
    CHOICE("confounded", confounded, SIM, DEVIATIONS, "no", "no|modulated|stationary",
           "A hidden common cause in place of an effect, one that changes over segments or one that does not. With more "
           "than two variables (--sem node) it causes two of them, which do not cause one another."),
    FLAG("changing-mechanism", changing_mechanism, SIM, DEVIATIONS, "The mechanism itself changes over segments."),

    FLAG("pattern", pattern, COM, COMPARISON,
         "Compare with the truth's pattern (CPDAG) in place of the truth: an arrow where every graph with the same "
         "independences has it, else a line. The truth must be a DAG; arrows of the estimate in place of such lines count as otherwise "
         "marked."),
    FLAG("closure", closure, COM, COMPARISON,
         "Compare with the transitive closure of the truth as well: an arrow from each node to all it causes, directly "
         "or through others."),
    TEXT("truth-column", truth_column, COM, COMPARISON, "",
         "Where TRUTH is a list of edges as CSV: only rows are edges in which this column is not 0."),
};
/* clang-format on */

const size_t option_rows = sizeof option_table / sizeof *option_table;
