/* Declares the functions that the source files of the distributed view share. */
#ifndef TP_WEBREPORT_MEASURE_RANKS_RANK_PARTS_H
#define TP_WEBREPORT_MEASURE_RANKS_RANK_PARTS_H

#include "webreport/measure/ranks/distributed.h"

/* The records of a rank in groups with equal keys. Each group has the union of its ranges and the part of this union
 * that transfers data. */
struct tp_range_groups {
    uint32_t count;
    uint32_t *key;      /* key of each group; groups are in order of first appearance */
    uint32_t *group_of; /* for each record: index of its group */
    /* for each group: length of the union of its ranges and transfer time, ns; transfer_ns is 0 if `shortest` was
     * NULL */
    int64_t *full_ns, *transfer_ns;
};

/* Groups the records of a rank. key: for each record, a number below key_count. shortest: for each range, transfer
 * time in ns; NULL if the ranks are not comparable. */
void tp_range_groups_build(struct tp_range_groups *groups, const struct tp_rank_summary *rank, const uint32_t *key,
                           uint32_t key_count, const int64_t *shortest, struct tp_arena *arena);

/* Builds the table of one rank's collectives by name. shortest: for each range, transfer time in ns; NULL if the
 * ranks are not comparable. */
void tp_rank_ops_build(struct tp_table *table, const struct tp_rank_summary *rank, const int64_t *shortest,
                       struct tp_arena *arena);

/* Fills view->siblings_by_rank, the lists of related ranks. */
void tp_rank_siblings_build(struct tp_distributed *view, struct tp_arena *arena);

/* Returns the JSON member device_information: the devices by node, process and id. record->at: the distributed view. */
struct tp_json_value tp_rank_devices(const struct tp_record *record);

#endif
