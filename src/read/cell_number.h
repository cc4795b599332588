/*
 * cell_number.h - what a cell in a column of numbers holds: a number, a number with a unit, a missing value, or text.
 */
#ifndef READ_CELL_NUMBER_H
#define READ_CELL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* How numbers are written in a file. */
typedef struct cell_format {
    char decimal;        /* '.' or ',' */
    char thousands;      /* between groups of three digits: one of . , ' _ or ' ' for blanks of all kinds; 0: nothing */
    const char *missing; /* further words for a missing value, separated by commas; "" or NULL: no further words */
} cell_format;

enum cell_kind { CELL_TEXT, CELL_MISSING, CELL_NUMBER, CELL_UNIT };

enum { UNIT_BYTES = 16 };

typedef struct cell_reading {
    enum cell_kind kind;
    double value;        /* of a number; may be infinite or NaN */
    const char *unit;    /* for CELL_UNIT: points into the text */
    int64_t unit_length; /* at most UNIT_BYTES */
} cell_reading;

/* Reads the text of a cell, which must have no blanks around it. */
cell_reading cell_read(const cell_format *format, const char *text, int64_t length);

/* Returns whether the text is a number in this format, and nothing else. */
bool cell_is_number(const cell_format *format, const char *text, int64_t length, double *value);

/*
 * Returns whether the text stands for a missing value.  For labels (`label`) fewer words do, since "-" or "none" may
 * well be the name of a segment.
 */
bool cell_is_missing(const cell_format *format, const char *text, int64_t length, bool label);

/* Lists the numbers among the further words for missing values; returns how many there are, at most `max`. */
int cell_missing_numbers(const char *words, double *value, int max);

#endif
