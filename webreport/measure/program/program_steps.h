/* The wall time of steps by state of the main thread of PyTorch's process: the states come from a recording of the same
 * run from outside and are cut at the steps of PyTorch's trace. In addition: the functions that ran while no operator
 * did. Both recordings have Unix time. The parts of a step add up to its wall time to the nanosecond: running, ready,
 * blocked by cause, and time that the recording from outside did not see. docs/definitions.md section 24; JSON:
 * program_steps.
 * Everything is in the arena given, or borrowed from the program's view; read-only after the build. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STEPS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STEPS_H

#include "webreport/measure/program/program_view.h"
#include "webreport/model/facts.h"

/* Running time by kind of the innermost function, in the order of enum tp_function_kind, then the other states. */
enum tp_steps_part {
    TP_STEPS_NATIVE,
    TP_STEPS_PYTHON,
    TP_STEPS_KERNEL,
    TP_STEPS_UNSAMPLED, /* running, with too few samples to know in which kind of function */
    TP_STEPS_READY,
    TP_STEPS_WAITS, /* from here on: by enum tp_wait_cause */
    TP_STEPS_UNSEEN = TP_STEPS_WAITS + TP_WAIT_COUNT,
    TP_STEPS_PARTS
};

enum tp_steps_column {
    TP_STEPS_NAME,
    TP_STEPS_WALL,
    TP_STEPS_RUNNING,
    TP_STEPS_READY_TIME,
    TP_STEPS_CAUSES, /* from here on: by enum tp_wait_cause */
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
    int64_t pid, tid; /* process and thread numbers of the main thread */
    int64_t wall_ns, running_ns;
    int64_t part_ns[TP_STEPS_PARTS];
    int64_t outside_ns;                   /* part of running_ns while no operator of the thread was alive */
    uint64_t sample_count, outside_count; /* number of samples in the steps; part of them while no operator was alive */
    struct tp_table steps;                /* used steps, in order of time */
    struct tp_table parts;                /* parts that are not 0, longest first */
    uint8_t *part_of_row;                 /* enum tp_steps_part, by row of parts */
    struct tp_table functions;            /* by self time, total time (both descending), name, file */
    uint32_t *function_of_row;            /* number in the program's functions, by row of functions */
};

/* Builds the steps from a model of PyTorch's trace and the view of a program. Returns false if the program does not
 * have the model's process, or not at that time. Memory comes from `arena` (guard set by the caller). */
bool tp_program_steps_build(struct tp_program_steps *steps, const struct tp_model *model,
                            const struct tp_program_view *program, struct tp_arena *arena);

/* Returns the sentence of a verdict about time in which the main thread was ready without a CPU: "For 68.0 % of the
 * steps' time the main thread was ready and got no CPU." Empty below 20 % of the steps. In `arena`. */
struct tp_str tp_program_steps_words(const struct tp_program_steps *steps, struct tp_arena *arena);

/* Return the name of a part in JSON ("native", "ready", "disk") and its text for people ("running, native code").
 * Static. */
const char *tp_steps_part_text(unsigned part);
const char *tp_steps_part_words(unsigned part);

extern const struct tp_fields tp_program_steps_fields;

#endif
