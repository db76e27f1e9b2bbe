/* The hot path: records of this thread into its chunk.
 *
 * A thread owns its chunk, so writing takes no lock, no allocation and no system call; only getting the next chunk
 * does. `tracepress_recording_` is 0 while nothing is recorded, else the number of the recording: a thread whose chunk
 * belongs to another one lets go of it at its next record. */
#ifndef TP_COLLECTOR_RECORDER_H
#define TP_COLLECTOR_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/clock.h"
#include "collector/spool.h"
#include "collector/tracepress.h"

/* Where this thread writes. */
struct tp_cursor {
    struct tp_spool_record *at, *end;
    uint32_t recording; /* of the chunk */
    struct tp_spool_chunk *chunk;
    uint32_t thread, sequence; /* in the recording */
    uint32_t inside;           /* above 0: our own code runs here, so functions that we stand before only pass on */
    uint64_t tid;
};

extern _Thread_local struct tp_cursor tp_cursor __attribute__((tls_model("initial-exec")));

/* True when ranges and memory notes carry the stack of their call. */
extern bool tp_record_stacks;

/* When the last recording was switched on, by tp_clock_now: what has begun before and ends in it is cut there. */
extern uint64_t tp_record_since;

static inline uint64_t tp_record_begin(uint64_t begin)
{
    uint64_t since = __atomic_load_n(&tp_record_since, __ATOMIC_RELAXED);
    return begin > since ? begin : since;
}

/* Writes the stack of the call that returns to `from`, for the record that comes next. */
void tp_record_stack(const void *from);

/* The same inside of malloc and its family, where nothing may be waited for; without our own frames. False: none. */
bool tp_record_stack_apart(void);

/* In a function of the public interface: its caller's stack, where stacks are wanted. */
#define TP_RECORD_STACK()                                                                                              \
    do {                                                                                                               \
        if (__builtin_expect(__atomic_load_n(&tp_record_stacks, __ATOMIC_RELAXED), 0))                                 \
            tp_record_stack(__builtin_return_address(0));                                                              \
    } while (0)

/* The next chunk for `slots` slots; NULL: the record is dropped and counted. */
struct tp_spool_record *tp_record_refill(uint32_t recording, uint32_t slots);

/* Lets go of this thread's chunk. */
void tp_record_leave(void);

/* No thread asks for a chunk, gives one back or walks its stack any more: chunks stay mapped to the end of the process.
 * Returns when none is in the middle of that, or after patience_ms. */
void tp_record_close(unsigned patience_ms);

/* Until tp_record_go_on no thread walks its stack, for which it may hold locks of the loader's; records of the meantime
 * have none. Waits for those that are at it, at most for some time. */
void tp_record_still(void);
void tp_record_go_on(void);

/* In the child of a fork: only this thread is here. */
void tp_record_in_child(void);

/* An operator that a source found by standing before a library's function: not the program tells of it. As
 * tracepress_record_call_ otherwise. */
void tp_record_library_call(uint32_t name, const struct tracepress_operator *call);

/* Room for a record with `slots` slots after its head, or NULL. Its time is 0 until tp_record_done. */
static inline struct tp_spool_record *tp_record_take(uint32_t slots)
{
    uint32_t recording = __atomic_load_n(&tracepress_recording_, __ATOMIC_RELAXED);
    if (__builtin_expect(recording == 0, 0))
        return NULL;
    struct tp_spool_record *record = tp_cursor.at;
    if (__builtin_expect(tp_cursor.recording != recording || tp_cursor.end - record <= (ptrdiff_t)slots, 0))
        record = tp_record_refill(recording, slots);
    return record;
}

/* Publishes the record, at this moment. */
static inline void tp_record_done(struct tp_spool_record *record, uint32_t name, uint8_t kind, uint32_t slots,
                                  uint32_t text)
{
    record->name = name;
    record->kind = kind;
    record->slots = (uint8_t)slots;
    record->text = (uint16_t)text;
    tp_cursor.at = record + 1 + slots;
    __atomic_store_n(&record->time, tp_clock_now(), __ATOMIC_RELEASE);
}

/* A record of this moment with a payload of `size` bytes. */
static inline void tp_record_put(uint32_t name, uint8_t kind, const void *payload, size_t size)
{
    uint32_t slots = (uint32_t)((size + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT);
    struct tp_spool_record *record = tp_record_take(slots);
    if (!record)
        return;
    memcpy(record + 1, payload, size);
    tp_record_done(record, name, kind, slots, 0);
}

#endif
