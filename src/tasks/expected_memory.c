/*
 * expected_memory.c - estimates how much memory a run will take, from the size of the data and the method alone.
 *
 * The needs of methods are in the table of methods (methods/registry.c), those of the other commands here.  All were
 * measured with two threads on simulated data.  `make load` compares them with what runs take.
 */
#include "tasks/expected_memory.h"

#include "methods/registry.h"

static const memory_need DIAGNOSE = {.fixed = 5e6, .per_row = 85};
static const memory_need ICA = {.fixed = 1e6, .per_value = 80};
static const memory_need INDEPENDENCE = {.fixed = 5e6, .per_row = 70};
/* A conditional test, or one by random features, keeps features of every row. */
static const memory_need INDEPENDENCE_WITH_FEATURES = {.fixed = 5e6, .per_row = 20, .per_value = 250};

static double bytes_of(const memory_need *need, const nonsens_data *data, const nonsens_options *options, double rows)
{
    double d = (double)data->d;
    double further = need->further ? need->further(options, rows, data->segments) : 0.0;
    return further + need->fixed + need->per_variable * d + need->per_row * rows + need->per_value * rows * d;
}

/* Estimates the bytes of a run that uses at most max_rows rows; 0: all. */
static double bytes_with_sample(const memory_need *need, const nonsens_data *data, const nonsens_options *options,
                                int64_t max_rows)
{
    enum { SAMPLING_BYTES = 40 }; // for each row of the data
    bool is_sampled = max_rows > 0 && max_rows < data->n;
    double rows = (double)(is_sampled ? max_rows : data->n);
    double sampling = is_sampled ? SAMPLING_BYTES * (double)data->n : 0.0;
    double row_numbers = (double)data->n * sizeof(int64_t); // kept in the result
    return bytes_of(need, data, options, rows) + sampling + row_numbers;
}

double expected_direction_memory(const nonsens_data *data, const nonsens_options *options, const method *m)
{
    return bytes_with_sample(&m->direction_memory, data, options, method_max_rows(m, options));
}

static const memory_need *need_of_command(const nonsens_options *options)
{
    static const memory_need NOTHING = {0};
    switch (options->command) {
    case NONSENS_COMMAND_INDEPENDENCE:
        return options->given[0] || options->test == TEST_RCIT ? &INDEPENDENCE_WITH_FEATURES : &INDEPENDENCE;
    case NONSENS_COMMAND_DIAGNOSE:
        return &DIAGNOSE;
    case NONSENS_COMMAND_ICA:
        return &ICA;
    default:
        return &NOTHING;
    }
}

int64_t nonsens_data_estimate_memory(const nonsens_data *data, const nonsens_options *options)
{
    if (!data || !options) {
        return 0;
    }
    const method *m = method_find(options->method);
    bool by_method = m && (m->info.commands & options->command);
    const memory_need *need = !by_method                                      ? need_of_command(options)
                              : options->command == NONSENS_COMMAND_DIRECTION ? &m->direction_memory
                                                                              : &m->discover_memory;
    int64_t max_rows = by_method ? method_max_rows(m, options) : 0;
    return memory_bytes() + (int64_t)bytes_with_sample(need, data, options, max_rows);
}
