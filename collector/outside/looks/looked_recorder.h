/* The recorder by looks at /proc alone, for outside.c: what proc_tree.h tells becomes the tree, as far as the recorder's
 * own budget allows. The caller sets the arena's guard in all calls. One thread. */
#ifndef TP_COLLECTOR_OUTSIDE_LOOKS_LOOKED_RECORDER_H
#define TP_COLLECTOR_OUTSIDE_LOOKS_LOOKED_RECORDER_H

#include "collector/outside/looks/proc_tree.h"
#include "collector/outside/processes/exit_codes.h"
#include "collector/outside/processes/own_budget.h"
#include "collector/outside/python/python_stacks.h"
#include "collector/outside/tree/outside_tree.h"

enum { TP_LOOKED_PAUSE_NS = 10000000 }; /* between two looks */

struct tp_looked_recorder {
    /* borrowed */
    struct tp_arena *arena;
    struct tp_outside_tree *tree;
    struct tp_exit_codes *codes;
    const struct tp_own_budget *budget;
    struct tp_python_stacks *python;
    struct tp_buf *text;                              /* room for a file */
    void (*ended)(void *context, uint32_t process); /* a process of the tree is over */
    void *context;
    int64_t (*now_ns)(void);
    /* told */
    uint64_t left_out; /* looks that would have cost too much */
    struct tp_proc_tree proc;
    struct tp_id_map runs;   /* process: looks at which it ran, since it became its program */
    struct tp_buf code_text; /* room for a list of what is mapped */
};

/* is_attached: it runs already. */
void tp_looked_recorder_begin(struct tp_looked_recorder *recorder, uint32_t pid, int64_t time_ns, bool is_attached);

/* A look, where it is time for one, with own_ns of our processor time used until now; is_last: in any case. */
void tp_looked_recorder_look(struct tp_looked_recorder *recorder, int64_t own_ns, bool is_last);

void tp_looked_recorder_end(struct tp_looked_recorder *recorder);

/* Accepts a zeroed struct. */
void tp_looked_recorder_release(struct tp_looked_recorder *recorder);

#endif
