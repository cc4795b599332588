/*
 * producer.c - makes Arrow C streams for the tests of the Python package, and counts what is made and released.
 *
 * A stream has two chunks with rows and an empty one between them.  Columns begin at an offset of 3 and their struct at
 * one of 2, with other values before them, so that a reader that ignores an offset reads wrong values.
 * Structs: https://arrow.apache.org/docs/format/CDataInterface.html.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

enum { MAX_COLUMNS = 32, CHUNKS = 3, COLUMN_OFFSET = 3, STRUCT_OFFSET = 2, MAX_BUFFERS = 4, TEXT_BYTES = 64 };

/* What one stream is to deliver. */
typedef struct plan {
    int columns;
    char name[MAX_COLUMNS][16], format[MAX_COLUMNS][16]; // format "u%i": dictionary-encoded texts
    int64_t rows[CHUNKS];
    int next, fail_at; // chunk that fails; CHUNKS: none, -1: the schema fails
    int nulls;         // 1: in the columns, 2: in the struct around them
    bool bare;         // the first column without a struct around it
} plan;

static int64_t made[3], released[3]; // schemas, arrays, streams; also those inside others

void arrow_counts(int64_t *out)
{
    memcpy(out, made, sizeof made);
    memcpy(out + 3, released, sizeof released);
}

/* ---- schemas ---- */

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t k = 0; k < s->n_children; k++) {
        s->children[k]->release(s->children[k]);
        free(s->children[k]);
    }
    free(s->children);
    if (s->dictionary) {
        s->dictionary->release(s->dictionary);
        free(s->dictionary);
    }
    released[0]++;
    s->release = NULL;
}

static void make_schema(struct ArrowSchema *s, const char *format, const char *name)
{
    *s = (struct ArrowSchema){.format = format, .name = name, .flags = 2, .release = release_schema};
    if (strcmp(format, "u%i") == 0) {
        s->format = "i";
        s->dictionary = malloc(sizeof *s);
        make_schema(s->dictionary, "u", "");
    }
    made[0]++;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    plan *p = stream->private_data;
    if (p->fail_at < 0) {
        return EIO;
    }
    if (p->bare) {
        make_schema(out, p->format[0], "");
        return 0;
    }
    make_schema(out, "+s", "");
    out->n_children = p->columns;
    out->children = malloc(sizeof *out->children * (size_t)(p->columns + 1));
    for (int k = 0; k < p->columns; k++) {
        out->children[k] = malloc(sizeof **out->children);
        make_schema(out->children[k], p->format[k], p->name[k]);
    }
    return 0;
}

/* ---- values ---- */

static uint16_t half_of(int64_t value)
{
    int exponent = 0;
    while (value >> (exponent + 1)) {
        exponent++;
    }
    return value == 0 ? 0 : (uint16_t)(((exponent + 15) << 10) | ((value << (10 - exponent)) & 0x3ff));
}

/* Writes value i of a column of fixed width; returns the width. */
static size_t put_fixed(char *to, const char *format, int64_t i)
{
    double number = (double)i + 0.5;
    float single = (float)number;
    uint16_t half = half_of(i);
    int64_t day = 19000 + i, cents[2] = {i % 2 ? -(100 * i + 25) : 100 * i + 25, i % 2 ? -1 : 0};
    switch (format[0]) {
    case 'c':
    case 'C':
        return *to = (char)i, (size_t)1;
    case 's':
    case 'S':
        return memcpy(to, &(int16_t){(int16_t)i}, 2), (size_t)2;
    case 'i':
    case 'I':
        return memcpy(to, &(int32_t){(int32_t)i}, 4), (size_t)4;
    case 'l':
    case 'L':
        return memcpy(to, &i, 8), (size_t)8;
    case 'e':
        return memcpy(to, &half, 2), (size_t)2;
    case 'f':
        return memcpy(to, &single, 4), (size_t)4;
    case 'g':
        return memcpy(to, &number, 8), (size_t)8;
    case 'd':
        return memcpy(to, cents, 16), (size_t)16;
    default: // tdD, tdm, tsu:UTC
        if (strcmp(format, "tdD") == 0) {
            return memcpy(to, &(int32_t){(int32_t)day}, 4), (size_t)4;
        }
        day *= format[1] == 'd' ? 86400000 : 86400000000;
        return memcpy(to, &day, 8), (size_t)8;
    }
}

static void put_text(char *to, int64_t i)
{
    snprintf(to, TEXT_BYTES, i % 3 ? "day %" PRId64 : "a label of many bytes %" PRId64, i);
}

static void make_texts(struct ArrowArray *a, const char *format, int64_t first, int64_t count)
{
    char *data = malloc((size_t)count * TEXT_BYTES + 1), *ends = calloc((size_t)count + 1, 16), text[TEXT_BYTES];
    int64_t used = 0;
    bool large = format[0] == 'U', view = format[0] == 'v';
    for (int64_t k = 0; k < count; k++) {
        put_text(text, first + k);
        int32_t length = (int32_t)strlen(text), at[4] = {length, 0, 0, (int32_t)used};
        memcpy(data + used, text, (size_t)length);
        if (view) {
            memcpy(ends + 16 * k, at, sizeof at);
            memcpy(ends + 16 * k + 4, text, length <= 12 ? (size_t)length : 4);
        }
        used += length;
        if (large) {
            memcpy(ends + 8 * (k + 1), &used, 8);
        } else if (!view) {
            memcpy(ends + 4 * (k + 1), &(int32_t){(int32_t)used}, 4);
        }
    }
    a->buffers[1] = ends;
    a->buffers[2] = data;
    a->n_buffers = 3;
    if (view) { // the lengths of all buffers of texts
        a->buffers[3] = memcpy(malloc(8), &used, 8);
        a->n_buffers = 4;
    }
}

/* ---- arrays ---- */

static void release_array(struct ArrowArray *a)
{
    for (int64_t k = 0; k < a->n_children; k++) {
        a->children[k]->release(a->children[k]);
        free(a->children[k]);
    }
    free(a->children);
    if (a->dictionary) {
        a->dictionary->release(a->dictionary);
        free(a->dictionary);
    }
    for (int k = 0; k < MAX_BUFFERS; k++) {
        free((void *)a->buffers[k]);
    }
    free(a->buffers);
    released[1]++;
    a->release = NULL;
}

static void make_empty(struct ArrowArray *a, int64_t length, int64_t offset)
{
    *a = (struct ArrowArray){.length = length, .offset = offset, .n_buffers = 1, .release = release_array};
    a->buffers = calloc(MAX_BUFFERS, sizeof *a->buffers);
    made[1]++;
}

/* Every fourth row is missing, where the column has missing values. */
static void make_validity(struct ArrowArray *a, int64_t first, int64_t count)
{
    unsigned char *bits = calloc((size_t)count / 8 + 1, 1);
    for (int64_t k = 0; k < count; k++) {
        bits[k / 8] |= (unsigned char)(((first + k) % 4 != 3) << k % 8);
    }
    a->buffers[0] = bits;
    a->null_count = -1;
}

/* (length) values from row `row` on; those before the offset count down from it. */
static void make_column(struct ArrowArray *a, const char *format, int64_t row, int64_t length, bool nulls)
{
    int64_t first = row - COLUMN_OFFSET + 100, count = length + COLUMN_OFFSET; // +100: no negative numbers
    bool dictionary = strcmp(format, "u%i") == 0;
    make_empty(a, length, COLUMN_OFFSET);
    if (strcmp(format, "n") == 0) {
        a->n_buffers = 0;
        return;
    }
    if (nulls) {
        make_validity(a, first, count);
    }
    if (strchr("uUv", format[0]) && !dictionary) {
        make_texts(a, format, first, count);
        return;
    }
    char *values = calloc((size_t)count + 1, 16);
    a->buffers[1] = values;
    a->n_buffers = 2;
    for (int64_t k = 0, at = 0; k < count; k++) {
        if (format[0] == 'b') {
            values[k / 8] = (char)(values[k / 8] | (first + k) % 2 << k % 8);
        } else if (dictionary) {
            memcpy(values + 4 * k, &(int32_t){(int32_t)((first + k) % 3)}, 4);
        } else {
            at += (int64_t)put_fixed(values + at, format, first + k);
        }
    }
    if (dictionary) {
        a->dictionary = malloc(sizeof *a);
        make_empty(a->dictionary, 3, 0);
        make_texts(a->dictionary, "u", 0, 3);
    }
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    plan *p = stream->private_data;
    if (p->next == CHUNKS) {
        *out = (struct ArrowArray){0};
        return 0;
    }
    if (p->next == p->fail_at) {
        return EIO;
    }
    int64_t row = 0, rows = p->rows[p->next];
    for (int k = 0; k < p->next; k++) {
        row += p->rows[k];
    }
    p->next++;
    if (p->bare) {
        make_column(out, p->format[0], row, rows, p->nulls == 1);
        return 0;
    }
    make_empty(out, rows, STRUCT_OFFSET);
    if (p->nulls == 2) {
        make_validity(out, row - STRUCT_OFFSET + 100, rows + STRUCT_OFFSET);
    }
    out->n_children = p->columns;
    out->children = malloc(sizeof *out->children * (size_t)(p->columns + 1));
    for (int k = 0; k < p->columns; k++) {
        out->children[k] = malloc(sizeof **out->children);
        make_column(out->children[k], p->format[k], row - STRUCT_OFFSET, rows + STRUCT_OFFSET, p->nulls == 1);
    }
    return 0;
}

/* ---- streams ---- */

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const plan *p = stream->private_data;
    return p->fail_at == 0 ? NULL : "the producer gave up";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    free(stream->private_data);
    released[2]++;
    stream->release = NULL;
}

/*
 * A stream with `rows` rows in its first chunk and twice as many in its last.  columns: "name=format;..." or
 * "=format" for a bare column.  fail_at: the chunk that fails, 3 for none, -1 for the schema.
 */
struct ArrowArrayStream *arrow_stream(const char *columns, int64_t rows, int nulls, int fail_at)
{
    plan *p = calloc(1, sizeof *p);
    int used = 0;
    p->bare = columns[0] == '=';
    for (const char *at = columns + p->bare; p->columns < MAX_COLUMNS && *at; p->columns++, at += used) {
        used = 0;
        if (p->bare) {
            sscanf(at, "%15[^;]%n", p->format[0], &used);
        } else {
            sscanf(at, "%15[^=]=%15[^;]%n", p->name[p->columns], p->format[p->columns], &used);
        }
        used += at[used] == ';';
    }
    p->rows[0] = rows;
    p->rows[2] = 2 * rows;
    p->nulls = nulls;
    p->fail_at = fail_at;
    struct ArrowArrayStream *stream = malloc(sizeof *stream);
    *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, p};
    made[2]++;
    return stream;
}

/* The schema and the first chunk of a stream, for a table that is no stream. */
int arrow_take(struct ArrowArrayStream *stream, struct ArrowSchema *schema, struct ArrowArray *array)
{
    return stream->get_schema(stream, schema) || stream->get_next(stream, array);
}

/* Frees a stream as the destructor of a capsule does; says whether it still had to be released. */
int arrow_stream_free(struct ArrowArrayStream *stream)
{
    int left = stream->release != NULL;
    if (left) {
        stream->release(stream);
    }
    free(stream);
    return left;
}
