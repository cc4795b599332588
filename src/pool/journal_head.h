/*
 * journal_head.h - the first line of a journal, which says what its lines depend on.  A run goes on with a journal of
 * the same version, inputs and settings alone:
 *
 *     {"options": "nonsens bootstrap", "seed": 0, "version": "0.1.0",
 *      "inputs": {"data": "HASH", ...}, "settings": {"alpha": "0.05", ...}}
 */
#ifndef POOL_JOURNAL_HEAD_H
#define POOL_JOURNAL_HEAD_H

#include "base/memory.h"
#include "options/options.h"
#include "pool/journal.h"

typedef struct journal_kind {
    const char *name;      /* in the head */
    const char *lines;     /* what its lines are, in messages: "bootstrap samples" */
    const char *otherwise; /* what helps where a journal does not fit, in messages: "name another --journal" */
} journal_kind;

/* Does a line depend on the option, beyond the inputs? */
typedef bool journal_setting_fn(const nonsens_option_info *info);

/* A head with the settings among the options of their command, without inputs; the caller releases it. */
nonsens_status journal_head_new(nonsens_context *ctx, const journal_kind *kind, const nonsens_options *options,
                                journal_setting_fn *is_setting, json_value **out);
/* Adds what is read beside the options, by its name in messages ("data") and its hash. */
nonsens_status journal_head_add_input(nonsens_context *ctx, json_value *head, const char *name, uint64_t hash);

/* An error if the journal has another head or is no journal of this kind; one that is empty fits. */
nonsens_status journal_check_head(nonsens_context *ctx, const journal *j, const journal_kind *kind,
                                  const json_value *head);
/* The same, and an empty journal gets the head. */
nonsens_status journal_begin(nonsens_context *ctx, journal *j, const journal_kind *kind, json_value *head);

/*
 * Refuses a file that another run has, one with lines unless the run is to go on with them, and one that cannot be
 * written.
 */
nonsens_status journal_check_file(nonsens_context *ctx, const char *path, const journal_kind *kind, bool resume);

/* A text as JSON, or its hash where it is not UTF-8, which JSON cannot hold.  NULL without memory. */
json_value *journal_text(const char *text);

#endif
