/* Sums for every processor of the architecture. */
#define SUMS sums_plain

#include "mechanism/sums_body.h"
