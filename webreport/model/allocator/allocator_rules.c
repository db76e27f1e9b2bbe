/* Rules of PyTorch's CUDA allocator: see allocator_rules.h. */
#include "webreport/model/allocator/allocator_rules.h"

static unsigned highest_bit(uint64_t number)
{
    return 63 - (unsigned)__builtin_clzll(number);
}

static uint64_t round_up(uint64_t size, uint64_t unit)
{
    return size > UINT64_MAX - unit ? size - size % unit : (size + unit - 1) / unit * unit;
}

/* Rounds up to the next of the `divisions` equal parts between two powers of two. */
static uint64_t round_to_division(uint64_t size, uint64_t divisions)
{
    if ((size & (size - 1)) == 0)
        return size;
    uint64_t floor = 1ull << highest_bit(size);
    uint64_t part = floor >> highest_bit(divisions);
    if (part == 0)
        return floor << 1;
    uint64_t lower = size & ~(part - 1);
    return lower == size ? size : lower + part;
}

uint64_t tp_allocator_round(const struct tp_snapshot_settings *settings, uint64_t size)
{
    enum { MIB_BIT = 20, LAST_CLASS = 15 };
    if (size < TP_ALLOCATOR_MIN_BLOCK)
        return TP_ALLOCATOR_MIN_BLOCK;
    unsigned bit = highest_bit(size), class = bit > MIB_BIT ? bit - MIB_BIT : 0;
    int64_t divisions = settings->roundup_divisions[class < LAST_CLASS ? class : LAST_CLASS];
    if (divisions > 1 && (size - 1) / TP_ALLOCATOR_MIN_BLOCK >= (uint64_t)divisions)
        return round_to_division(size, (uint64_t)divisions);
    return round_up(size, TP_ALLOCATOR_MIN_BLOCK);
}

uint64_t tp_allocator_segment_bytes(uint64_t block_bytes)
{
    if (block_bytes <= TP_ALLOCATOR_SMALL_BLOCK)
        return TP_ALLOCATOR_SMALL_SEGMENT;
    if (block_bytes < TP_ALLOCATOR_LARGE_BLOCK)
        return TP_ALLOCATOR_LARGE_SEGMENT;
    return round_up(block_bytes, TP_ALLOCATOR_SEGMENT_ROUNDING);
}

bool tp_allocator_splits(const struct tp_snapshot_settings *settings, struct tp_allocator_gap gap, uint64_t block_bytes,
                         uint64_t rest_bytes)
{
    if (gap.is_small || gap.is_expandable || settings->is_expandable)
        return rest_bytes >= TP_ALLOCATOR_MIN_BLOCK;
    bool is_limited = settings->max_split_bytes > 0 && block_bytes >= (uint64_t)settings->max_split_bytes;
    return !is_limited && rest_bytes > TP_ALLOCATOR_SMALL_BLOCK;
}
