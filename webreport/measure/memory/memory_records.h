/* The memory records of a trace in order of time, each with its device and its enclosing operator (docs/definitions.md,
 * section 10; section 17, D8 and D9). */
#ifndef TP_WEBREPORT_MEASURE_MEMORY_MEMORY_RECORDS_H
#define TP_WEBREPORT_MEASURE_MEMORY_MEMORY_RECORDS_H

#include "webreport/measure/memory/memory_view.h"

struct tp_memory_record {
    uint32_t raw;    /* index in trace->memory */
    uint32_t device; /* index in tp_memory_records.devices */
    uint32_t owner;  /* innermost operator that runs on the record's thread at the time of the record; TP_NO_ID: no
                        operator */
};

struct tp_memory_records {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_memory_record *items;
    uint32_t count;
    uint32_t *by_device;       /* indexes in items, sorted by device, then time */
    uint32_t *first_of_device; /* for each device: index in by_device of the device's first record; device_count + 1
                                  entries */
    struct tp_device_memory *devices; /* devices in order of (type, id); only name, type and id are set */
    uint32_t device_count;
};

void tp_memory_records_build(struct tp_memory_records *records, const struct tp_model *model, struct tp_arena *arena);

static inline const struct tp_memory *tp_memory_trace_record(const struct tp_memory_records *records,
                                                             const struct tp_memory_record *record)
{
    return &records->model->trace->memory[record->raw];
}
/* Returns the bytes of a record: positive for an allocation, negative for a release, 0 if not recorded. */
static inline int64_t tp_memory_bytes(const struct tp_memory_records *records, const struct tp_memory_record *record)
{
    int64_t bytes = tp_memory_trace_record(records, record)->bytes;
    return bytes == TP_NULL_INT ? 0 : bytes;
}

/* Returns the memory size of a device in bytes; TP_NULL_INT if deviceProperties lacks the device. */
int64_t tp_memory_capacity(const struct tp_trace *trace, int64_t type, int64_t id);

/* Fills the tables operators and operators_folded of every device (memory_operators.c). */
void tp_memory_ops_build(struct tp_memory_records *records);

#endif
