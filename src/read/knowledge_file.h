/*
 * knowledge_file.h - reads background knowledge from a text file in Tetrad's format (docs/knowledge.md).
 *
 *     /knowledge
 *     addtemporal
 *     1 a b c            tier 1: no arrow from a later tier into an earlier one
 *     2* d e             tier 2; the star forbids arrows inside the tier
 *     3- f               tier 3; the minus forbids arrows to tiers after the next one
 *     forbiddirect
 *     a d                no arrow a -> d
 *     requiredirect
 *     b e                the arrow b -> e is required
 *
 * Empty lines and lines that begin with // or # are ignored.  Names are separated by blanks or tabs; a name with blanks
 * is in double quotes, or between tabs.  A star in a name stands for any characters, unless it is in quotes or a
 * variable has exactly this name.
 */
#ifndef READ_KNOWLEDGE_FILE_H
#define READ_KNOWLEDGE_FILE_H

#include "graph/knowledge.h"

/*
 * Reads the file at `path` about the variables with these names (d); node i of *out is the variable names[i].  Unknown
 * names, unknown sections, invalid lines and contradictions (an arrow that is required and forbidden, or required
 * against tiers; a cycle of required arrows) are NONSENS_ERR_DATA; the message begins with "knowledge file PATH" and
 * names the lines.  *out passes knowledge_check; its memory comes from `a`.  A `path` that begins with the line
 * "/knowledge" is no path but the text itself, which messages call "(text)".
 */
nonsens_status knowledge_read(nonsens_context *ctx, arena *a, const char *path, int64_t d, const char *const *names,
                              knowledge *out);

/* Does the same with bytes in memory; `path` is used in messages. */
nonsens_status knowledge_parse(nonsens_context *ctx, arena *a, const char *path, const char *bytes, int64_t size,
                               int64_t d, const char *const *names, knowledge *out);

#endif
