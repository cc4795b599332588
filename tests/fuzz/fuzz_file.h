/* fuzz_file.h - writes bytes to a file, for readers that take a path. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char fuzz_path[40];

static void fuzz_file_remove(void)
{
    unlink(fuzz_path);
}

/* Makes the file in memory if the system has such a folder, which halves the time. */
static int fuzz_file_new(void)
{
    static const char *const folder[] = {"/dev/shm", "/tmp"};
    int file = -1;
    for (int k = 0; k < 2 && file < 0; k++) {
        snprintf(fuzz_path, sizeof fuzz_path, "%s/nonsens_fuzz_XXXXXX", folder[k]);
        file = mkstemp(fuzz_path);
    }
    return file;
}

/* Returns the path of a file with these bytes; the same file every time. */
static const char *fuzz_file(const uint8_t *bytes, size_t size)
{
    static int file = -1;
    if (file < 0) {
        file = fuzz_file_new();
        check(file >= 0 && atexit(fuzz_file_remove) == 0);
    }
    check(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size);
    return fuzz_path;
}

/* Reads the first line of that file with its newline; returns its length.  The line must fit. */
static inline size_t fuzz_first_line(char *line, size_t bytes)
{
    FILE *file = fopen(fuzz_path, "rb");
    check(file && fgets(line, (int)bytes, file));
    fclose(file);
    size_t length = strlen(line);
    check(length > 0 && line[length - 1] == '\n');
    return length;
}

#endif
