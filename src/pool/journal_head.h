/*
 * journal_head.h - the first line of a journal, which says what its lines depend on.  A run continues only a journal
 * with the same inputs and settings, from the same version:
 *
 *     {"options": "nonsens bootstrap", "seed": 0, "version": "0.2.0",
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
    const char *otherwise; /* what to do if a journal does not match, in messages: "name another --journal" */
} journal_kind;

/* Returns whether lines depend on the value of the option; files that it names count as inputs instead. */
typedef bool journal_setting_fn(const nonsens_option_info *info);

/* Makes a head without inputs; its settings are the options that is_setting accepts.  The caller releases it. */
nonsens_status journal_head_new(nonsens_context *ctx, const journal_kind *kind, const nonsens_options *options,
                                journal_setting_fn *is_setting, json_value **out);
/* Adds the hash of an input, with the name that it has in messages ("data"). */
nonsens_status journal_head_add_input(nonsens_context *ctx, json_value *head, const char *name, uint64_t hash);

/* Fails if the journal has another head or is not a journal of this kind; an empty journal is accepted. */
nonsens_status journal_check_head(nonsens_context *ctx, const journal *j, const journal_kind *kind,
                                  const json_value *head);
/*
 * Finds where two heads differ: *part is "options", "version", "inputs" or "settings"; *key is the input or setting,
 * else NULL.  Returns false if the heads are equal.
 */
bool journal_heads_differ(const json_value *a, const json_value *b, const char **part, const char **key);
/* Checks the head of a journal, or writes it if the journal is empty. */
nonsens_status journal_begin(nonsens_context *ctx, journal *j, const journal_kind *kind, json_value *head);

/*
 * Refuses a file that another run has, a file with lines unless the run resumes, and a file that cannot be written.
 */
nonsens_status journal_check_file(nonsens_context *ctx, const char *path, const journal_kind *kind, bool resume);

/* Returns a text as JSON, or its hash if it is not UTF-8, since JSON is.  NULL if memory runs out. */
json_value *journal_text(const char *text);

#endif
