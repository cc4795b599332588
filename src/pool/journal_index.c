/* journal_index.c - remembers where the lines of a journal are. */
#include "pool/journal_index.h"

#include <inttypes.h>
#include <stdio.h>

enum { KEY_BYTES = 256 };

static void visit(void *user, const json_value *line, journal_place place)
{
    journal_index *j = user;
    char key[KEY_BYTES];
    const char *options = json_get_string(line, "options");
    if (options && json_has(line, "seed", JSON_INTEGER)) {
        snprintf(key, sizeof key, "%" PRId64 " %s", json_get_integer(line, "seed", 0), options);
        json_value *at = json_array_of(2, json_integer(place.offset), json_integer(place.bytes));
        j->lacks_memory = !json_object_set(j->places, key, at) || j->lacks_memory;
    }
}

nonsens_status journal_index_open(nonsens_context *ctx, const char *path, journal_index *out)
{
    *out = (journal_index){.places = json_object()};
    if (!out->places) {
        return fail_memory(ctx);
    }
    TRY(journal_open_visited(ctx, path, visit, out, &out->lines));
    return out->lacks_memory ? fail_memory(ctx) : NONSENS_OK;
}

void journal_index_close(journal_index *j)
{
    journal_close(&j->lines);
    json_decref(j->places);
    *j = (journal_index){.places = NULL};
}

nonsens_status journal_index_find(nonsens_context *ctx, const journal_index *j, const char *options, int64_t seed,
                                  json_value **line)
{
    char key[KEY_BYTES];
    snprintf(key, sizeof key, "%" PRId64 " %s", seed, options);
    const json_value *at = json_object_get(j->places, key);
    *line = NULL;
    if (!at) {
        return NONSENS_OK;
    }
    journal_place place = {json_integer_value(json_array_get(at, 0)), json_integer_value(json_array_get(at, 1))};
    return journal_load(ctx, &j->lines.file, place, line);
}
