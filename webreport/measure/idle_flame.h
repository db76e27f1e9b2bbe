/* The idle flame: idle time of a device charged to host stacks (advice-definitions D5). */
#ifndef TP_WEBREPORT_MEASURE_IDLE_FLAME_H
#define TP_WEBREPORT_MEASURE_IDLE_FLAME_H

#include "webreport/measure/idle_view.h"
#include "webreport/model/host_stacks.h"

/* Each device's walk reads the threads' events anew, so only the first devices get a flame. */
enum { TP_IDLE_FLAME_DEVICES = 64 };

struct tp_idle_line {
    struct tp_host_fold fold;
    int64_t ns, host_ns;
};

struct tp_idle_flame {
    struct tp_host_stack_tree tree;
    struct tp_vec times; /* struct tp_idle_time, by node of the tree */
    struct tp_vec lines; /* struct tp_idle_line, longest first */
    struct tp_id_map line_ids;
    int64_t total_ns, fallback_ns;
};

/* Idle time with exactly one stack. */
struct tp_idle_time {
    int64_t ns, host_ns;
};

/* Charges the gaps of a device within its span. */
void tp_idle_flame_walk(struct tp_idle_flame *flame, struct tp_host *host, const struct tp_host_device *device,
                        struct tp_arena *arena);

/* Makes nodes, stacks and frames of the view from a walk; none from a zeroed one. */
void tp_idle_flame_fill(struct tp_idle_device *out, struct tp_host *host, const struct tp_idle_flame *flame,
                        struct tp_arena *arena);

/* A piece of an idle device and the thread it is charged to: that of the next operation's launch, else the device's
 * main thread. */
struct tp_threaded_piece {
    uint32_t thread;
    struct tp_host_stack_piece piece;
};

uint32_t tp_gap_thread(const struct tp_host *host, const struct tp_host_device *device, const struct tp_gap *gap,
                       bool *is_fallback);

/* Walks pieces (struct tp_threaded_piece, in order of time) thread by thread. */
void tp_idle_walk_pieces(struct tp_host_stack_walk *walk, struct tp_vec *pieces);

#endif
