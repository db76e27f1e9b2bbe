/* Collects the evidence of whether an input is complete: one record per trace, from the bytes of the file to the
 * comparison of its events with each other. Gates and comparisons use it to decide which numbers may be judged; all
 * other users show it.
 *
 * Unknown is not zero: a summary of an older version, for example, does not have the record. Its numbers are never
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
    TP_EOF_CUT,    /* the document, or its compression, does not end */
    TP_EOF_PADDED, /* there are bytes after its end */
    TP_EOF_COUNT
};

enum tp_recorder {
    TP_RECORDER_UNKNOWN, /* the format has no mark for the end of a recording */
    TP_RECORDER_ENDED,
    TP_RECORDER_NO_END, /* the format has such a mark, and this file does not: it was cut and closed, or filtered */
    TP_RECORDER_KILLED, /* the program was killed; its records were recovered */
    TP_RECORDER_COUNT
};

enum tp_clock {
    TP_CLOCK_UNKNOWN,
    TP_CLOCK_OK,
    TP_CLOCK_JUMP,
    TP_CLOCK_IMPOSSIBLE, /* device operations end after later work of their stream */
    TP_CLOCK_COUNT
};

/* Events that are missing in the numbers, by the kind of evidence. */
enum tp_lost {
    TP_LOST_BROKEN,      /* elements whose text cannot be read */
    TP_LOST_UNKNOWN,     /* elements without a required part of an event: name, time, kind */
    /* places with text that no writer produces: repaired text, control characters, odd keys or categories */
    TP_LOST_TEXT,
    TP_LOST_TWICE,       /* duplicate events in the file */
    TP_LOST_CONFLICTS,   /* events that contradict other events: links, ids, order of streams, end of the recording */
    TP_LOST_MEMBERS,     /* events without an argument that nearly all others of their kind have */
    TP_LOST_HEAD,        /* 1: the head of the file lacks what the recorder always writes */
    TP_LOST_NUMBERS,     /* numbers missing in the sequence of the recorder ("Ev Idx") */
    TP_LOST_IDS,         /* numbers missing in the operators' "External id" */
    TP_LOST_OPERATORS,   /* 1: data of operators is in the file, but no operator */
    TP_LOST_ENDS,        /* missing ends of links between device events and runtime calls */
    TP_LOST_DEVICE,      /* launches whose kernel is missing */
    TP_LOST_LAUNCH,      /* device events whose launch is missing */
    TP_LOST_MEMORY,      /* memory records whose recorded totals contradict each other */
    TP_LOST_RECORDS,     /* 1: memory was recorded, but the file has no memory record */
    TP_LOST_FRAMES,      /* 1: stacks were recorded, but the file has none */
    TP_LOST_ALL,         /* 1: the file has no work of a program */
    TP_LOST_BY_RECORDER, /* events that the recorder dropped because it had no room, by its own count */
    TP_LOST_COUNT
};

/* The data that a number depends on; bits. */
enum tp_need {
    TP_NEED_FILE = 1,    /* checksum, end, and every event readable */
    TP_NEED_HOST = 2,    /* operators and annotations, including steps */
    TP_NEED_DEVICE = 4,  /* kernels, copies, sets */
    TP_NEED_RUNTIME = 8, /* calls of the runtime and driver */
    TP_NEED_MEMORY = 16,
    TP_NEED_FRAMES = 32, /* Python functions */
    TP_NEED_CLOCK = 64,
    TP_NEED_ALL = 127,
    TP_PRESENT_ANNOTATIONS = 128, /* only in `present`, where TP_NEED_HOST means only operators */
    TP_NEED_CATEGORIES =
        TP_PRESENT_ANNOTATIONS | TP_NEED_HOST | TP_NEED_DEVICE | TP_NEED_RUNTIME | TP_NEED_MEMORY | TP_NEED_FRAMES
};

struct tp_input_evidence {
    bool is_known;
    enum tp_crc crc;
    enum tp_eof eof;
    enum tp_recorder recorder;
    enum tp_clock clock;
    int64_t file_bytes, event_count; /* event_count: elements of the list of events */
    int64_t repaired;                /* events kept after a repair of their text */
    unsigned present;                /* needs of TP_NEED_CATEGORIES for which the file has events */
    unsigned asked;                  /* needs whose option was on, according to the head of the file */
    unsigned absent;                 /* needs that the machine cannot have, according to the head of the file */
    int64_t lost[TP_LOST_COUNT];     /* 0: no known loss */
};

/* Fills the record of a trace that was read; its events may be in any order. */
void tp_evidence_build(struct tp_input_evidence *evidence, const struct tp_trace *trace, struct tp_arena *scratch);

/* Returns whether torch's profiler or our recorder wrote the file: the rules of the content apply only to their
 * files. */
bool tp_evidence_knows_writer(const struct tp_trace *trace);

/* Returns the needs (bits of enum tp_need) that are not met; 0: no known defect of the input. */
unsigned tp_evidence_broken(const struct tp_input_evidence *evidence);

/* Returns the gravest reason why one of `needs` is not met, such as "the gzip is cut: ..", or "" when all are met. In
 * `arena` or static. */
const char *tp_evidence_reason(const struct tp_input_evidence *evidence, unsigned needs, struct tp_arena *arena);

/* Returns the data of a need for a sentence: "kernels", "memory records" .. Static. */
const char *tp_need_things(enum tp_need need);

/* Returns the machine-readable name of a need: "file", "host", "device", "runtime", "memory", "frames", "clock".
 * Static. */
const char *tp_need_text(enum tp_need need);

/* Return machine-readable names: "ok", "clean", "ended" .., "host_numbers" .. Static. */
const char *tp_crc_text(enum tp_crc crc);
const char *tp_eof_text(enum tp_eof eof);
const char *tp_recorder_text(enum tp_recorder recorder);
const char *tp_clock_text(enum tp_clock clock);
const char *tp_lost_text(enum tp_lost lost);

/* The fields of struct tp_input_evidence in the JSON of `report`, `check`, `diff`, `summarize` and of a job; null when
 * unknown. The reason needs an arena. */
extern const struct tp_fields tp_evidence_fields;

#endif
