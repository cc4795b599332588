/* remarks.c - what was found or done while data were read: warnings, notes, and what was left out. */
#include "data/dataset.h"

#include <stdarg.h>

nonsens_status dataset_warn(nonsens_context *ctx, nonsens_data *data, const char *format, ...)
{
    va_list args;
    ARENA_GROW(ctx, &data->memory, data->warning, data->warnings, data->warning_capacity);
    va_start(args, format);
    char *text = arena_format_list(ctx, &data->memory, format, args);
    va_end(args);
    data->warning[data->warnings] = text;
    data->warnings += text != NULL;
    return text ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

nonsens_status dataset_note(nonsens_context *ctx, nonsens_data *data, const char *sentence)
{
    ARENA_GROW(ctx, &data->memory, data->note, data->notes, data->note_capacity);
    char *text = arena_text(ctx, &data->memory, sentence);
    data->note[data->notes] = text;
    data->notes += text != NULL;
    return text ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

nonsens_status dataset_remember_left_out(nonsens_context *ctx, int kind, const char *text, nonsens_data *data)
{
    char *copy = arena_text(ctx, &data->memory, text);
    TRY(copy ? NONSENS_OK : NONSENS_ERR_MEMORY);
    ARENA_GROW(ctx, &data->memory, data->left_out[kind], data->left_out_count[kind], data->left_out_capacity[kind]);
    data->left_out[kind][data->left_out_count[kind]++] = copy;
    return NONSENS_OK;
}

int64_t nonsens_data_warning_count(const nonsens_data *data)
{
    return data ? data->warnings : 0;
}

const char *nonsens_data_warning_at(const nonsens_data *data, int64_t index)
{
    return data && index >= 0 && index < data->warnings ? data->warning[index] : NULL;
}

int64_t nonsens_data_note_count(const nonsens_data *data)
{
    return data ? data->notes : 0;
}

const char *nonsens_data_note_at(const nonsens_data *data, int64_t index)
{
    return data && index >= 0 && index < data->notes ? data->note[index] : NULL;
}
