/* Python's stacks of running programs, as nodes of the recording's trie: which processes run Python, where their
 * interpreter is, and the frames of a thread just now. Nothing is put into a process, and none waits for us. One
 * thread; everything lives in the arena, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_STACKS_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_STACKS_H

#include "collector/outside/code/code_maps.h"
#include "collector/outside/python/python_code.h"
#include "collector/outside/python/python_processes.h"

struct tp_python_stacks {
    struct tp_arena *arena;
    struct tp_code_places *places;
    struct tp_python_code code;
    struct tp_id_map files;     /* file of places: its number in interpreters, or TP_NO_ID */
    struct tp_vec interpreters; /* struct tp_python_file */
    struct tp_python_processes processes;
    struct tp_python_thread_slot *threads;
    uint64_t read_count, failed_count; /* stacks that were read, and that could not be */
    uint32_t unknown_count;            /* processes whose version is not known, or whose memory we may not read */
};

void tp_python_stacks_init(struct tp_python_stacks *stacks, struct tp_arena *arena, struct tp_code_places *places);
void tp_python_stacks_release(struct tp_python_stacks *stacks);

/* A process has mapped code, was forked, became another program, is over: by the record that tells it. */
void tp_python_stacks_take(struct tp_python_stacks *stacks, const struct tp_perf_record *record);

/* The frames of a thread at this moment, as a node of places whose frames are Python's; 0: it runs none. */
uint32_t tp_python_stacks_read(struct tp_python_stacks *stacks, uint32_t pid, uint32_t tid, int64_t now_ns);

#endif
