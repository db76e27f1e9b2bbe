/* Sums over events with the same key: the rows of torch's key_averages(), and of groups that torch does not have.
 *
 * Rows are in order of their first event, as in torch. A row has every time twice: as exact nanoseconds, and as the
 * double of microseconds that torch gets by adding doubles in the same order (the number in its tables). */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_AVERAGES_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_AVERAGES_H

#include "webreport/measure/torch_tables/key_stacks.h"

enum tp_key_group {
    TP_KEY_NAME,   /* torch's group; torch does not have the others */
    TP_KEY_MODULE, /* enclosing nn.Module: self is the time in the module outside of inner modules, total the time of
                    * its calls */
    TP_KEY_LINE,   /* innermost enclosing line of the project (not of torch or Python) */
    TP_KEY_TYPE,   /* category */
    TP_KEY_KERNEL  /* only device events, by name */
};

struct tp_key_options {
    enum tp_key_group group;
    bool by_shape;        /* with TP_KEY_NAME: group_by_input_shape */
    unsigned stack_depth; /* with TP_KEY_NAME: group_by_stack_n; 0: stacks are not part of the key */
    bool includes_frames; /* includes rows of Python frames, as torch 2.13 (2.14 and most older versions do not) */
    enum tp_torch_rules rules;
};

struct tp_key_row {
    struct tp_str key;
    struct tp_str shapes;       /* Python's text of the list; ptr NULL when shapes are not part of the key */
    struct tp_frame_list stack; /* the first stack_depth frames */
    int64_t count;
    struct tp_torch_time self_cpu, cpu, self_device, device;
    int64_t cpu_bytes, self_cpu_bytes, device_bytes, self_device_bytes, flops;
    bool is_device, is_annotation, is_async;
    bool has_parent; /* its first event has a caller: not a top level event */
};

struct tp_key_averages {
    struct tp_torch torch;
    struct tp_key_stacks stacks; /* empty without stack_depth */
    struct tp_key_row *rows;
    uint32_t count;
    bool has_memory, has_flops; /* torch was set to record them (or the file has them anyway) */
    bool has_device_rows;       /* device events are rows: only their self times add up to the device's time */
};

/* Returns whether the row's self device time is part of the total of the table. */
static inline bool tp_key_row_adds_device(const struct tp_key_averages *averages, const struct tp_key_row *row)
{
    return !averages->has_device_rows || (row->is_device && !row->is_annotation);
}

/* Builds the rows in `arena` (guard set by the caller). The trace must outlive them; to include frames by stack, it
 * must have been read with keeps_frame_stacks. */
void tp_key_averages_build(struct tp_key_averages *averages, const struct tp_trace *trace,
                           const struct tp_key_options *options, struct tp_arena *arena);

/* Sorts rows by a number, largest first; ties keep their order. key: one of torch's attribute names
 * ("self_cpu_time_total", "cuda_time" and so on); NULL or "none": no sorting. Returns row numbers in `arena`, or NULL
 * if there is no such key. */
uint32_t *tp_key_averages_sort(const struct tp_key_averages *averages, const char *key, struct tp_arena *arena);

/* Returns whether tp_key_averages_sort accepts the key; true for NULL and "none". */
bool tp_key_averages_can_sort(const char *key);

#endif
