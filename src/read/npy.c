/*
 * npy.c - reads arrays as NumPy saves them (.npy, format versions 1.0 to 3.0): one or two dimensions of float32,
 * float64 or integers of any size and byte order, in C or Fortran order.
 *
 * The header is a Python dictionary with the keys descr, fortran_order and shape; anything else in it is an error.  The
 * size that it claims is compared with that of the file before memory is allocated.  Rows of the array are rows of the
 * table; a one-dimensional array is one column.
 */
#include "read/table_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

typedef struct npy_reader {
    nonsens_context *ctx;
    const char *path;
    const char *at, *end; /* of the header while it is read, then of the data */
    char kind;            /* 'f', 'i' or 'u' */
    int bytes;            /* size of one element */
    bool big_endian, fortran;
    int dimensions;
    int64_t shape[2];
    const unsigned char *data;
} npy_reader;

bool npy_has_magic(const char *bytes, size_t size)
{
    return size >= sizeof magic - 1 && memcmp(bytes, magic, sizeof magic - 1) == 0;
}

/* ---- header ---------------------------------------------------------------------------------------------------- */

static nonsens_status fail_header(const npy_reader *r, const char *what)
{
    char shown[SHOWN_BYTES];
    return fail(r->ctx, NONSENS_ERR_DATA, "%s: the .npy header %s near %s; save the array again with numpy.save",
                r->path, what, show_bytes(shown, r->at, r->end - r->at));
}

static void skip_spaces(npy_reader *r)
{
    while (r->at < r->end && *r->at == ' ') {
        r->at++;
    }
}

/* Skips blanks, and the text if it comes next; returns whether it did. */
static bool take(npy_reader *r, const char *text)
{
    skip_spaces(r);
    size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0) {
        return false;
    }
    r->at += length;
    return true;
}

/* Takes a Python string without escapes, in either kind of quotes. */
static bool take_string(npy_reader *r, const char **text, int64_t *length)
{
    skip_spaces(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"')) {
        return false;
    }
    const char *close = memchr(r->at + 1, *r->at, (size_t)(r->end - r->at - 1));
    if (!close || memchr(r->at, '\\', (size_t)(close - r->at))) {
        return false;
    }
    *text = r->at + 1;
    *length = close - *text;
    r->at = close + 1;
    return true;
}

/* Reads a type like "<f8": byte order, kind, bytes. */
static nonsens_status read_type(npy_reader *r)
{
    const char *text;
    int64_t length;
    if (!take_string(r, &text, &length)) {
        return fail_header(r, "has no plain type");
    }
    char order = text[0], kind = length == 3 ? text[1] : ' ', bytes = length == 3 ? text[2] : ' ';
    bool real = kind == 'f' && (bytes == '4' || bytes == '8');
    bool integer = (kind == 'i' || kind == 'u') && (bytes == '1' || bytes == '2' || bytes == '4' || bytes == '8');
    if (!(real || integer) || (order != '<' && order != '>' && (order != '|' || bytes != '1'))) {
        char shown[SHOWN_BYTES];
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s: an array of type %s; convert it to float64 with astype(float) and save it again", r->path,
                    show_bytes(shown, text, length));
    }
    r->big_endian = order == '>';
    r->kind = kind;
    r->bytes = bytes - '0';
    return NONSENS_OK;
}

static bool take_integer(npy_reader *r, int64_t *value)
{
    skip_spaces(r);
    const char *start = r->at;
    *value = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (__builtin_mul_overflow(*value, (int64_t)10, value) ||
            __builtin_add_overflow(*value, (int64_t)(*r->at - '0'), value)) {
            return false;
        }
    }
    return r->at > start;
}

/* Reads (n,) or (n, d); a comma at the end is allowed. */
static nonsens_status read_shape(npy_reader *r)
{
    if (!take(r, "(")) {
        return fail_header(r, "has no shape");
    }
    bool comma = true;
    while (!take(r, ")")) {
        int64_t extent;
        if (!comma || !take_integer(r, &extent)) {
            return fail_header(r, "has no proper shape");
        }
        if (r->dimensions < 2) {
            r->shape[r->dimensions] = extent;
        }
        if (r->dimensions <= 2) {
            r->dimensions++;
        }
        comma = take(r, ",");
    }
    if (r->dimensions == 1 && !comma) {
        return fail_header(r, "has no proper shape"); /* in Python (n) is a number, not a tuple */
    }
    if (r->dimensions != 1 && r->dimensions != 2) {
        return fail(r->ctx, NONSENS_ERR_DATA, "%s: the array has %s dimensions; give one or two (rows, columns)",
                    r->path, r->dimensions == 0 ? "no" : "more than two");
    }
    return NONSENS_OK;
}

static nonsens_status read_order(npy_reader *r)
{
    r->fortran = take(r, "True");
    if (!r->fortran && !take(r, "False")) {
        return fail_header(r, "has neither True nor False as fortran_order");
    }
    return NONSENS_OK;
}

static nonsens_status read_dictionary(npy_reader *r)
{
    static const struct {
        const char *key;
        nonsens_status (*read)(npy_reader *r);
    } entries[] = {{"descr", read_type}, {"fortran_order", read_order}, {"shape", read_shape}};
    enum { ENTRIES = 3 };
    bool seen[ENTRIES] = {false};
    bool comma = true;
    if (!take(r, "{")) {
        return fail_header(r, "is not a dictionary");
    }
    while (!take(r, "}")) {
        const char *key;
        int64_t length;
        if (!comma || !take_string(r, &key, &length) || !take(r, ":")) {
            return fail_header(r, "is malformed");
        }
        int k = 0;
        while (k < ENTRIES &&
               (length != (int64_t)strlen(entries[k].key) || memcmp(key, entries[k].key, (size_t)length) != 0)) {
            k++;
        }
        if (k == ENTRIES || seen[k]) {
            return fail_header(r, "has an unknown or repeated key");
        }
        seen[k] = true;
        TRY(entries[k].read(r));
        comma = take(r, ",");
    }
    if (!seen[0] || !seen[1] || !seen[2]) {
        return fail_header(r, "lacks descr, fortran_order or shape");
    }
    skip_spaces(r);
    if (r->end - r->at > 1 || (r->at < r->end && *r->at != '\n')) {
        return fail_header(r, "has text behind the dictionary");
    }
    return NONSENS_OK;
}

/* Checks that there are exactly as many bytes of data as the header claims. */
static nonsens_status check_size(const npy_reader *r, int64_t present)
{
    int64_t cells, claimed;
    if (r->dimensions == 0 || r->shape[0] == 0 || r->shape[1] == 0) {
        return fail(r->ctx, NONSENS_ERR_DATA, "%s: the array has no elements; give at least one row", r->path);
    }
    if (__builtin_mul_overflow(r->shape[0], r->shape[1], &cells) ||
        __builtin_mul_overflow(cells, (int64_t)r->bytes, &claimed) || claimed > present) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s: the header claims %" PRId64 " x %" PRId64 " elements, but the file ends after %" PRId64
                    " bytes of data; copy or save it again",
                    r->path, r->shape[0], r->shape[1], present);
    }
    if (claimed < present) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s: %" PRId64 " bytes more than the header claims; save one array per file", r->path,
                    present - claimed);
    }
    return NONSENS_OK;
}

/* Reads the header.  A file has magic, version, header length (2 or, after version 1, 4 bytes; little-endian), header
 * and data. */
static nonsens_status read_header(npy_reader *r, const char *bytes, size_t size)
{
    const unsigned char *head = (const unsigned char *)bytes;
    if (!npy_has_magic(bytes, size)) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s: not a .npy file; save the array with numpy.save, or rename a text file", r->path);
    }
    size_t version_at = sizeof magic - 1, length_at = version_at + 2;
    size_t length_bytes = size > version_at && head[version_at] == 1 ? 2 : 4;
    if (size < length_at + length_bytes) {
        return fail(r->ctx, NONSENS_ERR_DATA, "%s: the file ends inside its header; copy or save it again", r->path);
    }
    if (head[version_at] < 1 || head[version_at] > 3 || head[version_at + 1] != 0) {
        return fail(r->ctx, NONSENS_ERR_DATA, "%s: .npy version %d.%d; save it as version 1.0, 2.0 or 3.0", r->path,
                    head[version_at], head[version_at + 1]);
    }
    size_t length = 0;
    for (size_t i = length_bytes; i-- > 0;) {
        length = length * 256 + head[length_at + i];
    }
    size_t data_at = length_at + length_bytes;
    if (length > size - data_at) {
        return fail(r->ctx, NONSENS_ERR_DATA, "%s: the file ends inside its header; copy or save it again", r->path);
    }
    r->at = bytes + data_at;
    r->end = r->at + length;
    r->data = head + data_at + length;
    r->shape[1] = 1;
    TRY(read_dictionary(r));
    return check_size(r, (int64_t)(size - data_at - length));
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

/* Returns the bytes of an element as an unsigned integer. */
static inline uint64_t load_element(const unsigned char *p, int bytes, bool big_endian)
{
    uint64_t word = 0;
    for (int i = 0; i < bytes; i++) {
        word |= (uint64_t)p[i] << (8 * (big_endian ? bytes - 1 - i : i));
    }
    return word;
}

static int64_t sign_extended(uint64_t word, int bytes)
{
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((word ^ sign) - sign);
}

static double element_value(const npy_reader *r, uint64_t word)
{
    double value;
    float single;
    uint32_t low = (uint32_t)word;
    switch (r->kind) {
    case 'i':
        return (double)sign_extended(word, r->bytes);
    case 'u':
        return (double)word;
    default:
        memcpy(&value, &word, sizeof value);
        memcpy(&single, &low, sizeof single);
        return r->bytes == 8 ? value : (double)single;
    }
}

static const unsigned char *element_at(const npy_reader *r, int64_t row, int64_t col)
{
    int64_t index = r->fortran ? col * r->shape[0] + row : row * r->shape[1] + col;
    return r->data + index * r->bytes;
}

static nonsens_status fail_infinite(const npy_reader *r, int64_t row, int64_t col)
{
    return fail(r->ctx, NONSENS_ERR_DATA,
                "%s: row %" PRId64 ", column %" PRId64
                " (both from 1) is infinite; correct it, or write NaN if the value is missing",
                r->path, row + 1, col + 1);
}

static nonsens_status read_column(const npy_reader *r, table *t, int64_t col, int64_t first, int64_t last)
{
    table_column *column = &t->column[col];
    for (int64_t row = first; row < last; row++) {
        double value = element_value(r, load_element(element_at(r, row, col), r->bytes, r->big_endian));
        column->value[row] = value;
        if (isnan(value)) {
            table_count_missing(column, row);
        } else if (isinf(value) && column->asked) {
            return fail_infinite(r, row, col);
        } else if (isinf(value)) {
            column->mixed = true;
        }
    }
    return NONSENS_OK;
}

/* Prints the fewest digits that give the same single-precision value. */
static void print_single(char text[NUMBER_BYTES], double value)
{
    enum { SAFE_DIGITS = 6, ROUND_TRIP_DIGITS = 9 };
    double again = 0.0;
    for (int digits = SAFE_DIGITS; digits <= ROUND_TRIP_DIGITS; digits++) {
        number_print(text, value, digits);
        number_parse(text, text + strlen(text), &again);
        if ((float)again == (float)value) {
            return;
        }
    }
}

/* Prints an element: integers exactly, reals with the fewest digits that give the same value. */
static void print_element(const npy_reader *r, uint64_t word, char text[NUMBER_BYTES])
{
    double value = element_value(r, word);
    value = value == 0.0 ? 0.0 : value; /* -0 and 0 are the same label */
    if (r->kind == 'i') {
        snprintf(text, NUMBER_BYTES, "%" PRId64, sign_extended(word, r->bytes));
    } else if (r->kind == 'u') {
        snprintf(text, NUMBER_BYTES, "%" PRIu64, word);
    } else if (r->bytes == 4) {
        print_single(text, value);
    } else {
        number_print(text, value, 0);
    }
}

static nonsens_status read_labels(const npy_reader *r, table *t, int64_t col, text_set *set)
{
    table_column *column = &t->column[col];
    uint64_t previous = 0;
    for (int64_t row = 0; row < t->rows; row++) {
        uint64_t word = load_element(element_at(r, row, col), r->bytes, r->big_endian);
        double value = element_value(r, word);
        if (row > 0 && word == previous && !isnan(value)) {
            column->category[row] = column->category[row - 1]; /* labels often repeat, and printing is slow */
            continue;
        }
        previous = word;
        if (isinf(value)) {
            return fail_infinite(r, row, col);
        }
        if (isnan(value)) {
            table_count_missing(column, row);
            column->category[row] = -1;
            continue;
        }
        char text[NUMBER_BYTES];
        print_element(r, word, text);
        TRY(text_set_put(r->ctx, set, text, (int64_t)strlen(text), &column->category[row]));
    }
    return NONSENS_OK;
}

/* Reads block by block, so that rows of a C-ordered array stay in the cache while columns are gathered. */
static nonsens_status read_values(const npy_reader *r, table *t)
{
    enum { BLOCK_ROWS = 256 };
    for (int64_t first = 0; first < t->rows; first += BLOCK_ROWS) {
        int64_t last = first + BLOCK_ROWS < t->rows ? first + BLOCK_ROWS : t->rows;
        TRY(check_cancelled(r->ctx));
        for (int64_t j = 0; j < t->cols; j++) {
            if (!t->column[j].is_label) {
                TRY(read_column(r, t, j, first, last));
            }
        }
    }
    return NONSENS_OK;
}

static void settle_columns(table *t, const char *missing)
{
    for (int64_t j = 0; j < t->cols; j++) {
        if (t->column[j].value && missing && missing[0]) {
            table_find_missing(missing, t->rows, &t->column[j]);
        }
        bool numeric = t->column[j].value && t->column[j].missing < t->rows && !t->column[j].mixed;
        t->column[j].kind = numeric ? COLUMN_NUMERIC : COLUMN_TEXT;
        if (!numeric) {
            t->column[j].value = NULL;
        }
    }
}

nonsens_status npy_parse(nonsens_context *ctx, arena *a, const char *bytes, size_t size, const table_options *options,
                         table *t)
{
    npy_reader r = {.ctx = ctx, .path = t->path};
    SCOPED_ARENA(scratch);
    TRY(read_header(&r, bytes, size));
    TRY(table_new(ctx, a, r.shape[1], t));
    TRY(table_number_columns(ctx, a, t));
    TRY(table_find_labels(ctx, a, options, t));
    table_mark_asked(t, options);
    t->rows = r.shape[0];
    TRY(table_place_cells(ctx, a, t));
    TRY(read_values(&r, t));
    for (int64_t j = 0; j < t->cols; j++) {
        if (t->column[j].is_label) {
            text_set set = {.keep = a, .scratch = &scratch};
            TRY(read_labels(&r, t, j, &set));
            TRY(table_keep_labels(ctx, a, &set, &t->column[j]));
        }
    }
    settle_columns(t, options->format.missing);
    return NONSENS_OK;
}
