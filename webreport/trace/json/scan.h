/* Scans events: finds the fields of one event in the window, without interpreting them.
 *
 * Accepts any key order, white space and unknown keys, whose values are skipped. The window must have TP_FEED_PAD
 * readable bytes after its end. Nothing is allocated; spans point into the window. */
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
    TP_FIELD_ARGS, /* present only if args is an object */
    /* first field that is a member of args; the following fields are also members of args */
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
    TP_ARG_SHAPE, /* this and the next three fields belong to tensors */
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
    /* all 64 bits are used, so two fields share a bit: labels belong to processes, ranks to collectives */
    TP_ARG_GROUP_RANKS = TP_ARG_LABELS,
    TP_ARG_PEER = TP_ARG_NAME, /* shares a bit: names belong to processes and threads, peers to collectives */
    /* shares a bit: copy kinds belong to device operations, addresses to memory records */
    TP_ARG_COPY_KIND = TP_ARG_ADDRESS,
    TP_ARG_SOURCE_KIND = TP_ARG_TOTAL_ALLOCATED,
    TP_ARG_TARGET_KIND = TP_ARG_TOTAL_RESERVED,
    TP_ARG_MEMORY_KIND = TP_ARG_DEVICE_TYPE,
    TP_ARG_ORIGINAL_STREAM = TP_ARG_DEVICE_ID,
    /* shares a bit: task types belong to Ascend's operations, TP_ARG_CPU_NS to samples */
    TP_ARG_TASK_TYPE = TP_ARG_CPU_NS,
    /* shares a bit: TP_ARG_RECORDING belongs to samples, TP_ARG_ZEROS to tensors */
    TP_ARG_RECORDING = TP_ARG_ZEROS,
    /* shares a bit: TP_ARG_SORT_INDEX belongs to processes, TP_ARG_L2 to tensors */
    TP_ARG_SORT_INDEX = TP_ARG_L2
};

_Static_assert(TP_FIELD_COUNT <= 64, "each has a bit in tp_spans.has");

/* The fields of one event as spans of its text. Strings include their quotes. A span is valid only if its bit in `has`
 * is set. */
struct tp_spans {
    uint64_t has;
    uint64_t known; /* bits of fields whose text the reader's interner already has, with id text_id */
    struct tp_str field[TP_FIELD_COUNT + 1]; /* spans by field; the last entry is for values without a field */
    uint32_t text_id[TP_FIELD_COUNT];
    bool has_bare_word; /* true if a value such as inf or NaN was skipped */
    bool is_deep;       /* true if a value was nested deeper than TP_MAX_DEPTH */
    bool has_own_args;  /* true if an argument has a name that no profiler writes for ranges */
    bool has_odd_key;   /* true if a key of the event occurs twice, or if no writer of traces uses it */
};

static inline bool tp_spans_has(const struct tp_spans *spans, enum tp_field field)
{
    return spans->has >> field & 1;
}

enum tp_scan_status {
    TP_SCAN_OK,
    TP_SCAN_MORE, /* the window ends inside the value */
    TP_SCAN_BAD,  /* the text at this position is not JSON */
};

enum { TP_SCAN_TRAIL = 64 };

/* The values of one event in the order of its text, from which its layout is learned. */
struct tp_scan_trail {
    unsigned count; /* number of values; TP_SCAN_TRAIL if there are too many to keep */
    struct tp_scan_step {
        struct tp_str value;
        int field; /* enum tp_field; -1 if the value has no field */
    } steps[TP_SCAN_TRAIL];
};

/* The state of a scan. `at` moves forward; on TP_SCAN_BAD it points to the offending byte. */
struct tp_scan {
    const char *at, *end;
    /* number of quotes inside strings that a lenient scan skipped, and of such quotes before a colon. The caller sets
     * both, and the next member, to 0. */
    unsigned inner_quotes, inner_keys;
    unsigned own_keys; /* number of recorders' keys inside such strings */
    /* true: a quote closes a string only if the text after it may follow a value; this repairs unescaped quotes */
    bool is_lenient;
    uint8_t key_slots[256];
    struct tp_scan_trail *trail; /* receives the values in text order; may be NULL */
};

/* Prepares the table of keys. The caller sets `at` and `end`. */
void tp_scan_init(struct tp_scan *scan);

/* Returns the closing quote of a string, or NULL if the window ends before it. at: position after the opening quote. */
const char *tp_scan_string_end(const char *at, const char *end);

/* Returns the position after white space. */
const char *tp_scan_space(const char *at, const char *end);

/* Scans the object whose '{' is at scan->at as an event. */
enum tp_scan_status tp_scan_event(struct tp_scan *scan, struct tp_spans *spans);

/* Returns the field of an argument (enum tp_field) by its key; -1 if the key has no field. */
int tp_scan_argument(const struct tp_scan *scan, struct tp_str key);

/* Returns true if a profiler, ours or torch's, writes an argument of this name for ranges and device work. All other
 * arguments come from the program. */
bool tp_scan_is_profilers_arg(struct tp_str key);

/* Skips any value. *value: the span of the value. */
enum tp_scan_status tp_scan_value(struct tp_scan *scan, struct tp_str *value, struct tp_spans *notes);

/* Reads the next member of an object: its key without quotes, and its value. scan->at points to '{' before the first
 * call, and afterwards to the text after the last member read. Returns false after the last member, or if the text is
 * not JSON. */
bool tp_scan_member(struct tp_scan *scan, struct tp_str *key, struct tp_str *value);

/* Returns the start of the next event after `at`: a '{' whose first key is a key of events. Returns NULL if there is
 * none in the window. */
const char *tp_scan_resync(const char *at, const char *end);

/* Returns true if `"key" :` is at `at`. The key may have at most 64 bytes. */
bool tp_scan_is_member(const char *at, const char *end);

#endif
