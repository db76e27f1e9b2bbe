/* A run of one process in a few kilobytes: what `diff`, `check`, `summarize`, `merge` and the job page work on.
 *
 * Built from an analysed trace (summary_build.h) or read from a `.tps` file (summary_file.h). It owns nothing: all
 * lives in the arena it was made in, so that thousands may outlive their traces. Times are int64 nanoseconds, relative
 * to the trace's start unless said otherwise. Absent integers are TP_NULL_INT, absent reals NaN, absent texts "".
 *
 * Texts are copies. Every list has an order, given at its member; equal traces give equal summaries. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/metrics/metrics.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/summary/signature.h"
#include "webreport/measure/summary/sketch.h"
#include "webreport/measure/summary/step_slots.h"
#include "webreport/trace/evidence.h"
#include "writer/base/arena.h"
#include "writer/base/str.h"

/* What the fact step.marker begins with where steps are inferred from operators alone; the operator's name follows. */
#define TP_UNSURE_STEPS "operators from "

/* Which process of which job. Two summaries with the same key are the same process: a merge keeps one. */
struct tp_summary_key {
    struct tp_str job;    /* --job, else "" */
    int64_t rank;         /* distributedInfo, --rank, else TP_NULL_INT */
    int64_t world_size;   /* TP_NULL_INT: unknown; not part of the key */
    struct tp_str worker; /* as in the file's name; part of the key only without a rank, or in a world of 1 */
    int64_t span;         /* of the file's name; TP_NULL_INT: none */
};

/* What a row measures. One row has one quantity. */
enum tp_summary_kind {
    TP_SUMMARY_OPERATOR_HOST,   /* self host time of an operator; name, shape, dtype */
    TP_SUMMARY_OPERATOR_DEVICE, /* device time of what an operator launched itself; name, shape, dtype */
    TP_SUMMARY_KERNEL,        /* a kernel's duration; name, owner: innermost operator that launched it, shape of that */
    TP_SUMMARY_COPY,          /* a copy's or set's duration; name; owner as above; bytes */
    TP_SUMMARY_MODULE_HOST,   /* total host time of a module call; name: path from the top, '/' between */
    TP_SUMMARY_MODULE_DEVICE, /* total device time of it */
    TP_SUMMARY_SYNC,          /* what a synchronisation cost; name: API, owner: operator, shape: file(line): function */
    TP_SUMMARY_RUNTIME,       /* runtime and driver calls; name */
    TP_SUMMARY_FUNCTION,      /* a function of a program recorded from outside: its samples; name, owner: file */
    TP_SUMMARY_PART,          /* a part of the program's wall; name */
    TP_SUMMARY_KIND_COUNT
};

#define TP_SUMMARY_REST "(rest)" /* name of the row that adds up those of its kind that have none of their own */

struct tp_summary_row {
    enum tp_summary_kind kind;
    struct tp_str name, owner, shape, dtype; /* together with kind: the row's identity */
    struct tp_sketch time;                   /* count, sum, min, max, quantiles of single calls, in ns */
    int64_t bytes;                           /* moved in all; TP_NULL_INT where nothing is */
    int64_t *by_step_ns;    /* sum per step [step_count]; NULL: not kept. What is in no step is in none */
    int64_t *by_step_count; /* calls per step; NULL with by_step_ns */
};

/* Where a step's time went; parts of `total_ns` but for those from idle on, which look at the device alone, and the
 * sums at the end. Numbers stay: files have them, and older ones lack the later parts. */
enum tp_summary_part {
    TP_PART_KERNEL,
    TP_PART_MEMCPY,
    TP_PART_MEMSET,
    TP_PART_COMMUNICATION,
    TP_PART_RUNTIME,
    TP_PART_DATALOADER,
    TP_PART_CPU_EXEC,
    TP_PART_OTHER,
    TP_PART_IDLE_HOST, /* idle of used steps by part, all devices added up */
    TP_PART_IDLE_QUEUE,
    TP_PART_IDLE_UNKNOWN,
    TP_PART_EXPOSED_COMMUNICATION, /* communication_overlap: communication that nothing computed beside */
    TP_PART_IDLE_LAUNCH,
    TP_PART_IDLE_OUTSIDE,
    TP_PART_DEVICE_SUM, /* no parts, but sums of what the step started: durations of its kernels, copies and sets */
    TP_PART_HOST_SUM,   /* self time of its operators on the host; absent, as the sum before, where there are none */
    TP_PART_COUNT
};

struct tp_summary_step {
    struct tp_str name;
    int64_t start_ns, total_ns;
    int64_t part_ns[TP_PART_COUNT]; /* TP_NULL_INT: no such view */
    bool is_left_out;               /* not used: no statistics are about it */
};

/* A collective as this rank saw it: the join over ranks is by group, name and sequence. */
struct tp_summary_collective {
    struct tp_str name, group, dtype;
    int64_t sequence; /* "Seq" of the trace, else the ordinal within (group, name) */
    int64_t bytes, group_size;
    int64_t arrival_ns, duration_ns; /* of its kernel; without one, of the call */
    uint32_t step;                   /* index in steps; TP_NO_ID: in none */
};

struct tp_summary_finding {
    struct tp_str rule, title;    /* rule: "A1" */
    uint8_t severity, confidence; /* enum tp_severity, enum tp_confidence */
    double ceiling_us_per_step;
    int64_t occurrences;
    struct tp_str file_line; /* of the first evidence that has one */
    struct tp_str detail;
};

/* Bytes that an owner holds at the peak. */
enum tp_summary_owner_kind { TP_OWNER_OPERATOR, TP_OWNER_MODULE, TP_OWNER_LINE };
struct tp_summary_owner {
    enum tp_summary_owner_kind kind;
    struct tp_str name;
    int64_t bytes, blocks;
};

struct tp_summary_memory {
    struct tp_str device; /* "CPU", "GPU0" */
    int64_t peak_allocated_bytes, peak_reserved_bytes;
    double creep_bytes_per_step;
    struct tp_summary_owner *owners; /* by kind, then largest first; at most TP_MAX_SUMMARY_OWNERS a kind */
    uint32_t owner_count;
};

/* What two runs must have in common to be compared: name and value as text, in the order of the table in
 * summary_facts.c (GPU model and count, compute capability, dtypes and shapes of the largest operators as a hash, world
 * size, record_shapes, with_stack, profile_memory, with_modules, framework version, step marker, share of launches by
 * graphs ..). */
struct tp_summary_fact {
    struct tp_str name, value;
};

/* A trace-quality flag that is raised, or a notice of the reader that counts above 0. */
struct tp_summary_flag {
    struct tp_str name;
    int64_t count;
};

/* The decision of `check` on a run that it stored. Texts are "" where nothing is known. */
struct tp_run_decision {
    bool is_known;     /* false: no check stored the run, or an older version did */
    bool is_failed;    /* the run broke a limit */
    bool is_accepted;  /* a level begins with the run, although it may have broken a limit */
    bool is_unreadable; /* its note cannot be read; is_failed is true, is_accepted is false */
    struct tp_str by, at, reason; /* who accepted the run, when, why */
    int64_t committed_s;          /* time of the commit that ran, seconds of the epoch; 0: unknown */
};

struct tp_summary {
    struct tp_summary_key key;
    struct tp_str file, sha256, program; /* program: "gpu", "cpu" .. of the recommendations */
    enum tp_producer producer;           /* of the trace; PyTorch in older files */
    struct tp_str verdict, headline;     /* of the report: "launch-bound", and its sentence; "" in older files */
    int64_t event_count, start_ns;       /* start_ns: of the wall clock, where the trace tells it */
    uint64_t kernel_fingerprint;         /* of the sequence of kernel names in the longest step that has any; 0: none */
    struct tp_input_evidence evidence;   /* of the trace; not known in files of older versions */
    struct tp_run_decision decision;     /* of the check that stored the run */
    struct tp_metric_value metrics[TP_METRIC_COUNT];
    struct tp_summary_fact *facts;
    uint32_t fact_count;
    struct tp_summary_step *steps; /* by time */
    uint32_t step_count;
    struct tp_summary_row *rows; /* by kind, then sum of time descending, then name, owner, shape, dtype */
    uint32_t row_count;
    struct tp_summary_collective *collectives; /* by arrival */
    uint32_t collective_count;
    struct tp_summary_finding *findings; /* as the report has them: severest first */
    uint32_t finding_count;
    struct tp_summary_memory *memory; /* by device type, id */
    uint32_t memory_count;
    struct tp_summary_flag *flags;
    uint32_t flag_count;
    struct tp_signature signature;
    struct tp_step_slots slots; /* what a job is replayed from; no slots: no collective, or an older file */
    const struct tp_rank_summary *comparison; /* for the distributed view (ranks/distributed.h); NULL: no collective */
};

/* Number of steps that statistics are about. */
static inline uint32_t tp_summary_used_steps(const struct tp_summary *summary)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < summary->step_count; i++)
        count += !summary->steps[i].is_left_out;
    return count;
}

#endif
