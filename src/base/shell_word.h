/*
 * shell_word.h - a text as a word of a command that any POSIX shell takes for exactly this text.
 *
 * It stands in single quotes where it has characters that mean something to a shell.  Bytes that a terminal or JSON
 * cannot take (control characters but tabs and line breaks, broken UTF-8) are printed by the shell: "$(printf '\033')".
 */
#ifndef BASE_SHELL_WORD_H
#define BASE_SHELL_WORD_H

#include "base/memory.h"

#include <stdio.h>

void shell_word_print(FILE *f, const char *word);
/* The same in memory from the arena; NULL without. */
char *shell_word(nonsens_context *ctx, arena *a, const char *word);

#endif
