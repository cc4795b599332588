#ifndef FZ
#define FZ
#include "base/matrix.h"
#include "base/memory.h"
typedef struct fisher_z_data {int d;} fisher_z_data;
#endif
