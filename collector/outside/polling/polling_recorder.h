/* Records a program only by polling /proc (proc_tree.h), for outside.c. Polls less often when the recorder's time
 * budget is used up. The caller sets the guard of the arena in all calls. Only one thread may use this module. */
#ifndef TP_COLLECTOR_OUTSIDE_POLLING_POLLING_RECORDER_H
#define TP_COLLECTOR_OUTSIDE_POLLING_POLLING_RECORDER_H

#include "collector/outside/polling/proc_tree.h"
#include "collector/outside/processes/exit_codes.h"
#include "collector/outside/processes/recorder_budget.h"
#include "collector/outside/python/python_stacks.h"
#include "collector/outside/tree/outside_tree.h"

enum { TP_POLLED_PAUSE_NS = 10000000 }; /* pause between two polls, ns */

struct tp_polling_recorder {
    /* arena for all memory, borrowed */
    struct tp_arena *arena;
    struct tp_outside_tree *tree;
    struct tp_exit_codes *codes;
    const struct tp_recorder_budget *budget;
    struct tp_python_stacks *python;
    struct tp_buf *text;                            /* scratch buffer for the contents of a file */
    void (*ended)(void *context, uint32_t process); /* called when a process of the tree has exited */
    void *context;
    int64_t (*now_ns)(void);
    /* Members from here on are set by the functions below. */
    uint64_t left_out; /* count of polls that were skipped because of their cost */
    struct tp_proc_tree proc;
    struct tp_id_map runs;   /* key: process; value: number of polls since its last exec in which it was running */
    struct tp_buf code_text; /* scratch buffer for a list of mappings */
};

/* Starts the recording. is_attached: the process already runs. */
void tp_polling_recorder_begin(struct tp_polling_recorder *recorder, uint32_t pid, int64_t time_ns, bool is_attached);

/* Polls if the pause is over. own_ns: processor time of this process so far. is_last: true polls without waiting for
 * the pause. */
void tp_polling_recorder_poll(struct tp_polling_recorder *recorder, int64_t own_ns, bool is_last);

void tp_polling_recorder_end(struct tp_polling_recorder *recorder);

/* Releases the buffers. Accepts a zeroed struct. */
void tp_polling_recorder_release(struct tp_polling_recorder *recorder);

#endif
