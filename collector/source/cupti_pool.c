/* Manages the buffers that CUPTI fills: see cupti_pool.h. The thread that changes the state of a slot owns the slot. */
#include "collector/source/cupti_pool.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { EMPTY, FREE, LENT };

static struct {
    _Atomic int state;
    _Atomic(uint8_t *) bytes; /* address of the buffer; not valid in the state EMPTY */
} slots[TP_CUPTI_BUFFERS];

static uint8_t *map_buffer(size_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

static bool change_state(unsigned slot, int from, int to)
{
    return atomic_compare_exchange_strong(&slots[slot].state, &from, to);
}

/* Takes a slot that is in `state`. Returns the index of the slot, or TP_CUPTI_BUFFERS if no slot is in this state. */
static unsigned acquire_slot(int state)
{
    for (unsigned i = 0; i < TP_CUPTI_BUFFERS; i++)
        if (atomic_load_explicit(&slots[i].state, memory_order_relaxed) == state && change_state(i, state, LENT))
            return i;
    return TP_CUPTI_BUFFERS;
}

uint8_t *tp_cupti_pool_get_buffer(size_t *size, bool must_have)
{
    *size = TP_CUPTI_BUFFER_BYTES;
    unsigned slot = acquire_slot(FREE);
    if (slot < TP_CUPTI_BUFFERS)
        return atomic_load(&slots[slot].bytes);
    slot = acquire_slot(EMPTY);
    if (slot < TP_CUPTI_BUFFERS) {
        uint8_t *bytes = map_buffer(TP_CUPTI_BUFFER_BYTES);
        atomic_store(&slots[slot].bytes, bytes);
        if (!bytes)
            atomic_store(&slots[slot].state, EMPTY);
        else
            return bytes;
    }
    *size = TP_CUPTI_EXTRA_BYTES;
    uint8_t *extra = must_have ? map_buffer(TP_CUPTI_EXTRA_BYTES) : NULL;
    if (!extra)
        *size = 0;
    return extra;
}

void tp_cupti_pool_return_buffer(uint8_t *buffer, size_t size)
{
    if (!buffer)
        return;
    for (unsigned i = 0; i < TP_CUPTI_BUFFERS; i++)
        if (atomic_load(&slots[i].state) == LENT && atomic_load(&slots[i].bytes) == buffer) {
            atomic_store(&slots[i].state, FREE);
            return;
        }
    if (size == TP_CUPTI_EXTRA_BYTES)
        munmap(buffer, size);
}

void tp_cupti_pool_unmap_free_buffers(void)
{
    for (unsigned i = 0; i < TP_CUPTI_BUFFERS; i++)
        if (change_state(i, FREE, LENT)) {
            uint8_t *bytes = atomic_exchange(&slots[i].bytes, NULL);
            munmap(bytes, TP_CUPTI_BUFFER_BYTES);
            atomic_store(&slots[i].state, EMPTY);
        }
}

unsigned tp_cupti_pool_used_count(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < TP_CUPTI_BUFFERS; i++)
        count += atomic_load(&slots[i].state) == LENT;
    return count;
}
