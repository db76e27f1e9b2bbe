/* Lists the programs and libraries that are loaded in this process, with their addresses, for call stacks.
 *
 * The list only grows during a recording. A closed library stays in it, because recorded stacks may still contain its
 * addresses. */
#ifndef TP_COLLECTOR_LOADED_MODULES_H
#define TP_COLLECTOR_LOADED_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TP_MODULE_SEGMENTS = 8 };

/* One mapped part of the file. */
struct tp_module_segment {
    uint64_t start, end, offset; /* addresses in memory, and the position of `start` in the file */
};

struct tp_module {
    uint64_t start, end, bias; /* of all segments together; bias: address in memory minus address in the file */
    uint64_t unwind_table;     /* address of .eh_frame_hdr; 0: none */
    struct tp_module_segment segments[TP_MODULE_SEGMENTS];
    uint32_t segment_count;
    _Atomic bool is_gone; /* another module was loaded over it */
    const char *path;     /* owned by this list */
    char *file;           /* mapping of the file by tp_module_bytes; NULL: not tried or not possible */
    uint64_t size;        /* bytes of `file` */
    bool was_tried;
};

/* Updates the list. Returns true if it has new modules. Cheap if nothing was loaded since the last call. Does nothing
 * if another thread is updating it, or if the loader must not be asked. Waits for the loader's lock, and the thread
 * with that lock may run functions of the program that record. So it must not be called with one of our locks. Any
 * thread may call it. */
bool tp_modules_update(void);

/* Returns whether the loader may be asked. In a child of fork the answer is first no. Another thread of the parent may
 * have had the loader's lock during the fork; then the lock is never released, and any caller would wait for ever. Then
 * this function starts a thread of ours to find out. Any thread may call it, but not in a handler of fork. */
bool tp_modules_may_ask(void);

/* Finds out on the calling thread whether the loader answers. The caller must be a thread of ours, because it hangs for
 * ever if the loader's lock is never released. Starts no thread and allocates nothing. */
bool tp_modules_try(void);

/* Waits for a limited time until no thread of ours asks the loader, and then keeps all of them from it until
 * tp_modules_release. Returns false if one still does, or if it is already kept; then the caller must not call
 * tp_modules_release. */
bool tp_modules_hold(void);
void tp_modules_release(void);

/* Resets the state in a child of fork, because another thread may have been updating the list. */
void tp_modules_in_child(void);

/* Return the number of modules, and one of them in the order of discovery. */
uint32_t tp_modules_count(void);
struct tp_module *tp_modules_get(uint32_t index);

/* Returns the newest module that covers an address, or NULL. Any thread may call it. */
struct tp_module *tp_modules_find(uint64_t address);

/* Returns `size` bytes that the module has at `address` in memory, or NULL. They are read from the file, so that a
 * library that is closed meanwhile does no harm. One thread at a time. */
const void *tp_module_bytes(struct tp_module *module, uint64_t address, size_t size);

#endif
