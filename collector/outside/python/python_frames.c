/* Reads frames of Python threads: see python_frames.h.
 *
 * From Python 3.11 on, frames are adjacent in the interpreter's memory, with outer frames at lower addresses. Each read
 * of a frame also reads the memory before it, so most stacks need only one system call. */
#include "collector/outside/python/python_frames.h"

#include <string.h>

enum { MOST_INTERPRETERS = 64, MOST_THREADS = 4096, BEFORE_BYTES = 4096 };

/* Offset of the thread id in the struct to which glibc's pthread_self() points. */
#if defined(__x86_64__)
enum { GLIBC_TID = 0x2d0 };
#else
enum { GLIBC_TID = 0xd0 };
#endif

/* ---- threads ---- */

static uint64_t word_at(const uint8_t *bytes, int32_t at)
{
    uint64_t word;
    memcpy(&word, bytes + at, sizeof word);
    return word;
}

enum { FIELDS = 4 };

/* Returns the number of bytes from the start of a struct to the end of the last of some fields. fields: offsets of the
 * fields. */
static size_t bytes_to_end_of_last_field(const int32_t fields[FIELDS])
{
    int32_t last = 0;
    for (size_t i = 0; i < FIELDS; i++)
        last = fields[i] > last ? fields[i] : last;
    return (size_t)last + sizeof(uint64_t);
}

/* Returns the number of bytes to read from a thread's struct. */
static size_t thread_bytes(const struct tp_python_layout *layout)
{
    return bytes_to_end_of_last_field(
        (const int32_t[FIELDS]){layout->next_thread, layout->native_id, layout->thread_id, layout->thread_frame});
}

static uint32_t thread_tid(struct tp_other_memory *memory, const struct tp_python_layout *layout, const uint8_t *thread)
{
    if (layout->native_id != TP_PYTHON_ABSENT)
        return (uint32_t)word_at(thread, layout->native_id);
    uint64_t self = word_at(thread, layout->thread_id);
    return self ? (uint32_t)tp_other_memory_read_word(memory, self + GLIBC_TID) : 0;
}

uint64_t tp_python_find_thread(struct tp_other_memory *memory, const struct tp_python_layout *layout, uint64_t runtime,
                               uint32_t tid)
{
    uint8_t bytes[TP_PYTHON_THREAD_BYTES];
    uint64_t interpreter = tp_other_memory_read_word(memory, runtime + (uint64_t)layout->first_interpreter);
    for (int i = 0; interpreter && i < MOST_INTERPRETERS; i++) {
        uint64_t thread = tp_other_memory_read_word(memory, interpreter + (uint64_t)layout->first_thread);
        for (int k = 0; k < MOST_THREADS && tp_other_memory_read(memory, thread, bytes, thread_bytes(layout)); k++) {
            if (thread_tid(memory, layout, bytes) == tid)
                return thread;
            thread = word_at(bytes, layout->next_thread);
        }
        interpreter = tp_other_memory_read_word(memory, interpreter + (uint64_t)layout->next_interpreter);
    }
    return 0;
}

/* ---- frames ---- */

/* Memory at address `start` that was read together with a frame. */
struct part {
    uint64_t start;
    size_t size;
    uint8_t bytes[BEFORE_BYTES + TP_PYTHON_FRAME_BYTES];
};

struct walk {
    struct tp_other_memory *memory;
    const struct tp_python_layout *layout;
    struct part parts[2]; /* two cached parts: frames in the interpreter's memory, and frames on the thread's stack */
    unsigned last;        /* index of the part used last */
};

static size_t frame_bytes(const struct tp_python_layout *layout)
{
    return bytes_to_end_of_last_field((const int32_t[FIELDS]){layout->frame_code, layout->frame_outer,
                                                              layout->frame_instruction, layout->frame_owner});
}

/* Returns a copy of the frame at an address, or NULL if it cannot be read. */
static const uint8_t *frame_at(struct walk *w, uint64_t at)
{
    size_t size = frame_bytes(w->layout);
    for (unsigned i = 0; i < 2; i++) {
        const struct part *part = &w->parts[i];
        if (at >= part->start && at - part->start + size <= part->size) {
            w->last = i;
            return part->bytes + (at - part->start);
        }
    }
    w->last = !w->last;
    struct part *part = &w->parts[w->last];
    const struct tp_other_part requests[] = {{at, part->bytes + BEFORE_BYTES, size},
                                             {at - BEFORE_BYTES, part->bytes, BEFORE_BYTES}};
    size_t got =
        at > BEFORE_BYTES ? tp_other_memory_read_parts(w->memory, requests, w->layout->minor >= 11 ? 2 : 1) : 0;
    part->start = got == 2 ? at - BEFORE_BYTES : at;
    part->size = got == 2 ? BEFORE_BYTES + size : 0;
    return got ? part->bytes + BEFORE_BYTES : NULL;
}

/* Returns whether the frame only marks a call from C. The interpreter adds such frames, which run no code. */
static bool is_c_call_frame(const struct tp_python_layout *layout, const uint8_t *frame)
{
    enum { FIRST_OF_CALLS = 3 };
    return layout->minor >= 12 && frame[layout->frame_owner] >= FIRST_OF_CALLS;
}

static bool is_entry(const struct tp_python_layout *layout, const uint8_t *frame)
{
    return layout->minor < 11 || (layout->minor == 11 && frame[layout->frame_owner - 1]);
}

/* Reads the code objects of all frames with one system call. */
static bool read_objects(struct tp_python_frame *frames, int count, struct tp_other_memory *memory,
                         const struct tp_python_layout *layout)
{
    struct tp_other_part requests[TP_OTHER_PARTS];
    const int32_t fields[] = {layout->code_file, layout->code_name, layout->code_lines, layout->code_first_line};
    int32_t last = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        last = fields[i] > last ? fields[i] : last;
    for (int i = 0; i < count; i++)
        requests[i] = (struct tp_other_part){frames[i].code, frames[i].object, (size_t)last + sizeof(uint64_t)};
    return tp_other_memory_read_parts(memory, requests, (size_t)count) == (size_t)count;
}

_Static_assert((int)TP_PYTHON_FRAMES <= (int)TP_OTHER_PARTS, "one call reads the code of a whole stack");

int tp_python_read_frames(struct tp_python_frame *frames, struct tp_other_memory *memory,
                          const struct tp_python_layout *layout, uint64_t thread, uint32_t tid)
{
    struct walk w = {.memory = memory, .layout = layout};
    uint8_t bytes[TP_PYTHON_THREAD_BYTES];
    int count = 0;
    if (!tp_other_memory_read(memory, thread, bytes, thread_bytes(layout)) || thread_tid(memory, layout, bytes) != tid)
        return -1;
    uint64_t at = word_at(bytes, layout->thread_frame);
    if (layout->inner_frame != TP_PYTHON_ABSENT && at)
        at = tp_other_memory_read_word(memory, at + (uint64_t)layout->inner_frame);
    for (int steps = 0; at && count < TP_PYTHON_FRAMES && steps < 2 * TP_PYTHON_FRAMES; steps++) {
        const uint8_t *frame = frame_at(&w, at);
        if (!frame)
            return -1;
        if (is_c_call_frame(layout, frame)) {
            if (count)
                frames[count - 1].is_entry = true;
        } else {
            frames[count].code = word_at(frame, layout->frame_code) & ~(uint64_t)(layout->minor >= 14 ? 3 : 0);
            frames[count].place = word_at(frame, layout->frame_instruction);
            frames[count++].is_entry = is_entry(layout, frame);
        }
        at = word_at(frame, layout->frame_outer);
    }
    return !count || read_objects(frames, count, memory, layout) ? count : -1;
}
