/* fuzz_npy.c - random bytes as NumPy arrays (fuzz_table.h). */
#include "fuzz/fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    feed_table("fuzz.npy", data, size);
    return 0;
}
