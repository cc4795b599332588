/* foreign.c - recognises files of other programs by their first bytes, and says how to make a CSV file of them. */
#include "unpack/unpack_internal.h"

#include <string.h>

/* What to do about a format.  FILE in a remedy stands for the file. */
typedef struct format {
    const char *magic; /* the first bytes */
    size_t length;
    const char *name;
    const char *remedy;
} format;

#define PANDAS(call) "python3 -c \"import pandas; pandas." call ".to_csv('data.csv', index=False)\""
#define UNPACK(command) "unpack it: " command
#define SPREADSHEET "save the sheet as CSV (File, Save As), or: " PANDAS("read_excel('FILE')")

#define MAGIC(text) text, sizeof text - 1

static const format known[] = {
    {MAGIC("ARROW1\0\0"), "an Arrow or Feather file", PANDAS("read_feather('FILE')")},
    {MAGIC("\xFF\xFF\xFF\xFF"), "an Arrow stream",
     "python3 -c \"import pyarrow; pyarrow.ipc.open_stream('FILE').read_pandas().to_csv('data.csv', index=False)\""},
    {MAGIC("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), "an Excel file (xls)", SPREADSHEET},
    {MAGIC("\x89HDF\r\n\x1A\n"), "an HDF5 file", PANDAS("read_hdf('FILE')")},
    {MAGIC("MATLAB 5.0 MAT-file"), "a MATLAB file", "in MATLAB: writetable(T, 'data.csv')"},
    {MAGIC("SQLite format 3\0"), "an SQLite database", "sqlite3 -header -csv FILE 'select * from TABLE' > data.csv"},
    {MAGIC("$FL2@(#)"), "an SPSS file", PANDAS("read_spss('FILE')")},
    {MAGIC("<stata_dta>"), "a Stata file", PANDAS("read_stata('FILE')")},
    {MAGIC("RDX2\n"), "a file of R", "in R: load('FILE'), then write.csv(TABLE, 'data.csv', row.names = FALSE)"},
    {MAGIC("RDX3\n"), "a file of R", "in R: load('FILE'), then write.csv(TABLE, 'data.csv', row.names = FALSE)"},
    {MAGIC("X\n\0\0\0"), "a file of R", "in R: write.csv(readRDS('FILE'), 'data.csv', row.names = FALSE)"},
    {MAGIC("\xFD"
           "7zXZ"),
     "compressed by xz", UNPACK("xz -dk FILE")},
    {MAGIC("7z\xBC\xAF"), "a 7z archive", UNPACK("7z x FILE")},
    {MAGIC("%PDF-"), "a PDF file", "ask for the table as CSV"},
    {MAGIC("<!DOCTYPE"), "a web page", "download the data themselves, not the page that shows them"},
    {MAGIC("<html"), "a web page", "download the data themselves, not the page that shows them"},
};

static const format bzip2 = {MAGIC("BZh"), "compressed by bzip2", UNPACK("bzip2 -dk FILE")};
static const format parquet = {MAGIC("PAR1"), "a Parquet file", PANDAS("read_parquet('FILE')")};
static const format feather = {MAGIC("FEA1"), "a Feather file", PANDAS("read_feather('FILE')")};

#define ZIP "PK\x03\x04"
static const format workbook = {MAGIC(ZIP), "an Excel workbook (xlsx)", SPREADSHEET};
static const format arrays = {MAGIC(ZIP), "an archive of arrays (npz)",
                              "python3 -c \"import numpy; numpy.save('data.npy', numpy.load('FILE')['NAME'])\""};
static const format archive = {MAGIC(ZIP), "a zip archive", UNPACK("unzip FILE")};
static const format json = {"", 0, "a JSON file", PANDAS("read_json('FILE')")};
static const format json_lines = {"", 0, "a file of JSON lines", PANDAS("read_json('FILE', lines=True)")};

static bool begins_as(const format *f, const char *bytes, size_t size)
{
    return size >= f->length && memcmp(bytes, f->magic, f->length) == 0;
}

/* Recognises formats whose first letters could also be those of a column name, so later bytes must match, too. */
static const format *kind_of_letters(const char *bytes, size_t size)
{
    static const format *const ends_alike[] = {&parquet, &feather};
    for (size_t k = 0; k < sizeof ends_alike / sizeof *ends_alike; k++) {
        const format *f = ends_alike[k];
        if (size >= 2 * f->length && begins_as(f, bytes, size) &&
            memcmp(bytes + size - f->length, f->magic, f->length) == 0) {
            return f;
        }
    }
    bool block = size >= 10 && memcmp(bytes + 4, "1AY&SY", 6) == 0;
    return block && begins_as(&bzip2, bytes, size) ? &bzip2 : NULL;
}

static bool has_text(const char *bytes, size_t size, const char *text)
{
    size_t length = strlen(text);
    for (size_t at = 0; at + length <= size; at++) {
        if (memcmp(bytes + at, text, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Recognises what a zip file holds by the file names at its beginning. */
static const format *kind_of_zip(const char *bytes, size_t size)
{
    size_t begin = size < 4096 ? size : 4096;
    if (has_text(bytes, begin, "[Content_Types].xml") || has_text(bytes, begin, "xl/")) {
        return &workbook;
    }
    return has_text(bytes, begin, ".npy") ? &arrays : &archive;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) {
        p++;
    }
    return p;
}

/* Recognises objects, and arrays of objects or arrays; a bracket alone may begin a column name, such as [s]. */
static const format *kind_of_json(const char *bytes, size_t size)
{
    const char *end = bytes + size, *first = skip_blanks(bytes, end);
    if (first == end || (*first != '{' && *first != '[')) {
        return NULL;
    }
    const char *second = skip_blanks(first + 1, end);
    if (second == end || !strchr(*first == '{' ? "\"}" : "{[", *second)) {
        return NULL;
    }
    const char *line_end = memchr(first, '\n', (size_t)(end - first));
    bool lines = *first == '{' && line_end && line_end[-1 - (line_end[-1] == '\r')] == '}' && line_end + 1 < end &&
                 line_end[1] == '{';
    return lines ? &json_lines : &json;
}

static const format *find_format(const char *bytes, size_t size)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (begins_as(&known[k], bytes, size)) {
            return &known[k];
        }
    }
    if (begins_as(&archive, bytes, size)) {
        return kind_of_zip(bytes, size);
    }
    const format *letters = kind_of_letters(bytes, size);
    return letters ? letters : kind_of_json(bytes, size);
}

/* Returns whether the path needs no quoting in a shell command. */
static bool is_plain_word(const char *path)
{
    return path[0] != '-' && !path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-")];
}

nonsens_status unpack_refuse_foreign(nonsens_context *ctx, const char *path, const char *bytes, size_t size)
{
    const format *found = find_format(bytes, size);
    if (!found) {
        return NONSENS_OK;
    }
    const char *file = is_plain_word(path) ? path : "FILE", *at = strstr(found->remedy, "FILE");
    const char *behind = at ? at + strlen("FILE") : found->remedy + strlen(found->remedy);
    return fail(ctx, NONSENS_ERR_DATA, "%s: this is %s, which cannot be read; make a CSV file of it: %.*s%s%s", path,
                found->name, at ? (int)(at - found->remedy) : (int)strlen(found->remedy), found->remedy, at ? file : "",
                behind);
}
