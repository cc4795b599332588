/*
 * fuzz_unpack.c - random bytes as a file that may be compressed, in UTF-16, or in a format that is not read
 * (libFuzzer). Unpacking must respect the memory limit, whatever a few bytes claim to contain.
 */
#include "base/status.h"
#include "fuzz/fuzz.h"
#include "unpack/unpack.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_BYTES = 32 << 20 };
    nonsens_context *ctx = nonsens_context_new();
    unpacked u = {0};
    volatile char seen = 0;
    check(ctx != NULL);
    ctx->max_memory = MAX_BYTES;
    nonsens_status status = unpack_bytes(ctx, "fuzz.csv", (const char *)data, size, &u);
    if (status != NONSENS_OK) {
        check(status == NONSENS_ERR_DATA || status == NONSENS_ERR_MEMORY);
        check(strlen(nonsens_context_message(ctx)) > 10);
    } else {
        check(u.size <= MAX_BYTES && (u.owned != NULL) == (u.bytes != (const char *)data));
        for (size_t i = 0; i < u.size; i++) {
            seen = (char)(seen ^ u.bytes[i]);
        }
    }
    unpack_free(&u);
    nonsens_context_free(ctx);
    return 0;
}
