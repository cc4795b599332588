/*
 * knowledge_internal.h - reads the words of a knowledge file (knowledge_words.c), for the code that interprets them
 * (knowledge_file.c).
 */
#ifndef READ_KNOWLEDGE_INTERNAL_H
#define READ_KNOWLEDGE_INTERNAL_H

#include "base/show.h"
#include "read/knowledge_file.h"

#include <inttypes.h>

enum knowledge_section { SECTION_NONE, SECTION_TIERS, SECTION_FORBIDDEN, SECTION_REQUIRED, SECTION_GROUPS };

/* Marks after the number of a tier. */
enum { TIER_CLOSED = 1, TIER_NEXT_ONLY = 2 };

typedef struct knowledge_variable {
    const char *name;
    int64_t node;
} knowledge_variable;

/* The variables that a word stands for. */
typedef struct knowledge_selection {
    int64_t count, *node; /* (count) has space for d */
    bool pattern;
} knowledge_selection;

typedef struct knowledge_word {
    const char *text; /* as in the file, with quotes */
    int64_t length;
    bool quoted;
} knowledge_word;

typedef struct knowledge_reader {
    nonsens_context *ctx;
    char path[SHOWN_PATH_BYTES];
    const char *begin, *end; /* the file */
    const char *at;          /* start of the next line */
    int64_t line;            /* number of the current line, from 1 */
    enum knowledge_section section;
    const char *rest, *stop; /* the rest of the line, without blanks around it */
    bool has_tabs;           /* there are tabs between words of the line */
    const char *cell_end;    /* end of the text between tabs that has the last word, without final blanks */
    int64_t d;
    knowledge_variable *sorted; /* (d) by name */
    char *plain;                /* space for a word without its quotes */
    knowledge_selection side[2];
    int64_t *tier, *tier_line; /* (d) tier, or -1, and the line that sets it */
    uint8_t *tier_marks;       /* (d) */
    knowledge *known;
} knowledge_reader;

#define FAIL_LINE(r, line, format, ...) \
    fail((r)->ctx, NONSENS_ERR_DATA, "knowledge file %s:%" PRId64 ": " format, (r)->path, (line), __VA_ARGS__)

/* Returns a variable's name for a message. */
const char *knowledge_name(const knowledge_reader *r, int64_t node, char shown[SHOWN_BYTES]);

/* Goes to the beginning of the file. */
void knowledge_rewind(knowledge_reader *r);
/* Goes to the next line that is neither empty nor a comment; false at the end. */
bool knowledge_next_line(knowledge_reader *r);

/*
 * Reads the next word of the line; length 0 at its end.  On a line with tabs, the text between two tabs is one word if
 * it is the name of a variable; otherwise tabs separate words as blanks do.
 */
nonsens_status knowledge_next_word(knowledge_reader *r, knowledge_word *out);
/* Finds the variables that the word stands for; it is an error if there are none. */
nonsens_status knowledge_resolve(const knowledge_reader *r, const knowledge_word *w, knowledge_selection *out);

#endif
