/* Defines the evidence of an input: how complete its file, its events and its clock are. One struct per trace has all
 * evidence. Budget checks and comparisons use the evidence to decide which numbers are reliable. All other code only
 * shows the evidence.
 *
 * Unknown is not zero. A summary of an older version has no evidence, and no number is guessed for it. The struct owns
 * nothing and is copied by value. */
#ifndef TP_WEBREPORT_TRACE_EVIDENCE_H
#define TP_WEBREPORT_TRACE_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/fields.h"
#include "writer/base/str.h"

struct tp_trace;

enum tp_crc { TP_CRC_UNKNOWN, TP_CRC_OK, TP_CRC_ABSENT, TP_CRC_BAD, TP_CRC_UNREAD, TP_CRC_COUNT };

enum tp_eof {
    TP_EOF_UNKNOWN,
    TP_EOF_CLEAN,
    TP_EOF_CUT,    /* the document, or its gzip stream, ends too early */
    TP_EOF_PADDED, /* bytes follow the end of the document */
    TP_EOF_COUNT
};

enum tp_recorder {
    TP_RECORDER_UNKNOWN, /* the format has no mark for the end of a recording */
    TP_RECORDER_ENDED,
    /* the format has an end mark, but the file lacks the mark: it was cut and closed, or filtered */
    TP_RECORDER_NO_END,
    TP_RECORDER_KILLED, /* the program was killed, and the recording was recovered afterwards */
    TP_RECORDER_COUNT
};

enum tp_clock {
    TP_CLOCK_UNKNOWN,
    TP_CLOCK_OK,
    TP_CLOCK_JUMP,
    TP_CLOCK_IMPOSSIBLE, /* some device operations end after later operations of their stream */
    TP_CLOCK_COUNT
};

/* Kinds of evidence that some events are missing or wrong. Each kind has a count. */
enum tp_lost {
    TP_LOST_BROKEN,  /* elements whose text cannot be read */
    TP_LOST_UNKNOWN, /* elements without a required field of an event: name, time or kind */
    /* texts that no producer writes: repaired text, control characters, unusual keys or categories */
    TP_LOST_TEXT,
    TP_LOST_DUPLICATES, /* events that occur twice in the file */
    /* events that contradict other events: links, ids, order within a stream, end of the recording */
    TP_LOST_CONFLICTS,
    TP_LOST_ARGUMENTS,      /* events without an argument that nearly all others of their kind have */
    TP_LOST_METADATA,       /* 1 if the metadata lacks data that the recorder always writes, otherwise 0 */
    TP_LOST_NUMBERS,        /* numbers missing in the recorder's sequence ("Ev Idx") */
    TP_LOST_IDS,            /* missing numbers among the "External id"s of operators */
    TP_LOST_OPERATORS,      /* 1 if the file has data of operators but no operator, otherwise 0 */
    TP_LOST_LINK_ENDS,      /* link ends (of device operations or runtime calls) that are missing */
    TP_LOST_DEVICE,         /* launches whose kernel is missing */
    TP_LOST_LAUNCH,         /* device operations whose launch is missing */
    TP_LOST_MEMORY,         /* memory records whose recorded totals contradict each other */
    TP_LOST_MEMORY_RECORDS, /* 1 if memory was recorded but the file has no memory record, otherwise 0 */
    TP_LOST_FRAMES,         /* 1 if stacks were recorded but the file has none, otherwise 0 */
    TP_LOST_ALL,            /* 1 if the file contains no event of the program's work, otherwise 0 */
    TP_LOST_BY_RECORDER,    /* number of events that the recorder reports as dropped for lack of space */
    /* rows that the reader dropped (struct tp_dropped_rows), by the numbers that they affect */
    TP_LOST_HOST_ROWS,
    TP_LOST_DEVICE_ROWS,
    TP_LOST_RUNTIME_ROWS,
    TP_LOST_ROWS, /* rows that may affect any number */
    TP_LOST_COUNT
};

/* Kinds of data from which the numbers of the report are computed, as bits. */
enum tp_need {
    TP_NEED_FILE = 1,    /* the file itself: correct checksum, complete to its end, every event readable */
    TP_NEED_HOST = 2,    /* operators and annotations, including the markers of steps */
    TP_NEED_DEVICE = 4,  /* kernels, copies and memory sets */
    TP_NEED_RUNTIME = 8, /* calls of the runtime and driver */
    TP_NEED_MEMORY = 16,
    TP_NEED_FRAMES = 32, /* Python functions */
    TP_NEED_CLOCK = 64,
    TP_NEED_ALL = 127,
    /* annotations; used only in `present`, where TP_NEED_HOST means operators alone */
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
    int64_t file_bytes, event_count; /* size of the file, bytes, and number of elements in the list of events */
    int64_t repaired;                /* number of events kept after a repair of their text */
    unsigned present;                /* kinds of data that occur in the file; bits of TP_NEED_CATEGORIES */
    unsigned requested; /* kinds of data requested from the recorder, according to the metadata; bits of enum tp_need */
    unsigned absent;    /* kinds of data that the machine lacks, according to the metadata; bits of enum tp_need */
    struct tp_str producer;      /* program that wrote the input (input_facts.h); ptr NULL for torch.profiler */
    unsigned unknown;            /* kinds of data that the input cannot show; bits of enum tp_unknown */
    int64_t lost[TP_LOST_COUNT]; /* count for each kind of loss; 0: no known loss */
};

/* Fills *evidence from a trace that was read. The events may be in any order. scratch: for temporary memory. */
void tp_evidence_build(struct tp_input_evidence *evidence, const struct tp_trace *trace, struct tp_arena *scratch);

/* Returns true if torch's profiler or our recorder wrote the file. The rules about contents apply only to such
 * files. */
bool tp_evidence_has_known_writer(const struct tp_trace *trace);

/* Returns the needs (bits of enum tp_need) that the input cannot satisfy; 0 if no defect is known. */
unsigned tp_evidence_unmet_needs(const struct tp_input_evidence *evidence);

/* Returns the gravest reason why the input cannot satisfy one of `needs`, such as "the file is cut, ..". Returns ""
 * if it satisfies all. The text is static or in `arena`. */
const char *tp_evidence_reason(const struct tp_input_evidence *evidence, unsigned needs, struct tp_arena *arena);

/* Returns what the input cannot show as a list for a sentence, such as "Python stacks, occupancy of kernels"; "" if it
 * can show everything. unknown: bits of enum tp_unknown. The text is static or in `arena`. */
const char *tp_evidence_unknown_list(unsigned unknown, struct tp_arena *arena);

/* Returns the name of a need for use in a sentence: "kernels", "memory records" .. Static text. */
const char *tp_need_data_text(enum tp_need need);

/* Returns the machine-readable name of a need: "file", "host", "device", "runtime", "memory", "frames", "clock". Static
 * text. */
const char *tp_need_text(enum tp_need need);

/* Returns the machine-readable name of a value: "ok", "clean", "ended", "host_numbers" .. Static text. So do the
 * functions below. */
const char *tp_crc_text(enum tp_crc crc);
const char *tp_eof_text(enum tp_eof eof);
const char *tp_recorder_text(enum tp_recorder recorder);
const char *tp_clock_text(enum tp_clock clock);
const char *tp_lost_text(enum tp_lost lost);

/* Fields of struct tp_input_evidence in the JSON of `report`, `check`, `diff`, `summarize` and of a job; null if
 * unknown. The field "reason" needs memory from an arena. */
extern const struct tp_fields tp_evidence_fields;

#endif
