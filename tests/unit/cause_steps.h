/* Writes the steps of small CPU programs in which tests look for root causes. Each step lasts 1,000 us. */
#ifndef TP_TESTS_UNIT_CAUSE_STEPS_H
#define TP_TESTS_UNIT_CAUSE_STEPS_H

#include "small_findings.h"

enum { STEPS = 4 };

#define FLOAT "\"float\""
#define MODULE "\"Python id\":1,\"Python module id\":0"

/* Writes a step that begins with a product of 99 us. Returns the start of the step, us. */
static double begin_step(int number)
{
    double at = 1000.0 * number;
    step(number, at, 1000);
    write_operator_with_shapes("aten::mm", at + 1, 99, "[512,512],[512,512]", FLOAT, 1000 + number);
    return at;
}

/* Writes a model without training, with inputs of `rows` rows. */
__attribute__((unused)) static void write_serving_steps(int rows)
{
    char dims[64];
    snprintf(dims, sizeof dims, "[64],[%d,128],[128,64]", rows);
    for (int s = 0; s < STEPS; s++) {
        step(s, 1000.0 * s, 1000);
        write_operator_with_shapes("aten::addmm", 1000.0 * s + 100, 500, dims, FLOAT, -1);
    }
    build_trace();
}

#endif
