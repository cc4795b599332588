/*
 * preset.h - values that one option gives to many others: --as-published, the paper's method as it is printed.
 *
 * Setting the option sets those of the table that the command has; what is set after it overrides.  Options of another
 * command made from these (pc_nonsens.c) get the rest by setting it there, too.
 */
#ifndef OPTIONS_PRESET_H
#define OPTIONS_PRESET_H

#include <stddef.h>

typedef struct preset_value {
    const char *key, *value;
} preset_value;

size_t preset_count(void);

/* NULL behind the last one. */
const preset_value *preset_at(size_t index);

/* What the preset gives to the option of this key, or NULL if it leaves it alone. */
const char *preset_find(const char *key);

#endif
