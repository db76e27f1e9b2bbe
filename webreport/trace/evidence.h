/* Collects the evidence of whether an input is complete, in one record per trace. The evidence ranges from the bytes of
 * the file to comparisons of its events with each other. Gates and comparisons use it to decide which numbers may be
 * judged; all other users show it.
 *
 * Unknown is not zero. For example, a summary of an older version does not have the record, and its numbers are never
 * guessed. The record owns nothing and is copied by value. */
#ifndef TP_WEBREPORT_TRACE_EVIDENCE_H
#define TP_WEBREPORT_TRACE_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/fields.h"

struct tp_trace;

enum tp_crc { TP_CRC_UNKNOWN, TP_CRC_OK, TP_CRC_ABSENT, TP_CRC_BAD, TP_CRC_UNREAD, TP_CRC_COUNT };

enum tp_eof {
    TP_EOF_UNKNOWN,
    TP_EOF_CLEAN,
    TP_EOF_CUT,    /* the document, or its compression, ends too early */
    TP_EOF_PADDED, /* there are bytes after the end of the document */
    TP_EOF_COUNT
};

enum tp_recorder {
    TP_RECORDER_UNKNOWN, /* the format has no mark for the end of a recording */
    TP_RECORDER_ENDED,
    /* the format has an end mark but the file lacks it, because the file was cut and closed, or filtered */
    TP_RECORDER_NO_END,
    TP_RECORDER_KILLED, /* the program was killed, and its records were recovered */
    TP_RECORDER_COUNT
};

enum tp_clock {
    TP_CLOCK_UNKNOWN,
    TP_CLOCK_OK,
    TP_CLOCK_JUMP,
    TP_CLOCK_IMPOSSIBLE, /* some device operations end after later work of their stream */
    TP_CLOCK_COUNT
};

/* Kinds of evidence that events are missing in the numbers. Each has a count. */
enum tp_lost {
    TP_LOST_BROKEN,  /* elements whose text cannot be read */
    TP_LOST_UNKNOWN, /* elements without a required part of an event: name, time or kind */
    /* texts that no producer writes: repaired text, control characters, odd keys or categories */
    TP_LOST_TEXT,
    TP_LOST_DUPLICATES, /* events that are in the file twice */
    /* events that contradict other events in links, ids, order of streams or end of the recording */
    TP_LOST_CONFLICTS,
    TP_LOST_ARGUMENTS,      /* events without an argument that nearly all others of their kind have */
    TP_LOST_METADATA,       /* 1 if the metadata lacks data that the recorder always writes, otherwise 0 */
    TP_LOST_NUMBERS,        /* numbers missing in the recorder's sequence ("Ev Idx") */
    TP_LOST_IDS,            /* numbers missing in the operators' "External id" */
    TP_LOST_OPERATORS,      /* 1 if the file has data of operators but no operator, otherwise 0 */
    TP_LOST_LINK_ENDS,      /* missing ends of links between device operations and runtime calls */
    TP_LOST_DEVICE,         /* launches whose kernel is missing */
    TP_LOST_LAUNCH,         /* device operations whose launch is missing */
    TP_LOST_MEMORY,         /* memory records whose recorded totals contradict each other */
    TP_LOST_MEMORY_RECORDS, /* 1 if memory was recorded but the file has no memory record, otherwise 0 */
    TP_LOST_FRAMES,         /* 1 if stacks were recorded but the file has none, otherwise 0 */
    TP_LOST_ALL,            /* 1 if the file has no work of a program, otherwise 0 */
    TP_LOST_BY_RECORDER,    /* events that the recorder dropped for lack of room, by its own count */
    TP_LOST_COUNT
};

/* Data on which a number may depend, as bits. */
enum tp_need {
    TP_NEED_FILE = 1,    /* the file itself: its checksum is correct, it has an end, and every event is readable */
    TP_NEED_HOST = 2,    /* operators and annotations, including the markers of steps */
    TP_NEED_DEVICE = 4,  /* kernels, copies and memory sets */
    TP_NEED_RUNTIME = 8, /* calls of the runtime and driver */
    TP_NEED_MEMORY = 16,
    TP_NEED_FRAMES = 32, /* Python functions */
    TP_NEED_CLOCK = 64,
    TP_NEED_ALL = 127,
    /* annotations; used only in `present`, where TP_NEED_HOST means only operators */
    TP_PRESENT_ANNOTATIONS = 128,
    TP_NEED_CATEGORIES =
        TP_PRESENT_ANNOTATIONS | TP_NEED_HOST | TP_NEED_DEVICE | TP_NEED_RUNTIME | TP_NEED_MEMORY | TP_NEED_FRAMES
};

struct tp_input_evidence {
    bool is_known;
    enum tp_crc crc;
    enum tp_eof eof;
    enum tp_recorder recorder;
    enum tp_clock clock;
    int64_t file_bytes, event_count; /* size of the file, and number of elements of the list of events */
    int64_t repaired;                /* number of events that were kept after a repair of their text */
    unsigned present;                /* bits of TP_NEED_CATEGORIES for which the file has events */
    unsigned requested; /* bits of enum tp_need that were requested from the recorder, according to the metadata */
    unsigned absent;    /* bits of enum tp_need that the machine cannot have, according to the metadata */
    int64_t lost[TP_LOST_COUNT]; /* counts by kind; 0: no known loss */
};

/* Fills the record of a trace after reading. The events may be in any order. */
void tp_evidence_build(struct tp_input_evidence *evidence, const struct tp_trace *trace, struct tp_arena *scratch);

/* Returns whether torch's profiler or our recorder wrote the file. The rules for the content apply only to such files.
 */
bool tp_evidence_has_known_writer(const struct tp_trace *trace);

/* Returns the needs (bits of enum tp_need) that the input does not meet; 0 if no defect is known. */
unsigned tp_evidence_unmet_needs(const struct tp_input_evidence *evidence);

/* Returns the gravest reason why the input does not meet one of `needs`, such as "the gzip is cut: ..", or "" if it
 * meets all. The text is static or in `arena`. */
const char *tp_evidence_reason(const struct tp_input_evidence *evidence, unsigned needs, struct tp_arena *arena);

/* Returns the name of a need in a sentence: "kernels", "memory records" .. Static text. */
const char *tp_need_data_text(enum tp_need need);

/* Returns the machine-readable name of a need: "file", "host", "device", "runtime", "memory", "frames", "clock". Static
 * text. */
const char *tp_need_text(enum tp_need need);

/* Returns the machine-readable name of a value: "ok", "clean", "ended", "host_numbers" .. Static text. The same is true
 * for the functions below. */
const char *tp_crc_text(enum tp_crc crc);
const char *tp_eof_text(enum tp_eof eof);
const char *tp_recorder_text(enum tp_recorder recorder);
const char *tp_clock_text(enum tp_clock clock);
const char *tp_lost_text(enum tp_lost lost);

/* Fields of struct tp_input_evidence in the JSON of `report`, `check`, `diff`, `summarize` and of a job; null if
 * unknown. The field "reason" needs an arena. */
extern const struct tp_fields tp_evidence_fields;

#endif
