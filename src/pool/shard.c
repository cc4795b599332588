/* shard.c - reads which part of the units to run. */
#include "pool/shard.h"

#include "base/show.h"

#include <stdlib.h>
#include <string.h>

/* Reads digits up to `end`; false if there are none, too many, or other characters. */
static bool read_number(const char *text, const char *end, int64_t *out)
{
    enum { MAX_DIGITS = 9 };
    *out = 0;
    if (text == end || end - text > MAX_DIGITS) {
        return false;
    }
    for (; text < end && *text >= '0' && *text <= '9'; text++) {
        *out = 10 * *out + (*text - '0');
    }
    return text == end;
}

nonsens_status shard_read(nonsens_context *ctx, const char *text, shard *out)
{
    char shown[SHOWN_BYTES];
    const char *slash = strchr(text, '/');
    int64_t number = 0;
    *out = (shard){0, 1};
    if (!text[0]) {
        return NONSENS_OK;
    }
    bool read = slash && read_number(text, slash, &number) && read_number(slash + 1, text + strlen(text), &out->count);
    out->index = number - 1;
    return read && number >= 1 && number <= out->count
               ? NONSENS_OK
               : fail(ctx, NONSENS_ERR_USAGE, "--shard %s: write I/N, the number of this part from 1 to N, such as 2/8",
                      show_bare(shown, text));
}

bool shard_has(shard s, int64_t unit)
{
    return unit % s.count == s.index;
}
