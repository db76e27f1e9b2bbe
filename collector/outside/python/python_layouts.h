/* Describes the memory layout of Python interpreters by version. Up to 3.12 the layout comes from the headers of each
 * version (tests/abi/python_layout.c compares it). From 3.13 on, an interpreter describes its layout at the beginning
 * of _PyRuntime, and these values are checked. All values are byte offsets in a struct. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_LAYOUTS_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

enum { TP_PYTHON_ABSENT = -1 };

struct tp_python_layout {
    int32_t minor; /* minor version of Python 3 */
    /* first_interpreter: offset in _PyRuntime; next_interpreter, first_thread: offsets in an interpreter's struct */
    int32_t first_interpreter, next_interpreter, first_thread;
    /* Offsets in a thread's struct. native_id is TP_PYTHON_ABSENT if the thread has only the thread_id of the C
     * library. thread_frame: offset of the frame, or of a struct that contains the frame at offset inner_frame. */
    int32_t next_thread, native_id, thread_id, thread_frame, inner_frame;
    /* Offsets in a frame. frame_owner is TP_PYTHON_ABSENT if each frame has its own call of the interpreter's loop. */
    int32_t frame_code, frame_outer, frame_instruction, frame_owner;
    /* Offsets in a code object. code_bytes is TP_PYTHON_ABSENT if frame_instruction is an offset from the beginning of
     * the code. */
    int32_t code_file, code_name, code_bytes, code_lines, code_first_line;
    /* Offsets in a string: state, length, characters if all are ASCII, characters otherwise. Then offsets in a bytes
     * object: length, data. */
    int32_t text_state, text_size, text_ascii, text_non_ascii, bytes_size, bytes_at;
};

/* Maximum number of bytes that are read of a thread, a frame, a code object, and the start of a string. */
enum {
    TP_PYTHON_THREAD_BYTES = 512,
    TP_PYTHON_FRAME_BYTES = 160,
    TP_PYTHON_CODE_BYTES = 256,
    TP_PYTHON_TEXT_BYTES = 80,
};

/* Returns the layout of Python 3.minor, or NULL. The layout is static. */
const struct tp_python_layout *tp_python_layout_of_version(int minor);

enum { TP_PYTHON_DESCRIBED_WORDS = 81 };

/* Fills *layout from the words at the start of _PyRuntime. Returns false if the words are invalid, belong to another
 * version than 3.minor, or to an interpreter without the global lock. */
bool tp_python_layout_read_words(struct tp_python_layout *layout, const uint64_t *words, int minor);

#endif
