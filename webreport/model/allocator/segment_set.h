/* The segments of the allocator at one moment, sorted by address. Expandable segments of one stream that touch are one
 * segment. */
#ifndef TP_WEBREPORT_MODEL_ALLOCATOR_SEGMENT_SET_H
#define TP_WEBREPORT_MODEL_ALLOCATOR_SEGMENT_SET_H

#include "webreport/model/allocator/address_map.h"

struct tp_segment_range {
    uint64_t address, size;
    int64_t stream;
    uint32_t pool; /* index in tp_snapshot.pools */
    bool is_expandable, is_small;
};

struct tp_segment_set {
    struct tp_address_map starts; /* index in `ranges` of the segment at each address */
    struct tp_vec ranges;         /* elements: struct tp_segment_range; removed segments stay as unused elements */
    struct tp_vec unused;         /* indexes of unused elements; elements: uint32_t */
    uint64_t total_bytes;
};

void tp_segment_set_init(struct tp_segment_set *set, struct tp_arena *arena);
/* Makes `set` a copy of `other`. */
void tp_segment_set_copy(struct tp_segment_set *set, const struct tp_segment_set *other);

/* Returns the segment that contains an address; NULL if none does. Valid until the set changes. */
const struct tp_segment_range *tp_segment_set_find(const struct tp_segment_set *set, uint64_t address);

/* Adds a segment. Returns false if a segment begins at the same address. */
bool tp_segment_set_add(struct tp_segment_set *set, struct tp_segment_range range);

/* Removes a range of addresses. Without is_expandable, the range must be a whole segment; otherwise it must be inside
 * of a segment, whose rest remains. Returns false if no such segment exists. */
bool tp_segment_set_cut(struct tp_segment_set *set, uint64_t address, uint64_t size, bool is_expandable);

#endif
