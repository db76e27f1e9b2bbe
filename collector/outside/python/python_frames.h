/* Reads the frames of a Python thread from the memory of its running process. The data may be inconsistent or hostile.
 * So every walk is limited, and no stack is returned for inconsistent data. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FRAMES_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FRAMES_H

#include "collector/outside/processes/other_memory.h"
#include "collector/outside/python/python_layouts.h"

enum { TP_PYTHON_FRAMES = 256 };

struct tp_python_frame {
    uint64_t code, place;
    bool is_entry; /* true for the outermost frame in a call of the interpreter's loop */
    uint8_t object[TP_PYTHON_CODE_BYTES];
};

/* Returns the address of thread `tid` in the interpreters of _PyRuntime at `runtime`; 0: not found. */
uint64_t tp_python_thread(struct tp_other_memory *memory, const struct tp_python_layout *layout, uint64_t runtime,
                          uint32_t tid);

/* Fills `frames` with the frames of the thread at `thread`, innermost first, at most TP_PYTHON_FRAMES; further outer
 * frames are dropped. Returns the number of frames; 0: the thread runs no Python code at the moment; -1: the address is
 * not that of thread `tid`, or cannot be read. */
int tp_python_frames(struct tp_python_frame *frames, struct tp_other_memory *memory,
                     const struct tp_python_layout *layout, uint64_t thread, uint32_t tid);

#endif
