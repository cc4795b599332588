/*
 * html.h - writes the report page: a prebuilt page (web/, embedded as report_page) with one block of JSON in it.
 *
 * The block holds the result as --json writes it, the command that gives it again, the table of options, and, if the
 * data are at hand, some of their rows (html_data.c).  The browser makes everything that is shown from this block.
 */
#ifndef WRITE_HTML_H
#define WRITE_HTML_H

#include "data/dataset.h"
#include "write/write_internal.h"

/* The page (report_page_size bytes), made from page.html by tools/embed. */
extern const unsigned char report_page[];
extern const size_t report_page_size;

/* What a page is made of. */
typedef struct html_report {
    json_value *result;             /* as --json writes it */
    const nonsens_options *options; /* of the run */
    const nonsens_data *data;       /* of the run; for a direction the pair alone; NULL: not at hand */
    const date_span *dates;         /* when the rows were recorded; NULL: not at hand */
    bool other_data;                /* `data` are not the data of the result */
    matrix source;                  /* (data->n, columns) disturbances or sources; v is NULL if there are none */
    char *const *source_name;       /* (source.cols) */
    const char *const *file;        /* (files) of the data, as the command names them; if none, FILE stands for them */
    int64_t files;
} html_report;

/* Makes rows to show, and moments of each segment from all rows.  A new reference; NULL if memory is exhausted. */
json_value *html_display(nonsens_context *ctx, arena *scratch, const html_report *r);

/* Returns how many segments a page shows: all unless there are very many; the largest come first. */
int64_t html_segments_shown(int64_t segments, int64_t columns);

/* Returns the command line that gives the result again, for a shell; in the arena, NULL if memory is exhausted. */
char *html_command(nonsens_context *ctx, arena *a, const html_report *r, int64_t segments);

/* Fails with a sentence that says what is wrong with the file of a result. */
nonsens_status html_fail_result(nonsens_context *ctx, const char *path, const char *what);

/* Fails unless the document is a result with all that a page shows. */
nonsens_status html_check_result(nonsens_context *ctx, const char *path, const json_value *root);

/*
 * Takes out of a result of `effect` what a page does not show: pairs without a path, and what goes beyond its bounds.
 * Returns how many it took out of each list, null for other results; a new reference.
 */
json_value *html_thin_effects(json_value *result);

/*
 * Parses and checks a result that --json wrote, and the options of its run.  The caller releases both, also on failure.
 */
nonsens_status html_parse_result(nonsens_context *ctx, const char *path, const char *bytes, size_t size,
                                 json_value **root, nonsens_options **options);

/* Writes the page; may remove parts of r->result. */
nonsens_status html_write(nonsens_context *ctx, arena *scratch, const html_report *r, const char *path);

#endif
