/* Sums the device time of each class of steps by operator, shapes and source line (docs/definitions.md, section 21). */
#ifndef TP_WEBREPORT_MEASURE_SERVING_SERVING_OPERATORS_H
#define TP_WEBREPORT_MEASURE_SERVING_SERVING_OPERATORS_H

#include "webreport/model/facts.h"
#include "writer/base/keys.h"
#include "writer/base/table.h"

enum tp_serving_operator_column {
    TP_SERVING_OPERATOR_CLASS,
    TP_SERVING_OPERATOR_NAME, /* empty if no operator is known */
    TP_SERVING_OPERATOR_SHAPES,
    TP_SERVING_OPERATOR_LINE,
    TP_SERVING_OPERATOR_SOURCE,
    TP_SERVING_OPERATOR_OPERATIONS,
    TP_SERVING_OPERATOR_TIME,
    TP_SERVING_OPERATOR_SHARE,
    TP_SERVING_OPERATOR_COLUMNS
};

struct tp_serving_operators {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_strings lines;
    struct tp_keys keys; /* keys (class, name of the operator, shapes, line, whether it is captured) */
    struct tp_vec sums;  /* for each key; elements: struct sum of serving_operators.c */
    bool has_captured;   /* true: at least one operation has a captured call */
};

/* A class of steps, numbered by the caller. */
struct tp_serving_operator_class {
    struct tp_str name;
    int64_t step_count;
};

void tp_serving_operators_init(struct tp_serving_operators *operators, const struct tp_model *model,
                               struct tp_arena *arena);

/* Adds a device operation of a step. class: number of the step's class. device: index in devices. */
void tp_serving_operators_add(struct tp_serving_operators *operators, uint32_t class, uint32_t device);

/* Fills a table with the operators of each class that take the most time, in the order of the classes' numbers.
 * classes: indexed by number. */
void tp_serving_operators_fill(struct tp_table *table, const struct tp_serving_operators *operators,
                               const struct tp_serving_operator_class *classes);

#endif
