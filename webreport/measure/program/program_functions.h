/* The functions that samples of a recording from outside found: what each took itself, and with what it called.
 * A function is its name and its file; its line is the one that took most of its own time. Of "src/a.c(12): f" the name
 * is f and the file src/a.c; of "f [libc.so.6]" f and libc.so.6; code without a name is called after its file and
 * offset; other texts are names without a file. A kernel's function outside of one of the program's is a stack that was
 * followed into nonsense: it ends there, and so it does at unknown code that nothing called. What the kernel does for
 * the events of the recording, and samples that the recorder marks as its own work, are one function,
 * TP_RECORDING_FUNCTION. docs/definitions.md section 23. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_FUNCTIONS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_FUNCTIONS_H

#include "webreport/model/process_tree.h"

enum tp_function_kind { TP_FUNCTION_NATIVE, TP_FUNCTION_PYTHON, TP_FUNCTION_KERNEL, TP_FUNCTION_KINDS };

/* "native", "python", "kernel". Static. */
const char *tp_function_kind_text(enum tp_function_kind kind);

struct tp_program_function {
    struct tp_str name, file; /* file: may be empty */
    int64_t self_ns, total_ns;
    uint64_t sample_count; /* with it innermost */
    int32_t line;          /* with most of self_ns; 0: not known */
    uint8_t kind;          /* enum tp_function_kind */
    uint8_t event_role;    /* what it has to do with events of perf; of program_functions.c */
    bool is_nameless;      /* file and offset, or nothing at all */
    bool is_found;         /* by a sample; others only wait */
    bool is_recording;     /* TP_RECORDING_FUNCTION: no finding is about it */
};

struct tp_program_functions {
    struct tp_arena *arena;
    const struct tp_stacks *stacks;
    struct tp_strings texts;
    struct tp_keys keys;   /* (name, file) as ids in texts: the number of the function */
    struct tp_vec items;   /* struct tp_program_function, by number */
    uint32_t *of_frame;    /* by frame of the stacks: number + 1; 0: not asked yet */
    int32_t *line_of_frame;
    struct tp_vec path;  /* uint32_t: functions of the stack looked at last, outermost first */
    struct tp_vec frames; /* uint32_t: its frames, as many */
    uint32_t *order;      /* of those found, once added up: by self time, total time (both descending), name, file */
    uint32_t found_count;
};

/* Makes none, in `arena` (guard set by the caller). The trace must outlive them. */
void tp_program_functions_init(struct tp_program_functions *functions, const struct tp_trace *trace,
                               struct tp_arena *arena);

/* Fills `path` and `frames`. stack: id in stack_texts, or TP_NO_ID. */
void tp_program_functions_of(struct tp_program_functions *functions, uint32_t stack);

/* Does the stack looked at last end in work of the recording? */
bool tp_program_functions_end_in_recording(const struct tp_program_functions *functions);

/* Adds the samples of the tree up. */
void tp_program_functions_add_up(struct tp_program_functions *functions, const struct tp_process_tree *tree);

/* Where its user finds a stack: a function, and a line of it; 0: not known. */
struct tp_program_place {
    uint32_t function; /* TP_NO_ID: the stack is empty */
    int32_t line;
};

/* The place of the stack looked at last: its innermost function of Python that is not of Python's own library, else its
 * innermost one of Python, else its innermost one that is not of the C library, the loader or the kernel, else its
 * innermost one. */
struct tp_program_place tp_program_functions_place(const struct tp_program_functions *functions);

static inline const struct tp_program_function *tp_program_function_at(const struct tp_program_functions *functions,
                                                                       uint32_t number)
{
    return TP_AT(&functions->items, struct tp_program_function, number);
}

/* "file:line", "file", or "" in the arena. */
const char *tp_program_function_place(const struct tp_program_function *function, struct tp_arena *arena);

/* "f (src/a.c:12)", "f (libc.so.6)", "f". In the arena. */
const char *tp_program_function_words(const struct tp_program_function *function, struct tp_arena *arena);

/* The same with another line of the function; 0: not known. */
const char *tp_program_function_words_at(const struct tp_program_function *function, int32_t line, struct tp_arena *arena);

/* Is it of the C library or the loader: what calls it says more? */
bool tp_program_function_is_system(const struct tp_program_function *function);

#endif
