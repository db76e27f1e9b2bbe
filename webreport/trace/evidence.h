/* What is known of an input's wholeness: one record per trace, from the bytes of the file to the comparison of its
 * events with each other. Gates and comparisons ask it which numbers may be judged at all; everything else shows it.
 *
 * Unknown is not zero: a summary of an older version, for instance, does not have the record. No number of it is
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
    TP_EOF_PADDED, /* something stands behind its end */
    TP_EOF_COUNT
};

enum tp_recorder {
    TP_RECORDER_UNKNOWN, /* the format has no mark for the end of a recording */
    TP_RECORDER_ENDED,
    TP_RECORDER_NO_END, /* the format has such a mark, and this file does not: it was cut and closed, or filtered */
    TP_RECORDER_KILLED, /* the program was killed, and what it had recorded was recovered */
    TP_RECORDER_COUNT
};

enum tp_clock {
    TP_CLOCK_UNKNOWN,
    TP_CLOCK_OK,
    TP_CLOCK_JUMP,
    TP_CLOCK_IMPOSSIBLE, /* device operations end after later work of their stream */
    TP_CLOCK_COUNT
};

/* Events that are not in the numbers, by how that is known. */
enum tp_lost {
    TP_LOST_BROKEN,      /* elements whose text cannot be read */
    TP_LOST_UNKNOWN,     /* elements without what an event must have: name, time, kind */
    TP_LOST_TEXT,        /* places whose text no writer writes: repaired, control characters, keys or categories */
    TP_LOST_TWICE,       /* events that are in the file twice */
    TP_LOST_CONFLICTS,   /* events that contradict other events: links, ids, order of streams, end of the recording */
    TP_LOST_MEMBERS,     /* events without an argument that nearly all others of their kind have */
    TP_LOST_HEAD,        /* 1: the head of the file lacks what the recorder always writes */
    TP_LOST_NUMBERS,     /* numbers missing among the recorder's own ("Ev Idx") */
    TP_LOST_IDS,         /* numbers missing among the operators' "External id" */
    TP_LOST_OPERATORS,   /* 1: what belongs to operators is there, and not one of them */
    TP_LOST_ENDS,        /* ends of links to device events and runtime calls that are not there */
    TP_LOST_DEVICE,      /* launches whose kernel is not there */
    TP_LOST_LAUNCH,      /* device events whose launch is not there */
    TP_LOST_MEMORY,      /* memory records: the totals written on them do not follow from each other */
    TP_LOST_RECORDS,     /* 1: the recorder kept memory records, and none is there */
    TP_LOST_FRAMES,      /* 1: the recorder kept stacks, and none is there */
    TP_LOST_ALL,         /* 1: nothing that a program did is there */
    TP_LOST_BY_RECORDER, /* said by the recorder: dropped for want of room */
    TP_LOST_COUNT
};

/* What a number may rest on; bits. */
enum tp_need {
    TP_NEED_FILE = 1,    /* checksum, end, and every event readable */
    TP_NEED_HOST = 2,    /* operators and annotations, steps among them */
    TP_NEED_DEVICE = 4,  /* kernels, copies, sets */
    TP_NEED_RUNTIME = 8, /* calls of the runtime and driver */
    TP_NEED_MEMORY = 16,
    TP_NEED_FRAMES = 32, /* Python functions */
    TP_NEED_CLOCK = 64,
    TP_NEED_ALL = 127,
    TP_PRESENT_ANNOTATIONS = 128, /* in `present`, where TP_NEED_HOST stands for operators alone */
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
    unsigned present;                /* needs of TP_NEED_CATEGORIES of which the file has events */
    unsigned asked;                  /* those whose option, by its head, was on */
    unsigned absent;                 /* those that, by its head, the machine cannot have */
    int64_t lost[TP_LOST_COUNT];     /* 0: none that is known of */
};

/* The record of a trace that was read; its events may be in order already or not. */
void tp_evidence_build(struct tp_input_evidence *evidence, const struct tp_trace *trace, struct tp_arena *scratch);

/* Returns whether torch's profiler or our recorder wrote the file: only what they write obeys the rules of the content. */
bool tp_evidence_knows_writer(const struct tp_trace *trace);

/* The needs (bits of enum tp_need) that do not hold; 0 when nothing is known against the input. */
unsigned tp_evidence_broken(const struct tp_input_evidence *evidence);

/* "the gzip is cut: what it lost is not known", the gravest of the reasons why `needs` do not hold; "" when they do. In
 * `arena` or static. */
const char *tp_evidence_reason(const struct tp_input_evidence *evidence, unsigned needs, struct tp_arena *arena);

/* "kernels", "memory records" ..: what a need is about, for a sentence. Static. */
const char *tp_need_things(enum tp_need need);

/* "file", "host", "device", "runtime", "memory", "frames", "clock": a need for machines. Static. */
const char *tp_need_text(enum tp_need need);

/* Words for machines: "ok", "clean", "ended" .., "host_numbers" ... Static. */
const char *tp_crc_text(enum tp_crc crc);
const char *tp_eof_text(enum tp_eof eof);
const char *tp_recorder_text(enum tp_recorder recorder);
const char *tp_clock_text(enum tp_clock clock);
const char *tp_lost_text(enum tp_lost lost);

/* Of struct tp_input_evidence, in the JSON of `report`, `check`, `diff`, `summarize` and of a job; null where it is not
 * known. The reason needs an arena. */
extern const struct tp_fields tp_evidence_fields;

#endif
