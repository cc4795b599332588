/*
 * assignment.h - reads values that are given to variables: "temp=30,speed=20:40:5".
 *
 * A value is a number, or a grid FROM:TO:STEP with both ends included.  A name ends at the last "=" of its piece; a
 * name with a comma cannot be written.
 */
#ifndef OPTIONS_ASSIGNMENT_H
#define OPTIONS_ASSIGNMENT_H

#include "base/memory.h"

enum { ASSIGNMENT_MAX_VALUES = 10000 }; /* of one grid */

typedef struct assignment {
    const char *name; /* as written, without blanks around it */
    int64_t count;    /* 1 unless the value is a grid */
    double *value;    /* (count) in the order written */
    bool is_grid;
} assignment;

typedef struct assignment_list {
    int64_t count;
    assignment *item;
} assignment_list;

/*
 * Reads assignments; `option` is the name of the option, without dashes, for messages.  A name that occurs twice, a
 * value that is not a finite number and an empty grid are errors.  An empty text gives an empty list.  Memory from `a`.
 */
nonsens_status assignment_read(nonsens_context *ctx, arena *a, const char *option, const char *text,
                               assignment_list *out);

#endif
