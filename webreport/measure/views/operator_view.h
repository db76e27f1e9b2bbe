/* The operator view: calls, device time and host time by operator, by operator and input shape, and by call stack
 * (docs/definitions.md, section 4). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_OPERATOR_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_OPERATOR_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

/* Columns of by_name. The table by_shape has the input shape after the name, so its other columns are shifted by one
 * (TP_OP_SHAPED(x)). Stack tables have the text of the stack instead of the name, and lack TP_OP_HAS_STACK. */
enum tp_op_column {
    TP_OP_NAME,
    TP_OP_CALLS,
    TP_OP_DEVICE_SELF,
    TP_OP_DEVICE_TOTAL,
    TP_OP_HOST_SELF,
    TP_OP_HOST_TOTAL,
    TP_OP_TC_ELIGIBLE,
    TP_OP_TC_SELF,
    TP_OP_TC_TOTAL,
    TP_OP_HAS_STACK,
    TP_OP_COLUMNS
};
#define TP_OP_SHAPED(column) ((column) + 1)
enum { TP_OP_SHAPE = 1 };

#define TP_STACK_LEFT_OUT UINT64_MAX

/* The stacks of one operator, or of one operator and shape: rows first to first + count - 1 of the stack table. */
struct tp_stack_group {
    struct tp_str key; /* key of the section: NAME, or NAME###SHAPE */
    uint32_t first, count;
};

struct tp_stack_table {
    struct tp_table
        /* column 0 has no text; the text of a stack is computed from `stack`, or written with tp_stack_write */
        table;
    uint32_t *stack; /* for each row: node of the row's stack in `stacks` */
    /* for each row: length of the stack's text, bytes; TP_STACK_LEFT_OUT if the text is omitted */
    uint64_t *text_bytes;
    const struct tp_stacks *stacks; /* stacks of the trace */
    struct tp_stack_group *groups;  /* groups of stacks (sections of the table), sorted by key */
    uint32_t group_count;
};

struct tp_operator_view {
    struct tp_arena *arena;
    bool sorted_by_device;
    struct tp_table by_name, by_shape;
    /* for each row of by_name and by_shape: index of its group in stacks_by_name or stacks_by_shape; TP_NO_ID if the
     * row has no stacks */
    uint32_t *stack_group_by_name_row, *stack_group_by_shape_row;
    struct tp_stack_table stacks_by_name, stacks_by_shape;
    uint64_t stacks_left_out; /* number of stacks in both tables whose text is omitted because of its size */
    uint64_t unlinked_device_events, launches_outside_operators;
    int64_t unlinked_device_time_ns, unlinked_kernel_time_ns;
};

void tp_operator_view_build(struct tp_operator_view *view, const struct tp_model *model, struct tp_arena *arena);
/* Builds only the table by_name, without stacks. The other tables stay empty. */
void tp_operator_view_build_by_name(struct tp_operator_view *view, const struct tp_model *model,
                                    struct tp_arena *arena);
extern const struct tp_fields tp_operator_view_fields;

#endif
