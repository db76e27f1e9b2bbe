/* Functions of the distributed view that are in files of their own. */
#ifndef TP_WEBREPORT_MEASURE_RANKS_RANK_PARTS_H
#define TP_WEBREPORT_MEASURE_RANKS_RANK_PARTS_H

#include "webreport/measure/ranks/distributed.h"

/* The records of a rank, grouped by a key: the union of the ranges of each group, and the time in it that transfers
 * data. */
struct tp_range_groups {
    uint32_t count;
    uint32_t *key;                  /* key of each group; groups are in order of first appearance */
    uint32_t *group_of;             /* number of the group, by record */
    int64_t *full_ns, *transfer_ns; /* by group, ns; transfer_ns is 0 if `shortest` was NULL */
};

/* Groups the records of a rank. key: by record, less than key_count. shortest: transfer time by range; NULL if the
 * ranks are not comparable. */
void tp_range_groups_build(struct tp_range_groups *groups, const struct tp_rank_summary *rank, const uint32_t *key,
                           uint32_t key_count, const int64_t *shortest, struct tp_arena *arena);

/* Builds the table of the collectives of one rank by name. shortest: as in tp_range_groups_build. */
void tp_rank_ops_build(struct tp_table *table, const struct tp_rank_summary *rank, const int64_t *shortest,
                       struct tp_arena *arena);

/* Fills view->kin. */
void tp_rank_siblings_build(struct tp_distributed *view, struct tp_arena *arena);

/* Returns the JSON member device_information: devices by node, process and number. record->at: the view. */
struct tp_json_value tp_rank_devices(const struct tp_record *record);

#endif
