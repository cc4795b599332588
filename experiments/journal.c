/* journal.c - finished units of work, kept in a file and in memory. */
#include "journal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_BYTES = 128 };

static const char *key_of(char key[KEY_BYTES], const char *options, int64_t seed)
{
    snprintf(key, KEY_BYTES, "%s %" PRId64, options, seed);
    return key;
}

/* Takes the line over, also where it is NULL or lacks what makes its key. */
static void keep(journal *j, json_t *line)
{
    const char *options;
    json_int_t seed;
    char key[KEY_BYTES];
    if (json_unpack(line, "{s:s, s:I}", "options", &options, "seed", &seed) == 0) {
        json_object_set(j->index, key_of(key, options, seed), line);
    }
    json_decref(line);
}

journal journal_open(const char *path)
{
    journal j = {path, json_object()};
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = fopen(path, "r");
    while (file && getline(&text, &bytes, file) > 0) {
        keep(&j, json_loads(text, 0, NULL));
    }
    free(text);
    if (file) {
        fclose(file);
    }
    return j;
}

void journal_close(journal *j)
{
    json_decref(j->index);
}

json_t *journal_find(const journal *j, const char *options, int64_t seed)
{
    char key[KEY_BYTES];
    return json_object_get(j->index, key_of(key, options, seed));
}

void journal_append(journal *j, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    size_t length = strlen(text);
    text[length] = '\n'; /* in place of the final zero: written by its length */
    int file = open(j->path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0 || write(file, text, length + 1) != (ssize_t)length + 1 || close(file) != 0) {
        perror(j->path);
        exit(1);
    }
    free(text);
    keep(j, line);
}
