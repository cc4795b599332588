/* registry.c - the table of methods.  Adding a method = one file + one line here. */
#include "methods/shared/method.h"

#include <string.h>

#define MONTI "Monti, Zhang, Hyvarinen, UAI 2019"
#define SEGMENT_MODEL                                                                                                \
    "The two disturbances are independent inside each segment, both change over at least three segments, no hidden " \
    "common cause acts on both variables, the mechanism stays the same in all segments, and rows are independent "   \
    "of one another."

#define STRUCTURED_MODEL                                                                                              \
    "Disturbances are independent inside each segment, and change over at least three segments (of a pair: at least "  \
    "one); there are no cycles, no hidden common cause acts on two variables, mechanisms stay the same in all "        \
    "segments and are increasing in their disturbance, and rows (or blocks of them) are independent of one another."

#define LINEAR_MODEL                                                                                                 \
    "The mechanism is linear and stays the same in all segments, the two disturbances are independent inside each "  \
    "segment, not both are Gaussian unless they change differently over the segments, no hidden common cause acts "  \
    "on both variables, and rows are independent of one another."

#define LINGAM_MODEL                                                                                                 \
    "All mechanisms are linear, without cycles, and the same for all rows; no hidden common cause acts on two "       \
    "variables; disturbances are independent, and at most one of them is Gaussian; rows are independent of one "      \
    "another."

#define ICP_MODEL                                                                                                    \
    "An effect is a function of its causes plus noise; function and noise are the same in all segments, the noise "  \
    "does not depend on the causes, the causes change over the segments, no hidden common cause acts on an effect "  \
    "and its causes, and rows are independent of one another. Data whose every disturbance changes over the "        \
    "segments, as structured and nonsens expect them, contradict this: no set of causes then leaves noise that "     \
    "stays the same."

#define ADDITIVE_MODEL                                                                                                \
    "An effect is a smooth function of its causes plus noise that is independent of them and the same in all "         \
    "segments; there are no cycles, no hidden common cause acts on two variables, and rows are independent of one "    \
    "another."

#define CDNOD_MODEL                                                                                                     \
    "The segment is a variable that nothing causes; hidden common causes, if there are any, are functions of the "       \
    "segment; variables are dependent wherever the graph lets them be (faithfulness), no variable is a function of the " \
    "others; where both ends of an edge change, their mechanisms change independently over the segments; and rows are " \
    "independent of one another."

#define PC_MODEL                                                                                                      \
    "There are no cycles, and no hidden common cause acts on two variables; variables are dependent wherever the graph " \
    "lets them be (faithfulness), no variable is a function of the others; and rows are independent of one another."

/* Of methods that take a kilobyte and more, or a millisecond, per row; their standard errors are then far below what matters. */
enum { MOST_ROWS = 100000 };

/* What an arrow with two heads is where v-structures want both directions (graph/orient.h). */
#define CONTRADICTION "tests contradict one another"

static const method table[] = {
    {{"structured", "nonsens, docs/structured.md, docs/many-variables.md",
      "segment likelihood: a pair by classifiers whose features see one variable alone, many by mechanisms that stay",
      STRUCTURED_MODEL, 1, 1, 1, NONSENS_CMD_DIRECTION | NONSENS_CMD_DISCOVER},
     .direction = structured_direction, .discover = structured_discover, .most_rows = MOST_ROWS, .uses_knowledge = true},
    {{"nonsens", MONTI, "learns the disturbances by time-contrastive learning, then four independence tests",
      SEGMENT_MODEL, 1, 0, 1, NONSENS_CMD_DIRECTION},
     .direction = monti_direction, .most_rows = MOST_ROWS},
    {{"nonsens-lr", MONTI, "the same disturbances, directions compared by likelihood ratio; assumes an effect",
      SEGMENT_MODEL " One variable causes the other: a direction is always named.", 1, 0, 1, NONSENS_CMD_DIRECTION},
     .direction = monti_lr_direction, .most_rows = MOST_ROWS},
    {{"linear-ica", MONTI,
      "the paper's linear baseline: linear ICA of the two variables, then its tests or its ratio (--rule)",
      LINEAR_MODEL, 1, 0, 1, NONSENS_CMD_DIRECTION},
     .direction = linear_ica_direction},
    {{"lingam", "Shimizu et al., JMLR 12, 2011; Hyvarinen, Smith, JMLR 14, 2013",
      "DirectLiNGAM: a pair by tests of what linear regressions leave over, many variables by likelihood ratios",
      LINGAM_MODEL, 1, 1, 0, 0},
     .direction = lingam_direction, .discover = lingam_discover},
    {{"resit", "Peters, Mooij, Janzing, Schoelkopf, JMLR 2014",
      "Gaussian-process regression, then independence tests of what is left over",
      ADDITIVE_MODEL " Where a function is linear, not all is Gaussian.", 1, 1, 0, 0},
     .direction = resit_direction, .discover = resit_discover},
    {{"reci", "Bloebaum, Janzing, Washio, Shimizu, Schoelkopf, AISTATS 2018",
      "names the direction in which regression errs less; a rule of thumb that assumes an effect",
      "One variable causes the other: a direction is always named. The effect is a smooth function of the cause plus "
      "little noise, the function has nothing to do with how the cause is distributed, no hidden common cause acts on "
      "both variables, and rows are independent of one another.",
      1, 0, 0, 0},
     .direction = reci_direction},
    {{"icp", "Heinze-Deml, Peters, Meinshausen, J. Causal Inference 6, 2018",
      "invariant causal prediction: causes are what leaves of their effect the same noise in all segments",
      ICP_MODEL, 1, 1, 1, 0},
     .direction = icp_direction, .discover = icp_discover},
    {{"cdnod", "Huang, Zhang, Zhang, Ramsey, Sanchez-Romero, Glymour, Schoelkopf, JMLR 21, 2020",
      "the segment as a variable: conditional independence, then independent changes of mechanisms", CDNOD_MODEL, 1, 1, 1, 0},
     .direction = cdnod_direction, .discover = cdnod_discover, .most_rows = MOST_ROWS},
    {{"pc", "Spirtes, Glymour, Scheines, 2000; Colombo, Maathuis, JMLR 15, 2014",
      "conditional independence alone, inside segments where there are any: directions where they follow from it",
      PC_MODEL " With fisher-z, the default: all dependence shows in correlations.", 0, 1, 0, 0},
     .discover = pc_discover, .uses_knowledge = true, .two_heads = CONTRADICTION},
    {{"pc-nonsens", "Monti, Zhang, Hyvarinen, UAI 2019; Spirtes, Glymour, Scheines, 2000",
      "pc inside segments, then a method for pairs (--orient-by) for the edges that it leaves without direction",
      PC_MODEL " With fisher-z, the default: all dependence shows in correlations. Where pairs are compared: "
      "disturbances are independent inside each segment and change over at least three segments, and mechanisms stay "
      "the same in all of them.",
      0, 1, 1, 0},
     .discover = pc_nonsens_discover, .uses_knowledge = true, .two_heads = CONTRADICTION},
};

enum { METHODS = sizeof table / sizeof *table };

size_t nonsens_method_count(void)
{
    return METHODS;
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

int64_t method_most_rows(const method *m, const nonsens_options *options)
{
    return options->most_rows > 0 ? options->most_rows : m->most_rows;
}
