/* Draws random numbers with a normal distribution from a seed. */
#ifndef TP_TESTS_UNIT_NORMAL_DRAWS_H
#define TP_TESTS_UNIT_NORMAL_DRAWS_H

#include <math.h>

#include "writer/base/stats.h"

/* Returns a normally distributed number with mean 0 and standard deviation 1 (method of Box and Muller). */
static inline double draw_normal_number(struct tp_random *random)
{
    return sqrt(-2 * log(1 - tp_random_unit(random))) * cos(2 * acos(-1) * tp_random_unit(random));
}

#endif
