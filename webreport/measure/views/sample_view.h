/* The sample view: processor time of running threads by function and by line, computed from samples.
 *
 * A sample represents the processor time that its thread used since the previous sample. The self time of a function is
 * the sum over samples whose innermost frame is in the function. The total time is the sum over samples whose stack
 * contains the function. A function is identified by name and file. A line is identified by the text of the recorded
 * frame. Samples without a stack are included only in the total of all samples.
 *
 * The samples of other profilers have no times. Each of them counts 1 instead of a time, and the view has their threads
 * and the functions of each thread instead of lines (docs/definitions.md, section 7). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_SAMPLE_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_SAMPLE_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_sample_column {
    TP_SAMPLE_FUNCTION,
    TP_SAMPLE_SELF,
    TP_SAMPLE_TOTAL,
    TP_SAMPLE_COUNT, /* number of samples whose innermost frame is in the function */
    TP_SAMPLE_COLUMNS
};

/* columns of the functions of each thread in samples without times */
enum tp_sample_thread_column {
    TP_SAMPLE_THREAD,
    TP_SAMPLE_THREAD_FUNCTION,
    TP_SAMPLE_THREAD_SELF,
    TP_SAMPLE_THREAD_TOTAL,
    TP_SAMPLE_THREAD_COLUMNS
};

enum tp_sample_line_column { TP_SAMPLE_LINE, TP_SAMPLE_LINE_SELF, TP_SAMPLE_LINE_COUNT, TP_SAMPLE_LINE_COLUMNS };

struct tp_sample_view {
    bool is_present; /* true if the trace has samples */
    uint64_t count, without_stack;
    bool is_timed, is_untimed; /* is_untimed: the samples have no times, so that times are numbers of samples */
    int64_t cpu_ns;            /* processor time of all samples, ns; their number if is_untimed */
    /* table of the functions, sorted by self time (descending), total time (descending), name */
    struct tp_table functions;
    struct tp_table lines; /* table of the lines, sorted by self time (descending), frame; empty if is_untimed */
    /* if is_untimed: the functions of each thread, sorted by samples of the thread (descending), thread, self and total
     * (descending), function; and the number of samples of each thread */
    struct tp_table thread_functions, threads;
};

void tp_sample_view_build(struct tp_sample_view *view, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_sample_view_fields;

/* Assigns a number to each function in samples. The frame "src/a.c(12): f" has the function "f  src/a.c". For a frame
 * of code without a name, the library is the function. Any other frame is a separate function. Blanks around a frame
 * are ignored. */
struct tp_sample_functions {
    const struct tp_stacks *stacks; /* stacks of the trace */
    struct tp_strings texts;        /* texts of the functions; the id of a text is the number of its function */
    uint32_t *of_frame;             /* for each frame of the stacks: number of its function + 1; 0: no number yet */
    struct tp_vec path;             /* functions of the current sample, outermost first; elements: uint32_t */
    struct tp_str innermost; /* text of the innermost frame of the current sample; empty if the sample has no stack */
};

/* Initializes the functions in `arena`, whose guard the caller has set. The trace must outlive the functions. */
void tp_sample_functions_init(struct tp_sample_functions *functions, const struct tp_trace *trace,
                              struct tp_arena *arena);
/* Fills `path` and `innermost` for a sample. */
void tp_sample_functions_read(struct tp_sample_functions *functions, const struct tp_sample *sample);

/* Returns the name of a thread, or its number if it has no name. */
struct tp_str tp_sample_thread_name(struct tp_arena *arena, const struct tp_thread *thread);

#endif
