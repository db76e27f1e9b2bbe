/* Functions in the samples of a program recorded from outside, with their self time and total time
 * (docs/definitions.md, section 23).
 *
 * A function is identified by its name and file; its line is the line with most of its self time. "src/a.c(12): f" has
 * the name f and the file src/a.c, and "f [libc.so.6]" has the name f and the file libc.so.6. Nameless code is named
 * after its file and offset. Any other text is a name without a file.
 *
 * A kernel function cannot call a function of the program. A stack with such a call was unwound wrongly and is cut at
 * the call. A stack is also cut before unknown code without a caller. The function TP_RECORDING_FUNCTION replaces the
 * kernel's work for recorded events, and all samples that the recorder marks as its own work. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_FUNCTIONS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_FUNCTIONS_H

#include "webreport/model/process_tree.h"

enum tp_function_kind { TP_FUNCTION_NATIVE, TP_FUNCTION_PYTHON, TP_FUNCTION_KERNEL, TP_FUNCTION_KINDS };

/* Returns "native", "python" or "kernel". The text is static. */
const char *tp_function_kind_text(enum tp_function_kind kind);

struct tp_program_function {
    struct tp_str name, file; /* file: empty if unknown */
    int64_t self_ns, total_ns;
    uint64_t sample_count; /* number of samples in which this function is the innermost one */
    int32_t line;          /* line with most of self_ns; 0 if unknown */
    uint8_t kind;          /* value of enum tp_function_kind */
    uint8_t event_role;    /* enum event_role of program_functions.c, for kernel functions that serve perf events */
    bool is_users;         /* true: Python function in the user's own code */
    bool is_line;          /* true: Python function of the user, or of a library whose functions can be lines */
    bool is_nameless;      /* true: the function has only a file and an offset, or no name at all */
    bool is_found;         /* true: at least one sample contains the function; false: only waits contain it */
    bool is_recording;     /* true: the function is TP_RECORDING_FUNCTION; findings ignore this function */
};

struct tp_program_functions {
    struct tp_arena *arena;
    const struct tp_stacks *stacks;
    struct tp_strings texts;
    struct tp_keys keys; /* pairs (name, file) of ids in texts; the index of a pair is the number of its function */
    struct tp_vec items; /* elements: struct tp_program_function, indexed by function number */
    uint32_t *of_frame;  /* for each frame of the stacks: 1 + number of its function; 0: not yet known */
    int32_t *line_by_frame;
    struct tp_vec path;   /* elements: uint32_t, functions of the current stack, outermost first */
    struct tp_vec frames; /* elements: uint32_t, frames of the current stack, one for each function of `path` */
    uint32_t *order;      /* numbers of the functions that appear in samples, largest self time first; set by
                             tp_program_functions_sum_times */
    uint32_t sampled_function_count;
};

/* Makes an empty set in `arena` (guard set by the caller). The trace must outlive the set. */
void tp_program_functions_init(struct tp_program_functions *functions, const struct tp_trace *trace,
                               struct tp_arena *arena);

/* Makes `stack` the current stack and fills `path` and `frames` from it. stack: id in stack_texts, or TP_NO_ID. */
void tp_program_functions_of_stack(struct tp_program_functions *functions, uint32_t stack);

/* Returns whether the innermost function of the current stack is work of the recording. */
bool tp_program_functions_end_in_recording(const struct tp_program_functions *functions);

/* Adds up the times of all samples of the tree by function. */
void tp_program_functions_sum_times(struct tp_program_functions *functions, const struct tp_process_tree *tree);

/* A place in a stack that is useful for the user: a function and its line. line: 0 if unknown. */
struct tp_program_place {
    uint32_t function; /* number of the function; TP_NO_ID if the stack is empty */
    int32_t line;
};

/* Returns the most useful place of the current stack. This is the innermost Python function outside Python's own
 * library, else the innermost Python function. In a stack without Python, it is the innermost function outside the C
 * library, the loader and the kernel, else the innermost function. */
struct tp_program_place tp_program_functions_place(const struct tp_program_functions *functions);

static inline const struct tp_program_function *tp_program_function_at(const struct tp_program_functions *functions,
                                                                       uint32_t number)
{
    return TP_AT(&functions->items, struct tp_program_function, number);
}

/* Returns "file:line", "file" or "" for a function. The text is in the arena or static. */
const char *tp_program_function_place_text(const struct tp_program_function *function, struct tp_arena *arena);

/* Returns a function as text, such as "f (src/a.c:12)", "f (libc.so.6)" or "f". The text is in the arena. */
const char *tp_program_function_text(const struct tp_program_function *function, struct tp_arena *arena);

/* Returns the text of tp_program_function_text with another line of the function; line 0: unknown. */
const char *tp_program_function_text_at(const struct tp_program_function *function, int32_t line,
                                        struct tp_arena *arena);

/* Returns whether a function belongs to the C library, the loader or the kernel, so that its caller is more
 * informative. */
bool tp_program_function_is_system(const struct tp_program_function *function);

#endif
