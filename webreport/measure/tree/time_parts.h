/* State and functions shared by the files that build a tree of time (time_parts.c): the owner of each nanosecond of
 * device work (time_owner.c), the leaf of each operation (time_place.c), the leaves of idle time (time_idle.c), sums
 * and order (time_tree_build.c). */
#ifndef TP_WEBREPORT_MEASURE_TREE_TIME_PARTS_H
#define TP_WEBREPORT_MEASURE_TREE_TIME_PARTS_H

#include "webreport/measure/tree/time_tree.h"
#include "writer/base/id_map.h"
#include "writer/base/keys.h"

/* A node while the tree is built; sums exclude children until the end. */
struct tp_time_bud {
    uint32_t parent, text; /* text: id in texts */
    int64_t time_ns, calls, kernel_ns, flops, bytes, costed_ns, floored_ns;
    int64_t bound_ns[TP_BOUND_COUNT];
    double floor_ns;
};

struct tp_time_maker {
    const struct tp_model *model;
    const struct tp_work_kinds *kinds;
    const struct tp_work_units *units;
    const struct tp_gpu *gpu;
    const struct tp_idle_device *idle;
    struct tp_time_tree *tree;
    struct tp_arena *arena;
    struct tp_strings texts;
    struct tp_id_map children; /* by (parent, text) */
    struct tp_vec buds;        /* struct tp_time_bud; the first one is the window */
    uint32_t *leaves;          /* by device operation; unset for other devices */
};

/* Returns the child with that text; adds it if it is new. */
uint32_t tp_time_child(struct tp_time_maker *maker, uint32_t parent, struct tp_str text);

static inline struct tp_time_bud *tp_time_bud(struct tp_time_maker *maker, uint32_t bud)
{
    return TP_AT(&maker->buds, struct tp_time_bud, bud);
}

/* Adds time to a node. */
void tp_time_add(struct tp_time_maker *maker, uint32_t bud, int64_t ns);

/* ---- time_owner.c ---- */

/* Classes of work; a class hides those after it. */
enum tp_time_class { TP_TIME_COMPUTE, TP_TIME_COMMUNICATION, TP_TIME_COPY, TP_TIME_WAIT, TP_TIME_CLASSES };

enum tp_time_class tp_time_class_of(enum tp_work work);

/* Calls `own` for each operation of the device that owns time of W, in order of time. Of simultaneous operations, the
 * first class owns the time; within a class the operation that started first, then the longer one, then the first in
 * the file. */
void tp_time_owners(const struct tp_time_maker *maker, void (*own)(void *context, uint32_t device, int64_t ns),
                    void *context);

/* ---- time_place.c ---- */

/* Leaves of operations; each distinct path is made once. */
struct tp_time_places {
    struct tp_time_maker *maker;
    struct tp_keys paths;      /* paths: (kind, two or three ids) */
    struct tp_vec leaves;      /* uint32_t: leaf by path */
    struct tp_keys calls;      /* operators: (name, dims, types) */
    struct tp_vec operators;   /* uint32_t: text by key of `calls` */
    uint32_t *units;           /* by call of a unit: its text + 1 */
    uint32_t *modules;         /* by module: text of its class + 1 */
    uint32_t *forward_modules; /* by operator: module of its forward operator, found by the sequence number; NULL
                                * without modules */
    uint8_t *is_backward;      /* by operator */
};

void tp_time_places_init(struct tp_time_places *places, struct tp_time_maker *maker);
/* Returns the leaf of a device operation. */
uint32_t tp_time_place(struct tp_time_places *places, uint32_t device);
/* Returns its memory to the arena. */
void tp_time_places_drop(struct tp_time_places *places);

/* ---- time_idle.c ---- */

/* Adds the idle time of the device, and fills latency_ns and held_ns of the tree. */
void tp_time_add_idle(struct tp_time_maker *maker);

#endif
