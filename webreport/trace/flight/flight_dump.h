/* Defines a dump of PyTorch's Flight Recorder: the last collectives and point-to-point calls of one rank. Reads dumps
 * from files.
 *
 * torch writes a dump as a pickle (torch._C._distributed_c10d._dump_fr_trace, and the watchdog of a process group when
 * a call times out) or as JSON (_dump_fr_trace_json); both may be gzip files. Reading runs no code. Every member of an
 * entry may be missing or have another type; the call then has the default value of the member. Source:
 * torch/csrc/distributed/c10d/FlightRecorderDetail.hpp of PyTorch 2.13, format versions 1.x and 2.x. */
#ifndef TP_WEBREPORT_TRACE_FLIGHT_FLIGHT_DUMP_H
#define TP_WEBREPORT_TRACE_FLIGHT_FLIGHT_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

/* One frame of a call stack. Stacks are stored as bytes of such frames, innermost frame first. */
struct tp_flight_frame {
    uint32_t name, file; /* ids in tp_flight_dump.texts */
    int64_t line;
};

/* One entry of a dump. */
struct tp_flight_call {
    int64_t record_id;  /* position in the recording of the process, from 0; -1 if unknown */
    int64_t group_id;   /* torch's number of the group; -1 if unknown */
    int64_t sequence;   /* number of the call in its group (collective_seq_id, p2p_seq_id); -1 if unknown */
    int64_t time_ns;    /* Unix time when the call was made; 0 if unknown */
    double duration_ms; /* NaN if unknown */
    /* elements of all input tensors and of all output tensors; INT64_MAX if more */
    int64_t input_elements, output_elements;
    /* ids in tp_flight_dump.texts; op: name without backend, such as "all_reduce"; types: a list of texts, each with a
     * NUL at its end */
    uint32_t group, description, op, backend, state, input_types, output_types;
    uint32_t stack; /* id in tp_flight_dump.stacks */
    /* ranks inside the group, for send and recv; -1 for other calls */
    int32_t source, target;
    bool has_inputs; /* false: the call lists no input tensors */
    bool is_retired; /* the recorder has given up on the call, because it ended, failed or timed out */
    bool is_p2p;     /* the call is part of a point-to-point operation */
};

/* A process group as a dump describes it. The ids are in tp_flight_dump.texts. */
struct tp_flight_group {
    uint32_t name, description, ranks; /* ranks: text such as "[0, 1]" */
};

/* The number of the last collective of a group that the rank has enqueued. */
struct tp_flight_progress {
    int64_t group_id, last_enqueued;
};

/* Why a dump is refused. */
enum tp_flight_refusal {
    TP_FLIGHT_OK,
    TP_FLIGHT_EMPTY,
    TP_FLIGHT_TRUNCATED,
    TP_FLIGHT_CODE,      /* the pickle asks to run code or to load objects */
    TP_FLIGHT_NO_PICKLE, /* neither a valid pickle nor JSON */
    TP_FLIGHT_NUMBER,    /* an integer of more than 64 bits */
    TP_FLIGHT_LONG_TEXT,
    TP_FLIGHT_NO_JSON,
    TP_FLIGHT_NO_DUMP, /* a pickle or JSON of something else */
    TP_FLIGHT_VERSION,
    TP_FLIGHT_LARGE,    /* more bytes than TP_MAX_FLIGHT_BYTES */
    TP_FLIGHT_MEMORY,   /* the values need too much memory for the size of the file */
    TP_FLIGHT_REPEATED, /* the same values are used more often than the size of the file allows */
    TP_FLIGHT_RANK,     /* the rank in the file name exceeds TP_MAX_FLIGHT_RANKS */
    TP_FLIGHT_DAMAGED,  /* the gzip data are damaged */
    TP_FLIGHT_UNREADABLE
};

struct tp_flight_dump {
    struct tp_arena *arena;
    struct tp_strings texts;
    struct tp_strings stacks; /* bytes of struct tp_flight_frame; the stack without frames is the empty text */
    struct tp_vec calls;      /* by record_id; elements: struct tp_flight_call */
    struct tp_vec groups;     /* elements: struct tp_flight_group */
    struct tp_vec progress;   /* elements: struct tp_flight_progress */
    struct tp_str version;
    bool leaves_calls_out; /* an empty list of calls does not show that the rank made none */
    bool is_json;
    enum tp_flight_refusal refusal;
};

/* Returns the number of frames of a stack. stack: id in dump->stacks. */
static inline size_t tp_flight_frame_count(const struct tp_strings *stacks, uint32_t stack)
{
    return tp_strings_get(stacks, stack).len / sizeof(struct tp_flight_frame);
}

/* Returns a frame of a stack. index: from 0, the innermost frame. */
static inline struct tp_flight_frame tp_flight_frame_at(const struct tp_strings *stacks, uint32_t stack, size_t index)
{
    struct tp_flight_frame frame;
    memcpy(&frame, tp_strings_get(stacks, stack).ptr + index * sizeof frame, sizeof frame);
    return frame;
}

/* Reads a dump. Allocates the dump from `arena`, and temporary values from `scratch`; the caller sets the guard of no
 * arena, and clears `scratch` afterwards. Returns 0; TP_ENOMEM; or another negative tp_status with dump->refusal and
 * the reason, with its byte, in *err. */
int tp_flight_read(struct tp_flight_dump *dump, struct tp_arena *arena, struct tp_arena *scratch, const char *path,
                   struct tp_error *err);

/* Does the same for bytes in memory. */
int tp_flight_read_bytes(struct tp_flight_dump *dump, struct tp_arena *arena, struct tp_arena *scratch,
                         struct tp_str bytes, struct tp_error *err);

/* Returns the rank in the name of a dump: its last digits, before an ending .json, .pkl, .pickle or .gz. Returns -1 for
 * a name without a rank, and TP_MAX_FLIGHT_RANKS for a larger number. */
int64_t tp_flight_rank_of_file(struct tp_str name);

#endif
