/*
 * fuzz_tsv.c - bytes at random as TSV (fuzz_table.h).  The reader tells separators by what is in the file: commas are
 * turned into tabs here, and semicolons into commas, so that tabs are what separates and commas are inside cells.
 */
#include "fuzz/fuzz_table.h"

static uint8_t byte_with_tabs(uint8_t byte)
{
    return byte == ',' ? '\t' : byte == ';' ? ',' : byte;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *text = malloc(size ? size : 1); // its own size exactly, so that sanitizers see a read past the end
    check(text != NULL);
    for (size_t i = 0; i < size; i++) {
        text[i] = i > 0 ? byte_with_tabs(data[i]) : data[i];
    }
    feed_table("fuzz.tsv", text, size);
    free(text);
    return 0;
}
