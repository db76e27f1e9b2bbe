/* Frames of a Python thread, read from the memory of its process while it runs. What is read may be of two moments, or
 * of a hostile program: every walk is bounded, and what does not fit is no stack. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FRAMES_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FRAMES_H

#include "collector/outside/processes/other_memory.h"
#include "collector/outside/python/python_layouts.h"

enum { TP_PYTHON_FRAMES = 256 };

struct tp_python_frame {
    uint64_t code, place;
    bool is_entry; /* the outermost one of a call of the interpreter's loop */
    uint8_t object[TP_PYTHON_CODE_BYTES];
};

/* The thread `tid` of the interpreters of _PyRuntime at `runtime`; 0: it is none of theirs. */
uint64_t tp_python_thread(struct tp_other_memory *memory, const struct tp_python_layout *layout, uint64_t runtime,
                          uint32_t tid);

/* The frames of the thread at `thread`, innermost first, at most TP_PYTHON_FRAMES: the outer ones are left out beyond.
 * Returns how many; 0: it runs no Python just now; -1: it is not the thread `tid`, or cannot be read. */
int tp_python_frames(struct tp_python_frame *frames, struct tp_other_memory *memory,
                     const struct tp_python_layout *layout, uint64_t thread, uint32_t tid);

#endif
