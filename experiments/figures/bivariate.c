/*
 * bivariate.c - the experiments with two variables of Monti, Zhang, Hyvarinen (UAI 2019) and their supplement: how
 * often methods find the cause, against the number of segments and the rows of each, for mechanisms of depths 1 to 5,
 * and whether they stay undecided if the two variables cause one another.
 *
 * The paper's three figures are pictures of one table and share their fits.
 */
#include "figures/bivariate.h"

#include "base/number.h"
#include "harness/table.h"

#include <inttypes.h>
#include <math.h>

/* ---- settings ---- */

const bivariate_point BIVARIATE_POINT[BIVARIATE_POINTS] = {
    {10, 512, false}, {30, 512, false}, {50, 512, false}, {10, 128, false}, {10, 2048, false},
    {20, 512, true},  {40, 512, true},  {10, 256, true},  {10, 1024, true},
};

static const char *const FAMILY_NAME[FAMILIES] = {
    [FAMILY_STRUCTURED] = "structured",
    [FAMILY_NONSENS] = "nonsens",
    [FAMILY_PUBLISHED] = "as-published",
    [FAMILY_TRUE_SOURCES] = "true-sources",
    [FAMILY_LINEAR_ICA] = "linear-ica",
    [FAMILY_LINGAM] = "lingam",
    [FAMILY_RESIT] = "resit",
    [FAMILY_ICP] = "icp",
    [FAMILY_CDNOD] = "cdnod",
    [FAMILY_RECI] = "reci",
};

/* For each depth and point: all families on causal data, then all but the last on cyclic data. */
enum { CELLS_OF_POINT = 2 * FAMILIES - 1 };

bivariate_setting bivariate_setting_of(int64_t cell)
{
    int64_t which = cell % CELLS_OF_POINT, place = cell / CELLS_OF_POINT;
    return (bivariate_setting){.cyclic = which >= FAMILIES,
                               .depth = 1 + place / BIVARIATE_POINTS,
                               .point = place % BIVARIATE_POINTS,
                               .family = (enum bivariate_family)(which % FAMILIES)};
}

static int64_t cell_of(bivariate_setting s)
{
    int64_t place = (s.depth - 1) * BIVARIATE_POINTS + s.point;
    return place * CELLS_OF_POINT + (s.cyclic ? FAMILIES : 0) + (int64_t)s.family;
}

static const char *structure_of(bivariate_setting s)
{
    return s.cyclic ? "cyclic" : "causal";
}

void bivariate_cell_name(int64_t cell, char name[CELL_NAME_BYTES])
{
    bivariate_setting s = bivariate_setting_of(cell);
    const bivariate_point *p = &BIVARIATE_POINT[s.point];
    snprintf(name, CELL_NAME_BYTES, "%s-depth%" PRId64 "-e%" PRId64 "-n%" PRId64 "-%s", structure_of(s), s.depth,
             p->segments, p->rows, FAMILY_NAME[s.family]);
}

static bool is_fine(int64_t cell)
{
    return BIVARIATE_POINT[bivariate_setting_of(cell).point].fine;
}

/* Returns a number to be raised when the results of a family's method change in a cell. */
static int cell_revision(int64_t cell)
{
    enum { MANY_ROWS = 10000 };
    static const int revision[FAMILIES] = {[FAMILY_STRUCTURED] = 1};
    static const int with_many_rows[FAMILIES] = {[FAMILY_STRUCTURED] = 1, [FAMILY_NONSENS] = 1};
    bivariate_setting s = bivariate_setting_of(cell);
    const bivariate_point *p = &BIVARIATE_POINT[s.point];
    return (p->segments * p->rows > MANY_ROWS ? with_many_rows : revision)[s.family];
}

/* ---- rules ---- */

const bivariate_rule BIVARIATE_RULE[BIVARIATE_RULES] = {
    {"structured", FAMILY_STRUCTURED, true, true},
    {"nonsens", FAMILY_NONSENS, true, true},
    {"nonsens-lr", FAMILY_NONSENS, false, true},
    {"as-published", FAMILY_PUBLISHED, true, true},
    {"as-published-lr", FAMILY_PUBLISHED, false, true},
    {"true-sources", FAMILY_TRUE_SOURCES, true, true},
    {"true-sources-lr", FAMILY_TRUE_SOURCES, false, true},
    {"true-sources-pooled", FAMILY_TRUE_SOURCES, true, true},
    {"linear-ica", FAMILY_LINEAR_ICA, true, true},
    {"linear-ica-lr", FAMILY_LINEAR_ICA, false, true},
    {"lingam", FAMILY_LINGAM, true, true},
    {"resit", FAMILY_RESIT, true, true},
    {"icp", FAMILY_ICP, true, true},
    {"cdnod", FAMILY_CDNOD, true, true},
    {"reci", FAMILY_RECI, false, true},
};

int bivariate_rule_of(enum bivariate_family family, int k)
{
    for (int r = 0; r < BIVARIATE_RULES; r++) {
        if (BIVARIATE_RULE[r].family == family && k-- == 0) {
            return r;
        }
    }
    return -1;
}

/* ---- shares ---- */

static bool is_open(enum result_decision decision)
{
    return decision == DECISION_INCONCLUSIVE || decision == DECISION_NEITHER;
}

bool bivariate_is_correct(const bivariate_unit *u, int k)
{
    enum result_decision decided = u->answer[k].decided;
    return !u->failed && (u->truth == CAUSE_NONE    ? is_open(decided)
                          : u->truth == CAUSE_FIRST ? decided == DECISION_FIRST_CAUSES
                                                    : decided == DECISION_SECOND_CAUSES);
}

bool bivariate_is_wrong(const bivariate_unit *u, int k)
{
    return !u->failed && !is_open(u->answer[k].decided) && !bivariate_is_correct(u, k);
}

bool bivariate_better_is_true(const bivariate_unit *u, int k)
{
    return !u->failed && u->truth != CAUSE_NONE && u->answer[k].better == u->truth;
}

const bivariate_unit *bivariate_units_of(const study_units *units, bivariate_setting setting, int64_t *reps)
{
    int64_t wanted = cell_of(setting);
    for (int64_t k = 0; k < units->cells; k++) {
        if (units->cell[k] == wanted) {
            *reps = units->reps_done[k];
            return (const bivariate_unit *)units->unit + k * units->reps;
        }
    }
    *reps = 0;
    return NULL;
}

summary bivariate_share(const bivariate_unit *u, int64_t reps, bivariate_measure measure, int k)
{
    int64_t successes = 0;
    for (int64_t i = 0; i < reps; i++) {
        successes += measure(&u[i], k);
    }
    return summary_of_share(reps, successes);
}

/* ---- the table ---- */

static int64_t count_failed(const bivariate_unit *u, int64_t reps)
{
    int64_t failed = 0;
    for (int64_t i = 0; i < reps; i++) {
        failed += u[i].failed;
    }
    return failed;
}

/* Writes a share, or empty cells if the rule does not have it. */
static void write_share(table *t, bool said, summary s)
{
    enum { DIGITS = 6 };
    table_summary(t, said ? s : (summary){0, NAN, NAN}, DIGITS);
}

static void write_csv_row(table *t, bivariate_setting s, int k, const bivariate_unit *u, int64_t reps)
{
    const bivariate_rule *rule = &BIVARIATE_RULE[bivariate_rule_of(s.family, k)];
    const bivariate_point *p = &BIVARIATE_POINT[s.point];
    if (s.cyclic && !rule->decides) {
        return;
    }
    table_text(t, structure_of(s));
    table_whole(t, s.depth);
    table_whole(t, p->segments);
    table_whole(t, p->rows);
    table_text(t, rule->name);
    table_whole(t, reps);
    write_share(t, rule->decides, bivariate_share(u, reps, bivariate_is_correct, k));
    write_share(t, rule->decides, bivariate_share(u, reps, bivariate_is_wrong, k));
    write_share(t, rule->has_better && !s.cyclic, bivariate_share(u, reps, bivariate_better_is_true, k));
    table_whole(t, count_failed(u, reps));
    table_end_row(t);
}

static nonsens_status write_csv(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    (void)ctx;
    (void)scratch;
    table t = {.out = out};
    table_text(&t, "structure,depth,segments,rows_per_segment,rule,reps,right,right_se,wrong,wrong_se,named,named_se,"
                   "failed");
    table_end_row(&t);
    for (int64_t c = 0; c < units->cells; c++) {
        bivariate_setting s = bivariate_setting_of(units->cell[c]);
        const bivariate_unit *u = (const bivariate_unit *)units->unit + c * units->reps;
        for (int k = 0; bivariate_rule_of(s.family, k) >= 0; k++) {
            write_csv_row(&t, s, k, u, units->reps_done[c]);
        }
    }
    return NONSENS_OK;
}

/* ---- the text: cells in which `structured` is not the best ---- */

static const char *measure_name(bivariate_measure measure)
{
    return measure == bivariate_is_correct ? "right" : "named";
}

/* Measures how far rule k of the setting's family is ahead of structured, by differences on the same data. */
static summary lead_of(const study_units *units, bivariate_setting s, int k, bivariate_measure measure)
{
    bivariate_setting ours = s;
    int64_t reps, our_reps, gained = 0, lost = 0;
    ours.family = FAMILY_STRUCTURED;
    const bivariate_unit *theirs = bivariate_units_of(units, s, &reps),
                         *own = bivariate_units_of(units, ours, &our_reps);
    reps = reps < our_reps ? reps : our_reps;
    for (int64_t i = 0; i < reps; i++) {
        bool theirs_succeeds = measure(&theirs[i], k), own_succeeds = measure(&own[i], 0);
        gained += theirs_succeeds && !own_succeeds;
        lost += own_succeeds && !theirs_succeeds;
    }
    return summary_of_share_difference(reps, gained, lost);
}

typedef struct comparisons {
    int64_t made, ahead;
} comparisons;

static void compare(const study_units *units, bivariate_setting s, int k, bivariate_measure measure, comparisons *c,
                    FILE *out)
{
    enum { DIGITS = 3 };
    char name[CELL_NAME_BYTES], mean[NUMBER_BYTES], error[NUMBER_BYTES];
    summary lead = lead_of(units, s, k, measure);
    c->made += lead.count >= SUMMARY_MIN_COMPARED;
    if (summary_is_positive(lead)) {
        c->ahead++;
        bivariate_cell_name(cell_of(s), name);
        fprintf(out, "bivariate %s: %s is ahead of structured in %s by %s, standard error %s\n", name,
                BIVARIATE_RULE[bivariate_rule_of(s.family, k)].name, measure_name(measure),
                number_print(mean, lead.mean, DIGITS), number_print(error, lead.error, DIGITS));
    }
}

static void compare_cell(const study_units *units, bivariate_setting s, comparisons *c, FILE *out)
{
    for (int k = 0; bivariate_rule_of(s.family, k) >= 0; k++) {
        const bivariate_rule *rule = &BIVARIATE_RULE[bivariate_rule_of(s.family, k)];
        if (rule->decides) {
            compare(units, s, k, bivariate_is_correct, c, out);
        }
        if (rule->has_better && !s.cyclic) {
            compare(units, s, k, bivariate_better_is_true, c, out);
        }
    }
}

/* Returns the share as text, or "-" if the rule does not have it. */
static const char *show_share(char text[NUMBER_BYTES], bool said, const bivariate_unit *u, int64_t reps,
                              bivariate_measure measure, int k)
{
    enum { DIGITS = 3 };
    return said ? number_print(text, bivariate_share(u, reps, measure, k).mean, DIGITS) : "-";
}

static void write_text_row(const study_units *units, int64_t c, int k, FILE *out)
{
    bivariate_setting s = bivariate_setting_of(units->cell[c]);
    const bivariate_rule *rule = &BIVARIATE_RULE[bivariate_rule_of(s.family, k)];
    const bivariate_unit *u = (const bivariate_unit *)units->unit + c * units->reps;
    int64_t reps = units->reps_done[c];
    char name[CELL_NAME_BYTES], number[3][NUMBER_BYTES];
    if (s.cyclic && !rule->decides) {
        return;
    }
    bivariate_cell_name(units->cell[c], name);
    fprintf(out, "bivariate %s %s reps=%" PRId64 " right=%s wrong=%s named=%s failed=%" PRId64 "\n", name, rule->name,
            reps, show_share(number[0], rule->decides, u, reps, bivariate_is_correct, k),
            show_share(number[1], rule->decides, u, reps, bivariate_is_wrong, k),
            show_share(number[2], rule->has_better && !s.cyclic, u, reps, bivariate_better_is_true, k),
            count_failed(u, reps));
}

static nonsens_status write_text(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    (void)ctx;
    (void)scratch;
    comparisons count = {0, 0};
    for (int64_t c = 0; c < units->cells; c++) {
        enum bivariate_family family = bivariate_setting_of(units->cell[c]).family;
        for (int k = 0; bivariate_rule_of(family, k) >= 0; k++) {
            write_text_row(units, c, k, out);
        }
    }
    for (int64_t c = 0; c < units->cells; c++) {
        bivariate_setting s = bivariate_setting_of(units->cell[c]);
        if (s.family != FAMILY_STRUCTURED && s.family != FAMILY_TRUE_SOURCES) {
            compare_cell(units, s, &count, out);
        }
    }
    if (count.made > 0) {
        fprintf(out,
                "bivariate: in %" PRId64 " of %" PRId64
                " comparisons another rule is ahead of structured by more than two standard errors\n",
                count.ahead, count.made);
    }
    return NONSENS_OK;
}

const figure FIGURE_BIVARIATE = {
    .study = {.name = "bivariate",
              .cells = BIVARIATE_CELLS,
              .reps = 20,
              .revision = 1,
              .cell_revision = cell_revision,
              .is_fine = is_fine,
              .cell_name = bivariate_cell_name,
              .run = bivariate_run,
              .unit_bytes = sizeof(bivariate_unit),
              .read = bivariate_read},
    .summary = "which of two variables is the cause, all methods, three pictures",
    .write_csv = write_csv,
    .write_text = write_text,
};
