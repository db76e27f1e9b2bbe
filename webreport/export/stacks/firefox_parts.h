/* Parts of the file for the Firefox Profiler (export_firefox.c): tables of a thread, columns and times. */
#ifndef TP_WEBREPORT_EXPORT_STACKS_FIREFOX_PARTS_H
#define TP_WEBREPORT_EXPORT_STACKS_FIREFOX_PARTS_H

#include "webreport/measure/charts/value_stacks.h"
#include "writer/base/json_out.h"
#include "writer/base/keys.h"

/* Indexes of the categories that the profiler shows in different colors. */
enum tp_firefox_category {
    TP_FIREFOX_OTHER,
    TP_FIREFOX_FUNCTION,                             /* first of the kinds of functions: native, Python, kernel */
    TP_FIREFOX_VALUE_FRAME = TP_FIREFOX_FUNCTION + 3 /* first of TP_VALUE_FRAME_KINDS kinds of frames */
};

/* Tables of the thread that is being written. The index of a key is its row in the table of the file. */
struct tp_firefox_tables {
    struct tp_strings texts;
    /* keys of functions: (name, file, category), name and file as ids in `texts`, TP_NO_ID for an unknown file; of
     * frames: (row in `functions`, line); of stacks: (row of the caller's stack, row in `frames`) */
    struct tp_keys functions, frames, stacks;
};

struct tp_firefox {
    struct tp_json json;
    struct tp_firefox_tables tables;
    struct tp_arena *arena;
    int64_t begin_ns; /* time in the trace at which the profile begins, ns */
};

/* A frame of a stack. */
struct tp_firefox_frame {
    struct tp_str name, file; /* file: empty if unknown */
    uint32_t line;            /* 0: unknown */
    unsigned category;        /* enum tp_firefox_category, or a kind added to it */
};

/* Empties the tables. */
void tp_firefox_tables_init(struct tp_firefox *f);
/* Returns the row of the stack in which the stack `caller` (TP_NO_ID: none) calls a frame. */
uint32_t tp_firefox_add_frame(struct tp_firefox *f, uint32_t caller, const struct tp_firefox_frame *frame);
/* Writes the tables of stacks, frames, functions and texts as members of the thread. */
void tp_firefox_write_tables(struct tp_firefox *f);

/* Begins a table of columns with `count` rows; the caller ends the object. */
void tp_firefox_begin_table(struct tp_firefox *f, const char *key, uint32_t count);
/* Writes a column whose rows all have the same value. */
void tp_firefox_write_constant(struct tp_firefox *f, const char *key, uint32_t count, const char *value);
void tp_firefox_write_milliseconds(struct tp_firefox *f, int64_t ns);
/* Writes a time of the trace, ns, as milliseconds since the start of the profile. */
void tp_firefox_write_time(struct tp_firefox *f, int64_t at_ns);

/* Writes a row of a stack; null for TP_NO_ID. */
void tp_firefox_write_stack_row(struct tp_firefox *f, uint32_t row);

/* Writes the values of a device trace, one thread per track (firefox_values.c). */
void tp_firefox_write_values(struct tp_firefox *f, const struct tp_value_stacks *stacks);

#endif
