/* Fixes of problems, which a replay prices alone and one after another (docs/definitions.md, section "What if",
 * "Fixes").
 *
 * A fix removes a part of the time of some device operations and of some calls of the host. It never adds work, and
 * changes neither the order nor the contention of the rest. */
#ifndef TP_WEBREPORT_WHAT_IF_FIX_H
#define TP_WEBREPORT_WHAT_IF_FIX_H

#include "webreport/what_if/replay_graph.h"

enum { TP_FIX_WHOLE = 1000000 /* parts of fixes are millionths */ };

/* A device operation or a call, and the part of its time that a fix removes at most, millionths. */
struct tp_fix_item {
    uint32_t index, part;
};

struct tp_fix {
    struct tp_fix_item *operations; /* index: device operation of the model */
    /* index: event of a call. A call without its time does not wait for the device */
    struct tp_fix_item *calls;
    uint32_t operation_count, call_count;
    /* Times in which work of the host goes away, but for waits, loading of data and communication. spares_host: at
     * most, all work of the host outside of `kept` goes away, and launches have no latency */
    struct tp_intervals host, kept;
    bool spares_host;
    bool frees_input;         /* loading data takes no time */
    bool hides_communication; /* at most, all communication runs next to other work */
    /* least and greatest share of the parts above that a fix removes, millionths */
    uint32_t low, high;
};

/* Returns whether a fix changes anything. */
static inline bool tp_fix_is_any(const struct tp_fix *fix)
{
    return fix->operation_count || fix->call_count || fix->host.count || fix->spares_host || fix->frees_input ||
           fix->hides_communication;
}

/* A fix of a node: item of the list of the node's fixes. */
struct tp_node_fix {
    uint32_t next;        /* 1 + index of the node's next item; 0: none */
    uint32_t least, most; /* the fix removes at least and at most this part of the node's time, millionths */
    uint32_t fix;         /* index of the fix */
};

/* The fixes of a graph, by node. */
struct tp_fixes {
    const struct tp_fix *items;
    uint32_t count;
    uint32_t *first_of_node;   /* 1 + index of the node's first item; 0: none */
    struct tp_node_fix *nodes; /* items of all lists */
};

/* Some of the fixes. The number of fixes is at most TP_MAX_PRICED_FIXES. */
struct tp_fix_choice {
    const struct tp_fixes *fixes; /* NULL: no fix */
    uint64_t chosen;              /* bits 1 << index of a fix */
    bool is_least;                /* true: each fix removes its least share, false: its greatest share */
};

/* Returns the part of a node's time that the chosen fixes remove, millionths: that of the fix that removes most. */
static inline uint32_t tp_fix_part_of_node(const struct tp_fix_choice *choice, uint32_t node)
{
    const struct tp_fixes *fixes = choice->fixes;
    uint32_t most = 0;
    for (uint32_t i = fixes ? fixes->first_of_node[node] : 0; i; i = fixes->nodes[i - 1].next) {
        const struct tp_node_fix *item = &fixes->nodes[i - 1];
        const struct tp_fix *fix = &fixes->items[item->fix];
        uint64_t part = choice->is_least ? (uint64_t)item->least * fix->low : (uint64_t)item->most * fix->high;
        if (choice->chosen >> item->fix & 1 && part / TP_FIX_WHOLE > most)
            most = (uint32_t)(part / TP_FIX_WHOLE);
    }
    return most;
}

/* Finds the nodes of fixes. items: `count` fixes, which must outlive the result. The result is in `arena`, whose guard
 * must be set. */
void tp_fixes_build(struct tp_fixes *fixes, const struct tp_fix *items, uint32_t count,
                    const struct tp_replay_graph *graph, struct tp_arena *arena);

/* The price of a fix. Gains are for one step, ns. */
struct tp_fix_price {
    uint32_t low, high;                  /* as in the fix */
    int64_t alone_low_ns, alone_high_ns; /* gain of this fix alone */
    int64_t low_ns, high_ns;             /* gain in addition to the fixes before it in the order */
    int64_t counted_ns;      /* what this fix adds to the greatest gain that the fixes before it reach; 0: nothing */
    int64_t step_ns;         /* length of a step with this fix and all fixes before it in the order */
    enum tp_path_group then; /* what limits the step then */
    double then_percent;     /* its part of the critical path, percent */
    /* The earliest fix of the order that, together with the fixes before it, leaves less than TP_FIX_LEAST_PERCENT of
     * the step for this fix; TP_NO_ID: the fix has an effect after all fixes before it, or has none alone */
    uint32_t gone_with;
};

/* The price of all fixes together, for one step. */
struct tp_fix_total {
    int64_t low_ns, high_ns, step_ns;
    enum tp_path_group then;
    double then_percent;
};

/* A gain below this share of the step, percent, has no effect. */
#define TP_FIX_LEAST_PERCENT 0.5

/* Chooses the order of the fixes from their gains alone (alone_low_ns, alone_high_ns), which are known then. Called
 * only if the replay gives answers. order: filled with the numbers of all fixes. */
typedef void tp_fix_order(void *context, const struct tp_fix_price *prices, uint32_t *order);

/* Fixes to price. */
struct tp_fix_question {
    const struct tp_fix *items;
    uint32_t count; /* at most TP_MAX_PRICED_FIXES */
    tp_fix_order *choose_order;
    void *context;               /* first argument of choose_order */
    struct tp_fix_price *prices; /* filled: price of each fix */
    struct tp_fix_total *total;  /* filled */
};

#endif
