/*
 * clock.h - a clock to measure how long something takes.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Returns seconds on a clock that never goes back; only differences are meaningful. */
double clock_seconds(void);

#endif
