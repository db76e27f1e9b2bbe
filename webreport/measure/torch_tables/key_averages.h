/* Sums over events with the same key: the rows of torch's key_averages(), and of groups that torch lacks.
 *
 * Rows are in order of their first event, as in torch. A row has every time twice: as exact nanoseconds, and as a
 * double of microseconds. Torch prints the double, which is a sum of doubles in the same order. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_AVERAGES_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_AVERAGES_H

#include "webreport/measure/torch_tables/key_stacks.h"

enum tp_key_group {
    TP_KEY_NAME,   /* the only group that torch has */
    TP_KEY_MODULE, /* enclosing nn.Module; self is the time in the module outside of inner modules, total the time of
                    * its calls */
    TP_KEY_LINE,   /* innermost enclosing line of the project, not of torch or Python */
    TP_KEY_TYPE,   /* category of the event */
    TP_KEY_KERNEL  /* name; only device events have rows */
};

struct tp_key_options {
    enum tp_key_group group;
    bool by_shape;        /* group_by_input_shape of torch, only with TP_KEY_NAME */
    unsigned stack_depth; /* group_by_stack_n of torch, only with TP_KEY_NAME; 0: stacks are not part of the key */
    bool includes_frames; /* Python frames have rows, as in torch 2.13, but not in 2.14 and most older versions */
    enum tp_torch_rules rules;
};

struct tp_key_row {
    struct tp_str key;
    struct tp_str shapes;       /* text of the list in Python; ptr is NULL if shapes are not part of the key */
    struct tp_frame_list stack; /* first stack_depth frames, innermost first */
    int64_t count;
    struct tp_torch_time self_cpu, cpu, self_device, device;
    int64_t cpu_bytes, self_cpu_bytes, device_bytes, self_device_bytes, flops;
    bool is_device, is_annotation, is_async;
    bool has_parent; /* the first event of the row has a caller, so the row is no top-level event */
};

struct tp_key_averages {
    struct tp_torch torch;
    struct tp_key_stacks stacks; /* empty if stack_depth is 0 */
    struct tp_key_row *rows;
    uint32_t count;
    bool has_memory, has_flops; /* torch was set to record memory or FLOPs, or the trace has them anyway */
    bool has_device_rows;       /* device events have rows, and only their self times add up to the device's time */
};

/* Returns whether the row's self device time counts for the total of the table. */
static inline bool tp_key_row_adds_device(const struct tp_key_averages *averages, const struct tp_key_row *row)
{
    return !averages->has_device_rows || (row->is_device && !row->is_annotation);
}

/* Builds the rows in `arena` (guard set by the caller). The trace must outlive them. To include frames by stack, the
 * trace must have been read with keeps_frame_stacks. */
void tp_key_averages_build(struct tp_key_averages *averages, const struct tp_trace *trace,
                           const struct tp_key_options *options, struct tp_arena *arena);

/* Returns the row numbers sorted by a number, largest first, in `arena`. Rows with equal numbers keep their order. key:
 * an attribute name of torch, such as "self_cpu_time_total" or "cuda_time"; NULL or "none": no sorting. Returns NULL
 * for an unknown key. */
uint32_t *tp_key_averages_sort(const struct tp_key_averages *averages, const char *key, struct tp_arena *arena);

/* Returns whether tp_key_averages_sort accepts the key; true for NULL and "none". */
bool tp_key_averages_can_sort(const char *key);

#endif
