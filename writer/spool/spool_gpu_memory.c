/* Writes allocations of a CUDA program as torch's [memory] records: see spool_gpu.h.
 *
 * Total Allocated is the memory allocated on a device since the start of the recording. Total Reserved also
 * includes the unused memory in the pools of the device. The release of memory that was allocated before the
 * recording is left out, as in torch. */
#include "writer/spool/spool_gpu.h"

enum { ALLOCATION = 1, RELEASE = 2, POOL_DESTROYED = 2, PAGEABLE = 1, PINNED = 2, MAX_TOTALS = 1024 };

static const uint64_t MAX_BYTES = 1ull << 50;

/* A block or a pool, identified by its address. */
struct block {
    uint64_t address;
    int64_t bytes;
    uint32_t total; /* index in replay.totals of the total that includes the block or pool */
    bool is_used, is_pool;
};

struct total {
    int64_t device; /* number of the device; -1: pinned memory of the CPU */
    int64_t allocated, in_pools, pool_bytes;
};

struct replay {
    struct tp_spool_conversion *c;
    struct block *blocks; /* hash table with open addressing; released blocks stay in it with 0 bytes */
    size_t mask;
    struct tp_vec totals;
};

static struct block *find_block(struct replay *replay, uint64_t address, bool is_pool)
{
    size_t at = (size_t)((address ^ (address >> 29)) * 0x9E3779B97F4A7C15ull >> 20);
    for (;; at++) {
        struct block *block = &replay->blocks[at & replay->mask];
        if (!block->is_used || (block->address == address && block->is_pool == is_pool)) {
            block->address = address;
            block->is_pool = is_pool;
            return block;
        }
    }
}

static uint32_t find_or_add_total(struct replay *replay, int64_t device)
{
    for (uint32_t i = 0; i < replay->totals.count; i++)
        if (TP_AT(&replay->totals, struct total, i)->device == device)
            return i;
    if (replay->totals.count == MAX_TOTALS)
        return 0;
    ((struct total *)tp_vec_push(&replay->totals))->device = device;
    return (uint32_t)replay->totals.count - 1;
}

static int64_t add_without_overflow(int64_t sum, int64_t more)
{
    int64_t out;
    return __builtin_add_overflow(sum, more, &out) ? sum : out;
}

static int64_t limited_bytes(uint64_t bytes)
{
    return (int64_t)(bytes < MAX_BYTES ? bytes : MAX_BYTES);
}

static int64_t reserved_bytes(const struct total *total)
{
    int64_t unused = add_without_overflow(total->pool_bytes, -total->in_pools);
    return total->device < 0 ? 0 : add_without_overflow(total->allocated, unused > 0 ? unused : 0);
}

static int64_t thread_of_call(const struct replay *replay, uint32_t correlation)
{
    const struct tp_gpu_call *call = tp_spool_gpu_call(replay->c->gpu, correlation);
    return call ? (int64_t)call->tid : (int64_t)replay->c->file->head.pid;
}

static void write_memory_record(const struct replay *replay, const struct tp_gpu_item *item,
                                const struct tp_spool_gpu_memory *from, const struct total *total, int64_t bytes)
{
    const struct tp_trace_out_memory memory = {.pid = (int64_t)replay->c->file->head.pid,
                                               .tid = thread_of_call(replay, from->correlation),
                                               .ts_ns = item->start_ns - replay->c->base_ns,
                                               .address = (int64_t)from->address,
                                               .bytes = bytes,
                                               .device_type =
                                                   total->device < 0 ? TP_OUT_DEVICE_CPU : TP_OUT_DEVICE_CUDA,
                                               .device_id = total->device,
                                               .total_allocated_bytes = total->allocated,
                                               .total_reserved_bytes = reserved_bytes(total)};
    if (replay->c->file->head.flags & TP_SPOOL_MEMORY)
        tp_trace_out_memory(replay->c->out, &memory);
}

static void replay_memory_change(struct replay *replay, const struct tp_gpu_item *item)
{
    struct tp_spool_gpu_memory from;
    TP_SPOOL_GPU_READ(&from, item->record);
    struct block *block = find_block(replay, from.address, false);
    bool is_host = from.memory_kind == PAGEABLE || from.memory_kind == PINNED;
    if (from.operation == ALLOCATION && !block->is_used) {
        block->total = find_or_add_total(replay, is_host ? -1 : (int64_t)from.device);
        block->bytes = limited_bytes(from.bytes);
        block->is_used = true;
    } else if (from.operation == ALLOCATION && !block->bytes) { /* the address of a released block is used again */
        block->total = find_or_add_total(replay, is_host ? -1 : (int64_t)from.device);
        block->bytes = limited_bytes(from.bytes);
    } else if (from.operation != RELEASE || !block->is_used || !block->bytes) {
        return;
    }
    struct total *total = TP_AT(&replay->totals, struct total, block->total);
    int64_t change = from.operation == RELEASE ? -block->bytes : block->bytes;
    total->allocated = add_without_overflow(total->allocated, change);
    total->in_pools = add_without_overflow(total->in_pools, from.pool ? change : 0);
    if (from.operation == RELEASE)
        block->bytes = 0;
    write_memory_record(replay, item, &from, total, change);
}

/* Replays a change of a pool. Also writes the pool's size as a counter, so that timelines show it. */
static void replay_pool_change(struct replay *replay, const struct tp_gpu_item *item)
{
    char name[64];
    struct tp_spool_gpu_pool from;
    TP_SPOOL_GPU_READ(&from, item->record);
    struct block *block = find_block(replay, from.address, true);
    int64_t bytes = from.operation == POOL_DESTROYED ? 0 : limited_bytes(from.size_bytes);
    if (!block->is_used)
        block->total = find_or_add_total(replay, (int64_t)from.device);
    block->is_used = true;
    struct total *total = TP_AT(&replay->totals, struct total, block->total);
    total->pool_bytes = add_without_overflow(total->pool_bytes, bytes - block->bytes);
    block->bytes = bytes;
    int n = snprintf(name, sizeof name, "GPU %u memory pool", from.device);
    const struct tp_trace_out_value values[] = {{TP_STR("reserved"), (double)bytes},
                                                {TP_STR("used"), (double)limited_bytes(from.used_bytes)}};
    tp_trace_out_counter(replay->c->out, (struct tp_str){name, (size_t)n}, (int64_t)replay->c->file->head.pid,
                         item->start_ns - replay->c->base_ns, values, 2);
}

void tp_spool_gpu_write_memory(struct tp_spool_conversion *c)
{
    const struct tp_vec *items = &c->gpu->memory;
    struct replay replay = {.c = c, .mask = 1023, .totals = TP_VEC(c->arena, struct total)};
    while (replay.mask < items->count * 2)
        replay.mask = replay.mask * 2 + 1;
    replay.blocks = tp_arena_array(c->arena, replay.mask + 1, sizeof *replay.blocks);
    for (size_t i = 0; i < items->count; i++) {
        const struct tp_gpu_item *item = TP_AT(items, struct tp_gpu_item, i);
        if (item->record->kind == TP_SPOOL_GPU_POOL)
            replay_pool_change(&replay, item);
        else
            replay_memory_change(&replay, item);
    }
}
