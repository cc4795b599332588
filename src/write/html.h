/*
 * html.h - the report page: a page made beforehand (web/, embedded as report_page) with one block of JSON in it.
 *
 * The block holds the result as --json writes it, the command that gives it again, the table of options, and, where
 * the data are at hand, some of their rows (html_data.c).  Everything that is shown is made from it in the browser.
 */
#ifndef WRITE_HTML_H
#define WRITE_HTML_H

#include "data/dataset.h"
#include "write/write_internal.h"

/* The page, bytes that end where report_page_size says; made from page.html by tools/embed. */
extern const unsigned char report_page[];
extern const size_t report_page_size;

/* What a page is made of. */
typedef struct html_report {
    json_value *result;             /* as --json writes it */
    const nonsens_options *options; /* of the run */
    const nonsens_data *data;       /* what it was run on, the pair alone for a direction; NULL: not at hand */
    bool other_data;                /* they are not the data of the result */
    matrix source;                  /* (data->n, columns) disturbances or sources; v is NULL if there are none */
    char *const *source_name;       /* (source.cols) */
    const char *const *file;        /* (files) of the data, as the command names them; none: FILE stands for it */
    int64_t files;
} html_report;

/* Rows to look at, and figures of each segment from all rows.  A new reference; NULL if memory is exhausted. */
json_value *html_display(nonsens_context *ctx, arena *scratch, const html_report *r);

/* How many segments a page shows: all unless they are very many; the largest come first. */
int64_t html_segments_shown(int64_t segments, int64_t columns);

/* The command line that gives the result again, as a shell takes it; in the arena, NULL if memory is exhausted. */
char *html_command(nonsens_context *ctx, arena *a, const html_report *r, int64_t segments);

/*
 * A result from what --json wrote, checked, and the options of its run; both are for the caller to release, whatever
 * happens.
 */
nonsens_status html_parse_result(nonsens_context *ctx, const char *path, const char *bytes, size_t size,
                                 json_value **root, nonsens_options **options);

/* Writes the page.  r->result may be made smaller on the way. */
nonsens_status html_write(nonsens_context *ctx, arena *scratch, const html_report *r, const char *path);

#endif
