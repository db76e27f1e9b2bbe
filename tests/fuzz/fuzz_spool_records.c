/* Recovers a spool with arbitrary records. This file adds valid magic numbers, sizes and times, so that mutations reach
 * the records. The resulting trace must be strict JSON.
 *
 * Input: a byte of head flags (see the enum below), then records: kind (0 means that a new chunk follows), slots, bytes
 * of text, name, ticks since the previous record, payload. A byte FAR means that a longer number follows. */
#include <string.h>

#include "tests/fuzz/scratch_files.h"
#include "webreport/trace/trace.h"
#include "writer/spool/spool_format.h"
#include "writer/spool/spool_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FAR = 0xFE, NONE = 0xFF, LONGEST = 1 << 16, LEAST = 32, TICKS = 1000 };

/* A spool that is being made. */
struct made {
    uint8_t *bytes; /* content of the spool, initially zero */
    size_t size, chunk, room;
    uint64_t ticks;
    uint32_t sequence;
};

static void put_head(struct made *spool, struct taken *from)
{
    uint64_t flags = take_number_from_input(from, 1);
    struct tp_spool_head head = {.magic = TP_SPOOL_MAGIC,
                                 .version = TP_SPOOL_VERSION,
                                 .is_tsc = flags & 1,
                                 .pid = 42,
                                 .start_realtime_ns = 1000000000,
                                 .flags = (uint32_t)(flags >> 1),
                                 .rank = flags & 2 ? 1 : UINT32_MAX,
                                 .world_size = flags & 2 ? 2 : UINT32_MAX,
                                 .local_rank = UINT32_MAX,
                                 .program = "train"};
    memcpy(spool->bytes, &head, sizeof head);
    spool->size = TP_SPOOL_UNIT;
}

static void end_chunk(struct made *spool)
{
    if (!spool->chunk)
        return;
    spool->size = (spool->size + TP_SPOOL_UNIT - 1) / TP_SPOOL_UNIT * TP_SPOOL_UNIT;
    ((struct tp_spool_chunk *)(void *)(spool->bytes + spool->chunk))->size = (uint32_t)(spool->size - spool->chunk);
}

/* Starts a chunk. In the input byte, the lowest bit is is_notes, and the other bits are the number of the thread. */
static void begin_chunk(struct made *spool, struct taken *from)
{
    uint32_t number = (uint32_t)take_number_from_input(from, 1);
    end_chunk(spool);
    if (spool->size + TP_SPOOL_UNIT > spool->room)
        return;
    struct tp_spool_chunk head = {.magic = TP_SPOOL_CHUNK_MAGIC,
                                  .is_notes = number & 1,
                                  .tid = 42 + number / 2,
                                  .thread = number / 2,
                                  .sequence = spool->sequence++,
                                  .thread_name = "thread"};
    spool->chunk = spool->size;
    memcpy(spool->bytes + spool->chunk, &head, sizeof head);
    spool->size += sizeof head;
}

static void put_record(struct made *spool, struct taken *from, uint8_t kind)
{
    struct tp_spool_record record = {.kind = kind, .slots = (uint8_t)take_number_from_input(from, 1)};
    uint64_t text = take_number_from_input(from, 1);
    text = text == FAR ? take_number_from_input(from, 2) : text == NONE ? record.slots * TP_SPOOL_SLOT : text;
    record.text = (uint16_t)text;
    uint64_t name = take_number_from_input(from, 1);
    record.name = name == FAR    ? (uint32_t)take_number_from_input(from, 4)
                  : name == NONE ? TP_SPOOL_NO_NAME
                                 : (uint32_t)name;
    uint64_t ticks = take_number_from_input(from, 1);
    spool->ticks = ticks == FAR ? take_number_from_input(from, 8) : spool->ticks + ticks * TICKS;
    record.time = spool->ticks ? spool->ticks : 1;
    size_t whole = (size_t)(record.slots + 1) * TP_SPOOL_SLOT,
           given = take_size_from_input(from, whole - sizeof record);
    if (!spool->chunk || spool->size + whole > spool->room || spool->size - spool->chunk + whole > TP_SPOOL_MAX_CHUNK)
        return;
    memcpy(spool->bytes + spool->size, &record, sizeof record);
    memcpy(spool->bytes + spool->size + sizeof record, from->at, given);
    from->at += given;
    spool->size += whole;
}

/* Reads the written trace with the strict reader, which refuses everything except JSON. */
static void read_written_trace(const char *path)
{
    struct tp_arena arena;
    struct tp_trace trace;
    const struct tp_trace_options strict = {.is_strict = true, .single_thread = true};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard) == 0)
        abort_unless(tp_trace_read(&trace, &arena, path, &strict, NULL) == TP_OK);
    tp_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct taken from = {data, data + size};
    struct made spool = {.room = ((size_t)1 << 19), .ticks = TICKS};
    char folder[SCRATCH_PATH], path[SCRATCH_PATH], trace[SCRATCH_PATH + 8];
    if (size > LONGEST || !(spool.bytes = calloc(1, spool.room)))
        return 0;
    put_head(&spool, &from);
    while (from.at < from.end && spool.size + LEAST < spool.room) {
        uint8_t kind = (uint8_t)take_number_from_input(&from, 1);
        if (kind)
            put_record(&spool, &from, kind);
        else
            begin_chunk(&spool, &from);
    }
    end_chunk(&spool);
    int fd = make_scratch_file(spool.bytes, spool.size, path);
    make_scratch_folder(folder);
    snprintf(trace, sizeof trace, "%s/trace", folder);
    if (tp_spool_trace(path, trace, false, NULL, NULL, NULL) == 0)
        read_written_trace(trace);
    remove_scratch_folder(folder);
    close(fd);
    free(spool.bytes);
    return 0;
}
