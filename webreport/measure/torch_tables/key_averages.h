/* Sums over events with the same key: the rows of torch's key_averages(), and of groupings that torch does not have.
 *
 * Rows are in order of their first event, as in torch. A row has every time twice: as exact nanoseconds, and as a
 * double of microseconds. The double is the value that torch prints, which is a sum of doubles in the same order. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_AVERAGES_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_AVERAGES_H

#include "webreport/measure/torch_tables/key_stacks.h"

enum tp_key_group {
    TP_KEY_NAME, /* event name, the only grouping that torch has */
    /* enclosing nn.Module; self time excludes inner modules, and total time is the time of the module's calls */
    TP_KEY_MODULE,
    TP_KEY_LINE,  /* innermost enclosing line of the project, which excludes torch and Python's library */
    TP_KEY_TYPE,  /* category of the event */
    TP_KEY_KERNEL /* event name, for device events only */
};

struct tp_key_options {
    enum tp_key_group group;
    bool by_shape; /* true: groups also by input shapes, as torch's group_by_input_shape; only with TP_KEY_NAME */
    unsigned stack_depth; /* number of frames in the key, as torch's group_by_stack_n; only with TP_KEY_NAME; 0: stacks
                             are not part of the key */
    /* true: Python frames have rows. torch 2.13 has such rows, but not 2.14 and most older versions */
    bool includes_frames;
    enum tp_torch_rules rules;
};

struct tp_key_row {
    struct tp_str key;
    struct tp_str shapes;       /* shapes as Python prints the list; ptr NULL: shapes are not part of the key */
    struct tp_frame_list stack; /* first stack_depth frames of the stack, innermost first */
    int64_t count;
    struct tp_torch_time self_cpu, cpu, self_device, device;
    int64_t cpu_bytes, self_cpu_bytes, device_bytes, self_device_bytes, flops;
    bool is_device, is_annotation, is_async;
    bool has_parent; /* true: the first event of the row has a caller, so the row is not a top-level event */
};

struct tp_key_averages {
    struct tp_torch torch;
    struct tp_key_stacks stacks; /* stacks of the items; empty if stack_depth is 0 */
    struct tp_key_row *rows;
    uint32_t count;
    /* true: torch was set to record memory (has_memory) or FLOPs (has_flops), or the trace contains these values
     * without the setting */
    bool has_memory, has_flops;
    /* true: device events have rows, and only the self times of these rows are added to the table's device time */
    bool has_device_rows;
};

/* Returns whether the row's self device time is part of the table's total. */
static inline bool tp_key_row_adds_device(const struct tp_key_averages *averages, const struct tp_key_row *row)
{
    return !averages->has_device_rows || (row->is_device && !row->is_annotation);
}

/* Builds the rows in `arena` (guard set by the caller). The trace must outlive the rows. To group by the stack of
 * frames, read the trace with keeps_frame_stacks. */
void tp_key_averages_build(struct tp_key_averages *averages, const struct tp_trace *trace,
                           const struct tp_key_options *options, struct tp_arena *arena);

/* Returns the row indexes, sorted by a number in descending order, in `arena`. Rows with equal numbers keep their
 * order. key: an attribute name of torch, such as "self_cpu_time_total" or "cuda_time"; NULL or "none": no sorting.
 * Returns NULL for an unknown key. */
uint32_t *tp_key_averages_sort(const struct tp_key_averages *averages, const char *key, struct tp_arena *arena);

/* Returns whether tp_key_averages_sort accepts the key; true for NULL and "none". */
bool tp_key_averages_can_sort(const char *key);

#endif
