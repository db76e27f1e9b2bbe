/* Samples of running threads: processor time by function and by line.
 *
 * A sample represents the processor time of its thread since the previous one. The self time of a function is the sum
 * over samples whose innermost frame is in it; the total time is the sum over samples that contain it. A function is a
 * name and a file; a line is a frame as recorded. Samples without a stack only count in the total of all samples. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_SAMPLE_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_SAMPLE_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_sample_column {
    TP_SAMPLE_FUNCTION,
    TP_SAMPLE_SELF,
    TP_SAMPLE_TOTAL,
    TP_SAMPLE_COUNT, /* samples with the function innermost */
    TP_SAMPLE_COLUMNS
};

enum tp_sample_line_column { TP_SAMPLE_LINE, TP_SAMPLE_LINE_SELF, TP_SAMPLE_LINE_COUNT, TP_SAMPLE_LINE_COLUMNS };

struct tp_sample_view {
    bool is_present; /* the trace has samples */
    uint64_t count, without_stack;
    int64_t cpu_ns;            /* processor time of all samples */
    struct tp_table functions; /* by self time, total time (both descending), name */
    struct tp_table lines;     /* by self time (descending), frame */
};

void tp_sample_view_build(struct tp_sample_view *view, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_sample_view_fields;

/* Numbered functions of samples. The function of the frame "src/a.c(12): f" is "f  src/a.c"; the function of code
 * without a name is its library; other frames are their own function. Blanks around a frame are ignored. */
struct tp_sample_functions {
    const struct tp_stacks *stacks; /* of the trace */
    struct tp_strings texts;        /* by function */
    uint32_t *of_frame;             /* by frame of the stacks: function + 1, or 0 if not computed yet */
    struct tp_vec path;             /* uint32_t: functions of the current sample, outermost first */
    struct tp_str innermost;        /* innermost frame of the current sample, or "" */
};

/* Initialises the functions in `arena` (guard set by the caller). The trace must outlive them. */
void tp_sample_functions_init(struct tp_sample_functions *functions, const struct tp_trace *trace,
                              struct tp_arena *arena);
/* Fills `path` and `innermost` for a sample. */
void tp_sample_functions_of(struct tp_sample_functions *functions, const struct tp_sample *sample);

/* Returns the name of a thread, else its number. */
struct tp_str tp_sample_thread(struct tp_arena *arena, const struct tp_thread *thread);

#endif
