/* Parts of the distributed view that have their own files. */
#ifndef TP_WEBREPORT_MEASURE_RANKS_RANK_PARTS_H
#define TP_WEBREPORT_MEASURE_RANKS_RANK_PARTS_H

#include "webreport/measure/ranks/distributed.h"

/* Records of a rank grouped by a key: length of the union of their ranges, and of the parts that really transfer. */
struct tp_range_groups {
    uint32_t count;
    uint32_t *key;                  /* by group, in order of first appearance */
    uint32_t *group_of;             /* by record */
    int64_t *full_ns, *transfer_ns; /* transfer: 0 without `shortest` */
};

/* Groups the records of a rank. key: by record, below key_count. shortest: by range, or NULL when ranks are not
 * comparable. */
void tp_range_groups_build(struct tp_range_groups *groups, const struct tp_rank_summary *rank, const uint32_t *key,
                           uint32_t key_count, const int64_t *shortest, struct tp_arena *arena);

/* Builds the table of the collectives of one rank by name. */
void tp_rank_ops_build(struct tp_table *table, const struct tp_rank_summary *rank, const int64_t *shortest,
                       struct tp_arena *arena);

/* Fills kin. */
void tp_rank_kin_build(struct tp_distributed *view, struct tp_arena *arena);

/* Returns the member device_information: node, process, GPU. record->at: the view. */
struct tp_json_value tp_rank_devices(const struct tp_record *record);

#endif
