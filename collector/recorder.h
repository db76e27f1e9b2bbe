/* Writes records of the calling thread into the thread's chunk; the hot path of the recorder.
 *
 * Each thread owns its chunk, so a record needs no lock, no allocation and no system call. Only requesting a new chunk
 * needs them. `tracepress_recording_` is 0 while nothing is recorded, otherwise the number of the recording. A thread
 * whose chunk belongs to an older recording releases the chunk at its next record. */
#ifndef TP_COLLECTOR_RECORDER_H
#define TP_COLLECTOR_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/clock.h"
#include "collector/spool.h"
#include "collector/tracepress.h"

/* Position at which this thread writes its next record. */
struct tp_cursor {
    struct tp_spool_record *at, *end;
    uint32_t recording; /* number of the recording to which the chunk belongs */
    struct tp_spool_chunk *chunk;
    /* thread: number of the thread in the recording; sequence: number of the chunk in the thread */
    uint32_t thread, sequence;
    uint32_t inside; /* above 0: our own code is running on this thread, so hooks only call the original function */
    uint64_t tid;
};

extern _Thread_local struct tp_cursor tp_cursor __attribute__((tls_model("initial-exec")));

/* true if ranges and memory notes are recorded with the stack of their call */
extern bool tp_record_stacks;

/* start of the last recording, ticks of tp_clock_now; a range that began earlier begins here in the trace */
extern uint64_t tp_record_start_ticks;

static inline uint64_t tp_record_clip_begin(uint64_t begin)
{
    uint64_t since = __atomic_load_n(&tp_record_start_ticks, __ATOMIC_RELAXED);
    return begin > since ? begin : since;
}

/* Writes the stack from the function that returns to `from` outwards. The stack belongs to the next record. */
void tp_record_stack(const void *from);

/* Writes the caller's stack inside malloc and related functions, where the thread must not wait. The stack has no
 * frames of the recorder. Returns false if the stack could not be walked. */
bool tp_record_stack_without_wait(void);

/* Records the caller's stack if stacks are wanted. Only for functions of the public interface. */
#define TP_RECORD_STACK()                                                                                              \
    do {                                                                                                               \
        if (__builtin_expect(__atomic_load_n(&tp_record_stacks, __ATOMIC_RELAXED), 0))                                 \
            tp_record_stack(__builtin_return_address(0));                                                              \
    } while (0)

/* Returns memory for a record with `slots` slots in the next chunk. Returns NULL if there is no chunk; then the record
 * is lost and added to the count of dropped records. */
struct tp_spool_record *tp_record_reserve_in_new_chunk(uint32_t recording, uint32_t slots);

/* Releases the chunk of this thread. */
void tp_record_release_chunk(void);

/* Stops all threads from getting or returning chunks and from walking stacks. Chunks stay mapped until the process
 * exits. Returns when no thread still does one of these things, or after patience_ms. */
void tp_record_end_and_wait(unsigned patience_ms);

/* Stops all threads from walking their stacks until tp_record_resume_stacks, because walking may take locks of the
 * loader. Records in this time have no stack. Waits for a limited time for threads that are walking. */
void tp_record_pause_stacks(void);
void tp_record_resume_stacks(void);

/* Resets the state in a child of fork, in which only this thread exists. */
void tp_record_reset_in_child(void);

/* Records an operator that a source found by intercepting a library function, so that the program itself did not
 * report the operator. Otherwise like tracepress_record_call_. */
void tp_record_library_call(uint32_t name, const struct tracepress_operator *call);

/* Returns memory for a record with `slots` slots after its head, or NULL. The time of the record is 0 until
 * tp_record_finish. */
static inline struct tp_spool_record *tp_record_reserve_slots(uint32_t slots)
{
    uint32_t recording = __atomic_load_n(&tracepress_recording_, __ATOMIC_RELAXED);
    if (__builtin_expect(recording == 0, 0))
        return NULL;
    struct tp_spool_record *record = tp_cursor.at;
    if (__builtin_expect(tp_cursor.recording != recording || tp_cursor.end - record <= (ptrdiff_t)slots, 0))
        record = tp_record_reserve_in_new_chunk(recording, slots);
    return record;
}

/* Finishes a record by storing the current time in it. */
static inline void tp_record_finish(struct tp_spool_record *record, uint32_t name, uint8_t kind, uint32_t slots,
                                    uint32_t text)
{
    record->name = name;
    record->kind = kind;
    record->slots = (uint8_t)slots;
    record->text = (uint16_t)text;
    tp_cursor.at = record + 1 + slots;
    __atomic_store_n(&record->time, tp_clock_now(), __ATOMIC_RELEASE);
}

/* Writes a record with the current time and a payload of `size` bytes. */
static inline void tp_record_write(uint32_t name, uint8_t kind, const void *payload, size_t size)
{
    uint32_t slots = (uint32_t)((size + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT);
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    memcpy(record + 1, payload, size);
    tp_record_finish(record, name, kind, slots, 0);
}

#endif
