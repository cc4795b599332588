/*
 * fuzz_tsv.c - random bytes as TSV (fuzz_table.h).  The reader infers the separator from the file.  So this target
 * turns commas into tabs and semicolons into commas: tabs separate, and commas are inside cells.
 */
#include "fuzz/fuzz_table.h"

static uint8_t byte_with_tabs(uint8_t byte)
{
    return byte == ',' ? '\t' : byte == ';' ? ',' : byte;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *text = malloc(size ? size : 1); // exactly its size, so that sanitizers see a read past the end
    check(text != NULL);
    for (size_t i = 0; i < size; i++) {
        text[i] = i > 0 ? byte_with_tabs(data[i]) : data[i];
    }
    feed_table("fuzz.tsv", text, size);
    free(text);
    return 0;
}
