/* knowledge_file.c - stands in until files of knowledge can be read. */
#include "graph/knowledge_file.h"

nonsens_status knowledge_read(nonsens_context *ctx, arena *a, const char *path, int64_t d, const char *const *names,
                              knowledge *out)
{
    (void)a, (void)path, (void)d, (void)names, (void)out;
    return fail(ctx, NONSENS_ERR_USAGE, "--knowledge: files of knowledge cannot be read yet; leave it out");
}

nonsens_status knowledge_permute(nonsens_context *ctx, arena *a, const knowledge *k, const int64_t *order,
                                 knowledge *out)
{
    (void)a, (void)k, (void)order, (void)out;
    return fail(ctx, NONSENS_ERR_USAGE, "--knowledge: files of knowledge cannot be read yet; leave it out");
}
