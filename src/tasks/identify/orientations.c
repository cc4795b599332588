/* orientations.c - directs one line after the other, both ways. */
#include "tasks/identify/orientations.h"

#include "graph/orient.h"

static const int64_t MAX_CHOICES = 20000; /* a search that needs more is stopped and incomplete */

nonsens_status orientations_lines(nonsens_context *ctx, arena *keep, const pdag *g, pdag_edge **line, int64_t *count)
{
    int64_t edges = pdag_edge_count(g);
    ARENA_TRY(ctx, keep, *line, edges + 1);
    pdag_to_edges(g, *line);
    *count = 0;
    for (int64_t e = 0; e < edges; e++) {
        if ((*line)[e].mark == PDAG_LINE) {
            (*line)[(*count)++] = (*line)[e];
        }
    }
    return NONSENS_OK;
}

typedef struct search {
    arena *keep, *scratch;
    const pdag_edge *line; /* (lines) */
    int64_t lines, max, choices;
    orientations *out;
} search;

static nonsens_status copy_graph(nonsens_context *ctx, arena *a, const pdag *from, pdag *to)
{
    TRY(pdag_new(ctx, a, from->d, to));
    pdag_copy(from, to);
    return NONSENS_OK;
}

/* Directs a line, and others as that implies; *done: that is possible. */
static nonsens_status direct(nonsens_context *ctx, search *s, pdag *g, int64_t from, int64_t to, bool *done)
{
    orienter o;
    if (s->out->is_relaxed) {
        *done = !pdag_would_close_cycle(g, from, to);
        pdag_set(g, from, to, PDAG_ARROW);
        return NONSENS_OK;
    }
    TRY(orient_new(ctx, s->scratch, g, NULL, &o));
    o.beyond_pattern = true;
    return orient_edge(ctx, &o, from, to, done);
}

/* Directs the lines from number `at` on. */
static nonsens_status descend(nonsens_context *ctx, search *s, const pdag *g, int64_t at)
{
    while (at < s->lines && !pdag_is_line(g, s->line[at].from, s->line[at].to)) {
        at++;
    }
    if (at == s->lines) {
        return s->out->count < s->max ? copy_graph(ctx, s->keep, g, &s->out->graph[s->out->count++])
                                      : (s->out->is_complete = false, NONSENS_OK);
    }
    for (int way = 0; way < 2 && s->out->is_complete; way++) {
        const pdag_edge *e = &s->line[at];
        pdag next;
        bool done;
        arena_mark mark = arena_tell(s->scratch);
        if (++s->choices > MAX_CHOICES) {
            s->out->is_complete = false;
            return NONSENS_OK;
        }
        TRY(check_cancelled(ctx));
        TRY(copy_graph(ctx, s->scratch, g, &next));
        TRY(direct(ctx, s, &next, way ? e->to : e->from, way ? e->from : e->to, &done));
        if (done) {
            TRY(descend(ctx, s, &next, at + 1));
        }
        arena_rewind(s->scratch, mark);
    }
    return NONSENS_OK;
}

nonsens_status orientations_list(nonsens_context *ctx, arena *keep, const pdag *g, int64_t lines, const pdag_edge *line,
                                 int64_t max, orientations *out)
{
    SCOPED_ARENA(scratch);
    search s = {.keep = keep, .scratch = &scratch, .line = line, .lines = lines, .max = max, .out = out};
    *out = (orientations){.is_complete = true};
    ARENA_TRY(ctx, keep, out->graph, max);
    TRY(descend(ctx, &s, g, 0));
    if (out->count == 0) {
        *out = (orientations){.graph = out->graph, .is_complete = true, .is_relaxed = true};
        s.choices = 0;
        TRY(descend(ctx, &s, g, 0));
    }
    return NONSENS_OK;
}
