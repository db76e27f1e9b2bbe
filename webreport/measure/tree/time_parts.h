/* State and functions of the files that build a tree of time: nodes (time_parts.c), owner of each nanosecond of device
 * work (time_owner.c), leaf of each operation (time_place.c), leaves of idle time (time_idle.c), sums and order
 * (time_tree_build.c). */
#ifndef TP_WEBREPORT_MEASURE_TREE_TIME_PARTS_H
#define TP_WEBREPORT_MEASURE_TREE_TIME_PARTS_H

#include "webreport/measure/tree/time_tree.h"
#include "writer/base/id_map.h"
#include "writer/base/keys.h"

/* A node of the tree under construction. Its sums exclude its children until the end. */
struct tp_time_draft {
    uint32_t parent, text; /* text: id in `texts` of the maker */
    uint8_t reason;        /* as in struct tp_time_node */
    int64_t time_ns, calls, kernel_ns, flops, bytes, costed_ns, floored_ns;
    int64_t bound_ns[TP_BOUND_COUNT];
    double floor_ns;
};

struct tp_time_builder {
    const struct tp_model *model;
    const struct tp_work_kinds *kinds;
    const struct tp_work_units *units;
    const struct tp_gpu *gpu;
    const struct tp_idle_device *idle;
    struct tp_time_tree *tree;
    struct tp_arena *arena;
    struct tp_strings texts;
    struct tp_id_map children; /* by pair (parent, text) */
    struct tp_vec drafts;      /* struct tp_time_draft; the first one is the window */
    uint32_t *leaves;          /* by device operation: its leaf; not set for operations of other devices */
};

/* Returns the child of `parent` with the text `text`; adds it if it does not exist. */
uint32_t tp_time_child(struct tp_time_builder *maker, uint32_t parent, struct tp_str text);

static inline struct tp_time_draft *tp_time_draft(struct tp_time_builder *maker, uint32_t draft)
{
    return TP_AT(&maker->drafts, struct tp_time_draft, draft);
}

/* Adds time to a node. */
void tp_time_add(struct tp_time_builder *maker, uint32_t draft, int64_t ns);

/* ---- time_owner.c ---- */

/* Classes of work. Simultaneous work of later classes is hidden and owns no time. */
enum tp_time_class { TP_TIME_COMPUTE, TP_TIME_COMMUNICATION, TP_TIME_COPY, TP_TIME_WAIT, TP_TIME_CLASSES };

enum tp_time_class tp_time_class_of(enum tp_work work);

/* Calls `own` for each operation of the device that owns time of W, in order of time. Of simultaneous operations, one
 * of the first class owns the time. Within a class, it is the operation that started first; of several, the longest,
 * then the first in the file. */
void tp_time_owners(const struct tp_time_builder *maker, void (*own)(void *context, uint32_t device, int64_t ns),
                    void *context);

/* ---- time_place.c ---- */

/* The leaves of operations, without duplicates. */
struct tp_time_places {
    struct tp_time_builder *maker;
    struct tp_keys paths;      /* paths: keys (kind, two or three ids) */
    struct tp_vec leaves;      /* uint32_t by key of `paths`: leaf */
    struct tp_keys calls;      /* operators: keys (name, dims, types) */
    struct tp_vec operators;   /* uint32_t by key of `calls`: text */
    uint32_t *units;           /* by call of a unit: 1 + its text; 0: not yet known */
    uint32_t *modules;         /* by module: 1 + text of its class; 0: not yet known */
    uint32_t *forward_modules; /* by operator: module of its forward operator, which has the same sequence number; NULL
                                * without modules */
    uint8_t *is_backward;      /* by operator: true in the backward pass */
};

void tp_time_places_init(struct tp_time_places *places, struct tp_time_builder *maker);
/* Returns the leaf of a device operation. */
uint32_t tp_time_place(struct tp_time_places *places, uint32_t device);
/* Returns the memory of the leaves to the arena. */
void tp_time_places_drop(struct tp_time_places *places);

/* ---- time_idle.c ---- */

/* Adds the idle time of the device, and fills latency_ns and held_ns of the tree. */
void tp_time_add_idle(struct tp_time_builder *maker);

#endif
