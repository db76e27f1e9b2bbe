/* Reads the frames of a Python thread from the memory of its running process. The data may be inconsistent or hostile,
 * so every walk is limited, and inconsistent data gives no stack. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FRAMES_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FRAMES_H

#include "collector/outside/processes/other_memory.h"
#include "collector/outside/python/python_layouts.h"

enum { TP_PYTHON_FRAMES = 256 };

struct tp_python_frame {
    uint64_t code, place;
    bool is_entry; /* true if C code called this frame's function, so that a new call of the interpreter's loop runs
                    * it */
    uint8_t object[TP_PYTHON_CODE_BYTES];
};

/* Returns the address of the struct of thread `tid`; 0: not found. runtime: address of _PyRuntime. */
uint64_t tp_python_find_thread(struct tp_other_memory *memory, const struct tp_python_layout *layout, uint64_t runtime,
                               uint32_t tid);

/* Fills `frames` with the frames of a thread, innermost first, at most TP_PYTHON_FRAMES; further outer frames are
 * dropped. thread: address of the thread's struct. Returns the number of frames. Returns 0 if the thread runs no Python
 * code, and -1 if the struct cannot be read or belongs to another thread than `tid`. */
int tp_python_read_frames(struct tp_python_frame *frames, struct tp_other_memory *memory,
                          const struct tp_python_layout *layout, uint64_t thread, uint32_t tid);

#endif
