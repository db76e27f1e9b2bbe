/* Splits the wall time of PyTorch's steps by the state of its main thread (docs/definitions.md, section 24; JSON:
 * program_steps).
 *
 * The states come from a recording of the same run from outside, and the step borders come from PyTorch's trace. Both
 * use Unix time. The parts of a step add up to its wall time exactly: running, ready, blocked by cause, and time that
 * the recording from outside missed. The result also lists the functions that ran while no operator ran.
 *
 * All memory is in the given arena or borrowed from the program's view, and is read-only after the build. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STEPS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STEPS_H

#include "webreport/measure/program/program_view.h"
#include "webreport/model/facts.h"

/* Parts of the wall time: running time by kind of the innermost function, in the order of enum tp_function_kind, then
 * the other states. */
enum tp_steps_part {
    TP_STEPS_NATIVE,
    TP_STEPS_PYTHON,
    TP_STEPS_KERNEL,
    TP_STEPS_UNSAMPLED, /* running time with too few samples to know the kind of function */
    TP_STEPS_READY,
    TP_STEPS_WAITS, /* first of the parts with blocked time; they have the order of enum tp_wait_cause */
    TP_STEPS_UNSEEN = TP_STEPS_WAITS + TP_WAIT_COUNT,
    TP_STEPS_PARTS
};

enum tp_steps_column {
    TP_STEPS_NAME,
    TP_STEPS_WALL,
    TP_STEPS_RUNNING,
    TP_STEPS_READY_TIME,
    TP_STEPS_CAUSES, /* first of the columns with blocked time; they have the order of enum tp_wait_cause */
    TP_STEPS_UNSEEN_TIME = TP_STEPS_CAUSES + TP_WAIT_COUNT,
    TP_STEPS_COLUMNS
};

enum tp_steps_part_column {
    TP_STEPS_PART_NAME,
    TP_STEPS_PART_TIME,
    TP_STEPS_PART_PERCENT,
    TP_STEPS_PART_MEAN,
    TP_STEPS_PART_COLUMNS
};

struct tp_program_steps {
    int64_t pid, tid; /* process id and thread id of the main thread */
    int64_t wall_ns, running_ns;
    int64_t part_ns[TP_STEPS_PARTS];
    int64_t outside_ns; /* part of running_ns in which no operator of the thread ran */
    /* number of samples in the steps, and in those parts of the steps in which no operator ran */
    uint64_t sample_count, outside_count;
    struct tp_table steps; /* analysed steps, in order of time */
    struct tp_table parts; /* parts that are not 0, longest first */
    uint8_t *part_by_row;  /* enum tp_steps_part of each row of `parts` */
    /* functions that ran while no operator ran, largest self time first, then total time, name, file */
    struct tp_table functions;
    uint32_t *function_by_row; /* for each row of `functions`: number of the function in the program's functions */
};

/* Builds the steps from a model of PyTorch's trace and the view of a program. Returns false if the program lacks the
 * model's main thread or ran at another time. Memory comes from `arena` (guard set by the caller). */
bool tp_program_steps_build(struct tp_program_steps *steps, const struct tp_model *model,
                            const struct tp_program_view *program, struct tp_arena *arena);

/* Returns the share of the steps in which the main thread was ready but had no CPU, percent. Returns 0 for shares
 * below 20 %. */
double tp_program_steps_ready_percent(const struct tp_program_steps *steps);

/* Returns the name of a part in JSON, such as "native", "ready" or "disk". The text is static. */
const char *tp_steps_part_text(unsigned part);

extern const struct tp_fields tp_program_steps_fields;

#endif
