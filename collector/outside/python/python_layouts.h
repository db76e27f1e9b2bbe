/* Describes the memory layout of Python interpreters by version. Up to 3.12 it comes from the headers of each version
 * (tests/abi/python_layout.c compares it). From 3.13 on an interpreter describes itself at the beginning of _PyRuntime,
 * and these values are checked. All numbers are byte offsets in their struct. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_LAYOUTS_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

enum { TP_PYTHON_ABSENT = -1 };

struct tp_python_layout {
    int32_t minor; /* of 3.minor */
    /* _PyRuntime and an interpreter */
    int32_t first_interpreter, next_interpreter, first_thread;
    /* a thread. native_id absent: thread_id of the C library is used. its_frame: offset of the frame, or of a struct
     * that has the frame at held_frame */
    int32_t next_thread, native_id, thread_id, its_frame, held_frame;
    /* a frame. owner absent: each frame has its own call of the interpreter's loop */
    int32_t frame_code, frame_outer, frame_place, frame_owner;
    /* a code object. bytes absent: frame_place counts from its beginning */
    int32_t code_file, code_name, code_bytes, code_lines, code_first;
    /* a text: its state, its length, the beginning of its characters for ASCII and others. A bytes object */
    int32_t text_state, text_size, text_ascii, text_other, bytes_size, bytes_at;
};

/* Bytes read at most of a thread, a frame, a code object, the beginning of a text. */
enum {
    TP_PYTHON_THREAD_BYTES = 512,
    TP_PYTHON_FRAME_BYTES = 160,
    TP_PYTHON_CODE_BYTES = 256,
    TP_PYTHON_TEXT_BYTES = 80,
};

/* Returns the layout of 3.minor, or NULL. Static. */
const struct tp_python_layout *tp_python_layout_of(int minor);

enum { TP_PYTHON_DESCRIBED_WORDS = 81 };

/* Fills the layout from the first words of _PyRuntime. Returns false if it is another version than 3.minor, one without
 * the global lock, or invalid. */
bool tp_python_layout_of_words(struct tp_python_layout *layout, const uint64_t *words, int minor);

#endif
