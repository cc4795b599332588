/* explain_basis.c - what the answers for all segments share: the graph, and mechanisms fitted to all rows. */
#include "pool/process_pool.h"
#include "tasks/explain/explain.h"

enum {
    MAX_OPEN = 3,
    DIVERGENCE_ROWS = 30 /* in each group; with fewer, only sizes are measured */
};

bool explain_has_rows(const result_explanation *e)
{
    return e->of_rows >= DIVERGENCE_ROWS && e->other_rows >= DIVERGENCE_ROWS;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* Returns whether values of the node or of a cause are missing. */
static bool has_gaps(const nonsens_data *data, int64_t node, int64_t causes, const int64_t *cause)
{
    for (int64_t k = -1; data->gap && k < causes; k++) {
        int64_t column = data->column_rank[k < 0 ? node : cause[k]];
        for (int64_t i = 0; i < data->n; i++) {
            if (dataset_is_gap(data, i, column)) {
                return true;
            }
        }
    }
    return false;
}

/* Adds a question: a node given its causes and those neighbours by undirected edges that the bits of `which` choose. */
static nonsens_status ask(nonsens_context *ctx, arena *a, explain_basis *b, int64_t node, int64_t causes,
                          const int64_t *cause, int64_t open, const int64_t *neighbour, unsigned which)
{
    explain_question q = {.node = node};
    int64_t at = 0;
    ARENA_TRY(ctx, a, q.cause, causes + open);
    for (int64_t j = 0, i = 0; j < b->graph.d; j++) { // in ascending order
        bool is_cause = at < causes && cause[at] == j, is_open = i < open && neighbour[i] == j;
        bool wanted = is_cause || (is_open && (which >> i & 1));
        at += is_cause;
        i += is_open;
        if (wanted) {
            q.cause[q.causes++] = j;
        }
    }
    b->node[node].too_many = b->node[node].too_many || q.causes > MECHANISM_MAX_CAUSES;
    q.fitted = q.causes <= MECHANISM_MAX_CAUSES && !has_gaps(b->data, node, q.causes, q.cause);
    ARENA_GROW(ctx, a, b->question, b->questions, b->capacity);
    b->question[b->questions++] = q;
    return NONSENS_OK;
}

static nonsens_status ask_all(nonsens_context *ctx, arena *a, explain_basis *b)
{
    int64_t d = b->graph.d, *parent, *neighbour;
    ARENA_TRY(ctx, a, b->node, d);
    ARENA_TRY(ctx, a, parent, d);
    ARENA_TRY(ctx, a, neighbour, d);
    for (int64_t j = 0; j < d; j++) {
        int64_t parents = pdag_parents(&b->graph, j, parent), open = 0;
        for (int64_t k = 0; k < d; k++) {
            if (pdag_is_line(&b->graph, j, k)) {
                neighbour[open++] = k;
            }
        }
        b->node[j].is_open = open > 0;
        b->node[j].untried = open > MAX_OPEN;
        b->node[j].complete = !has_gaps(b->data, j, 0, NULL);
        unsigned all = (1u << (open < MAX_OPEN ? open : MAX_OPEN)) - 1; // edges beyond MAX_OPEN are not tried
        for (unsigned which = 0; which <= all; which++) {
            TRY(ask(ctx, a, b, j, parents, parent, open, neighbour, which));
        }
    }
    return NONSENS_OK;
}

/* ---- the graph and the fits ------------------------------------------------------------------------------------- */

nonsens_status explain_basis_new(nonsens_context *ctx, explain_basis *b)
{
    TRY(explain_marks(ctx, &b->memory, b->data, b->found, &b->graph));
    TRY(structured_scores_new(ctx, &b->memory, b->data, b->options, NULL, &b->scores));
    b->scores.shared = process_pool_leads(ctx);
    return ask_all(ctx, &b->memory, b);
}

nonsens_status explain_basis_find(nonsens_context *ctx, explain_basis *b)
{
    if (b->found) {
        return NONSENS_OK;
    }
    TRY(result_new(ctx, b->data, b->options, "given", &b->found));
    TRY(explain_graph(ctx, &b->memory, b->data, b->given, b->found));
    return explain_basis_new(ctx, b);
}

nonsens_status explain_basis_fit(nonsens_context *ctx, explain_basis *b)
{
    if (b->fitted) {
        return NONSENS_OK;
    }
    for (int64_t i = 0; i < b->questions; i++) {
        const explain_question *q = &b->question[i];
        bool first = i == 0 || q[-1].node != q->node;
        TRY(first && b->node[q->node].complete ? scores_want(ctx, &b->scores, q->node, 0, NULL) : NONSENS_OK);
        TRY(q->fitted ? scores_want(ctx, &b->scores, q->node, q->causes, q->cause) : NONSENS_OK);
    }
    TRY(scores_settle(ctx, &b->scores, "mechanisms"));
    b->fitted = true;
    return NONSENS_OK;
}

void explain_basis_free(explain_basis *b)
{
    structured_scores_free(&b->scores);
    nonsens_result_free(b->found);
    arena_free(&b->memory);
}
