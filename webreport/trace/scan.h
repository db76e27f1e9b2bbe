/* The scanner: finds the fields of one event in the window, without reading their meaning.
 *
 * Tolerant of any key order, white space and unknown keys; values it does not know are stepped over. The window must
 * have TP_FEED_PAD readable bytes behind its end. Nothing is allocated; spans point into the window. */
#ifndef TP_WEBREPORT_TRACE_SCAN_H
#define TP_WEBREPORT_TRACE_SCAN_H

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
    TP_ARG_KIND,  /* of a range */
    TP_ARG_VALUE, /* of a counter */
    TP_ARG_SHAPE, /* of a tensor, as the next three */
    TP_ARG_STEP,
    TP_ARG_FILE,
    TP_ARG_VALUES,
    TP_ARG_COUNT, /* its statistics */
    TP_ARG_MIN,
    TP_ARG_MAX,
    TP_ARG_MEAN,
    TP_ARG_STD,
    TP_ARG_L2,
    TP_ARG_ZEROS,
    TP_ARG_NANS,
    TP_ARG_INFS,
    TP_FIELD_COUNT,
    TP_ARG_GROUP_RANKS = TP_ARG_LABELS, /* all 64 bits are taken; labels are of processes, these of collectives */
    TP_ARG_PEER = TP_ARG_NAME,          /* likewise: names are of processes and threads */
    /* of device operations, which have nothing of memory records */
    TP_ARG_COPY_KIND = TP_ARG_ADDRESS,
    TP_ARG_SOURCE_KIND = TP_ARG_TOTAL_ALLOCATED,
    TP_ARG_TARGET_KIND = TP_ARG_TOTAL_RESERVED,
    TP_ARG_MEMORY_KIND = TP_ARG_DEVICE_TYPE,
    TP_ARG_ORIGINAL_STREAM = TP_ARG_DEVICE_ID,
    TP_ARG_TASK_TYPE = TP_ARG_CPU_NS, /* only Ascend's operations have it; samples have TP_ARG_CPU_NS */
    TP_ARG_RECORDING = TP_ARG_ZEROS,  /* of samples; the other is of tensors */
    TP_ARG_SORT_INDEX = TP_ARG_L2     /* of processes; the other is of tensors */
};

_Static_assert(TP_FIELD_COUNT <= 64, "each has a bit in tp_spans.has");

/* One event as spans: strings with their quotes. A span counts only when its bit in `has` is set. */
struct tp_spans {
    uint64_t has;
    uint64_t known;                          /* fields whose text the reader's interner holds already, as text_id */
    struct tp_str field[TP_FIELD_COUNT + 1]; /* the last: of values nobody wants */
    uint32_t text_id[TP_FIELD_COUNT];
    bool has_bare_word; /* a value such as inf or NaN was stepped over */
    bool is_deep;       /* a value was nested deeper than TP_MAX_DEPTH */
    bool has_own_args;  /* some argument has a name that no profiler gives to ranges */
    bool has_odd_key;   /* a key of the event comes twice, or is one that no writer of traces uses */
};

static inline bool tp_spans_has(const struct tp_spans *spans, enum tp_field field)
{
    return spans->has >> field & 1;
}

enum tp_scan_status {
    TP_SCAN_OK,
    TP_SCAN_MORE, /* the window ends inside the value */
    TP_SCAN_BAD,  /* not JSON here */
};

enum { TP_SCAN_TRAIL = 64 };

/* The values of one event in the order of the text, for whoever learns its layout. */
struct tp_scan_trail {
    unsigned count; /* TP_SCAN_TRAIL: too many to keep */
    struct tp_scan_step {
        struct tp_str value;
        int field; /* enum tp_field, -1: nobody's */
    } steps[TP_SCAN_TRAIL];
};

/* Where a scan stands: `at` moves forward, on TP_SCAN_BAD it is the offending byte. */
struct tp_scan {
    const char *at, *end;
    unsigned inner_quotes, inner_keys; /* counts of quotes inside strings that a lenient scan skipped, and of
                                          those before a colon; the caller sets both, and the next, to 0 */
    unsigned own_keys;                 /* keys of recorders inside such strings */
    bool is_lenient; /* a closing quote must be followed by what may follow a value: repairs unescaped quotes */
    uint8_t key_slots[256];
    struct tp_scan_trail *trail; /* NULL: not wanted */
};

/* Prepares the key table; at and end are the caller's to set. */
void tp_scan_init(struct tp_scan *scan);

/* at stands behind an opening quote: the closing quote, or NULL when the window ends first. */
const char *tp_scan_string_end(const char *at, const char *end);

/* Skips white space. */
const char *tp_scan_space(const char *at, const char *end);

/* Scans the object at scan->at ('{') as an event. */
enum tp_scan_status tp_scan_event(struct tp_scan *scan, struct tp_spans *spans);

/* Returns the field of an argument by its key (enum tp_field); -1: nothing reads it. */
int tp_scan_argument(const struct tp_scan *scan, struct tp_str key);

/* Whether a profiler, ours or torch's, gives an argument of this name to ranges and works of its own accord; others are
 * what the program tells. */
bool tp_scan_is_profilers_arg(struct tp_str key);

/* Steps over any value; *value: its span. */
enum tp_scan_status tp_scan_value(struct tp_scan *scan, struct tp_str *value, struct tp_spans *notes);

/* The next member of the object that scan->at was set to ('{'), then stands behind the member before: key without its
 * quotes, value. False behind the last one, or where it is no JSON. */
bool tp_scan_member(struct tp_scan *scan, struct tp_str *key, struct tp_str *value);

/* Start of the next event behind `at`: a '{' whose first key is one of an event's. NULL when there is none in the
 * window. */
const char *tp_scan_resync(const char *at, const char *end);

/* True when `"key" :` stands at `at` (a key of at most 64 bytes). */
bool tp_scan_is_member(const char *at, const char *end);

#endif
