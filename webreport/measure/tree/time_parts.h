/* State and functions that the files of the time tree share. time_parts.c makes nodes; time_owner.c finds the owner of
 * each nanosecond. time_place.c finds the leaf of each operation; time_idle.c finds the leaves of idle time.
 * time_tree_build.c sums and sorts. */
#ifndef TP_WEBREPORT_MEASURE_TREE_TIME_PARTS_H
#define TP_WEBREPORT_MEASURE_TREE_TIME_PARTS_H

#include "webreport/measure/tree/time_tree.h"
#include "writer/base/id_map.h"
#include "writer/base/keys.h"

/* A node of the tree under construction. Until the final summing, its values exclude the values of its children. */
struct tp_time_draft {
    uint32_t parent, text; /* text: id in tp_time_builder.texts */
    uint8_t reason;        /* same as tp_time_node.reason */
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
    struct tp_id_map children; /* map from pair (parent, text) to node */
    struct tp_vec drafts;      /* nodes of the tree, node 0 is the whole window; elements: struct tp_time_draft */
    uint32_t *leaves; /* for each device operation: leaf of the operation; unset for operations of other devices */
};

/* Returns the child of `parent` with the given text, and adds it if it does not exist. */
uint32_t tp_time_find_or_add_child(struct tp_time_builder *maker, uint32_t parent, struct tp_str text);

static inline struct tp_time_draft *tp_time_draft(struct tp_time_builder *maker, uint32_t draft)
{
    return TP_AT(&maker->drafts, struct tp_time_draft, draft);
}

/* Adds `ns` to the time of a node. */
void tp_time_add_time(struct tp_time_builder *maker, uint32_t draft, int64_t ns);

/* ---- time_owner.c ---- */

/* Classes of device work, in order of priority. If several operations run, the first class owns the time; work of later
 * classes is hidden. */
enum tp_time_class { TP_TIME_COMPUTE, TP_TIME_COMMUNICATION, TP_TIME_COPY, TP_TIME_WAIT, TP_TIME_CLASSES };

enum tp_time_class tp_time_class_of_work(enum tp_work work);

/* Calls `own` for each part of the analysed steps that a device operation owns, in order of time. If several operations
 * run, the operations of the first class own the time. Within a class, the operation that started first owns the time;
 * of several such operations the longest, then the first in the file. */
void tp_time_visit_owners(const struct tp_time_builder *maker, void (*own)(void *context, uint32_t device, int64_t ns),
                          void *context);

/* ---- time_place.c ---- */

/* the leaves of device operations; each path has one leaf */
struct tp_time_places {
    struct tp_time_builder *maker;
    struct tp_keys paths;    /* keys (kind, two or three ids) of the paths */
    struct tp_vec leaves;    /* for each key of `paths`: index of the leaf; elements: uint32_t */
    struct tp_keys calls;    /* keys (name, dims, types) of operators */
    struct tp_vec operators; /* for each key of `calls`: id of the operator's text; elements: uint32_t */
    uint32_t *units;         /* for each distinct call of units: id of the call's text + 1; 0: no text yet */
    uint32_t *modules;       /* for each module: id of the text of its class, plus 1; 0: no text yet */
    struct tp_id_map
        annotations; /* map from the number of a graph annotation to the id of its text, plus 1; 0: no text */
    /* for each operator: module of the forward operator with the same sequence number; NULL without modules */
    uint32_t *forward_modules;
    uint8_t *is_backward; /* for each operator: 1 if the operator belongs to the backward pass, otherwise 0 */
};

void tp_time_places_init(struct tp_time_places *places, struct tp_time_builder *maker);
/* Returns the leaf of a device operation, and adds it if it does not exist. */
uint32_t tp_time_find_leaf(struct tp_time_places *places, uint32_t device);
/* Gives the memory of the leaves back to the arena. */
void tp_time_places_release(struct tp_time_places *places);

/* ---- time_idle.c ---- */

/* Adds the idle time of the device to the tree. Also fills latency_ns and held_ns of the tree. */
void tp_time_add_idle(struct tp_time_builder *maker);

#endif
