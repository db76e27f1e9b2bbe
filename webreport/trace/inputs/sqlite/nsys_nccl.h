/* Reads the payloads of NCCL's ranges in an export of Nsight Systems: ranks, sizes of communicators, and sizes of
 * messages. Internal to the files nsys_*.c.
 *
 * The export contains payloads if it was made with --include-blobs=true. A payload is a head of 32 bytes (domain,
 * number of the schema, size of the fields, total size, 8 bytes each) and the fields. The table
 * NVTX_PAYLOAD_SCHEMA_ENTRIES lists the fields of each schema. The names of the fields are those of NCCL 2.20 to 2.27.
 */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_NSYS_NCCL_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_NSYS_NCCL_H

#include "webreport/trace/inputs/sqlite/nsys.h"

enum tp_nccl_field { TP_NCCL_COMMUNICATOR, TP_NCCL_RANKS, TP_NCCL_RANK, TP_NCCL_BYTES, TP_NCCL_PEER, TP_NCCL_FIELDS };

/* A payload. Absent fields are TP_NULL_INT. */
struct tp_nccl_payload {
    int64_t fields[TP_NCCL_FIELDS];
};

/* All payloads of a process. */
struct tp_nccl {
    struct tp_nsys *nsys;
    struct tp_vec fields;   /* known fields of all schemas */
    struct tp_vec messages; /* ranges with the size of a message */
    struct tp_vec inits;    /* payloads of the ranges that make a communicator; elements: struct tp_nccl_payload */
    struct tp_id_map ranks; /* number of a communicator: its number of ranks */
    struct tp_id_map
        comms; /* correlation of a call inside a message's range: index of the arguments of its collective */
};

/* Reads the list of fields. Returns the codes of tp_database_scan. */
int tp_nccl_open(struct tp_nccl *nccl, struct tp_nsys *nsys, struct tp_error *err);

/* Reads the payload of a row of NVTX_EVENTS. Returns false if it has no known field. */
bool tp_nccl_read(const struct tp_nccl *nccl, const struct tp_database_row *row, struct tp_nccl_payload *out);

/* Adds a range of NCCL with its payload. name: such as "ncclAllReduce"; copied. thread: number of the thread. */
void tp_nccl_add(struct tp_nccl *nccl, const struct tp_nccl_payload *payload, struct tp_str name, uint32_t thread,
                 const int64_t span_ns[2]);

/* Reports the rank of the process, and adds the sizes of messages to the kernels that calls inside their ranges
 * launched. */
void tp_nccl_finish(struct tp_nccl *nccl);

#endif
