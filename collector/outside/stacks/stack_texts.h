/* Writes stacks as texts for the trace: "FILE(LINE): FUNCTION;" or "FUNCTION [LIBRARY];" for each frame, innermost
 * first. Memory is in an arena, whose guard the caller sets in all calls except release. */
#ifndef TP_COLLECTOR_OUTSIDE_STACKS_STACK_TEXTS_H
#define TP_COLLECTOR_OUTSIDE_STACKS_STACK_TEXTS_H

#include "collector/outside/code/code_places.h"
#include "writer/spool/symbols.h"

struct tp_stack_texts {
    const struct tp_code_places *places;
    const struct tp_str *kernel; /* names of kernel functions; the index is the frame; NULL: no names */
    struct tp_symbols symbols;
    struct tp_symbol_frames *frames; /* texts of frames; the index is the frame; absent until the frame is first used */
    struct tp_vec text;
};

/* Initializes *words. Opens no file. */
void tp_stack_texts_init(struct tp_stack_texts *words, const struct tp_code_places *places, const struct tp_str *kernel,
                         struct tp_arena *arena);
void tp_stack_texts_release(struct tp_stack_texts *words);

/* Returns the text of a stack, valid until the next call. Sets *leaf to the innermost frame of the text.
 * without_kernel: true drops kernel frames. Frames of the preload library are dropped if the stack has other frames. */
struct tp_str tp_stack_texts_write_stack(struct tp_stack_texts *words, uint32_t node, bool without_kernel,
                                         struct tp_str *leaf);

/* Returns whether the thread did work of the recorder in this stack: in the preload library, in a C library function
 * called from there, or in kernel functions for the recorder's events. Events that the program itself opened are the
 * program's work. */
bool tp_stack_texts_is_recording(struct tp_stack_texts *words, uint32_t node, bool is_wait);

/* Returns the texts for the innermost frame of a stack node. The frame must be in a file. */
const struct tp_symbol_frames *tp_stack_texts_frame(struct tp_stack_texts *words, uint32_t node);

/* Returns the build-id of the file that contains the node's frame; absent if the file has none. */
struct tp_str tp_stack_texts_build_id(struct tp_stack_texts *words, uint32_t node);

#endif
