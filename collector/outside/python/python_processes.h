/* Which processes run Python, and where their interpreter's state lies, whatever the order in which it is told.
 *
 * Mappings, forks and names come in rings of their own, which are read one after another: that a child became another
 * program is often told after what this program mapped, and a fork after both. So each process keeps its mappings with
 * their times, and what it runs now is the first that it mapped since its last beginning. One thread; everything lives
 * in the arena, whose guard the caller sets. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_PROCESSES_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/outside/python/python_layouts.h"
#include "writer/base/arena.h"
#include "writer/base/id_map.h"

/* A library may bring an interpreter that runs nothing; more than these are not told apart. */
enum { TP_PYTHON_MAPPINGS = 4 };

/* An interpreter in the memory of a process; address 0: none. */
struct tp_python_mapping {
    int64_t since_ns;
    uint64_t address; /* of its runtime */
    int minor;        /* of its version 3.x */
};

struct tp_python_process {
    uint32_t pid, parent;
    int64_t begun_ns, forked_ns; /* its last fork or exec, or its end; that fork */
    struct tp_python_mapping mappings[TP_PYTHON_MAPPINGS]; /* by their times */
    unsigned mapping_count;
    struct tp_python_mapping now;   /* what it runs */
    struct tp_python_layout layout; /* of it; minor 0: not known so far */
    bool is_hopeless;               /* no layout, or its memory may not be read */
};

struct tp_python_processes {
    struct tp_id_map ids; /* process: its number in items */
    struct tp_vec items;  /* struct tp_python_process */
    uint32_t living_count; /* processes that run Python and are not over */
};

void tp_python_processes_init(struct tp_python_processes *processes, struct tp_arena *arena);

/* A process mapped an interpreter. */
void tp_python_processes_map(struct tp_python_processes *processes, uint32_t pid, struct tp_python_mapping mapping);

/* A process was forked: it runs what its parent does. */
void tp_python_processes_fork(struct tp_python_processes *processes, uint32_t pid, uint32_t parent, int64_t time_ns);

/* A process became another program, or is over. */
void tp_python_processes_end(struct tp_python_processes *processes, uint32_t pid, int64_t time_ns);

/* The process if it runs Python now, else NULL. Valid until the next process is told of. */
struct tp_python_process *tp_python_processes_find(struct tp_python_processes *processes, uint32_t pid);

#endif
