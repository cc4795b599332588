/*
 * preset.h - the values that --as-published, the paper's method as printed, gives to many other options.
 *
 * Setting the option sets those options of the table that the command has; options set after it override it.  If
 * options of another command are made from these (pc_nonsens.c), it is set there too, and sets the rest.
 */
#ifndef OPTIONS_PRESET_H
#define OPTIONS_PRESET_H

#include <stddef.h>

typedef struct preset_value {
    const char *key, *value;
} preset_value;

/* Returns the number of values. */
size_t preset_count(void);

/* Returns one value; NULL after the last one. */
const preset_value *preset_at(size_t index);

/* Returns the value that the preset gives to the option of this key; NULL if it gives none. */
const char *preset_find(const char *key);

#endif
