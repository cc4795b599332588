/* bivariate_draw.c - the three pictures of the experiments with two variables, arranged as in the paper. */
#include "reproduce/bivariate.h"
#include "reproduce/svg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LINES = 10, ROWS = 2, PANELS = ROWS * BIVARIATE_DEPTHS };

/* ---- what lies along an axis ---- */

/* Points in rising order of segments, or of rows of a segment. */
typedef struct sweep {
    int64_t count, point[BIVARIATE_POINTS];
    double x[BIVARIATE_POINTS];
} sweep;

static bool is_asked_for(const figure_units *units, int64_t point)
{
    for (int64_t k = 0; k < units->cells; k++) {
        if (bivariate_setting_of(units->cell[k]).point == point) {
            return true;
        }
    }
    return false;
}

static void add_point(sweep *s, int64_t point, int64_t x)
{
    int64_t at = s->count++;
    for (; at > 0 && s->x[at - 1] > (double)x; at--) {
        s->x[at] = s->x[at - 1];
        s->point[at] = s->point[at - 1];
    }
    s->x[at] = (double)x;
    s->point[at] = point;
}

static sweep sweep_over(const figure_units *units, bool rows)
{
    sweep s = {0};
    for (int64_t i = 0; i < BIVARIATE_POINTS; i++) {
        const bivariate_point *p = &BIVARIATE_POINT[i];
        bool lies_on_it = rows ? p->segments == BIVARIATE_POINT[0].segments : p->rows == BIVARIATE_POINT[0].rows;
        if (lies_on_it && (!p->fine || is_asked_for(units, i))) {
            add_point(&s, i, rows ? p->rows : p->segments);
        }
    }
    return s;
}

/* ---- lines ---- */

typedef struct line_style {
    const char *rule, *label;
    svg_emphasis emphasis;
} line_style;

/* Rules that may leave the question open. */
static const line_style DECIDING[] = {
    {"structured", "structured (ours)", SVG_BOLD},
    {"nonsens", "NonSENS, repaired", SVG_NORMAL},
    {"as-published", "NonSENS as published", SVG_NORMAL},
    {"true-sources", "true disturbances, same tests", SVG_DOTTED},
    {"linear-ica", "Linear-ICA NonSENS", SVG_THIN},
    {"lingam", "DirectLiNGAM", SVG_THIN},
    {"resit", "RESIT", SVG_THIN},
    {"icp", "non-linear ICP", SVG_THIN},
    {"cdnod", "CD-NOD", SVG_THIN},
};

/* Where an effect is assumed.  The paper leaves CD-NOD out here. */
static const line_style NAMING[] = {
    {"structured", "structured (ours)", SVG_BOLD},
    {"nonsens-lr", "NonSENS ratio, repaired", SVG_NORMAL},
    {"as-published-lr", "NonSENS ratio as published", SVG_NORMAL},
    {"true-sources-lr", "true disturbances, same ratio", SVG_DOTTED},
    {"linear-ica-lr", "Linear-ICA NonSENS", SVG_THIN},
    {"lingam", "DirectLiNGAM", SVG_THIN},
    {"resit", "RESIT", SVG_THIN},
    {"icp", "non-linear ICP", SVG_THIN},
    {"cdnod", "CD-NOD", SVG_THIN},
    {"reci", "RECI", SVG_THIN},
};

/* The family of the rule with this name, and its place there. */
static enum family family_of(const char *rule, int *k)
{
    *k = 0;
    for (int r = 0; r < BIVARIATE_RULES; r++) {
        if (strcmp(BIVARIATE_RULE[r].name, rule) == 0) {
            while (bivariate_rule_of(BIVARIATE_RULE[r].family, *k) != r) {
                ++*k;
            }
            return BIVARIATE_RULE[r].family;
        }
    }
    return FAMILIES; // not reached: the styles name rules
}

/* ---- a picture ---- */

typedef struct picture {
    sweep along[ROWS];
    double share[PANELS][LINES][BIVARIATE_POINTS], error[PANELS][LINES][BIVARIATE_POINTS];
    svg_series series[PANELS][LINES];
    svg_panel panel[PANELS];
    char title[BIVARIATE_DEPTHS][32];
    const char *name[LINES];
    svg_emphasis emphasis[LINES];
} picture;

/* A row of panels: its data, and what is measured. */
typedef struct row_plan {
    bool cyclic, by_rows;
} row_plan;

typedef struct plan {
    const char *title;
    const line_style *line;
    int lines;
    bivariate_measure measure;
    row_plan row[ROWS];
} plan;

static void fill_series(const figure_units *units, const plan *p, int row, int64_t depth, int line, picture *out)
{
    int panel = row * BIVARIATE_DEPTHS + (int)depth - 1, k;
    const sweep *along = &out->along[row];
    bivariate_setting s = {.cyclic = p->row[row].cyclic, .depth = depth, .family = family_of(p->line[line].rule, &k)};
    for (int64_t i = 0; i < along->count; i++) {
        int64_t reps;
        s.point = along->point[i];
        const bivariate_unit *u = bivariate_units_of(units, s, &reps);
        summary share = bivariate_share(u, reps, p->measure, k);
        out->share[panel][line][i] = share.mean;
        out->error[panel][line][i] = share.error;
    }
    out->series[panel][line] = (svg_series){along->count, along->x, out->share[panel][line], out->error[panel][line]};
}

static void fill_row(const figure_units *units, const plan *p, int row, picture *out)
{
    out->along[row] = sweep_over(units, p->row[row].by_rows);
    for (int64_t depth = 1; depth <= BIVARIATE_DEPTHS; depth++) {
        svg_panel *panel = &out->panel[row * BIVARIATE_DEPTHS + depth - 1];
        snprintf(out->title[depth - 1], sizeof out->title[depth - 1], "depth %" PRId64, depth);
        *panel = (svg_panel){.title = out->title[depth - 1], .series = out->series[row * BIVARIATE_DEPTHS + depth - 1]};
        if (p->row[row].cyclic) {
            panel->reference = (svg_reference){0.95, "95 %"};
        }
        for (int line = 0; line < p->lines; line++) {
            fill_series(units, p, row, depth, line, out);
        }
    }
}

static svg_row row_of(const plan *p, const sweep *along, int row)
{
    bool cyclic = p->row[row].cyclic, by_rows = p->row[row].by_rows;
    return (svg_row){.title = cyclic ? "No acyclic structure: share of data sets in which no direction is named"
                              : p->measure == bivariate_is_right
                                  ? "An effect exists: share of data sets in which the cause is named correctly"
                                  : "An effect is assumed: share of data sets in which the true direction is preferred",
                     .x = {.label = by_rows ? "rows per segment (10 segments)" : "segments (512 rows each)",
                           .logarithmic = by_rows,
                           .ticks = along->count,
                           .tick = along->x},
                     .y = {.label = "share", .from = 0.0, .to = 1.0}};
}

#define NOTE_REST \
    "; bars: one standard error each way. Points of one setting stand side by side, so that none hides another."

/* The fewest and the most repetitions of a cell. */
static const char *note_of(nonsens_context *ctx, arena *scratch, const figure_units *units)
{
    int64_t least = units->reps;
    for (int64_t k = 0; k < units->cells; k++) {
        least = units->reps_there[k] < least ? units->reps_there[k] : least;
    }
    return arena_format(ctx, scratch,
                        least < units->reps ? "%" PRId64 " to %" PRId64 " data sets a point" NOTE_REST
                                            : "%" PRId64 " data sets a point" NOTE_REST,
                        least, units->reps);
}

static nonsens_status draw(nonsens_context *ctx, arena *scratch, const figure_units *units, const plan *p, FILE *out)
{
    picture *shown;
    svg_row row[ROWS];
    ARENA_TRY(ctx, scratch, shown, 1);
    const char *note = note_of(ctx, scratch, units);
    if (!note) {
        return NONSENS_ERR_MEMORY;
    }
    for (int r = 0; r < ROWS; r++) {
        fill_row(units, p, r, shown);
        row[r] = row_of(p, &shown->along[r], r);
    }
    for (int line = 0; line < p->lines; line++) {
        shown->name[line] = p->line[line].label;
        shown->emphasis[line] = p->line[line].emphasis;
    }
    svg_chart chart = {.title = p->title,
                       .note = note,
                       .x = row[0].x,
                       .y = row[0].y,
                       .names = p->lines,
                       .name = shown->name,
                       .emphasis = shown->emphasis,
                       .panels = PANELS,
                       .across = BIVARIATE_DEPTHS,
                       .panel = shown->panel,
                       .row = row,
                       .panel_width = 250,
                       .panel_height = 210,
                       .dodge = 8};
    svg_write(out, &chart);
    return NONSENS_OK;
}

enum { DECIDING_LINES = sizeof DECIDING / sizeof *DECIDING, NAMING_LINES = sizeof NAMING / sizeof *NAMING };

nonsens_status bivariate_draw_segments(nonsens_context *ctx, arena *scratch, const figure_units *units, FILE *out)
{
    plan p = {"Direction of two variables against the number of segments",
              DECIDING,
              DECIDING_LINES,
              bivariate_is_right,
              {{false, false}, {true, false}}};
    return draw(ctx, scratch, units, &p, out);
}

nonsens_status bivariate_draw_rows(nonsens_context *ctx, arena *scratch, const figure_units *units, FILE *out)
{
    plan p = {"Direction of two variables against the rows of a segment",
              DECIDING,
              DECIDING_LINES,
              bivariate_is_right,
              {{false, true}, {true, true}}};
    return draw(ctx, scratch, units, &p, out);
}

nonsens_status bivariate_draw_effect(nonsens_context *ctx, arena *scratch, const figure_units *units, FILE *out)
{
    plan p = {"Direction of two variables where an effect is assumed",
              NAMING,
              NAMING_LINES,
              bivariate_is_named,
              {{false, false}, {false, true}}};
    return draw(ctx, scratch, units, &p, out);
}
