/*
 * options_table.c - the one table of options.
 *
 * A row names the field of struct nonsens_options that it fills.  To add an option, add one field and one row; help,
 * man page, JSON output and bindings follow.
 */
#include "options/options_internal.h"

/* Choices are stored as int: every choice enum of options.h must have that size. */
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
            "Seed of the first repetition; the others count up from it. Reported results use seeds from 100,001."),
    INTEGER("threads", threads, ANALYSE | REP, RUN, "0", 0, 1024, "threads",
            "Number of threads, under mpirun in each process. 0 means all cores, or one if several processes of the "
            "run share a machine."),
    INTEGER("max-memory", max_memory, SIM | ANALYSE | REP, RUN, "0", 0, 1e9, "megabytes",
            "Stop with an error instead of using more memory than this; 0 means no limit."),
    REAL("time-limit", time_limit, DIS, RUN, "0", 0, 1e9, "seconds, at least 0",
         "structured: stop the search after this time and give the best graph so far, marked unfinished; 0 means no "
         "limit. How far the search gets depends on the machine."),
    REAL("alpha", alpha, ANALYSE & ~(DIS | EXP | EFF), RUN, "0.05", 1e-300, 1.0 - 1e-16, "between 0 and 1, both excluded",
         "Error level of the decision as a whole."),
    REAL("alpha", alpha, DIS, RUN, "0.05", 1e-300, 1.0 - 1e-16, "between 0 and 1, both excluded",
         "Error level of the decision as a whole; for pc, pc-nonsens and cdnod, of each test of independence."),
    REAL("alpha", alpha, EXP, RUN, "0.05", 1e-300, 1.0 - 1e-16, "between 0 and 1, both excluded",
         "A disturbance has changed if its q-value is at most this. Also the error level of the method that finds "
         "the graph; intervals have one minus this level."),
    REAL("alpha", alpha, EFF, RUN, "0.05", 1e-300, 1.0 - 1e-16, "between 0 and 1, both excluded",
         "Intervals have one minus this level. Also the error level of the method that finds the graph, and of the "
         "tests of a given graph."),
    TEXT("method", method, DIR, RUN, "structured", "The method that decides; `nonsens methods` lists them."),
    TEXT("method", method, DIS | EXP | EFF, RUN, "structured", "The method that finds the graph; `nonsens methods` lists them."),
    CHOICE("method", unmixing, ICA, RUN, "auto", UNMIXINGS,
           "How the variables are separated into sources; auto means score-matching."),
    INTEGER("max-rows", max_rows, DIR | DIS | EXP | EFF, RUN, "0", 0, 1000000000000, "rows",
            "Use a sample of this many rows if there are more, drawn evenly from all segments. 0 leaves the choice "
            "to the method: 100000 for methods that take long or need much memory, all rows for the others."),
    INTEGER("max-rows", max_rows, DIA, RUN, "0", 0, 1000000000000, "rows",
            "Segment classifiers use a sample of this many rows if there are more, drawn evenly from all segments. 0 "
            "means as many as direction uses (100000)."),
    FLAG("as-published", as_published, DIR, RUN,
         "nonsens, nonsens-lr: the method as the paper prints it. One network, trained by sgd on all rows, scores "
         "the same rows; score-matching; pooled tests of all rows; the printed ratio. Sets folds, restarts, keep, "
         "features, inputs, optimiser, learning-rate, momentum, batch, epochs, patience, unmixing, ratio, pooling, "
         "null and test-rows. Options after it override it; it overrides options before it."),
    FLAG("as-published", as_published, DIS, RUN,
         "pc-nonsens with --orient-by nonsens or nonsens-lr: edges are directed as by `nonsens direction "
         "--as-published`. Sets pooling and null, which the tests of pc-nonsens share. Options after it override it; "
         "it overrides options before it."),
    INTEGER("reps", reps, REP, RUN, "0", 0, 1000000, "data sets", "Data sets per cell; 0 means the figure's default."),
    TEXT("out", out, REP, RUN, "results",
         "Folder for the journal and the table of each figure; it is made if it does not exist."),
    TEXT("cells", cells, REP, RUN, "*",
         "Cells to run and show: patterns with * and ?, separated by commas. A cell is one setting of a figure."),
    FLAG("fine", fine, REP, RUN, "Also run and show the cells of a finer grid."),
    TEXT("data", data, REP, RUN, "data",
         "Folder with the real data that some figures need. Without the data, such a figure is skipped."),
    INTEGER("bootstrap", bootstrap, DIS, RUN, "0", 0, 100000, "samples",
            "Find the graph again in this many bootstrap samples of the rows, and report for each edge the share of "
            "samples that have it."),
    CHOICE("resample", resample, DIS, RUN, "half", "half|bootstrap",
           "How bootstrap samples are drawn: half of the rows of each segment without replacement (half), or all "
           "rows with replacement (bootstrap). With replacement rows repeat, which tests of independence mistake for "
           "dependence."),
    TEXT("journal", journal, DIS, RUN, "",
         "File that gets a line for each finished bootstrap sample, or without --bootstrap for each fit of "
         "structured. A run that was stopped goes on from it with --resume."),
    TEXT("journal", journal, DIR, RUN, "",
         "--pairs: file that gets a line for each finished pair. A run that was stopped goes on from it with "
         "--resume. Default: FILE.journal of --json FILE."),
    TEXT("journal", journal, EXP, RUN, "",
         "--of all: file that gets a line for each finished segment. A run that was stopped goes on from it with "
         "--resume. Default: FILE.journal of --json FILE."),
    TEXT("shard", shard, DIR | DIS | EXP, RUN, "",
         "I/N: run only part I of N of the pairs, bootstrap samples or segments, as one of N jobs of a scheduler, "
         "and write only the journal. `nonsens merge` joins the journals."),
    TEXT("pairs", pairs, DIR, RUN, "",
         "Decide on many pairs: all, or a file with two names per line. --json FILE gets one line per pair."),
    CHOICE("fdr", fdr, DIR, RUN, "bh", "bh|by|none",
           "--pairs: q-values that bound the share of false decisions, by Benjamini and Hochberg (bh), or by "
           "Benjamini and Yekutieli (by) for pairs that depend on one another in any way; none leaves p-values as "
           "they are."),
    CHOICE("fdr", fdr, EXP, RUN, "bh", "bh|by|none",
           "q-values over variables that bound the share of false ones among those said to have changed, by "
           "Benjamini and Hochberg (bh), or by Benjamini and Yekutieli (by) under any dependence; none leaves "
           "p-values as they are."),
    INTEGER_OR("block-length", block_length, EXP | EFF, RUN, "auto", "auto", 1000000000, "from 1 to 1000000000, or auto", "",
               "For rows that follow one another in time: blocks of this many neighbouring rows count as "
               "independent. auto takes the length from the autocorrelation of the rows; it is 1 if there is none."),
    FLAG("resume", resume, REP | DIS, RUN, "Go on with the existing journal; nothing is done twice."),
    FLAG("resume", resume, DIR, RUN,
         "--pairs: go on with the journal of a run that was stopped: --journal FILE, or FILE.journal of --json FILE."),
    FLAG("resume", resume, EXP, RUN,
         "--of all: go on with the journal of a run that was stopped: --journal FILE, or FILE.journal of --json FILE."),

    INTEGER("draws", draws, EFF, RUN, "100", 0, 100000, "bootstrap samples",
            "Bootstrap samples of the rows inside segments, in which the mechanisms are fitted again for intervals. "
            "At least 20; 0 means no intervals."),
    INTEGER("graph-uncertainty", graph_uncertainty, EFF, RUN, "0", 0, 100000, "half samples",
            "Find the graph again in this many half samples of the rows, and widen the intervals to cover the "
            "answers of these graphs. At least 20; 0 means that intervals take the graph as given."),
    INTEGER("refute", refute, EFF, RUN, "0", 0, 100000, "repetitions",
            "Try to refute the answer to --do or --change. This many times, a placebo replaces the cause, and its "
            "effect must be 0; this many times, the question is answered from a random 80 % of the rows. Each "
            "repetition takes as long as an answer without intervals, and there are twice N. At least 10; 0 means no "
            "refuters."),
    FLAG("extrapolate", extrapolate, EFF, RUN,
         "Answer even if few rows, or none, are like those asked about. Values beyond the range of the data count as "
         "its ends."),

    TEXT("do", do_values, EFF, QUESTION, "",
         "Sets variables: A=VALUE, or A=FROM:TO:STEP for a curve. Several, separated by commas, are set together."),
    TEXT("change", change, EFF, QUESTION, "",
         "Adds to variables: A=+1 or A=-2. Several, separated by commas, are changed together."),
    TEXT("on", on, EFF, QUESTION, "all",
         "The variable asked about, or several, separated by commas; all means every other variable."),
    TEXT("in", in, EFF, QUESTION, "",
         "Label of a segment: what would happen there, with the disturbances of that segment. Default: all rows, and "
         "each segment."),
    TEXT("row", row, EFF, QUESTION, "",
         "What these rows would have been: row numbers, separated by commas, or all. Row 1 is the first line below "
         "the names."),
    TEXT("rows", rows, EFF, QUESTION, "", "File with row numbers, one per line."),

    TEXT("segment", segment, ANALYSE, DATA, "",
         "Column with the segment labels, a name or #k (from 1); any text or number, used as a category only. A,B: each "
         "combination of two columns is a segment. TIME:day (week, month, hour): the segments are the days of a column "
         "with dates. Several files need none: each is a segment, called after its file."),
    TEXT("segments", segments, ANALYSE, DATA, "",
         "equal:K cuts the rows, in their order, into K blocks, which are the segments."),
    TEXT("of", of, EXP, DATA, "",
         "Label of the segment to explain; all means each segment in turn, unless a segment has this label."),
    TEXT("against", against, EXP, DATA, "",
         "Label of the segment to compare with. Default: all other segments together."),
    TEXT("graph", graph, EXP | EFF, DATA, "",
         "File with the graph, in a format that `nonsens compare` reads. Default: --method finds one."),
    FLAG("reversed", reversed, EXP | EFF, DATA,
         "The arrows of --graph point from effects to causes, as in a call graph: caller -> callee."),
    TEXT("target", target, EXP, DATA, "",
         "The variable in which the fault was seen. Only variables that can reach it in the graph count, and the "
         "answer says how much of the change of its mean each root cause accounts for."),
    INTEGER_OR("onset", onset, EXP, DATA, "1", "auto", 1000000000, "from 1 to 1000000000, or auto", "",
               "Row of the segment, in the order of the file, at which the fault begins; the rows before it show "
               "what is normal. auto finds the row from --target."),
    TEXT("vars", vars, ANALYSE, DATA, "",
         "Variables, separated by commas: names or #k (#1 is the first column). Default: all numeric columns except "
         "the segment column."),
    TEXT("exclude", exclude, ANALYSE, DATA, "", "Columns that are not variables, separated by commas: names or #k."),
    TEXT("x", x, DIR | DIA, DATA, "", "The first of the two variables: a name or #k."),
    TEXT("y", y, DIR | DIA, DATA, "", "The second of the two variables: a name or #k."),
    TEXT("x", x, IND, DATA, "",
         "The first variable: a name or #k. Several, separated by commas, are taken as a vector."),
    TEXT("y", y, IND, DATA, "",
         "The second variable: a name or #k. Several, separated by commas, are taken as a vector."),
    TEXT("given", given, IND, DATA, "",
         "Variables to condition on, separated by commas: x and y may be independent once these are known."),
    FLAG("no-header", no_header, ANALYSE, DATA, "The file has no line of names; the columns are called c1, c2, ..."),
    TEXT("knowledge", knowledge, DIS | EXP | EFF, DATA, "",
         "File with background knowledge in Tetrad's text format: tiers, forbidden and required edges."),
    TEXT("targets", targets, DIS, DATA, "",
         "CSV file with the interventions: segment,variable,kind. kind is fixed, changed, activity or unknown; the "
         "default is changed."),
    CHOICE("na", na, IND | DIA | ICA | EFF, DATA, "error", "error|drop-rows",
           "What to do about missing values (empty, NA, n/a, NULL, -, ? and the like): stop, or leave out the rows that have one."),
    CHOICE("na", na, DIR, DATA, "error", "error|drop-rows|pairwise",
           "What to do about missing values (empty, NA, n/a, NULL, -, ? and the like): stop; leave out the rows that have one; or use for each pair the rows "
           "that have both variables, as if values were missing at random."),
    CHOICE("na", na, DIS, DATA, "error", "error|drop-rows|pairwise",
           "What to do about missing values (empty, NA, n/a, NULL, -, ? and the like): stop; leave out the rows that have one; or use for each variable the "
           "rows that have it and its causes, as if values were missing at random (structured, pc)."),
    CHOICE("na", na, EXP, DATA, "pairwise", "error|drop-rows|pairwise",
           "What to do about missing values (empty, NA, n/a, NULL, -, ? and the like): stop; leave out the rows that have one; or "
           "judge each variable by the rows that have it and its causes."),
    TEXT("na-values", na_values, ANALYSE, DATA, "",
         "Further words or numbers that stand for a missing value, separated by commas, such as -999,unknown."),
    CHOICE("decimal", decimal, ANALYSE, DATA, "auto", "auto|.|,",
           "The decimal mark of the numbers. auto: a point; a comma if the separator of the cells is not one and all "
           "numbers agree."),
    TEXT("thousands", thousands, ANALYSE, DATA, "",
         "The character between groups of three digits: a point, a comma, an apostrophe, an underscore, or space."),
    FLAG("keep-all", keep_all, ANALYSE, DATA,
         "Leave nothing out. Otherwise constant columns, copies of other columns (up to rounding and scale), columns that "
         "number the rows and segments with too few rows are left out with a warning."),

    INTEGER("layers", layers, DIR, NETWORK, "3", 0, 20, "layers",
            "Hidden layers of the segment classifier; 0 makes it linear."),
    INTEGER("layers", layers, DIS, NETWORK, "3", 0, 20, "layers",
            "pc-nonsens with --orient-by nonsens or nonsens-lr: hidden layers of the segment classifier; 0 makes it "
            "linear."),
    INTEGER("width", width, DIR, NETWORK, "32", 1, 4096, "units", "Units of each hidden layer."),
    CHOICE("activation", activation, DIR, NETWORK, "leaky-relu", "leaky-relu|maxout|tanh",
           "Activation of the hidden layers."),
    CHOICE("last", last, DIR, NETWORK, "linear", "linear|abs|smooth-abs",
           "Function applied to the features before the classifier's last step."),
    CHOICE("optimiser", optimiser, DIR, NETWORK, "adam", "adam|sgd", "How the weights are trained."),
    REAL("learning-rate", learning_rate, DIR, NETWORK, "0.02", 1e-9, 10, NULL, "Step size of the optimiser."),
    REAL("momentum", momentum, DIR, NETWORK, "0.9", 0, 0.9999, NULL, "Momentum of sgd."),
    REAL("weight-decay", weight_decay, DIR, NETWORK, "0.0001", 0, 10, NULL, "Decay of the weights per step."),
    INTEGER("batch", batch, DIR, NETWORK, "256", 1, 1 << 20, "rows", "Rows per step of training."),
    INTEGER("epochs", epochs, DIR, NETWORK, "100", 1, 1000000, "epochs",
            "Largest number of passes over the training rows."),
    INTEGER("patience", patience, DIR, NETWORK, "20", 1, 1000000, "epochs",
            "Stop after this many epochs without a better cross-entropy on the held-out rows."),
    REAL("validation", validation, DIR, NETWORK, "0.1", 0.001, 0.9, NULL,
         "Share of the training rows that are held out to decide when to stop."),
    INTEGER("folds", folds, DIR, NETWORK, "10", 1, 100, "folds",
            "Every row is scored by networks trained on the other folds. 1 means by networks trained on all rows; "
            "p-values are then too small."),
    INTEGER("restarts", restarts, DIR, NETWORK, "4", 1, 1000, "networks",
            "Networks per fold, from different starts."),
    INTEGER("keep", keep, DIR, NETWORK, "0", 0, 1000, "networks",
            "Number of restarts of each fold that are averaged, those with the best held-out cross-entropy first; 0 "
            "means all."),

    CHOICE("inputs", inputs, DIR, NETWORK, "mixed", "mixed|plain|scores",
           "What the networks see: whitened values (plain), whitened values and normal scores (scores), or both "
           "kinds of network in turn (mixed)."),
    CHOICE("features", features, DIR, CLASSIFIER, "auto", "auto|spline|network",
           "What the features that distinguish segments are made of; auto means spline for structured, network for "
           "nonsens and nonsens-lr."),
    CHOICE("opinions", opinions, DIR, RUN, "graph", "graph|all|none",
           "Second opinions on the pair: graph asks the mechanisms by which structured finds graphs; all also asks "
           "resit, cdnod, lingam and icp; none leaves the decision to the classifiers of structured."),
    INTEGER("score-folds", score_folds, DIR | DIA, CLASSIFIER, "5", 3, 100, "folds",
            "structured: every row is scored by classifiers fitted to the other folds."),
    INTEGER("basis", basis, DIR | DIA, CLASSIFIER, "0", 0, 40, "functions",
            "structured: B-splines per variable, at least 6. 0 means 14 up to about 5,000 rows and up to 20 for "
            "more; for scores on held-out rows, nested cross-validation chooses between that number and four fewer."),
    REAL("undersmooth", undersmooth, DIR | DIA, CLASSIFIER, "30", 1, 1e6, NULL,
         "structured: the penalty of the tests is the one that predicts best, divided by this."),
    INTEGER_OR("block-length", block_length, DIR | DIA | DIS, CLASSIFIER, "1", "auto", 1000000000,
               "from 1 to 1000000000, or auto", "",
               "structured: for rows that follow one another in time; blocks of this many neighbouring rows count as "
               "independent. auto takes the length from the autocorrelation of the rows."),
    CHOICE("unmixing", unmixing, DIR, UNMIXING, "auto", UNMIXINGS,
           "How the learned features (linear-ica: the variables) are separated into one disturbance per variable; "
           "auto means joint-diagonalisation (linear-ica: score-matching)."),
    CHOICE("whitening", whitening, ICA, UNMIXING, "auto", "auto|within|total",
           "Covariance that whitening makes the identity: inside segments (within) or of all rows (total). auto "
           "means total for fastica and infomax, within for the others."),
    CHOICE("statistic", statistic, DIR | ICA, UNMIXING, "auto",
           "auto|log-cosh|smooth-abs|asymmetric|gaussian-base|two-statistic|three-statistic",
           "score-matching: what changes over segments in the log density of the sources; auto means the best on "
           "held-out rows (direction: log-cosh for learned features, as in the paper)."),
    REAL("sharpness", sharpness, ICA, UNMIXING, "0", 0, 1000, "from 0.1 to 1000, or 0 for automatic",
         "score-matching: how sharply the statistic turns at its centre, in units of one over the standard deviation "
         "of a source."),
    CHOICE("contrast", contrast, ICA, UNMIXING, "log-cosh", "log-cosh|exp|cube|skew", "fastica: the contrast."),
    FLAG("deflation", deflation, ICA, UNMIXING, "fastica: one source after another instead of all at once."),
    INTEGER("starts", starts, ICA, UNMIXING, "3", 1, 1000, "starts",
            "Number of starting points, of which the best result is kept; the first ones are not random."),

    CHOICE("test", test, IND, TESTS, "auto", "auto|hsic|kci|rcit|fisher-z|residuals|information|ks|levene|kruskal",
           "The test: kernel (hsic), conditional kernel (kci), random features (rcit), partial correlation "
           "(fisher-z), hsic of the residuals of Gaussian-process regression on --given (residuals), mutual "
           "information (information); or of --x against the segment: ks, levene (scale), kruskal (location). auto "
           "means hsic, or kci with --given."),
    CHOICE("test", test, DIS, TESTS, "auto", "auto|hsic|kci|rcit|fisher-z",
           "pc, pc-nonsens, cdnod: the test of conditional independence: partial correlation (fisher-z; see "
           "--knots), kernels (kci; hsic means the same) or random features (rcit). auto means fisher-z for pc and "
           "pc-nonsens, kci for cdnod."),
    CHOICE("rule", rule, DIR, TESTS, "tests", "tests|likelihood-ratio",
           "linear-ica: decide by the four tests, or by the likelihood ratio, which assumes an effect."),
    CHOICE("ratio", ratio, DIR, TESTS, "information", "information|jacobian|printed",
           "How nonsens-lr estimates its ratio: by mutual information (information), by entropies and derivatives "
           "with the fold correction (jacobian), or the latter as the paper prints it (printed)."),
    CHOICE("pooling", pooling, DIR | IND | DIS, TESTS, "stratified", "stratified|pooled",
           "Test inside each segment and add up (stratified), or test all segments together as in the paper (pooled)."),
    CHOICE("null", null_kind, DIR | IND | DIA | DIS, TESTS, "gamma", "gamma|permutation|spectral",
           "Distribution under independence: a gamma distribution with the same moments, permutations, or for many "
           "rows the sum of squares weighted by the eigenvalues of the kernels (spectral)."),
    INTEGER("permutations", permutations, DIR | IND | DIA | DIS, TESTS, "999", 1, 10000000, "permutations",
            "Number of permutations of a permutation test."),
    INTEGER_OR("block-length", block_length, IND, TESTS, "1", "auto", 1000000000, "from 1 to 1000000000, or auto", "",
               "hsic: for rows that follow one another in time; rows this far apart count as independent, and the "
               "null distribution comes from shifting y in time. auto takes the length from the autocorrelation of "
               "the rows."),
    INTEGER("test-rows", test_rows, DIR, TESTS, "0", 0, 1000000000, "rows",
            "Rows per segment that the four tests use; 0 leaves the choice to the method, 1000000000 means all."),

    CHOICE("coefficients", coefficients, DIS, BASELINES, "adaptive-lasso", "adaptive-lasso|tested|all",
           "lingam: which weights stay once the order is known: those of the adaptive lasso, those that tests of "
           "least squares confirm, or all."),
    CHOICE("regression", regression, DIR, BASELINES, "gp", "gp|polynomial",
           "reci: the regression whose errors are compared: Gaussian process (gp) or polynomial."),
    INTEGER("degree", degree, DIR, BASELINES, "3", 1, 20, "", "reci: degree of the polynomial."),
    CHOICE("invariance", invariance, DIR | DIS, BASELINES, "ks", "ks|levene-rank",
           "icp: how residuals are compared over segments: Kolmogorov-Smirnov distances (ks), or Levene's test of "
           "scale and a rank test of location (levene-rank)."),
    TEXT("target", target, DIS, BASELINES, "", "icp: find only the causes of this variable, a name or #k."),
    INTEGER("max-given", max_given, DIS, BASELINES, "3", 0, 100, "variables",
            "pc, pc-nonsens, cdnod: largest number of variables that a test conditions on; icp: largest number of "
            "causes of a variable."),
    INTEGER("knots", knots, DIS, BASELINES, "-1", -1, 100, "knots",
            "pc, pc-nonsens with fisher-z: condition on piecewise linear functions of the variables with this many "
            "knots. 0 means linear functions; -1 means 0 for pc and 4 for pc-nonsens."),
    CHOICE("colliders", colliders, DIS, BASELINES, "majority", "plain|conservative|majority",
           "pc, pc-nonsens: when a - b - c becomes a v-structure a -> b <- c: if b is not in the set that separated "
           "a and c (plain), in none of all such sets among their neighbours (conservative), or in less than half of "
           "them (majority)."),
    CHOICE("conflicts", conflicts, DIS, BASELINES, "bidirected", "bidirected|priority",
           "pc, pc-nonsens: if v-structures contradict one another, draw arrows with two heads (bidirected), or keep "
           "those whose separated ends have the largest p-value (priority)."),
    CHOICE("orient-by", orient_by, DIS, BASELINES, "structured", "structured|nonsens|nonsens-lr",
           "pc-nonsens: the method for pairs that directs the edges that the pattern leaves open."),

    CHOICE("sem", sem, SIM, MODEL, "layered", "layered|node",
           "The paper's layered mixing (layered), or one mechanism per variable, which gives a sparse graph (node)."),
    INTEGER("nodes", nodes, SIM, MODEL, "2", 2, 1000, "variables", "Number of variables."),
    INTEGER("depth", depth, SIM, MODEL, "3", 1, 100, "layers", "Layers of the mechanism; 1 is linear."),
    INTEGER("segments", sim_segments, SIM, MODEL, "10", 1, 1000000, "segments", "Number of segments."),
    INTEGER("per-segment", per_segment, SIM, MODEL, "512", 1, 1000000000, "rows", "Rows in each segment."),
    CHOICE("noise", noise, SIM, MODEL, "laplace", "laplace|gaussian|student|uniform", "Family of the disturbances."),
    RANGE("scale", scale, SIM, MODEL, "0.2:3", 1e-9, 1e9,
          "The scale of each disturbance in each segment is drawn uniformly from this range."),
    RANGE("mean", mean, SIM, MODEL, "0:0", -1e9, 1e9,
          "The mean of each disturbance in each segment is drawn uniformly from this range; 0:0 leaves it at zero."),
    CHOICE("modulate", modulate, SIM, MODEL, "both", "both|cause|effect|proportional",
           "Whose disturbance changes over segments; proportional means all, by the same factor."),
    INTEGER("changing", changing, SIM, MODEL, "0", 0, 1000, "variables",
            "Number of disturbances that change over segments, drawn at random from those of --modulate; the others "
            "keep scale 1 and mean 0. 0 means all of them."),
    FLAG("correlated", correlated, SIM, MODEL, "The scales of all disturbances grow together over segments."),
    REAL("fault", fault, SIM, MODEL, "0", 0, 1e9, "from 0, which means none, to 1e9",
         "The last segment is like the first, except that one disturbance, drawn at random, is this many times as "
         "wide; the truth file names it."),
    CHOICE("interventions", interventions, SIM, MODEL, "none", "none|fixed|changed|mixed",
           "Half of the segments, drawn at random, intervene on one variable each: fixed sets it from outside, "
           "whatever its causes; changed gives it another mechanism. The truth file lists them."),
    TEXT("do", do_values, SIM, MODEL, "",
         "--sem node: NAME=VALUE[,NAME=VALUE...] sets variables from outside. The disturbances stay the same, so two "
         "runs with the same seed differ only by the effects of these values."),
    REAL("edge-prob", edge_prob, SIM, MODEL, "-1", -1, 1, "from 0 to 1, or -1",
         "Probability of an edge between two variables; -1 means 2/(nodes-1)."),

    FLAG("cyclic", cyclic, SIM, DEVIATIONS, "The variables cause one another."),
    FLAG("independent", independent, SIM, DEVIATIONS, "No variable causes another."),
    CHOICE("confounded", confounded, SIM, DEVIATIONS, "no", "no|modulated|stationary",
           "A hidden common cause instead of an effect: one that changes over segments (modulated), or one that does "
           "not (stationary). With more than two variables (--sem node) it causes two variables that do not cause "
           "one another."),
    FLAG("changing-mechanism", changing_mechanism, SIM, DEVIATIONS, "The mechanism itself changes over segments."),

    FLAG("pattern", pattern, COM, COMPARISON,
         "Compare with the truth's pattern (CPDAG): an arrow if every graph with the same independences has it, else "
         "an edge without direction. The truth must be a DAG. Arrows of the estimate where the pattern has no "
         "direction count as otherwise marked."),
    FLAG("closure", closure, COM, COMPARISON,
         "Also compare with the transitive closure of the truth: an arrow from each node to everything it causes, "
         "directly or through others."),
    TEXT("truth-column", truth_column, COM, COMPARISON, "",
         "If TRUTH is a list of edges as CSV: only rows in which this column is not 0 are edges."),
};
/* clang-format on */

const size_t option_rows = sizeof option_table / sizeof *option_table;
