/* ci_internal.h - what the files of the tester share. */
#ifndef INDEP_CI_INTERNAL_H
#define INDEP_CI_INTERNAL_H

#include "indep/ci.h"
#include "indep/ci_store.h"
#include "indep/fisher_z.h"

#include <pthread.h>

struct ci_tester {
    arena memory;         /* owns the arrays below */
    int64_t count;        /* of variables to ask about */
    int64_t columns;      /* of those with values: all but the group */
    column_set *variable; /* (columns) */
    int32_t *rank;        /* (count) */
    row_groups groups;
    int32_t *group_of;   /* (n) group of a row; NULL unless it is a variable */
    int64_t all_rows[2]; /* bounds of all groups together */
    ci_options options;
    fisher_z_data correlations; /* TEST_FISHER_Z alone, columns in the order of their ranks */
    int64_t *place;             /* (columns) position of a variable in `correlations` */
    nonsens_ci_fn callback;     /* the caller's own test, in place of a built-in one */
    void *user;
    pthread_mutex_t lock; /* protects the fields below */
    ci_store answers;     /* ci_result, by question */
    ci_store parts;       /* ci_part, by kind, variable and given */
    int64_t part_bytes;
    int64_t asked, remembered;
};

/* A question with its variables in canonical order, by rank. */
typedef struct ci_question {
    int64_t x, y, count;
    const int64_t *given; /* (count) */
    uint64_t job;         /* names its random streams; below 2^32, the same for any order of variables */
} ci_question;

/* Says whether the variable is the group of a row. */
static inline bool ci_is_group(const ci_tester *t, int64_t variable)
{
    return t->group_of && variable == t->columns;
}

/* Answers the question with the tester's own test; scratch is the caller's. */
nonsens_status ci_run(nonsens_context *ctx, arena *scratch, ci_tester *t, const ci_question *q, ci_result *out);

/* Checks the variables and computes what all questions need. */
nonsens_status ci_fill(nonsens_context *ctx, ci_tester *t);

/* Frees a ci_part. */
void ci_part_release(void *part);

#endif
