/* instruction_sets.h - runs a test with the kernels of every instruction set that this processor has. */
#ifndef UNIT_INSTRUCTION_SETS_H
#define UNIT_INSTRUCTION_SETS_H

#include "base/instruction_set.h"

#include <stdlib.h>
#include <string.h>

/* Calls run(user, first) once per set, from the simplest on; first: whether it is the first call. */
static inline void with_each_set(void (*run)(void *user, bool first), void *user)
{
    char *before = getenv("NONSENS_KERNEL") ? strdup(getenv("NONSENS_KERNEL")) : NULL;
    bool first = true;
    for (instruction_set set = SET_PLAIN; set < INSTRUCTION_SETS; set++) {
        if (instruction_set_is_here(set)) {
            setenv("NONSENS_KERNEL", instruction_set_name(set), 1);
            run(user, first);
            first = false;
        }
    }
    unsetenv("NONSENS_KERNEL");
    if (before) {
        setenv("NONSENS_KERNEL", before, 1);
    }
    free(before);
}

#endif
