/* date_span.h - when the rows were recorded: the first and the last date of a column of dates. */
#ifndef DATA_DATE_SPAN_H
#define DATA_DATE_SPAN_H

typedef struct date_span {
    char *column;       /* its name; NULL: no column holds dates */
    char *first, *last; /* "2024-03-01" or "2024-03-01 08:30:00" */
} date_span;

#endif
