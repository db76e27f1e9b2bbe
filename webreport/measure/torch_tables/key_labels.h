/* Labels of items for rows that are not grouped by name: the module, line of the project, or category of the item. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_LABELS_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_LABELS_H

#include "webreport/measure/torch_tables/key_averages.h"

struct tp_key_labels {
    struct tp_strings texts;
    uint32_t *label_of_item; /* for each item: id of its label in texts */
    /* for each item: whether the item is a call of the module or line itself; NULL: all items are calls */
    bool *is_call;
};

/* Finds the labels of all items. Does nothing for the groupings TP_KEY_NAME and TP_KEY_KERNEL. */
void tp_key_labels_init(struct tp_key_labels *labels, const struct tp_torch *torch, enum tp_key_group group,
                        struct tp_arena *arena);

/* Returns whether the item is included in the number of calls of its row. */
bool tp_key_labels_is_counted(const struct tp_key_labels *labels, const struct tp_torch *torch, uint32_t item);

#endif
