/*
 * preset.h - values that one option gives to many others: --as-published, the paper's method as it is printed.
 *
 * Setting the option sets those of the table that the command has; options set after it override it.  Options of
 * another command that are made from these (pc_nonsens.c) get the rest by setting it there, too.
 */
#ifndef OPTIONS_PRESET_H
#define OPTIONS_PRESET_H

#include <stddef.h>

typedef struct preset_value {
    const char *key, *value;
} preset_value;

/* Returns the number of values. */
size_t preset_count(void);

/* Returns one value; NULL behind the last one. */
const preset_value *preset_at(size_t index);

/* Returns the value that the preset gives to the option of this key; NULL if it leaves it alone. */
const char *preset_find(const char *key);

#endif
