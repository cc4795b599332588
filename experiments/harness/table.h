/*
 * table.h - tables as CSV, cell by cell.  A number that is not known (NaN) leaves its cell empty.  Without a stream
 * nothing is written.
 */
#ifndef HARNESS_TABLE_H
#define HARNESS_TABLE_H

#include "harness/summary.h"

#include <stdio.h>

typedef struct table {
    FILE *out;  /* NULL: no table */
    int column; /* of the next cell, from 0 */
} table;

void table_text(table *t, const char *text);
void table_whole(table *t, int64_t value);
/* With at most `digits` significant digits. */
void table_number(table *t, double value, int digits);
/* With `decimals` digits behind the point. */
void table_fixed(table *t, double value, int decimals);
/* A mean and its standard error. */
void table_summary(table *t, summary s, int digits);
void table_end_row(table *t);

#endif
