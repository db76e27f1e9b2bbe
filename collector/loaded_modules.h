/* Lists the programs and libraries that are loaded in this process, with their addresses, for call stacks.
 *
 * The list only grows during a recording. A library that was closed remains in the list, because recorded stacks may
 * still contain its addresses. */
#ifndef TP_COLLECTOR_LOADED_MODULES_H
#define TP_COLLECTOR_LOADED_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TP_MODULE_SEGMENTS = 8 };

/* One part of the module's file that is mapped in memory. */
struct tp_module_segment {
    uint64_t start, end, offset; /* start, end: addresses in memory; offset: position of `start` in the file, bytes */
};

struct tp_module {
    /* start, end: addresses in memory of all segments together; bias: address in memory minus address in the file */
    uint64_t start, end, bias;
    uint64_t unwind_table; /* address in memory of .eh_frame_hdr; 0: the module has none */
    struct tp_module_segment segments[TP_MODULE_SEGMENTS];
    uint32_t segment_count;
    _Atomic bool is_gone; /* true if another module was loaded at the same addresses later */
    const char *path;     /* path of the file, owned by this list */
    char *file;           /* the file, mapped by tp_module_bytes; NULL: not yet mapped, or mapping failed */
    uint64_t size;        /* size of `file` in bytes */
    bool was_tried;
};

/* Updates the list. Returns true if the list has new modules. Takes little time if nothing was loaded since the last
 * call. Does nothing if another thread is updating the list, or if tp_modules_can_ask_loader returns false. Waits for
 * the loader's lock. The thread that has the loader's lock may run functions of the program that record. So the caller
 * must not have a lock of the recorder. Any thread may call it. */
bool tp_modules_update(void);

/* Returns whether a call of the loader for its list of modules cannot hang. In a child of fork, the first call returns
 * false. Another thread of the parent may have had the loader's lock during the fork. Then the lock is never released,
 * and any caller would wait for ever. Therefore this function starts a thread of the recorder that tests the lock. Any
 * thread may call it, but not in a handler of fork. */
bool tp_modules_can_ask_loader(void);

/* Tests on the calling thread whether the loader answers. The caller must be a thread of the recorder, because it hangs
 * for ever if the loader's lock is never released. Starts no thread and allocates nothing. */
bool tp_modules_test_loader(void);

/* Waits for a limited time until no thread of the recorder asks the loader, and then prevents such requests until
 * tp_modules_unblock_updates. Returns false if a thread still asks, or if another caller already prevents requests.
 * After false the caller must not call tp_modules_unblock_updates. */
bool tp_modules_block_updates(void);
void tp_modules_unblock_updates(void);

/* Resets the state in a child of fork, because another thread may have been updating the list. */
void tp_modules_reset_in_child(void);

/* tp_modules_count returns the number of modules. tp_modules_get returns the module with an index. Modules are in the
 * order of discovery. */
uint32_t tp_modules_count(void);
struct tp_module *tp_modules_get(uint32_t index);

/* Returns the module that was loaded last at an address, or NULL. Any thread may call it. */
struct tp_module *tp_modules_find(uint64_t address);

/* Returns the `size` bytes of the module at `address` in memory, or NULL. Reads them from the module's file, so that
 * the library may already be closed. Only one thread at a time may call it. */
const void *tp_module_bytes(struct tp_module *module, uint64_t address, size_t size);

#endif
