/* Watches the arenas in which Python keeps objects of up to 512 bytes. A program may replace the functions that
 * allocate and release an arena (PyObject_SetArenaAllocator, since Python 3.4). The functions that this file sets call
 * the functions that were set before. */
#include "collector/source/host_arenas.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Layout of PyObjectArenaAllocator in Python's header cpython/objimpl.h. */
struct arena_allocator {
    void *context;
    void *(*take)(void *context, size_t size);
    void (*give_back)(void *context, void *arena, size_t size);
};

static struct arena_allocator next;
static void (*report_change)(const void *block, int64_t bytes);

static void *take(void *context, size_t size)
{
    (void)context;
    void *arena = next.take(next.context, size);
    if (arena)
        report_change(arena, (int64_t)size);
    return arena;
}

static void give_back(void *context, void *arena, size_t size)
{
    (void)context;
    if (arena)
        report_change(arena, -(int64_t)size);
    next.give_back(next.context, arena, size);
}

void tp_arenas_report_changes(void (*change)(const void *block, int64_t bytes))
{
    void (*get)(struct arena_allocator *), (*set)(struct arena_allocator *);
    void *getter = dlsym(RTLD_DEFAULT, "PyObject_GetArenaAllocator");
    void *setter = dlsym(RTLD_DEFAULT, "PyObject_SetArenaAllocator");
    if (!getter || !setter || report_change)
        return;
    memcpy(&get, &getter, sizeof get);
    memcpy(&set, &setter, sizeof set);
    get(&next);
    if (!next.take || !next.give_back)
        return;
    report_change = change;
    set(&(struct arena_allocator){.take = take, .give_back = give_back});
}
