/*
 * table.h - writes tables as CSV, cell by cell.  A number that is NaN leaves its cell empty.  Without a stream nothing
 * is written.
 */
#ifndef HARNESS_TABLE_H
#define HARNESS_TABLE_H

#include "harness/summary.h"

#include <stdio.h>

typedef struct table {
    FILE *out;  /* NULL: no table */
    int column; /* column of the next cell, from 0 */
} table;

/* Write a cell of text, or a whole number. */
void table_text(table *t, const char *text);
void table_whole(table *t, int64_t value);
/* Writes a number with at most `digits` significant digits. */
void table_number(table *t, double value, int digits);
/* Writes a number with `decimals` digits after the point. */
void table_fixed(table *t, double value, int decimals);
/* Writes a mean and its standard error. */
void table_summary(table *t, summary s, int digits);
/* Ends the row. */
void table_end_row(table *t);

#endif
