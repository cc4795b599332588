/*
 * read_table.c - FILE [KEY VALUE]...: reads the data as the options say and does nothing with them, so that the memory
 * of reading can be measured (bounded).  Prints the most memory it had, in kB, and rows and variables or the message of
 * the failure.
 */
#include <nonsens/nonsens.h>

#include <stdio.h>

static nonsens_status read_table(nonsens_context *ctx, int count, char **words, nonsens_options **options,
                                 nonsens_data **data)
{
    nonsens_status status = nonsens_options_new(ctx, NONSENS_CMD_DIAGNOSE, options);
    for (int k = 2; status == NONSENS_OK && k + 1 < count; k += 2) {
        status = nonsens_options_set(ctx, *options, words[k], words[k + 1]);
    }
    return status == NONSENS_OK ? nonsens_data_read(ctx, words[1], *options, data) : status;
}

/* Of this program alone: what getrusage() tells begins with the process that started it. */
static long peak_kilobytes(void)
{
    char line[256];
    long peak = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %ld", &peak) != 1) {
    }
    if (file) {
        fclose(file);
    }
    return peak;
}

int main(int count, char **words)
{
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options *options = NULL;
    nonsens_data *data = NULL;
    if (!ctx || count < 2) {
        return 1;
    }
    nonsens_status status = read_table(ctx, count, words, &options, &data);
    printf("%ld ", peak_kilobytes());
    if (status == NONSENS_OK) {
        printf("%lld x %lld\n", (long long)nonsens_data_rows(data), (long long)nonsens_data_variables(data));
    } else {
        printf("%s\n", nonsens_message(ctx));
    }
    nonsens_data_free(data);
    nonsens_options_free(options);
    nonsens_context_free(ctx);
    return (int)status;
}
