/* Groups of operators with equal keys. A group contains the sums of one row of a table. Its totals include only members
 * without an ancestor in the same group (D6). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_OPERATOR_GROUPS_H
#define TP_WEBREPORT_MEASURE_VIEWS_OPERATOR_GROUPS_H

#include "webreport/model/facts.h"

struct tp_op_group {
    uint32_t name;  /* name id of the operators */
    uint32_t shape; /* text id in tp_op_grouping.shapes; TP_NO_ID if the key has no shape */
    uint32_t stack; /* node of the trace's stacks; TP_NO_ID if the key has no stack */
    bool is_eligible;
    int64_t calls, device_self, device_total, host_self, host_total, tensor_core_self, tensor_core_total;
};

struct tp_op_groups {
    struct tp_op_group *items;
    uint32_t count;
};

/* the four groupings of operators in the operator view */
struct tp_op_grouping {
    struct tp_strings shapes; /* distinct texts of input shapes */
    struct tp_op_groups by_name, by_shape, by_name_and_stack, by_shape_and_stack;
};

void tp_op_grouping_build(struct tp_op_grouping *grouping, const struct tp_model *model, struct tp_arena *arena);
/* Builds only the grouping by_name; the other groupings stay empty. */
void tp_op_grouping_build_names(struct tp_op_grouping *grouping, const struct tp_model *model, struct tp_arena *arena);

#endif
