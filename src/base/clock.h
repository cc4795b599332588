/*
 * clock.h - how long something takes.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds on a clock that never goes back; only differences mean something. */
double clock_seconds(void);

#endif
