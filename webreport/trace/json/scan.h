/* Scans events: finds the fields of one event in the window, without interpreting them.
 *
 * Accepts any order of keys, white space, and unknown keys, whose values are skipped. At least TP_FEED_PAD bytes
 * after the window must be readable. Allocates nothing; all spans point into the window. */
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
    TP_FIELD_ARGS, /* present only if "args" is an object */
    /* first field inside "args"; all fields below are inside "args" too */
    TP_ARG_EXTERNAL_ID,
    TP_ARG_EXTERNAL_ID_OLD, /* key "external id" */
    TP_ARG_CORRELATION,
    TP_ARG_FINISHED,
    TP_ARG_INPUT_DIMS,
    TP_ARG_INPUT_DIMS_OLD, /* key "Input dims" */
    TP_ARG_INPUT_TYPE,
    TP_ARG_CONCRETE_INPUTS,
    TP_ARG_CALL_STACK,
    TP_ARG_SEQUENCE,
    TP_ARG_FORWARD_THREAD,
    TP_ARG_MODULE_ID,
    TP_ARG_DEVICE,
    TP_ARG_STREAM,
    TP_ARG_BYTES, /* key "bytes" */
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
    TP_ARG_MEMORY_BYTES, /* key "Bytes" */
    TP_ARG_ADDRESS,
    TP_ARG_TOTAL_ALLOCATED,
    TP_ARG_TOTAL_RESERVED,
    TP_ARG_DEVICE_TYPE,
    TP_ARG_DEVICE_ID,
    TP_ARG_CPU_NS,
    TP_ARG_EVENT_NUMBER, /* key "Ev Idx" */
    TP_ARG_NAME,
    TP_ARG_LABELS,
    TP_ARG_KIND,  /* key "kind" of a range */
    TP_ARG_VALUE, /* key "value" of a counter */
    TP_ARG_SHAPE, /* first of four fields of recorded tensors */
    TP_ARG_STEP,
    TP_ARG_FILE,
    TP_ARG_VALUES,
    TP_ARG_COUNT, /* first field of a tensor's statistics */
    TP_ARG_MIN,
    TP_ARG_MAX,
    TP_ARG_MEAN,
    TP_ARG_STD,
    TP_ARG_L2,
    TP_ARG_ZEROS,
    TP_ARG_NANS,
    TP_ARG_INFS,
    TP_FIELD_COUNT,
    /* shares a bit with TP_ARG_LABELS, because all 64 bits are in use: only collectives have ranks, only processes
     * have labels */
    TP_ARG_GROUP_RANKS = TP_ARG_LABELS,
    TP_ARG_PEER = TP_ARG_NAME, /* shares a bit: only collectives have peers, only processes and threads have names */
    /* shares a bit: only device operations have copy kinds, only memory records have addresses */
    TP_ARG_COPY_KIND = TP_ARG_ADDRESS,
    TP_ARG_SOURCE_KIND = TP_ARG_TOTAL_ALLOCATED,
    TP_ARG_TARGET_KIND = TP_ARG_TOTAL_RESERVED,
    TP_ARG_MEMORY_KIND = TP_ARG_DEVICE_TYPE,
    TP_ARG_ORIGINAL_STREAM = TP_ARG_DEVICE_ID,
    /* shares a bit: only operations of Ascend have task types, only samples have TP_ARG_CPU_NS */
    TP_ARG_TASK_TYPE = TP_ARG_CPU_NS,
    /* shares a bit: only samples have TP_ARG_RECORDING, only tensors have TP_ARG_ZEROS */
    TP_ARG_RECORDING = TP_ARG_ZEROS,
    /* shares a bit: only processes have TP_ARG_SORT_INDEX, only tensors have TP_ARG_L2 */
    TP_ARG_SORT_INDEX = TP_ARG_L2,
    /* shares a bit: only kernels of torch's CUPTI backend have TP_ARG_CHANNEL_TYPE, only tensors have TP_ARG_STD */
    TP_ARG_CHANNEL_TYPE = TP_ARG_STD,
    /* shares a bit: only copies and memsets have TP_ARG_BANDWIDTH, only tensors have TP_ARG_INFS */
    TP_ARG_BANDWIDTH = TP_ARG_INFS,
    /* share bits: only records of waits have these, only tensors have statistics */
    TP_ARG_SYNC_KIND = TP_ARG_COUNT,
    TP_ARG_WAIT_STREAM = TP_ARG_MIN,
    TP_ARG_WAIT_RECORD = TP_ARG_MAX
};

_Static_assert(TP_FIELD_COUNT <= 64, "each has a bit in tp_spans.has");

/* The fields of one event, as spans of the event's text. The span of a string includes its quotes. A span is valid
 * only if its bit in `has` is set. */
struct tp_spans {
    uint64_t has;
    uint64_t known; /* bits of the fields whose text is already interned; text_id has the ids */
    struct tp_str field[TP_FIELD_COUNT + 1]; /* indexed by field; the last span is for values without a field */
    uint32_t text_id[TP_FIELD_COUNT];
    bool has_bare_word;      /* true if a value is a bare word such as inf or NaN */
    bool is_nested_too_deep; /* true if a value is nested deeper than TP_MAX_DEPTH */
    bool has_own_args;       /* true if the program gave an argument, known from a key that no profiler writes */
    bool has_odd_key;        /* true if a key occurs twice, or is one that no writer of traces uses */
};

static inline bool tp_spans_has(const struct tp_spans *spans, enum tp_field field)
{
    return spans->has >> field & 1;
}

enum tp_scan_status {
    TP_SCAN_OK,
    TP_SCAN_MORE, /* the value continues after the end of the window */
    TP_SCAN_BAD,  /* the text at scan->at is not JSON */
};

enum { TP_SCAN_TRAIL = 64 };

/* The values of one event in the order of its text, for learning texts between values (learned_keys.h). */
struct tp_scan_trail {
    unsigned count; /* number of values; TP_SCAN_TRAIL if some were not recorded */
    struct tp_scan_step {
        struct tp_str value;
        int field; /* field of the value, enum tp_field; -1 if it has no field */
    } steps[TP_SCAN_TRAIL];
};

/* The state of a scan. `at` only moves forward. After TP_SCAN_BAD it is the position of the wrong byte. */
struct tp_scan {
    const char *at, *end;
    /* quotes that a lenient scan treated as text of a string: their number, and the number of those that a colon
     * follows. The caller sets both numbers, and recorder_key_count, to 0 before the scan. */
    unsigned inner_quote_count, inner_key_count;
    unsigned recorder_key_count; /* number of keys of recorders inside strings with unescaped quotes */
    /* true: a quote ends a string only if the text after it can follow a value; repairs unescaped quotes */
    bool is_lenient;
    uint8_t key_hash_slots[256];
    struct tp_scan_trail *trail; /* receives the values in the order of the text; NULL if not wanted */
};

/* Initializes the state and its table of keys. The caller then sets `at` and `end`. */
void tp_scan_init(struct tp_scan *scan);

/* Returns the position of the quote that ends a string; NULL if the window ends before. at: position after the
 * opening quote. */
const char *tp_scan_find_string_end(const char *at, const char *end);

/* Returns the first position at or after `at` that is not white space; `end` if none exists. */
const char *tp_scan_skip_space(const char *at, const char *end);

/* Scans the object that begins at scan->at as an event. Fills *spans. */
enum tp_scan_status tp_scan_event(struct tp_scan *scan, struct tp_spans *spans);

/* Returns the field of an argument (enum tp_field) by its key; -1 if the key has no field. */
int tp_scan_argument_field(const struct tp_scan *scan, struct tp_str key);

/* Skips a value of any kind. Sets *value to its span. */
enum tp_scan_status tp_scan_value(struct tp_scan *scan, struct tp_str *value, struct tp_spans *notes);

/* Returns a scan over the members of an object for tp_scan_member, which also accepts damaged text. object: ptr NULL if
 * absent, which has no members. */
static inline struct tp_scan tp_scan_members(struct tp_str object)
{
    const char *end = object.ptr ? object.ptr + object.len : NULL;
    return (struct tp_scan){.at = object.ptr, .end = end, .is_lenient = true};
}

/* Reads the next member of an object: its key without quotes, and its value. Before the first call, scan->at is the
 * position of the '{'; afterwards it is the end of the last member read. Returns false after the last member, or if
 * the text is not JSON. */
bool tp_scan_member(struct tp_scan *scan, struct tp_str *key, struct tp_str *value);

/* Returns the position of the next event at or after `at`: a '{' followed by a key of events. Returns NULL if the
 * window has none. */
const char *tp_scan_find_next_event(const char *at, const char *end);

/* Returns true if `"key" :`, with a key of at most 64 bytes, is at the position `at`. */
bool tp_scan_is_member_start(const char *at, const char *end);

#endif
