/* graph.c - the table of graph formats, and the public function that chooses a writer. */
#include "write/graph.h"

#include "base/output.h"
#include "write/write_internal.h"

static const struct {
    nonsens_graph_format format;
    report_graph_fn write;
    bool as_utf8; /* the writer gets names as UTF-8; false: it escapes bytes itself */
} formats[] = {
    {NONSENS_GRAPH_DOT, report_dot, false},
    {NONSENS_GRAPH_CSV, report_graph_csv, true},
    {NONSENS_GRAPH_TETRAD, report_tetrad, true},
    {NONSENS_GRAPH_GRAPHML, report_graphml, true},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *report_edge_mark(int type)
{
    return type == NONSENS_EDGE_DIRECTED ? "-->" : type == NONSENS_EDGE_UNDIRECTED ? "---" : "<->";
}

const char *report_directed_by(nonsens_directed_by by)
{
    static const char *const word[] = {[NONSENS_DIRECTED_BY_KNOWLEDGE] = "knowledge",
                                       [NONSENS_DIRECTED_BY_CHANGES] = "changes",
                                       [NONSENS_DIRECTED_BY_V_STRUCTURE] = "v-structure",
                                       [NONSENS_DIRECTED_BY_RULES] = "rules",
                                       [NONSENS_DIRECTED_BY_LIKELIHOOD] = "likelihood"};
    return word[by];
}

const char *report_edge_meaning(const nonsens_result *result, int type)
{
    return type == NONSENS_EDGE_DIRECTED     ? "from causes to"
           : type == NONSENS_EDGE_UNDIRECTED ? "direction not known"
           : result->bidirected_meaning      ? result->bidirected_meaning
                                             : "hidden common cause";
}

bool report_has_edge(const nonsens_result *result, int type)
{
    for (int64_t i = 0; i < result->edges; i++) {
        if ((int)result->edge[i].type == type) {
            return true;
        }
    }
    return false;
}

bool report_is_marked(const nonsens_edge *edge)
{
    return edge->confounded && edge->type != NONSENS_EDGE_BIDIRECTED;
}

bool report_has_marked_edge(const nonsens_result *result)
{
    for (int64_t i = 0; i < result->edges; i++) {
        if (report_is_marked(&result->edge[i])) {
            return true;
        }
    }
    return false;
}

nonsens_status nonsens_result_write_graph(nonsens_context *ctx, const nonsens_result *result,
                                          nonsens_graph_format format, const char *path)
{
    NEEDED(ctx, result, path);
    SCOPED_ARENA(scratch);
    char **names;
    output *out;
    size_t k = 0;
    if (!result->is_graph) {
        return fail(ctx, NONSENS_ERR_USAGE, "only discover has a graph to write");
    }
    while (k < FORMATS && formats[k].format != format) {
        k++;
    }
    if (k == FORMATS) {
        return fail(ctx, NONSENS_ERR_USAGE, "there is no graph format %d; give one of nonsens_graph_format",
                    (int)format);
    }
    ARENA_TRY(ctx, &scratch, names, result->variables);
    for (int64_t j = 0; j < result->variables && formats[k].as_utf8; j++) {
        names[j] = report_utf8(ctx, &scratch, result->names[j]);
        TRY(names[j] ? NONSENS_OK : NONSENS_ERR_MEMORY);
    }
    TRY(output_open(ctx, path, &out));
    formats[k].write(output_stream(out), result, formats[k].as_utf8 ? names : result->names);
    return output_close(ctx, out);
}
