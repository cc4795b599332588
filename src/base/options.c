/*
 * options.c - the one table of options, and setting and printing them as text.
 *
 * A row names the field of struct nonsens_options that it fills.  Adding an option = one field + one row; help, man
 * page, JSON output and bindings follow.
 */
#include "base/options.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct row {
    nonsens_option_info info;
    size_t offset, bytes; /* of the field in struct nonsens_options */
} row;

/* Choices are stored as int: every choice enum of options.h has that size. */
_Static_assert(sizeof(enum sem) == sizeof(int), "choices are stored as int");

enum {
    SIM = NONSENS_CMD_SIMULATE,
    DIR = NONSENS_CMD_DIRECTION,
    IND = NONSENS_CMD_INDEPENDENCE,
    DIA = NONSENS_CMD_DIAGNOSE,
    ICA = NONSENS_CMD_ICA,
    REP = NONSENS_CMD_REPRODUCE,
    PAIR = DIR | IND | DIA,
    ANALYSE = PAIR | ICA
};

#define RUN "Run"
#define DATA "Data"
#define NETWORK "Network"
#define CLASSIFIER "Segment classifier"
#define UNMIXING "Unmixing"
#define TESTS "Tests"
#define MODEL "Model"
#define DEVIATIONS "Deviations from the model"

#define FIELD(name) offsetof(struct nonsens_options, name), sizeof(((struct nonsens_options *)0)->name)
#define INTEGER(key, field, commands, group, initial, lo, hi, unit, text)                                     \
    {                                                                                                         \
        {key, NONSENS_OPTION_INTEGER, commands, group, initial, lo, hi, NULL, NULL, unit, text}, FIELD(field) \
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
static const row table[] = {
    INTEGER("seed", seed, SIM | ANALYSE, RUN, "1", 0, 0x1p53, "",
            "Seed of every random number; the same seed gives the same result on any number of threads."),
    INTEGER("seed", seed, REP, RUN, "100001", 0, 0x1p52, "",
            "Seed of the first repetition; the others count up from it. Reported figures use seeds from 100,001."),
    INTEGER("threads", threads, ANALYSE | REP, RUN, "0", 0, 1024, "threads", "How many threads to use; 0 means all cores."),
    REAL("alpha", alpha, ANALYSE, RUN, "0.05", 1e-300, 1.0 - 1e-16, "between 0 and 1, both excluded",
         "Error level of the decision as a whole."),
    TEXT("method", method, DIR, RUN, "structured", "The method that decides; `nonsens methods` lists them."),
    CHOICE("method", unmixing, ICA, RUN, "auto", UNMIXINGS,
           "How the variables are separated into sources; auto means score-matching."),
    INTEGER("reps", reps, REP, RUN, "0", 0, 1000000, "data sets",
            "Data sets per cell; 0 means as many as the figure's default."),
    TEXT("out", out, REP, RUN, "results",
         "Folder that gets FIGURE.journal, FIGURE.csv and FIGURE.svg; it is made where it is missing."),
    TEXT("cells", cells, REP, RUN, "*",
         "Which cells to run and to show, a pattern with * and ?; a cell is one setting of a figure."),
    FLAG("resume", resume, REP, RUN, "Go on with the journal that is there, without doing anything twice."),

    TEXT("segment", segment, ANALYSE, DATA, "",
         "Column with the segment labels, a name or #k (from 1); any text or number, used as a category only."),
    TEXT("segments", segments, ANALYSE, DATA, "", "equal:K cuts the rows, in their order, into K blocks instead."),
    TEXT("vars", vars, ANALYSE, DATA, "",
         "Variables, separated by commas; left out, all numeric columns but the segment column."),
    TEXT("x", x, PAIR, DATA, "", "The first of the two variables, a name or #k."),
    TEXT("y", y, PAIR, DATA, "", "The second of the two variables, a name or #k."),
    FLAG("no-header", no_header, ANALYSE, DATA, "The file has no line of names; columns are called c1, c2, ..."),
    CHOICE("na", na, ANALYSE, DATA, "error", "error|drop-rows",
           "What to do about missing values (empty, NA, NaN, null, ?): stop, or leave out the rows that have one."),

    INTEGER("layers", layers, DIR, NETWORK, "3", 0, 20, "layers",
            "Hidden layers of the segment classifier; 0 makes it linear."),
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
    INTEGER("folds", folds, DIR, NETWORK, "10", 2, 100, "folds",
            "Every row is scored by networks trained on the other folds."),
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
    INTEGER("score-folds", score_folds, DIR | DIA, CLASSIFIER, "5", 3, 100, "folds",
            "structured: every row is scored by classifiers fitted on the other folds."),
    INTEGER("basis", basis, DIR | DIA, CLASSIFIER, "0", 0, 40, "functions",
            "structured: B-splines per variable, at least 6; 0 means 14 up to about 5,000 rows and more for more rows, "
            "up to 20, and that or four fewer, by nested cross-validation, for scores on unseen rows."),
    REAL("undersmooth", undersmooth, DIR | DIA, CLASSIFIER, "30", 1, 1e6, NULL,
         "structured: tests use the penalty that predicts best divided by this."),
    INTEGER("block-length", block_length, DIR | DIA, CLASSIFIER, "1", 1, 1000000000, "rows",
            "structured: so many neighbouring rows stay in one fold and count as one observation in standard errors; "
            "for rows that follow one another in time."),
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

    CHOICE("test", test, IND, TESTS, "hsic", "hsic", "The test of independence."),
    CHOICE("rule", rule, DIR, TESTS, "tests", "tests|likelihood-ratio",
           "linear-ica: decide by the four tests, or by the likelihood ratio, which assumes an effect."),
    CHOICE("ratio", ratio, DIR, TESTS, "information", "information|jacobian|printed",
           "How nonsens-lr estimates its ratio: by mutual information, by entropies and derivatives with the fold "
           "correction, or the latter as the paper prints it."),
    CHOICE("pooling", pooling, DIR | IND, TESTS, "stratified", "stratified|pooled",
           "Test inside each segment and add up, or throw all segments together (as in the paper)."),
    CHOICE("null", null_kind, DIR | IND | DIA, TESTS, "gamma", "gamma|permutation",
           "Distribution under independence: a gamma distribution with the same moments, or permutations."),
    INTEGER("permutations", permutations, DIR | IND | DIA, TESTS, "999", 1, 10000000, "permutations",
            "How many permutations a permutation test draws."),
    INTEGER("test-rows", test_rows, DIR, TESTS, "0", 0, 1000000000, "rows",
            "Rows per segment that enter the four tests; 0 leaves the choice to the method."),

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
    FLAG("correlated", correlated, SIM, MODEL, "The scales of all disturbances grow together over segments."),
    REAL("edge-prob", edge_prob, SIM, MODEL, "-1", -1, 1, "from 0 to 1, or -1",
         "Probability of an edge between two variables; -1 means 2/(nodes-1)."),

    FLAG("cyclic", cyclic, SIM, DEVIATIONS, "The variables cause one another."),
    FLAG("independent", independent, SIM, DEVIATIONS, "No variable causes another."),
    CHOICE("confounded", confounded, SIM, DEVIATIONS, "no", "no|modulated|stationary",
           "A hidden common cause in place of an effect, one that changes over segments or one that does not."),
    FLAG("changing-mechanism", changing_mechanism, SIM, DEVIATIONS, "The mechanism itself changes over segments."),
};
/* clang-format on */

enum { ROWS = sizeof table / sizeof *table };

/* ---- asking ---- */

size_t nonsens_option_count(void)
{
    return ROWS;
}

const nonsens_option_info *nonsens_option_at(size_t index)
{
    return index < ROWS ? &table[index].info : NULL;
}

static const row *row_find(const char *key, unsigned commands)
{
    for (size_t i = 0; i < ROWS; i++) {
        if ((table[i].info.commands & commands) && strcmp(table[i].info.key, key) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

const nonsens_option_info *nonsens_option_find(const char *key, unsigned commands)
{
    const row *found = row_find(key, commands);
    return found ? &found->info : NULL;
}

/* ---- reading values ---- */

/* Decimal digits with an optional sign and nothing else. */
static bool read_integer(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    text += negative || *text == '+';
    if (!*text) {
        return false;
    }
    int64_t sum = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, *text - '0', &sum)) {
            return false;
        }
    }
    *value = negative ? -sum : sum;
    return true;
}

static bool read_real(const char *text, const char *end, double *value)
{
    return text < end && number_parse(text, end, value) == end && isfinite(*value);
}

static bool within(const nonsens_option_info *info, double value)
{
    return value >= info->lowest && value <= info->highest;
}

static nonsens_status refuse_number(nonsens_context *ctx, const row *r, const char *value)
{
    const nonsens_option_info *info = &r->info;
    char shown[SHOWN_BYTES];
    const char *kind = info->type == NONSENS_OPTION_INTEGER ? "a whole number " : "a number ";
    if (info->type == NONSENS_OPTION_RANGE) {
        kind = "LO:HI with LO <= HI, both ";
    }
    if (info->bounds) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s %s: must be %s%s", info->key, show_bare(shown, value), kind,
                    info->bounds);
    }
    char low[NUMBER_BYTES], high[NUMBER_BYTES];
    return fail(ctx, NONSENS_ERR_USAGE, "--%s %s: must be %sfrom %s to %s", info->key, show_bare(shown, value), kind,
                number_print(low, info->lowest, 0), number_print(high, info->highest, 0));
}

static nonsens_status set_integer(nonsens_context *ctx, const row *r, void *field, const char *value)
{
    int64_t number = 0;
    if (!read_integer(value, &number) || !within(&r->info, (double)number)) {
        return refuse_number(ctx, r, value);
    }
    memcpy(field, &number, sizeof number);
    return NONSENS_OK;
}

/* Two options have a value outside their interval (-1 and 0): what lies between the two is refused here. */
static bool is_gap(const row *r, double value)
{
    return (r->offset == offsetof(struct nonsens_options, edge_prob) && value < 0.0 && value != -1.0) ||
           (r->offset == offsetof(struct nonsens_options, sharpness) && value > 0.0 && value < 0.1);
}

static nonsens_status set_real(nonsens_context *ctx, const row *r, void *field, const char *value)
{
    double number = 0.0;
    if (!read_real(value, value + strlen(value), &number) || !within(&r->info, number) || is_gap(r, number)) {
        return refuse_number(ctx, r, value);
    }
    memcpy(field, &number, sizeof number);
    return NONSENS_OK;
}

static nonsens_status set_range(nonsens_context *ctx, const row *r, void *field, const char *value)
{
    range pair = {0.0, 0.0};
    const char *colon = strchr(value, ':');
    bool ok = colon && read_real(value, colon, &pair.lo) && read_real(colon + 1, value + strlen(value), &pair.hi) &&
              within(&r->info, pair.lo) && within(&r->info, pair.hi) && pair.lo <= pair.hi;
    if (!ok) {
        return refuse_number(ctx, r, value);
    }
    memcpy(field, &pair, sizeof pair);
    return NONSENS_OK;
}

/* The index of the word in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *word)
{
    size_t length = strlen(word);
    int index = 0;
    for (const char *at = choices;; at++, index++) {
        const char *end = at + strcspn(at, "|");
        if ((size_t)(end - at) == length && memcmp(at, word, length) == 0) {
            return index;
        }
        if (!*end) {
            return -1;
        }
        at = end;
    }
}

static nonsens_status set_choice(nonsens_context *ctx, const row *r, void *field, const char *value)
{
    int index = choice_index(r->info.choices, value);
    if (index < 0) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--%s %s: must be one of %s", r->info.key, show_bare(shown, value),
                    r->info.choices);
    }
    memcpy(field, &index, sizeof index);
    return NONSENS_OK;
}

static nonsens_status set_flag(nonsens_context *ctx, const row *r, void *field, const char *value)
{
    int index = choice_index("false|true", value);
    if (index < 0) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--%s %s: must be true or false", r->info.key, show_bare(shown, value));
    }
    *(bool *)field = index == 1;
    return NONSENS_OK;
}

static nonsens_status set_text(nonsens_context *ctx, const row *r, void *field, const char *value)
{
    size_t length = strlen(value);
    if (length >= r->bytes) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s: the text has %zu bytes; at most %zu are allowed", r->info.key,
                    length, r->bytes - 1);
    }
    memcpy(field, value, length + 1);
    return NONSENS_OK;
}

static nonsens_status set_row(nonsens_context *ctx, nonsens_options *options, const row *r, const char *value)
{
    void *field = (char *)options + r->offset;
    switch (r->info.type) {
    case NONSENS_OPTION_FLAG:
        return set_flag(ctx, r, field, value);
    case NONSENS_OPTION_INTEGER:
        return set_integer(ctx, r, field, value);
    case NONSENS_OPTION_REAL:
        return set_real(ctx, r, field, value);
    case NONSENS_OPTION_CHOICE:
        return set_choice(ctx, r, field, value);
    case NONSENS_OPTION_RANGE:
        return set_range(ctx, r, field, value);
    case NONSENS_OPTION_TEXT:
        break;
    }
    return set_text(ctx, r, field, value);
}

/* ---- the options of a run ---- */

const char *option_command_name(unsigned command)
{
    static const char *const name[] = {"simulate", "direction", "independence", "diagnose", "ica", "reproduce"};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) { // in the order of the NONSENS_CMD_* bits
        if (command == 1u << k) {
            return name[k];
        }
    }
    return NULL;
}

/* Fields of other commands get their defaults too: code may read any field.  Where rows share one, its own counts. */
static nonsens_status set_defaults(nonsens_context *ctx, nonsens_options *options)
{
    for (int own = 0; own <= 1; own++) {
        for (size_t i = 0; i < ROWS; i++) {
            if (own == ((table[i].info.commands & options->command) != 0)) {
                TRY(set_row(ctx, options, &table[i], table[i].info.default_value));
            }
        }
    }
    return NONSENS_OK;
}

nonsens_status nonsens_options_new(nonsens_context *ctx, unsigned command, nonsens_options **out)
{
    *out = NULL;
    if (!option_command_name(command)) {
        return fail(ctx, NONSENS_ERR_USAGE, "options belong to exactly one command; %u is none", command);
    }
    nonsens_options *options = memory_get(1, sizeof *options);
    if (!options) {
        return fail_memory(ctx);
    }
    options->command = command;
    nonsens_status status = set_defaults(ctx, options);
    if (status != NONSENS_OK) {
        nonsens_options_free(options);
        return status;
    }
    *out = options;
    return NONSENS_OK;
}

void nonsens_options_free(nonsens_options *options)
{
    memory_release(options);
}

static nonsens_status fail_unknown(nonsens_context *ctx, const nonsens_options *options, const char *key)
{
    const char *command = option_command_name(options->command);
    char shown[SHOWN_BYTES];
    return fail(ctx, NONSENS_ERR_USAGE, "--%s is not an option of %s; `nonsens help %s` lists them",
                show_bare(shown, key), command, command);
}

nonsens_status nonsens_options_set(nonsens_context *ctx, nonsens_options *options, const char *key, const char *value)
{
    const row *r = row_find(key, options->command);
    return r ? set_row(ctx, options, r, value) : fail_unknown(ctx, options, key);
}

/* ---- options that contradict one another, or themselves ---- */

enum { LEAST_BASIS = 6 };

static nonsens_status check_training(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->keep > o->restarts) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--keep %" PRId64 " is more than --restarts %" PRId64 "; keep at most as many networks as are made",
                    o->keep, o->restarts);
    }
    if (o->basis > 0 && o->basis < LEAST_BASIS) {
        return fail(ctx, NONSENS_ERR_USAGE, "--basis %" PRId64 " is too few; take at least %d, or 0 for the default",
                    o->basis, LEAST_BASIS);
    }
    return NONSENS_OK;
}

static nonsens_status check_variables(nonsens_context *ctx, const nonsens_options *o)
{
    if (!o->x[0] != !o->y[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s is given without --%s; name both variables", o->x[0] ? "x" : "y",
                    o->x[0] ? "y" : "x");
    }
    if (o->x[0] && o->vars[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--vars cannot be combined with --x and --y; name the variables in one way or the other");
    }
    if (o->x[0] && strcmp(o->x, o->y) == 0) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--x and --y both name %s; name two different variables",
                    show_quoted(shown, o->x));
    }
    for (const char *name = o->vars; o->vars[0] && name; name = strchr(name, ','), name += name != NULL) {
        size_t blanks = strspn(name, " \t");
        if (!name[blanks] || name[blanks] == ',') {
            char shown[SHOWN_BYTES];
            return fail(ctx, NONSENS_ERR_USAGE, "--vars %s: a name is missing; write --vars a,b,c",
                        show_bare(shown, o->vars));
        }
    }
    return NONSENS_OK;
}

/* K of "equal:K", or 0 where the text is something else. */
int64_t options_blocks(const nonsens_options *options)
{
    static const char prefix[] = "equal:";
    int64_t blocks = 0;
    const char *number = options->segments + sizeof prefix - 1;
    bool ok = strncmp(options->segments, prefix, sizeof prefix - 1) == 0 && *number >= '0' && *number <= '9' &&
              read_integer(number, &blocks) && blocks <= INT32_MAX;
    return ok ? blocks : 0;
}

static nonsens_status check_segments(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->segment[0] && o->segments[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--segment and --segments cannot be combined: labels come from a column or from row order");
    }
    if (o->segments[0] && options_blocks(o) < 2) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--segments %s: write equal:K with a whole number K of at least 2",
                    show_bare(shown, o->segments));
    }
    return NONSENS_OK;
}

nonsens_status nonsens_options_check(nonsens_context *ctx, const nonsens_options *options)
{
    TRY(check_variables(ctx, options));
    TRY(check_segments(ctx, options));
    return check_training(ctx, options);
}

nonsens_status options_begin(nonsens_context *ctx, const nonsens_options *options, unsigned commands)
{
    context_begin(ctx);
    if (!(options->command & commands)) {
        return fail(ctx, NONSENS_ERR_USAGE, "the options were made for %s; make options for the command that is run",
                    option_command_name(options->command));
    }
    return check_training(ctx, options);
}

/* ---- printing ---- */

void option_print_choice(const char *choices, int index, char *buffer, size_t bytes)
{
    while (index-- > 0) {
        choices += strcspn(choices, "|") + 1;
    }
    snprintf(buffer, bytes, "%.*s", (int)strcspn(choices, "|"), choices);
}

void option_print(const nonsens_options *options, const nonsens_option_info *info, char *buffer, size_t bytes)
{
    const row *r = row_find(info->key, info->commands);
    const void *field = (const char *)options + r->offset;
    char low[NUMBER_BYTES], high[NUMBER_BYTES];
    switch (info->type) {
    case NONSENS_OPTION_FLAG:
        snprintf(buffer, bytes, "%s", *(const bool *)field ? "true" : "false");
        break;
    case NONSENS_OPTION_INTEGER:
        snprintf(buffer, bytes, "%" PRId64, *(const int64_t *)field);
        break;
    case NONSENS_OPTION_REAL:
        snprintf(buffer, bytes, "%s", number_print(low, *(const double *)field, 0));
        break;
    case NONSENS_OPTION_CHOICE:
        option_print_choice(info->choices, *(const int *)field, buffer, bytes);
        break;
    case NONSENS_OPTION_RANGE:
        snprintf(buffer, bytes, "%s:%s", number_print(low, ((const range *)field)->lo, 0),
                 number_print(high, ((const range *)field)->hi, 0));
        break;
    case NONSENS_OPTION_TEXT:
        snprintf(buffer, bytes, "%s", (const char *)field);
        break;
    }
}

nonsens_status nonsens_options_get(nonsens_context *ctx, const nonsens_options *options, const char *key, char *buffer,
                                   size_t bytes)
{
    char text[OPTION_TEXT_BYTES];
    const row *r = row_find(key, options->command);
    if (!r) {
        return fail_unknown(ctx, options, key);
    }
    option_print(options, &r->info, text, sizeof text);
    size_t needed = strlen(text) + 1;
    if (needed > bytes) {
        return fail(ctx, NONSENS_ERR_USAGE, "the value of --%s takes %zu bytes; the buffer has %zu", key, needed,
                    bytes);
    }
    memcpy(buffer, text, needed);
    return NONSENS_OK;
}
