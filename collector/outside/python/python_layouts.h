/* Where the parts of a Python interpreter lie in its memory, by version. Up to 3.12 they are known from the headers of
 * each version (tests/abi/python_layout.c compares); from 3.13 on an interpreter tells its own, in words at the head
 * of _PyRuntime, and what an own head says has to be possible. All numbers are bytes from the begin of their part. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_LAYOUTS_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

enum { TP_PYTHON_ABSENT = -1 };

struct tp_python_layout {
    int32_t minor; /* of 3.minor */
    /* _PyRuntime, an interpreter */
    int32_t first_interpreter, next_interpreter, first_thread;
    /* a thread; native_id absent: by thread_id, as the C library has it. its_frame: of the frame, or of what has the
     * frame at held_frame */
    int32_t next_thread, native_id, thread_id, its_frame, held_frame;
    /* a frame; owner: absent where each has a call of the interpreter's loop to itself */
    int32_t frame_code, frame_outer, frame_place, frame_owner;
    /* a code object; bytes absent: frame_place counts from its begin */
    int32_t code_file, code_name, code_bytes, code_lines, code_first;
    /* a text: its state, its length, where its characters begin: of ASCII, of others. Bytes */
    int32_t text_state, text_size, text_ascii, text_other, bytes_size, bytes_at;
};

/* Reading is bounded by these: of a thread, a frame, a code object, a text's head. */
enum {
    TP_PYTHON_THREAD_BYTES = 512,
    TP_PYTHON_FRAME_BYTES = 160,
    TP_PYTHON_CODE_BYTES = 256,
    TP_PYTHON_TEXT_BYTES = 80,
};

/* The layout of 3.minor, or NULL. Static. */
const struct tp_python_layout *tp_python_layout_of(int minor);

enum { TP_PYTHON_TOLD_WORDS = 81 };

/* The layout that the first words of _PyRuntime tell. False: another version than 3.minor, one without the global
 * lock, or nothing that is possible. */
bool tp_python_layout_of_words(struct tp_python_layout *layout, const uint64_t *words, int minor);

#endif
