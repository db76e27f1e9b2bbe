/* Tracks which processes run Python, and the address of the interpreter's state in each of them. Records can arrive in
 * any order.
 *
 * Mappings, forks and names are in separate rings, which are read one after another. So the record of an exec often
 * arrives after the mappings of the new program, and the record of a fork after both. Therefore each process stores its
 * mappings with their times. A process runs the first interpreter that it mapped since its last exec or fork. Only one
 * thread may use this module. All memory is in the arena, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_PROCESSES_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/outside/python/python_layouts.h"
#include "writer/base/arena.h"
#include "writer/base/id_map.h"

/* Maximum number of interpreters per process. A library may contain an interpreter that never runs. */
enum { TP_PYTHON_MAPPINGS = 4 };

/* Interpreter in the memory of a process; address 0: none. */
struct tp_python_mapping {
    int64_t since_ns;
    uint64_t address; /* address of _PyRuntime */
    int minor;        /* minor version of Python 3 */
};

struct tp_python_process {
    uint32_t pid, parent;
    int64_t begun_ns, last_fork_ns; /* begun_ns: time of the last fork, exec or exit; last_fork_ns:
                                     * time of the last fork */
    struct tp_python_mapping mappings[TP_PYTHON_MAPPINGS]; /* interpreters that were mapped, sorted by the time of the
                                                            * mapping */
    unsigned mapping_count;
    struct tp_python_mapping now;   /* the interpreter that the process runs */
    struct tp_python_layout layout; /* memory layout of the interpreter that the process runs; minor 0: not known yet */
    bool is_python_unreadable;      /* true if no Python frames can be read, because the layout is unknown or the memory
                                     * is not readable */
};

struct tp_python_processes {
    struct tp_id_map ids;  /* key: process; value: index in `items` */
    struct tp_vec items;   /* elements: struct tp_python_process */
    uint32_t living_count; /* count of living processes that run Python */
};

void tp_python_processes_init(struct tp_python_processes *processes, struct tp_arena *arena);

/* Adds an interpreter that a process has mapped. */
void tp_python_processes_add_mapping(struct tp_python_processes *processes, uint32_t pid,
                                     struct tp_python_mapping mapping);

/* Stores a fork. The process runs the same program as its parent. */
void tp_python_processes_add_fork(struct tp_python_processes *processes, uint32_t pid, uint32_t parent,
                                  int64_t time_ns);

/* Stores an exec or exit of a process. */
void tp_python_processes_end_process(struct tp_python_processes *processes, uint32_t pid, int64_t time_ns);

/* Returns the process if it runs Python now, otherwise NULL. The pointer is valid until another process is added. */
struct tp_python_process *tp_python_processes_find(struct tp_python_processes *processes, uint32_t pid);

#endif
