/* options_internal.h - the table of options (options_table.c) and its rows, for the files of this folder. */
#ifndef OPTIONS_OPTIONS_INTERNAL_H
#define OPTIONS_OPTIONS_INTERNAL_H

#include "options/options.h"

typedef struct option_row {
    nonsens_option_info info;
    size_t offset; /* of the field in struct nonsens_options */
} option_row;

extern const option_row option_table[];
extern const size_t option_rows;

/* Finds the row of this key among those of the commands in the mask; NULL if there is none. */
const option_row *option_find_row(const char *key, unsigned commands);

/* Return the field that the row fills. */
static inline void *option_field(nonsens_options *options, const option_row *r)
{
    return (char *)options + r->offset;
}

static inline const void *option_field_const(const nonsens_options *options, const option_row *r)
{
    return (const char *)options + r->offset;
}

/*
 * Puts the value into the field.  A text is not copied: the field points to `value`.  If it fails, nothing changes.
 */
nonsens_status option_parse(nonsens_context *ctx, const option_row *r, const char *value, void *field);

/* Reads decimal digits with an optional sign and nothing else. */
bool option_read_integer(const char *text, int64_t *value);

#endif
