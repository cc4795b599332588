/* options_internal.h - the table of options (options_table.c) as options.c reads it. */
#ifndef OPTIONS_OPTIONS_INTERNAL_H
#define OPTIONS_OPTIONS_INTERNAL_H

#include "options/options.h"

typedef struct option_row {
    nonsens_option_info info;
    size_t offset, bytes; /* of the field in struct nonsens_options */
} option_row;

extern const option_row option_table[];
extern const size_t option_rows;

#endif
