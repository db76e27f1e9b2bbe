/* Reads Python stacks of running programs and stores them as stack nodes of the recording. Tracks which processes run
 * Python and where their interpreter is, and reads the current frames of a thread. Nothing is loaded into a process,
 * and no process waits. Only one thread may use this module. All memory is in the arena, whose guard the caller
 * sets. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_STACKS_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_STACKS_H

#include "collector/outside/code/code_maps.h"
#include "collector/outside/python/python_code.h"
#include "collector/outside/python/python_processes.h"

struct tp_python_stacks {
    struct tp_arena *arena;
    struct tp_code_places *places;
    struct tp_python_code code;
    struct tp_id_map files;     /* key: file of `places`; value: index in `interpreters`, or TP_NO_ID */
    struct tp_vec interpreters; /* elements: struct tp_python_file */
    struct tp_python_processes processes;
    struct tp_python_thread_slot *threads;
    uint64_t read_count, failed_count; /* counts of stacks that were read and that could not be read */
    uint32_t unknown_count;            /* count of processes with an unknown Python version or unreadable memory */
};

void tp_python_stacks_init(struct tp_python_stacks *stacks, struct tp_arena *arena, struct tp_code_places *places);
void tp_python_stacks_release(struct tp_python_stacks *stacks);

/* Processes the record of a code mapping, a fork, an exec or an exit. */
void tp_python_stacks_handle_record(struct tp_python_stacks *stacks, const struct tp_perf_record *record);

/* Returns the current Python frames of a thread as a node of `places`; 0: no frames. */
uint32_t tp_python_stacks_read(struct tp_python_stacks *stacks, uint32_t pid, uint32_t tid, int64_t now_ns);

#endif
