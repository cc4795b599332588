/*
 * html.h - writes the report page: a prebuilt page (web/, embedded as report_page) with one block of JSON in it.
 *
 * The block has the result as --json writes it, the command that reproduces it, the table of options, and, if the data
 * are available, some of their rows (html_data.c).  The browser makes everything that it shows from this block.
 */
#ifndef WRITE_HTML_H
#define WRITE_HTML_H

#include "data/dataset.h"
#include "write/write_internal.h"

/* The page (report_page_size bytes), made from page.html by tools/embed. */
extern const unsigned char report_page[];
extern const size_t report_page_size;

/* What a page is made from. */
typedef struct html_report {
    json_value *result;             /* as --json writes it */
    const nonsens_options *options; /* of the run */
    const nonsens_data *data;       /* of the run; for a direction only the pair; NULL: not available */
    const date_span *dates;         /* when the rows were recorded; NULL: not known */
    bool other_data;                /* `data` are not the data of the result */
    matrix source;                  /* (data->n, columns) disturbances or sources; v is NULL if there are none */
    char *const *source_name;       /* (source.cols) */
    const char *const *file;        /* (files) data files, as in the command; without any the command says FILE */
    int64_t files;
} html_report;

/* Makes the rows to show, and moments of each segment from all rows.  A new reference; NULL if memory runs out. */
json_value *html_display(nonsens_context *ctx, arena *scratch, const html_report *r);

/* Returns how many segments a page shows: all or, if there are very many, the first in the order of labels. */
int64_t html_segments_shown(int64_t segments, int64_t columns);

/* Returns the shell command that reproduces the result; memory is in the arena, NULL if it runs out. */
char *html_command(nonsens_context *ctx, arena *a, const html_report *r, int64_t segments);

/* Fails with a sentence that says what is wrong with the file of a result. */
nonsens_status html_fail_result(nonsens_context *ctx, const char *path, const char *what);

/* Fails unless the document is a result with everything that a page shows. */
nonsens_status html_check_result(nonsens_context *ctx, const char *path, const json_value *root);

/*
 * Removes from a result of `effect` what a page does not show: pairs without a path, and items beyond its limits.
 * Returns how many items beyond the limits it removed from each list, null for other results; a new reference.
 */
json_value *html_thin_effects(json_value *result);

/*
 * Parses and checks a result that --json wrote, and the options of its run.  The caller releases both, even after a
 * failure.
 */
nonsens_status html_parse_result(nonsens_context *ctx, const char *path, const char *bytes, size_t size,
                                 json_value **root, nonsens_options **options);

/* Writes the page; may remove parts of r->result. */
nonsens_status html_write(nonsens_context *ctx, arena *scratch, const html_report *r, const char *path);

#endif
