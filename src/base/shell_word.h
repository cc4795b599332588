/*
 * shell_word.h - writes a text as a word of a command, which any POSIX shell reads as exactly this text.
 *
 * It is in single quotes if it has characters that are special to a shell.  Bytes that a terminal or JSON cannot show
 * (control characters except tabs and line breaks, invalid UTF-8) are printed by the shell: "$(printf '\033')".
 */
#ifndef BASE_SHELL_WORD_H
#define BASE_SHELL_WORD_H

#include "base/memory.h"

#include <stdio.h>

/* Writes the word to a stream. */
void shell_word_print(FILE *f, const char *word);
/* Writes the word into memory from the arena; NULL if there is no memory. */
char *shell_word(nonsens_context *ctx, arena *a, const char *word);

#endif
