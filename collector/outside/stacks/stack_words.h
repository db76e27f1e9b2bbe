/* Stacks in words, as samples have them in traces: "FILE(LINE): FUNCTION;" or "FUNCTION [LIBRARY];" for each frame,
 * innermost first. In an arena whose guard the caller sets in all calls but release. */
#ifndef TP_COLLECTOR_OUTSIDE_STACKS_STACK_WORDS_H
#define TP_COLLECTOR_OUTSIDE_STACKS_STACK_WORDS_H

#include "collector/outside/code/code_places.h"
#include "writer/spool/symbols.h"

struct tp_stack_words {
    const struct tp_code_places *places;
    const struct tp_str *kernel; /* names by frame; NULL: none */
    struct tp_symbols symbols;
    struct tp_symbol_frames *frames; /* by frame; text absent: not asked for */
    struct tp_vec text;
};

/* Begins with no file open. */
void tp_stack_words_init(struct tp_stack_words *words, const struct tp_code_places *places, const struct tp_str *kernel,
                         struct tp_arena *arena);
void tp_stack_words_release(struct tp_stack_words *words);

/* The stack of a node, until the next call; *leaf: its innermost frame. without_kernel: what the program was in.
 * Frames of the library that records inside are left out, but where there are no others. */
struct tp_str tp_stack_words_of(struct tp_stack_words *words, uint32_t node, bool without_kernel, struct tp_str *leaf);

/* Returns whether the thread did the recorder's work there: in the library that records inside, in a function of the C
 * library that it called, or in the kernel's functions for events. Events that the program opened are its own work. */
bool tp_stack_words_is_recording(struct tp_stack_words *words, uint32_t node, bool is_wait);

/* The innermost frame of a node, which is of a file. */
const struct tp_symbol_frames *tp_stack_words_frame(struct tp_stack_words *words, uint32_t node);

/* The build-id of that file, absent where it has none. */
struct tp_str tp_stack_words_build_id(struct tp_stack_words *words, uint32_t node);

#endif
