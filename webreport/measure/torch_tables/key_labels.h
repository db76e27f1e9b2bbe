/* The group of each item when rows are not by name: its module, its line of the project, its category. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_LABELS_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_LABELS_H

#include "webreport/measure/torch_tables/key_averages.h"

struct tp_key_labels {
    struct tp_strings texts;
    uint32_t *of_item; /* id in texts */
    bool *is_call;     /* by item: it opens its group, as one call of the module or line; NULL when each item counts */
};

/* Finds the labels of all items. Does nothing for groups by name. */
void tp_key_labels_init(struct tp_key_labels *labels, const struct tp_torch *torch, enum tp_key_group group,
                        struct tp_arena *arena);

/* Returns whether the item counts as a call of its row. */
bool tp_key_labels_counts(const struct tp_key_labels *labels, const struct tp_torch *torch, uint32_t item);

#endif
