/* Scans events: finds the fields of one event in the window, without interpreting them.
 *
 * Accepts any key order, white space and unknown keys, whose values it skips. The window must have TP_FEED_PAD readable
 * bytes after its end. Nothing is allocated; spans point into the window. */
#ifndef TP_WEBREPORT_TRACE_JSON_SCAN_H
#define TP_WEBREPORT_TRACE_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

enum tp_field {
    TP_FIELD_PH,
    TP_FIELD_CAT,
    TP_FIELD_NAME,
    TP_FIELD_PID,
    TP_FIELD_TID,
    TP_FIELD_TS,
    TP_FIELD_DUR,
    TP_FIELD_ID,
    TP_FIELD_ARGS, /* present when args is an object */
    /* members of args */
    TP_ARG_EXTERNAL_ID,
    TP_ARG_EXTERNAL_ID_OLD, /* "external id" */
    TP_ARG_CORRELATION,
    TP_ARG_FINISHED,
    TP_ARG_INPUT_DIMS,
    TP_ARG_INPUT_DIMS_OLD, /* "Input dims" */
    TP_ARG_INPUT_TYPE,
    TP_ARG_CONCRETE_INPUTS,
    TP_ARG_CALL_STACK,
    TP_ARG_SEQUENCE,
    TP_ARG_FORWARD_THREAD,
    TP_ARG_MODULE_ID,
    TP_ARG_DEVICE,
    TP_ARG_STREAM,
    TP_ARG_BYTES, /* "bytes" */
    TP_ARG_GRID,
    TP_ARG_BLOCK,
    TP_ARG_REGISTERS,
    TP_ARG_SHARED_MEMORY,
    TP_ARG_BLOCKS_PER_SM,
    TP_ARG_OCCUPANCY,
    TP_ARG_GRAPH_ID,
    TP_ARG_COLLECTIVE,
    TP_ARG_DTYPE,
    TP_ARG_IN_COUNT,
    TP_ARG_OUT_COUNT,
    TP_ARG_GROUP_SIZE,
    TP_ARG_GROUP_NAME,
    TP_ARG_GROUP_DESCRIPTION,
    TP_ARG_COMM_SEQUENCE,
    TP_ARG_MEMORY_BYTES, /* "Bytes" */
    TP_ARG_ADDRESS,
    TP_ARG_TOTAL_ALLOCATED,
    TP_ARG_TOTAL_RESERVED,
    TP_ARG_DEVICE_TYPE,
    TP_ARG_DEVICE_ID,
    TP_ARG_CPU_NS,
    TP_ARG_EVENT_NUMBER, /* "Ev Idx" */
    TP_ARG_NAME,
    TP_ARG_LABELS,
    TP_ARG_KIND,  /* "kind" of a range */
    TP_ARG_VALUE, /* "value" of a counter */
    TP_ARG_SHAPE, /* of a tensor, like the next three */
    TP_ARG_STEP,
    TP_ARG_FILE,
    TP_ARG_VALUES,
    TP_ARG_COUNT, /* statistics of a tensor from here on */
    TP_ARG_MIN,
    TP_ARG_MAX,
    TP_ARG_MEAN,
    TP_ARG_STD,
    TP_ARG_L2,
    TP_ARG_ZEROS,
    TP_ARG_NANS,
    TP_ARG_INFS,
    TP_FIELD_COUNT,
    /* shares a bit, as all 64 are used: labels are for processes, ranks for collectives */
    TP_ARG_GROUP_RANKS = TP_ARG_LABELS,
    TP_ARG_PEER = TP_ARG_NAME,          /* shares a bit: names are for processes and threads */
    /* of device operations, which have no fields of memory records */
    TP_ARG_COPY_KIND = TP_ARG_ADDRESS,
    TP_ARG_SOURCE_KIND = TP_ARG_TOTAL_ALLOCATED,
    TP_ARG_TARGET_KIND = TP_ARG_TOTAL_RESERVED,
    TP_ARG_MEMORY_KIND = TP_ARG_DEVICE_TYPE,
    TP_ARG_ORIGINAL_STREAM = TP_ARG_DEVICE_ID,
    TP_ARG_TASK_TYPE = TP_ARG_CPU_NS, /* only Ascend's operations have it; samples have TP_ARG_CPU_NS */
    TP_ARG_RECORDING = TP_ARG_ZEROS,  /* of samples; TP_ARG_ZEROS is of tensors */
    TP_ARG_SORT_INDEX = TP_ARG_L2     /* of processes; TP_ARG_L2 is of tensors */
};

_Static_assert(TP_FIELD_COUNT <= 64, "each has a bit in tp_spans.has");

/* One event as spans; strings have their quotes. A span is valid only when its bit in `has` is set. */
struct tp_spans {
    uint64_t has;
    uint64_t known;                          /* fields whose text is already in the reader's interner, as text_id */
    struct tp_str field[TP_FIELD_COUNT + 1]; /* the last: values that are not used */
    uint32_t text_id[TP_FIELD_COUNT];
    bool has_bare_word; /* a value such as inf or NaN was skipped */
    bool is_deep;       /* a value was nested deeper than TP_MAX_DEPTH */
    bool has_own_args;  /* an argument has a name that no profiler writes for ranges */
    bool has_odd_key;   /* a key of the event occurs twice, or no writer of traces uses it */
};

static inline bool tp_spans_has(const struct tp_spans *spans, enum tp_field field)
{
    return spans->has >> field & 1;
}

enum tp_scan_status {
    TP_SCAN_OK,
    TP_SCAN_MORE, /* the window ends inside the value */
    TP_SCAN_BAD,  /* not JSON at this position */
};

enum { TP_SCAN_TRAIL = 64 };

/* The values of one event in the order of the text, used to learn its layout. */
struct tp_scan_trail {
    unsigned count; /* TP_SCAN_TRAIL: too many to keep */
    struct tp_scan_step {
        struct tp_str value;
        int field; /* enum tp_field, -1: not used */
    } steps[TP_SCAN_TRAIL];
};

/* The state of a scan: `at` moves forward; on TP_SCAN_BAD it is the offending byte. */
struct tp_scan {
    const char *at, *end;
    unsigned inner_quotes, inner_keys; /* numbers of quotes inside strings that a lenient scan skipped, and of
                                          those before a colon; the caller sets both, and the next, to 0 */
    unsigned own_keys;                 /* number of recorders' keys inside such strings */
    bool is_lenient; /* a quote closes a string only before text that may follow a value: repairs unescaped quotes */
    uint8_t key_slots[256];
    struct tp_scan_trail *trail; /* NULL: not wanted */
};

/* Prepares the key table; the caller sets at and end. */
void tp_scan_init(struct tp_scan *scan);

/* Returns the closing quote of a string, or NULL when the window ends first. at: position after the opening quote. */
const char *tp_scan_string_end(const char *at, const char *end);

/* Skips white space. */
const char *tp_scan_space(const char *at, const char *end);

/* Scans the object at scan->at ('{') as an event. */
enum tp_scan_status tp_scan_event(struct tp_scan *scan, struct tp_spans *spans);

/* Returns the field of an argument by its key (enum tp_field); -1: nothing reads it. */
int tp_scan_argument(const struct tp_scan *scan, struct tp_str key);

/* Returns true when a profiler, ours or torch's, writes an argument of this name for ranges and device work; all others
 * come from the program. */
bool tp_scan_is_profilers_arg(struct tp_str key);

/* Skips any value; *value: its span. */
enum tp_scan_status tp_scan_value(struct tp_scan *scan, struct tp_str *value, struct tp_spans *notes);

/* Reads the next member of an object: key without its quotes, value. scan->at is '{' before the first call, then the
 * position after the last member. Returns false after the last member, or if the text is not JSON. */
bool tp_scan_member(struct tp_scan *scan, struct tp_str *key, struct tp_str *value);

/* Returns the start of the next event after `at`: a '{' whose first key is that of an event. NULL: none in the
 * window. */
const char *tp_scan_resync(const char *at, const char *end);

/* Returns true when `"key" :` is at `at` (a key of at most 64 bytes). */
bool tp_scan_is_member(const char *at, const char *end);

#endif
