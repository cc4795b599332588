/* text_next.c - prints what to do next, and where to find details. */
#include "write/graph.h"
#include "write/text.h"

/* Returns what to do next with a graph: first decide what is open, then see how sure it is, then use it. */
static const char *after_graph(const nonsens_result *r)
{
    if (r->unfinished) {
        return "Next: a longer --time-limit lets the search go on.";
    }
    if (r->edges == 0) {
        return NULL;
    }
    if (report_has_edge(r, NONSENS_EDGE_UNDIRECTED)) {
        return "Next: --knowledge FILE says what you know, and may settle open directions.";
    }
    if (r->bootstrap.replicates == 0) {
        return "Next: --bootstrap 100 shows how stable each edge is; `nonsens effect` says what would happen if a "
               "variable were set.";
    }
    return "Next: `nonsens effect` says what would happen if a variable were set; `nonsens explain` what changed in a "
           "segment.";
}

static const char *after_diagnosis(const nonsens_result *r)
{
    for (int64_t i = 0; i < r->notes; i++) {
        if (r->note[i].level == NONSENS_NOTE_PROBLEM) {
            return NULL;
        }
    }
    return r->variables == 2  ? "Next: `nonsens direction` names the cause."
           : r->variables > 2 ? "Next: `nonsens discover` finds the graph; `nonsens direction --x A --y B` looks at a "
                                "pair."
                              : NULL;
}

void text_print_next(FILE *f, const nonsens_result *r)
{
    unsigned command = r->options.command;
    const char *next = command == NONSENS_COMMAND_DISCOVER   ? after_graph(r)
                       : command == NONSENS_COMMAND_DIAGNOSE ? after_diagnosis(r)
                                                             : NULL;
    bool has_page = command & (NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN |
                               NONSENS_COMMAND_EFFECT);
    if (next) {
        text_print_words(f, next, 0, 2);
    }
    fprintf(f, "More: --verbose, %s\n", has_page ? "--html report.html" : "--json result.json");
}
