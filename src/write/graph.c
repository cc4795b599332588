/* graph.c - the table of graph formats, and the public function that chooses a writer. */
#include "write/graph.h"

#include "base/output.h"
#include "write/write_internal.h"

static const struct {
    nonsens_graph_format format;
    report_graph_fn write;
    bool as_utf8; /* false: the writer escapes all bytes itself */
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

const char *report_edge_meaning(const nonsens_result *result, int type)
{
    return type == NONSENS_EDGE_DIRECTED     ? "from causes to"
           : type == NONSENS_EDGE_UNDIRECTED ? "direction not known"
           : result->bidirected_meaning      ? result->bidirected_meaning
                                             : "hidden common cause";
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
