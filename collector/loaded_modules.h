/* What is loaded into the process: programs and libraries with their addresses, for stacks.
 *
 * The list only grows during a recording: a library that was closed stays in it, because stacks that ran through it are
 * still to be named. */
#ifndef TP_COLLECTOR_LOADED_MODULES_H
#define TP_COLLECTOR_LOADED_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TP_MODULE_SEGMENTS = 8 };

/* A piece of the file as it lies in memory. */
struct tp_module_segment {
    uint64_t start, end, offset; /* addresses; where `start` is in the file */
};

struct tp_module {
    uint64_t start, end, bias; /* of all its segments; bias: address minus the address in the file */
    uint64_t unwind_table;     /* address of .eh_frame_hdr; 0: none */
    struct tp_module_segment segments[TP_MODULE_SEGMENTS];
    uint32_t segment_count;
    _Atomic bool is_gone; /* another one was loaded over it */
    const char *path;     /* ours */
    char *file;           /* mapped by tp_module_bytes; NULL: not tried or not possible */
    uint64_t size;        /* of file */
    bool was_tried;
};

/* Brings the list up to date. Returns true when there are new ones. Cheap when nothing was loaded since. Any thread;
 * where another one is at it, nothing is done. It waits for the loader, inside which the program's functions may be
 * called and record: so never with a lock of ours. Nothing is done where the loader may not be asked, either. */
bool tp_modules_update(void);

/* Whether the loader may be asked. Not in the child of a fork, at first: where another thread of the parent held the
 * loader's lock at that moment, nobody gives it back, and whoever asks waits for ever. A thread of ours, begun here,
 * finds out. Any thread; not in a fork's handlers. */
bool tp_modules_may_ask(void);

/* Answers the same question on the calling thread, which must be ours: it hangs for ever if the loader's lock is never
 * released. It starts no thread and takes no memory. */
bool tp_modules_try(void);

/* Waits until no thread of ours asks the loader, at most for some time, and keeps all from it until tp_modules_release.
 * False: one still does, or holds; nothing is to be released. */
bool tp_modules_hold(void);
void tp_modules_release(void);

/* In the child of a fork, where another thread may have been at it. */
void tp_modules_in_child(void);

/* Modules in the order in which they were met. */
uint32_t tp_modules_count(void);
struct tp_module *tp_modules_get(uint32_t index);

/* The module at an address, the newest where several were; NULL: none. Any thread. */
struct tp_module *tp_modules_find(uint64_t address);

/* `size` bytes of the module's file that lie at `address` in memory, read from the file, so that a library that is
 * closed meanwhile is no danger; NULL: not there. One thread at a time. */
const void *tp_module_bytes(struct tp_module *module, uint64_t address, size_t size);

#endif
