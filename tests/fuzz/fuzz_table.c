/* fuzz_table.c - random bytes as CSV (fuzz_table.h). */
#include "fuzz/fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    feed_table("fuzz.csv", data, size);
    return 0;
}
