/* Knows which processes run Python, and where the state of their interpreter is, whatever the order of the records.
 *
 * Mappings, forks and names come in separate rings, which are read one after another. So the exec of a child is often
 * read after the mappings of the new program, and a fork after both. Therefore each process keeps its mappings with
 * their times. It runs the first interpreter that it mapped since its last start. One thread; all memory is in the
 * arena, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_PROCESSES_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/outside/python/python_layouts.h"
#include "writer/base/arena.h"
#include "writer/base/id_map.h"

/* Most interpreters per process. A library may bring an interpreter that never runs. */
enum { TP_PYTHON_MAPPINGS = 4 };

/* An interpreter in the memory of a process; address 0: none. */
struct tp_python_mapping {
    int64_t since_ns;
    uint64_t address; /* of its _PyRuntime */
    int minor;        /* of its version 3.minor */
};

struct tp_python_process {
    uint32_t pid, parent;
    int64_t begun_ns, forked_ns;                           /* its last fork, exec or exit; its last fork */
    struct tp_python_mapping mappings[TP_PYTHON_MAPPINGS]; /* sorted by time */
    unsigned mapping_count;
    struct tp_python_mapping now;   /* the interpreter that it runs */
    struct tp_python_layout layout; /* of that interpreter; minor 0: not known yet */
    bool is_hopeless;               /* unknown layout, or its memory is not readable */
};

struct tp_python_processes {
    struct tp_id_map ids;  /* process: its index in items */
    struct tp_vec items;   /* struct tp_python_process */
    uint32_t living_count; /* living processes that run Python */
};

void tp_python_processes_init(struct tp_python_processes *processes, struct tp_arena *arena);

/* Adds an interpreter that a process mapped. */
void tp_python_processes_map(struct tp_python_processes *processes, uint32_t pid, struct tp_python_mapping mapping);

/* Records a fork: the process runs what its parent runs. */
void tp_python_processes_fork(struct tp_python_processes *processes, uint32_t pid, uint32_t parent, int64_t time_ns);

/* Records an exec or exit. */
void tp_python_processes_end(struct tp_python_processes *processes, uint32_t pid, int64_t time_ns);

/* Returns the process if it runs Python now, otherwise NULL. Valid until another process is added. */
struct tp_python_process *tp_python_processes_find(struct tp_python_processes *processes, uint32_t pid);

#endif
