/*
 * csv_read.c - measures how fast a numeric CSV is read: 100 MB, 10 columns of 9 digits, one core, median of five runs.
 *
 * Prints `bench csv.read VALUE MB/s` (1 MB = 10^6 bytes).  The file is in the page cache, so the speed of the disk does
 * not matter.
 */
#include "base/rng.h"
#include "read/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = 10, DIGITS = 9, FILE_MEGABYTES = 100, REPETITIONS = 5 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Writes rows of numbers like -4.73920183; returns the bytes written, or -1. */
static long write_table(FILE *file)
{
    rng r = rng_new(1, RNG_TEST, 100);
    long bytes = fprintf(file, "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10\n");
    while (bytes < FILE_MEGABYTES * 1000000L && !ferror(file)) {
        char row[COLUMNS * (DIGITS + 3)];
        int used = 0;
        for (int j = 0; j < COLUMNS; j++) {
            uint32_t number = (uint32_t)rng_below(&r, 1000000000);
            if (rng_u32(&r) & 1) {
                row[used++] = '-';
            }
            for (int k = 0; k < DIGITS; k++) {
                row[used++] = (char)('0' + number % 10);
                number /= 10;
                if (k == 0) {
                    row[used++] = '.';
                }
            }
            row[used++] = j + 1 < COLUMNS ? ',' : '\n';
        }
        bytes += (long)fwrite(row, 1, (size_t)used, file);
    }
    return ferror(file) ? -1 : bytes;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int measure(const char *path, long bytes)
{
    double seconds[REPETITIONS];
    for (int k = 0; k < REPETITIONS; k++) {
        nonsens_context *ctx = nonsens_context_new();
        arena a = {0};
        table t;
        double start = seconds_now();
        nonsens_status status = ctx ? table_read(ctx, &a, path, NULL, &t) : NONSENS_ERR_MEMORY;
        seconds[k] = seconds_now() - start;
        if (status != NONSENS_OK) {
            fprintf(stderr, "csv_read: %s\n", ctx ? nonsens_context_message(ctx) : "out of memory");
        }
        arena_free(&a);
        nonsens_context_free(ctx);
        if (status != NONSENS_OK) {
            return 1;
        }
    }
    qsort(seconds, REPETITIONS, sizeof seconds[0], by_value);
    printf("bench csv.read %.1f MB/s\n", 1e-6 * (double)bytes / seconds[REPETITIONS / 2]);
    return 0;
}

int main(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/nonsens-csv-XXXXXX", folder && folder[0] ? folder : "/tmp");
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) {
        fprintf(stderr, "csv_read: cannot create %s\n", path);
        return 1;
    }
    long bytes = write_table(file);
    int failed = fclose(file) != 0 || bytes < 0;
    if (failed) {
        fprintf(stderr, "csv_read: cannot write %s\n", path);
    }
    failed = failed || measure(path, bytes);
    unlink(path);
    return failed;
}
