/* options_check.c - refuses options that are invalid or contradict one another with any method and data. */
#include "options/options_internal.h"

#include "base/blas_memory.h"
#include "base/instruction_set.h"
#include "base/show.h"

#include <inttypes.h>
#include <string.h>

enum { MIN_BASIS = 6, MIN_DRAWS = 20, MIN_REFUTE = 10 };

static nonsens_status check_training(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->keep > o->restarts) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--keep %" PRId64 " is more than --restarts %" PRId64 "; keep at most as many networks as are made",
                    o->keep, o->restarts);
    }
    if (o->basis > 0 && o->basis < MIN_BASIS) {
        return fail(ctx, NONSENS_ERR_USAGE, "--basis %" PRId64 " is too few; take at least %d, or 0 for the default",
                    o->basis, MIN_BASIS);
    }
    return NONSENS_OK;
}

bool option_next_name(const char **rest, const char **begin, const char **end)
{
    if (!*rest || !**rest) {
        return false;
    }
    *begin = *rest;
    *end = *begin + strcspn(*begin, ",");
    *rest = **end ? *end + 1 : NULL;
    return true;
}

int64_t option_count_names(const char *list)
{
    const char *begin, *end;
    int64_t count = 0;
    while (option_next_name(&list, &begin, &end)) {
        count++;
    }
    return count;
}

int64_t option_column_number(const char *name, int64_t count)
{
    int64_t number = 0;
    if (name[0] != '#' || !name[1]) {
        return -1;
    }
    for (const char *digit = name + 1; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || number > count) {
            return -1;
        }
        number = 10 * number + (*digit - '0');
    }
    return number <= count ? number - 1 : -1;
}

static nonsens_status check_names(nonsens_context *ctx, const char *key, const char *list)
{
    const char *begin, *end;
    size_t length = strlen(list);
    bool missing = length > 0 && list[length - 1] == ',';
    for (const char *rest = list; option_next_name(&rest, &begin, &end);) {
        missing = missing || begin + strspn(begin, " \t") >= end;
    }
    char shown[SHOWN_BYTES];
    return missing ? fail(ctx, NONSENS_ERR_USAGE, "--%s %s: a name is missing; write --%s a,b,c", key,
                          show_bare(shown, list), key)
                   : NONSENS_OK;
}

static nonsens_status check_pair(nonsens_context *ctx, const nonsens_options *o)
{
    bool x_only = o->command == NONSENS_COMMAND_INDEPENDENCE && option_is_sample_test(o->test); // against segment
    if (x_only && (o->y[0] || o->given[0])) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--%s does not apply to this test, which asks whether --x changes over segments; leave it out",
                    o->y[0] ? "y" : "given");
    }
    if (!x_only && !o->x[0] != !o->y[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s is given without --%s; name both variables", o->x[0] ? "x" : "y",
                    o->x[0] ? "y" : "x");
    }
    if (o->given[0] && !o->x[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--given needs --x and --y; name the two variables as well");
    }
    return NONSENS_OK;
}

static nonsens_status check_variables(nonsens_context *ctx, const nonsens_options *o)
{
    TRY(check_pair(ctx, o));
    if (o->x[0] && o->vars[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--vars cannot be combined with --x and --y; name the variables in one way or the other");
    }
    if (o->x[0] && strcmp(o->x, o->y) == 0) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--x and --y both name %s; name two different variables",
                    show_quoted(shown, o->x));
    }
    TRY(check_names(ctx, "vars", o->vars));
    TRY(o->command == NONSENS_COMMAND_INDEPENDENCE ? check_names(ctx, "x", o->x) : NONSENS_OK);
    TRY(o->command == NONSENS_COMMAND_INDEPENDENCE ? check_names(ctx, "y", o->y) : NONSENS_OK);
    TRY(check_names(ctx, "exclude", o->exclude));
    return check_names(ctx, "given", o->given);
}

/* Returns K of "equal:K", or 0 for any other text. */
int64_t options_blocks(const nonsens_options *options)
{
    static const char prefix[] = "equal:";
    int64_t blocks = 0;
    const char *number = options->segments + sizeof prefix - 1;
    bool ok = strncmp(options->segments, prefix, sizeof prefix - 1) == 0 && *number >= '0' && *number <= '9' &&
              option_read_integer(number, &blocks) && blocks <= INT32_MAX;
    return ok ? blocks : 0;
}

static nonsens_status check_segments(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->segment[0] && o->segments[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--segment and --segments cannot be combined: labels come from a column or from row order");
    }
    if (o->segments[0] && options_blocks(o) < 2) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--segments %s: write equal:K with a whole number K of at least 2",
                    show_bare(shown, o->segments));
    }
    return NONSENS_OK;
}

char options_thousands(const nonsens_options *options)
{
    const char *mark = options->thousands;
    if (strcmp(mark, "space") == 0) {
        return ' ';
    }
    return mark[0] && !mark[1] && strchr(".,'_ ", mark[0]) ? mark[0] : '\0';
}

static nonsens_status check_numbers(nonsens_context *ctx, const nonsens_options *o)
{
    char shown[SHOWN_BYTES], mark = options_thousands(o);
    if (o->thousands[0] && !mark) {
        return fail(ctx, NONSENS_ERR_USAGE, "--thousands %s: must be one of . , ' _ or space",
                    show_bare(shown, o->thousands));
    }
    if ((o->decimal == DECIMAL_POINT && mark == '.') || (o->decimal == DECIMAL_COMMA && mark == ',')) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--decimal and --thousands both name %c; one of them must be another character", mark);
    }
    return NONSENS_OK;
}

static nonsens_status check_pairs(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->command != NONSENS_COMMAND_DIRECTION) {
        return NONSENS_OK;
    }
    if (o->pairs[0] && o->x[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--pairs says which pairs to decide; leave out --x and --y");
    }
    const char *unused = o->resume          ? "resume"
                         : o->fdr != FDR_BH ? "fdr"
                         : o->journal[0]    ? "journal"
                         : o->shard[0]      ? "shard"
                                            : NULL;
    if (!o->pairs[0] && unused) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s is for many pairs; name them with --pairs all or --pairs FILE",
                    unused);
    }
    return NONSENS_OK;
}

static nonsens_status check_blocks(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->command != NONSENS_COMMAND_INDEPENDENCE || o->block_length == 1) {
        return NONSENS_OK;
    }
    bool is_hsic = o->test == TEST_HSIC || (o->test == TEST_AUTO && !o->given[0]);
    return is_hsic ? NONSENS_OK : fail(ctx, NONSENS_ERR_USAGE, OPTION_BLOCKS_REFUSED);
}

static nonsens_status check_explained(nonsens_context *ctx, const nonsens_options *o)
{
    char shown[SHOWN_BYTES];
    if (o->command != NONSENS_COMMAND_EXPLAIN) {
        return NONSENS_OK;
    }
    if (!o->of[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "explain needs --of SEGMENT, the label of the segment to be explained");
    }
    const char *unused = o->resume ? "resume" : o->journal[0] ? "journal" : o->shard[0] ? "shard" : NULL;
    if (unused && strcmp(o->of, NONSENS_ALL_SEGMENTS) != 0) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--%s is for many segments, and --of names one; leave it out, or explain each segment with "
                    "--of " NONSENS_ALL_SEGMENTS,
                    unused);
    }
    if (strcmp(o->of, o->against) == 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--of and --against both name %s; name two different segments",
                    show_quoted(shown, o->of));
    }
    if (o->graph[0] && o->knowledge[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--graph and --knowledge cannot be combined: knowledge helps to find a graph, and --graph gives "
                    "one; leave one out");
    }
    return NONSENS_OK;
}

static nonsens_status check_refute(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->refute == 0) {
        return NONSENS_OK;
    }
    if (o->refute < MIN_REFUTE) {
        return fail(ctx, NONSENS_ERR_USAGE, "--refute %" PRId64 ": refuters need at least %d repetitions; 0 gives none",
                    o->refute, MIN_REFUTE);
    }
    if (!o->do_values[0] && !o->change[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--refute needs a question; add --do A=VALUE or --change A=STEP");
    }
    if (o->row[0] || o->rows[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--refute is not for single rows; leave out --row and --rows");
    }
    if (o->draws == 0) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--refute compares subsets with the interval of the answer, which --draws 0 leaves out; give at "
                    "least --draws %d",
                    MIN_DRAWS);
    }
    return NONSENS_OK;
}

static nonsens_status check_effect(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->command != NONSENS_COMMAND_EFFECT) {
        return NONSENS_OK;
    }
    if (o->graph[0] && o->knowledge[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--graph and --knowledge cannot be combined: knowledge helps to find a graph, and --graph gives "
                    "one; leave one out");
    }
    if (o->graph[0] && o->graph_uncertainty > 0) {
        return fail(
            ctx, NONSENS_ERR_USAGE,
            "--graph-uncertainty finds the graph again in parts of the rows, but --graph gives one; leave one out");
    }
    if (o->row[0] && o->rows[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--row and --rows both say which rows are meant; give one of them");
    }
    if ((o->row[0] || o->rows[0]) && o->graph_uncertainty > 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--graph-uncertainty is not for single rows; leave out --row and --rows");
    }
    if (o->draws > 0 && o->draws < MIN_DRAWS) {
        return fail(ctx, NONSENS_ERR_USAGE, "--draws %" PRId64 ": intervals need at least %d; 0 gives none", o->draws,
                    MIN_DRAWS);
    }
    return check_refute(ctx, o);
}

nonsens_status options_check(nonsens_context *ctx, const nonsens_options *options)
{
    TRY(check_explained(ctx, options));
    TRY(check_effect(ctx, options));
    TRY(check_variables(ctx, options));
    TRY(check_pairs(ctx, options));
    TRY(check_segments(ctx, options));
    TRY(check_numbers(ctx, options));
    TRY(check_blocks(ctx, options));
    return check_training(ctx, options);
}

nonsens_status options_begin(nonsens_context *ctx, const nonsens_options *options, unsigned commands)
{
    context_begin(ctx);
    ctx->max_memory = options->max_memory * MEGABYTE;
    if (!(options->command & commands)) {
        return fail(ctx, NONSENS_ERR_USAGE, "the options were made for %s; make options for the command that is run",
                    option_command_name(options->command));
    }
    TRY(check_explained(ctx, options));
    TRY(check_effect(ctx, options));
    TRY(check_blocks(ctx, options));
    TRY(check_training(ctx, options));
    TRY(instruction_set_check(ctx));
    return blas_reserve(ctx);
}
