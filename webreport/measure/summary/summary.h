/* A run of one process in a few kilobytes: the input of `diff`, `check`, `summarize`, `merge` and the job page.
 *
 *
 * It is built from an analyzed trace (summary_build.h) or read from a `.tps` file (summary_file.h). It owns nothing:
 * everything is in the arena it was made in, so that thousands may outlive their traces. Times are int64 nanoseconds,
 * relative to the trace's start unless stated otherwise. Absent integers are TP_NULL_INT, absent reals NaN, absent
 * texts "".
 *
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

/* Start of the fact step.marker if steps are inferred from operators alone; the operator's name follows. */
#define TP_UNSURE_STEPS "operators from "

/* The identity of a process in a job. Two summaries with the same key are the same process: a merge keeps one. */
struct tp_summary_key {
    struct tp_str job;    /* --job, else "" */
    int64_t rank;         /* distributedInfo, --rank, else TP_NULL_INT */
    int64_t world_size;   /* TP_NULL_INT: unknown; not part of the key */
    struct tp_str worker; /* as in the file's name; part of the key only without a rank, or in a world of 1 */
    int64_t span;         /* of the file's name; TP_NULL_INT: none */
};

/* The quantity of a row; each row has one. */
enum tp_summary_kind {
    TP_SUMMARY_OPERATOR_HOST,   /* self host time of an operator; name, shape, dtype */
    TP_SUMMARY_OPERATOR_DEVICE, /* device time of the work that an operator launched itself; name, shape, dtype */
    TP_SUMMARY_KERNEL,        /* a kernel's duration; name, owner: innermost launching operator, shape of the owner */
    TP_SUMMARY_COPY,          /* a copy's or set's duration; name; owner as above; bytes */
    TP_SUMMARY_MODULE_HOST,   /* total host time of a module call; name: path from the top, '/' between */
    TP_SUMMARY_MODULE_DEVICE, /* total device time of a module call; name */
    /* the cost of a synchronization; name: API, owner: operator, shape: file(line): function */
    TP_SUMMARY_SYNC,
    TP_SUMMARY_RUNTIME,       /* runtime and driver calls; name */
    TP_SUMMARY_FUNCTION,      /* a function of a program recorded from outside: its samples; name, owner: file */
    TP_SUMMARY_PART,          /* a part of the program's wall time; name */
    TP_SUMMARY_KIND_COUNT
};

#define TP_SUMMARY_REST "(rest)" /* name of the row that adds up all calls of its kind without a row of their own */

struct tp_summary_row {
    enum tp_summary_kind kind;
    struct tp_str name, owner, shape, dtype; /* the row's identity, together with kind */
    struct tp_sketch time;                   /* count, sum, min, max, quantiles of single calls, in ns */
    int64_t bytes;                           /* bytes moved in total; TP_NULL_INT: moves nothing */
    int64_t *by_step_ns;    /* sum per step [step_count]; NULL: not stored. Calls outside of steps are not in it */
    int64_t *by_step_count; /* calls per step; NULL with by_step_ns */
};

/* The parts of a step's time: parts of `total_ns`, except those from idle on, which are about the device alone, and the
 * sums at the end. Numbers are fixed, because files contain them; older files lack the later parts. */
enum tp_summary_part {
    TP_PART_KERNEL,
    TP_PART_MEMCPY,
    TP_PART_MEMSET,
    TP_PART_COMMUNICATION,
    TP_PART_RUNTIME,
    TP_PART_DATALOADER,
    TP_PART_CPU_EXEC,
    TP_PART_OTHER,
    TP_PART_IDLE_HOST, /* idle time of used steps by part, sum of all devices */
    TP_PART_IDLE_QUEUE,
    TP_PART_IDLE_UNKNOWN,
    TP_PART_EXPOSED_COMMUNICATION, /* communication_overlap: communication without compute at the same time */
    TP_PART_IDLE_LAUNCH,
    TP_PART_IDLE_OUTSIDE,
    TP_PART_DEVICE_SUM, /* not a part: sum of the durations of kernels, copies and sets that the step started */
    TP_PART_HOST_SUM,   /* self time of the step's operators on the host; absent without any, like the previous sum */
    TP_PART_COUNT
};

struct tp_summary_step {
    struct tp_str name;
    int64_t start_ns, total_ns;
    int64_t part_ns[TP_PART_COUNT]; /* TP_NULL_INT: no such view */
    bool is_left_out;               /* not used: excluded from statistics */
};

/* A collective as this rank recorded it: ranks are joined by group, name and sequence. */
struct tp_summary_collective {
    struct tp_str name, group, dtype;
    int64_t sequence; /* "Seq" of the trace, else the ordinal within (group, name) */
    int64_t bytes, group_size;
    int64_t arrival_ns, duration_ns; /* of its kernel; without one, of the call */
    uint32_t step;                   /* index in steps; TP_NO_ID: none */
};

struct tp_summary_finding {
    struct tp_str rule, title;    /* rule: "A1" */
    uint8_t severity, confidence; /* enum tp_severity, enum tp_confidence */
    double ceiling_us_per_step;
    int64_t occurrences;
    struct tp_str file_line; /* of the first evidence with a line */
    struct tp_str detail;
};

/* The kind of owner of bytes at the peak. */
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
    struct tp_summary_owner *owners; /* by kind, then largest first; at most TP_MAX_SUMMARY_OWNERS per kind */
    uint32_t owner_count;
};

/* A property that two runs must share to be compared: name and value as text, in the order of the table in
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

/* The decision of `check` on a run that it stored. Unknown texts are "". */
struct tp_run_decision {
    bool is_known;     /* false: no check stored the run, or an older version did */
    bool is_failed;    /* the run broke a limit */
    bool is_accepted;  /* a level begins with the run, although it may have broken a limit */
    bool is_unreadable; /* its note cannot be read; is_failed is true, is_accepted is false */
    struct tp_str by, at, reason; /* who accepted the run, when, why */
    int64_t committed_s;          /* time of the commit of the run, seconds of the epoch; 0: unknown */
};

struct tp_summary {
    struct tp_summary_key key;
    struct tp_str file, sha256, program; /* program: "gpu", "cpu" .. from the recommendations */
    enum tp_producer producer;           /* of the trace; PyTorch in older files */
    struct tp_str verdict, headline;     /* from the report: "launch-bound", and its sentence; "" in older files */
    int64_t event_count, start_ns;       /* start_ns: wall-clock time, if the trace has it */
    uint64_t kernel_fingerprint;         /* of the sequence of kernel names in the longest step with kernels; 0: none */
    struct tp_input_evidence evidence;   /* of the trace; unknown in older files */
    struct tp_run_decision decision;     /* by the check that stored the run */
    struct tp_metric_value metrics[TP_METRIC_COUNT];
    struct tp_summary_fact *facts;
    uint32_t fact_count;
    struct tp_summary_step *steps; /* by time */
    uint32_t step_count;
    struct tp_summary_row *rows; /* by kind, then sum of time descending, then name, owner, shape, dtype */
    uint32_t row_count;
    struct tp_summary_collective *collectives; /* by arrival */
    uint32_t collective_count;
    struct tp_summary_finding *findings; /* in the order of the report: most severe first */
    uint32_t finding_count;
    struct tp_summary_memory *memory; /* by device type, id */
    uint32_t memory_count;
    struct tp_summary_flag *flags;
    uint32_t flag_count;
    struct tp_signature signature;
    struct tp_step_slots slots; /* the input of replays; no slots: no collective, or an older file */
    const struct tp_rank_summary *comparison; /* for the distributed view (ranks/distributed.h); NULL: no collective */
};

/* Returns the number of steps that statistics use. */
static inline uint32_t tp_summary_used_steps(const struct tp_summary *summary)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < summary->step_count; i++)
        count += !summary->steps[i].is_left_out;
    return count;
}

#endif
