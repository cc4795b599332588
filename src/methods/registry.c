/* registry.c - the table of methods, one row each, and its queries. */
#include "methods/registry.h"

#include "methods/additive/additive_method.h"
#include "methods/cdnod/cdnod_method.h"
#include "methods/icp/icp_method.h"
#include "methods/lingam/lingam_method.h"
#include "methods/nonsens/nonsens_method.h"
#include "methods/pc/pc_method.h"
#include "methods/structured/structured_method.h"
#include "methods/structured_graph/structured_graph_method.h"

#include <string.h>

/* ---- texts that rows share ---- */

/* No data can show whether this holds, so it comes first. */
#define GIVEN_SEGMENTS "Segments were not formed from these variables. "
#define GIVEN_SEGMENTS_IF_ANY "Segments, if there are any, were not formed from these variables. "

/* Short phrases for .assumes_briefly. */
#define SEGMENTS_GIVEN "segments were not formed from these variables; "
#define NO_HIDDEN "no hidden common cause; "
#define ROWS_INDEPENDENT "independent rows"

#define MONTI "Monti, Zhang, Hyvarinen, UAI 2019"
#define SEGMENT_MODEL                                                                                                \
    "The two disturbances are independent inside each segment, both change over at least three segments, no hidden " \
    "common cause acts on both variables, the mechanism stays the same in all segments, and rows are independent "   \
    "of one another."

#define STRUCTURED_MODEL                                                                                              \
    "Disturbances are independent inside each segment, and change over at least three segments (of a pair: at least " \
    "one); there are no cycles, no hidden common cause acts on two variables, mechanisms stay the same in all "       \
    "segments and are increasing in their disturbance, and rows (or blocks of them) are independent of one another."

#define LINEAR_MODEL                                                                                                \
    "The mechanism is linear and stays the same in all segments, the two disturbances are independent inside each " \
    "segment, not both are Gaussian unless they change differently over the segments, no hidden common cause acts " \
    "on both variables, and rows are independent of one another."

#define LINGAM_MODEL                                                                                             \
    "All mechanisms are linear, without cycles, and the same for all rows; no hidden common cause acts on two "  \
    "variables; disturbances are independent, and at most one of them is Gaussian; rows are independent of one " \
    "another."

#define ICP_MODEL                                                                                                   \
    "An effect is a function of its causes plus noise; function and noise are the same in all segments, the noise " \
    "does not depend on the causes, the causes change over the segments, no hidden common cause acts on an effect " \
    "and its causes, and rows are independent of one another. Data whose every disturbance changes over the "       \
    "segments, as structured and nonsens expect them, contradict this: no set of causes then leaves noise that "    \
    "stays the same."

#define ADDITIVE_MODEL                                                                                              \
    "An effect is a smooth function of its causes plus noise that is independent of them and the same in all "      \
    "segments; there are no cycles, no hidden common cause acts on two variables, and rows are independent of one " \
    "another."

#define CDNOD_MODEL                                                                                                \
    "The segment is a variable that nothing causes; hidden common causes, if there are any, are functions of the " \
    "segment; variables are dependent wherever the graph lets them be (faithfulness), no variable is a function "  \
    "of the others; where both ends of an edge change, their mechanisms change independently over the segments; "  \
    "and rows are independent of one another."

#define PC_MODEL                                                                                                   \
    "There are no cycles, and no hidden common cause acts on two variables; variables are dependent wherever the " \
    "graph lets them be (faithfulness), no variable is a function of the others; and rows are independent of one " \
    "another."

#define FISHER_Z_MODEL " With fisher-z, the default: all dependence shows in correlations."

#define RECI_MODEL                                                                                                    \
    "One variable causes the other: a direction is always named. The effect is a smooth function of the cause plus "  \
    "little noise, the function has nothing to do with how the cause is distributed, no hidden common cause acts on " \
    "both variables, and rows are independent of one another."

/* What a <-> b means in graphs in which v-structures imply both directions (graph/orient.h). */
#define CONTRADICTION "tests contradict one another"

/* Option keys that belong together. */
#define NETWORK_OPTIONS                                                                                            \
    "layers width activation last optimiser learning-rate momentum weight-decay batch epochs patience validation " \
    "restarts "
#define CLASSIFIER_OPTIONS "features score-folds basis undersmooth block-length "
#define DISTURBANCE_OPTIONS "as-published inputs folds keep unmixing statistic " CLASSIFIER_OPTIONS NETWORK_OPTIONS
#define HSIC_OPTIONS "null permutations "
#define PC_OPTIONS "test max-given knots colliders conflicts pooling knowledge " HSIC_OPTIONS

enum {
    PAIR = NONSENS_COMMAND_DIRECTION,
    GRAPH = NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN | NONSENS_COMMAND_EFFECT,
    MAX_ROWS = 100000 /* for methods that need a kilobyte or a millisecond per row; standard errors are small by then */
};

/* ---- the rows ---- */

static const method_server structured_server = {share_new, share_free, share_make_unit};

static const method table[] = {
    {
        .assumes_briefly =
            SEGMENTS_GIVEN NO_HIDDEN "no cycles; noise changes over segments, and mechanisms do not; " ROWS_INDEPENDENT,
        .info = {.name = "structured",
                 .citation = "nonsens, docs/structured.md, docs/many-variables.md",
                 .summary = "segment likelihood: a pair by classifiers whose features see one variable alone, many by "
                            "mechanisms that stay",
                 .assumes = GIVEN_SEGMENTS STRUCTURED_MODEL,
                 .direction_options = "opinions " CLASSIFIER_OPTIONS NETWORK_OPTIONS HSIC_OPTIONS,
                 .discover_options = "knowledge targets block-length time-limit " HSIC_OPTIONS,
                 .commands = PAIR | GRAPH,
                 .needs_segments = 1,
                 .disturbances = NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER},
        .direction = structured_direction,
        .discover = structured_discover,
        .server = &structured_server,
        .direction_memory = {.further = structured_classifier_memory},
        .discover_memory = {.per_variable = 2e6, .per_value = 190},
        .max_rows = MAX_ROWS,
        .takes_missing = true,
    },
    {
        .assumes_briefly = SEGMENTS_GIVEN NO_HIDDEN
        "the noise of both changes over segments, and the mechanism does not; " ROWS_INDEPENDENT,
        .info = {.name = "nonsens",
                 .citation = MONTI,
                 .summary = "learns the disturbances by time-contrastive learning, then four independence tests",
                 .assumes = GIVEN_SEGMENTS SEGMENT_MODEL,
                 .direction_options = DISTURBANCE_OPTIONS "pooling test-rows " HSIC_OPTIONS,
                 .commands = PAIR,
                 .needs_segments = 1,
                 .disturbances = NONSENS_COMMAND_DIRECTION},
        .direction = monti_direction,
        .direction_memory = {.fixed = 3e6, .per_row = 480},
        .max_rows = MAX_ROWS,
        .published_as = "--method nonsens",
    },
    {
        .assumes_briefly =
            "one causes the other; " SEGMENTS_GIVEN NO_HIDDEN "the mechanism stays the same; " ROWS_INDEPENDENT,
        .info = {.name = "nonsens-lr",
                 .citation = MONTI,
                 .summary = "the same disturbances, directions compared by likelihood ratio; assumes an effect",
                 .assumes = GIVEN_SEGMENTS SEGMENT_MODEL " One variable causes the other: a direction is always named.",
                 .direction_options = DISTURBANCE_OPTIONS "ratio",
                 .commands = PAIR,
                 .needs_segments = 1,
                 .disturbances = NONSENS_COMMAND_DIRECTION},
        .direction = monti_lr_direction,
        .direction_memory = {.fixed = 3e6, .per_row = 480},
        .max_rows = MAX_ROWS,
        .published_as = "--method nonsens-lr",
    },
    {
        .assumes_briefly = "a linear mechanism, the same in all segments; " SEGMENTS_GIVEN NO_HIDDEN ROWS_INDEPENDENT,
        .info = {.name = "linear-ica",
                 .citation = MONTI,
                 .summary = "the paper's linear baseline: linear ICA of the two variables, then its tests or its ratio "
                            "(--rule)",
                 .assumes = GIVEN_SEGMENTS LINEAR_MODEL,
                 .direction_options = "rule unmixing statistic ratio pooling test-rows " HSIC_OPTIONS,
                 .commands = PAIR,
                 .needs_segments = 1,
                 .disturbances = NONSENS_COMMAND_DIRECTION},
        .direction = linear_ica_direction,
        .direction_memory = {.fixed = 4e6, .per_row = 155},
    },
    {
        .assumes_briefly = "linear mechanisms; noise that is not Gaussian; no cycles; " NO_HIDDEN ROWS_INDEPENDENT,
        .info = {.name = "lingam",
                 .citation = "Shimizu et al., JMLR 12, 2011; Hyvarinen, Smith, JMLR 14, 2013",
                 .summary = "DirectLiNGAM: a pair by tests of what linear regressions leave over, many variables by "
                            "likelihood ratios",
                 .assumes = GIVEN_SEGMENTS_IF_ANY LINGAM_MODEL,
                 .direction_options = "pooling " HSIC_OPTIONS,
                 .discover_options = "coefficients pooling " HSIC_OPTIONS,
                 .commands = PAIR | GRAPH},
        .direction = lingam_direction,
        .is_opinion = true,
        .discover = lingam_discover,
        .direction_memory = {.fixed = 4e6, .per_row = 85},
        .discover_memory = {.fixed = 4e6, .per_variable = 1e6, .per_row = 40, .per_value = 10},
    },
    {
        .assumes_briefly = "additive noise, the same in all segments; no cycles; " NO_HIDDEN ROWS_INDEPENDENT,
        .info = {.name = "resit",
                 .citation = "Peters, Mooij, Janzing, Schoelkopf, JMLR 2014",
                 .summary = "Gaussian-process regression, then independence tests of what is left over",
                 .assumes = GIVEN_SEGMENTS_IF_ANY ADDITIVE_MODEL " Where a function is linear, not all is Gaussian.",
                 .direction_options = "pooling " HSIC_OPTIONS,
                 .discover_options = "pooling " HSIC_OPTIONS,
                 .commands = PAIR | GRAPH},
        .direction = resit_direction,
        .is_opinion = true,
        .discover = resit_discover,
        .direction_memory = {.fixed = 2e7, .per_row = 375},
        .discover_memory = {.fixed = 1.2e7, .per_value = 650},
    },
    {
        .assumes_briefly = "one causes the other; little noise; " NO_HIDDEN ROWS_INDEPENDENT,
        .info = {.name = "reci",
                 .citation = "Bloebaum, Janzing, Washio, Shimizu, Schoelkopf, AISTATS 2018",
                 .summary = "names the direction in which regression errs less; a rule of thumb that assumes an effect",
                 .assumes = RECI_MODEL,
                 .direction_options = "regression degree",
                 .commands = PAIR},
        .direction = reci_direction,
        .direction_memory = {.fixed = 2e7, .per_row = 355},
    },
    {
        .assumes_briefly =
            "the noise of an effect is the same in all segments; " SEGMENTS_GIVEN NO_HIDDEN ROWS_INDEPENDENT,
        .info = {.name = "icp",
                 .citation = "Heinze-Deml, Peters, Meinshausen, J. Causal Inference 6, 2018",
                 .summary = "invariant causal prediction: causes are what leaves of their effect the same noise in all "
                            "segments",
                 .assumes = GIVEN_SEGMENTS ICP_MODEL,
                 .direction_options = "invariance pooling " HSIC_OPTIONS,
                 .discover_options = "invariance target targets max-given pooling " HSIC_OPTIONS,
                 .commands = PAIR | GRAPH,
                 .needs_segments = 1},
        .direction = icp_direction,
        .is_opinion = true,
        .discover = icp_discover,
        .direction_memory = {.fixed = 1.2e7, .per_row = 520},
        .discover_memory = {.fixed = 2.5e7, .per_value = 770},
    },
    {
        .assumes_briefly = "hidden common causes are functions of the segment; faithfulness; mechanisms change "
                           "independently; " SEGMENTS_GIVEN ROWS_INDEPENDENT,
        .info = {.name = "cdnod",
                 .citation = "Huang, Zhang, Zhang, Ramsey, Sanchez-Romero, Glymour, Schoelkopf, JMLR 21, 2020",
                 .summary = "the segment as a variable: conditional independence, then independent changes of "
                            "mechanisms",
                 .assumes = GIVEN_SEGMENTS CDNOD_MODEL,
                 .direction_options = "pooling " HSIC_OPTIONS,
                 .discover_options = "test max-given pooling " HSIC_OPTIONS,
                 .commands = PAIR | GRAPH,
                 .needs_segments = 1},
        .direction = cdnod_direction,
        .is_opinion = true,
        .discover = cdnod_discover,
        .direction_memory = {.fixed = 5e6, .per_row = 2650},
        .discover_memory = {.fixed = 7e6, .per_value = 4500},
        .max_rows = MAX_ROWS,
    },
    {
        .assumes_briefly = "no cycles; " NO_HIDDEN "faithfulness; " ROWS_INDEPENDENT,
        .info = {.name = "pc",
                 .citation = "Spirtes, Glymour, Scheines, 2000; Colombo, Maathuis, JMLR 15, 2014",
                 .summary =
                     "conditional independence alone, inside segments if there are segments: directions where they "
                     "follow from it",
                 .assumes = GIVEN_SEGMENTS_IF_ANY PC_MODEL FISHER_Z_MODEL,
                 .discover_options = PC_OPTIONS,
                 .commands = GRAPH},
        .discover = pc_discover,
        .discover_memory = {.fixed = 1e6, .per_row = 110},
        .takes_missing = true,
        .bidirected_meaning = CONTRADICTION,
    },
    {
        .assumes_briefly =
            SEGMENTS_GIVEN "no cycles; " NO_HIDDEN "faithfulness; mechanisms do not change; " ROWS_INDEPENDENT,
        .info = {.name = "pc-nonsens",
                 .citation = "Monti, Zhang, Hyvarinen, UAI 2019; Spirtes, Glymour, Scheines, 2000",
                 .summary = "pc inside segments, then a method for pairs (--orient-by) for the edges that it leaves "
                            "without direction",
                 .assumes = GIVEN_SEGMENTS PC_MODEL FISHER_Z_MODEL
                 " Where pairs are compared: disturbances are independent inside each segment and change over at least "
                 "three segments, and mechanisms stay the same in all of them.",
                 .discover_options = "orient-by as-published layers targets " PC_OPTIONS,
                 .commands = GRAPH,
                 .needs_segments = 1},
        .discover = pc_nonsens_discover,
        .discover_memory = {.fixed = 2.5e7, .per_value = 450},
        .pair_option = "orient-by",
        .published_as = "--method pc-nonsens with --orient-by nonsens or nonsens-lr; name both",
        .bidirected_meaning = CONTRADICTION,
    },
};

enum { METHODS = sizeof table / sizeof *table };

/* ---- queries ---- */

size_t nonsens_method_count(void)
{
    return METHODS;
}

const method *method_at(size_t index)
{
    return index < METHODS ? &table[index] : NULL;
}

const nonsens_method_info *nonsens_method_at(size_t index)
{
    return index < METHODS ? &table[index].info : NULL;
}

const method *method_find(const char *name)
{
    for (size_t i = 0; i < METHODS; i++) {
        if (strcmp(table[i].info.name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

const nonsens_method_info *nonsens_method_find(const char *name)
{
    const method *found = name ? method_find(name) : NULL;
    return found ? &found->info : NULL;
}

const method *method_default(unsigned command)
{
    return method_find(nonsens_option_find("method", command)->default_value);
}

const method *method_for_pairs(const method *m, const nonsens_options *options)
{
    char name[OPTION_VALUE_BYTES];
    const nonsens_option_info *option =
        m->pair_option ? nonsens_option_find(m->pair_option, NONSENS_COMMAND_DISCOVER) : NULL;
    return option ? method_find(option_print(options, option, name)) : NULL;
}

bool method_uses(const method *m, unsigned command, const char *key)
{
    const char *word = command == NONSENS_COMMAND_DIRECTION ? m->info.direction_options : m->info.discover_options;
    size_t length = strlen(key), letters;
    for (; word && *word; word += letters + strspn(word + letters, " ")) {
        letters = strcspn(word, " ");
        if (letters == length && memcmp(word, key, length) == 0) {
            return true;
        }
    }
    return false;
}

int64_t method_max_rows(const method *m, const nonsens_options *options)
{
    return options->max_rows > 0 ? options->max_rows : m->max_rows;
}
