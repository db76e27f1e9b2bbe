/* Tests the memory records between two times. Prefix sums with a binary search must give the same result as a loop over
 * all records. */
#include "webreport/model/policy_torch_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RECORDS = 200, TIMES = 500, LATEST = 60 };

static uint32_t seed = 1;

static int64_t random_below(int64_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (int64_t)(seed >> 8) % n;
}

/* A trace that contains only memory records, sorted by time. */
struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_memory records[RECORDS];
    uint32_t order[RECORDS];
};

static void make_memory(struct made *m)
{
    static struct tp_memory_place places[] = {{TP_DEVICE_CPU, -1}, {TP_DEVICE_HIP, 0}, {TP_NULL_INT, 0}, {9, 0}};
    *m = (struct made){.trace = {.memory = m->records, .memory_count = RECORDS, .memory_places = places}};
    tp_arena_init(&m->arena, 0);
    for (uint32_t i = 0; i < RECORDS; i++) { /* sorted by time */
        m->records[i] = (struct tp_memory){.ts_ns = i * LATEST / RECORDS,
                                           .bytes = random_below(100) - 50,
                                           .device = (uint32_t)random_below(4),
                                           .flags = random_below(10) ? 0 : TP_MEMORY_OUT_OF_MEMORY};
        m->order[i] = i;
    }
}

static struct tp_memory_bytes sum_records_by_loop(const struct made *m, int64_t start, int64_t end, bool *is_outside)
{
    struct tp_memory_bytes sum = {0};
    for (uint32_t i = 0; i < RECORDS; i++) {
        const struct tp_memory *record = &m->records[i];
        if ((record->flags & TP_MEMORY_OUT_OF_MEMORY) || record->ts_ns < start || record->ts_ns > end)
            continue;
        is_outside[i] = false;
        sum.cpu += record->device == 0 || record->device == 2 ? record->bytes : 0;
        sum.gpu += record->device == 1 ? record->bytes : 0;
    }
    return sum;
}

static void check_random_spans(bool is_coarse, int times)
{
    static struct made m;
    struct tp_memory_sums sums;
    bool is_outside[RECORDS];
    uint32_t outside[RECORDS], at = 0;
    make_memory(&m);
    if (setjmp(m.arena.guard))
        fail();
    memset(is_outside, true, sizeof is_outside);
    tp_memory_sums_build(&sums, &m.trace, m.order, is_coarse, &m.arena);
    for (int i = 0; i < times; i++) {
        int64_t start = random_below(LATEST + 20) - 10, end = start + random_below(1 + random_below(LATEST));
        struct tp_memory_bytes expected = sum_records_by_loop(&m, start, end, is_outside);
        struct tp_memory_bytes bytes = tp_memory_sums_within(&sums, start, end);
        assert_int_equal(bytes.cpu, expected.cpu);
        assert_int_equal(bytes.gpu, expected.gpu);
    }
    uint32_t count = tp_memory_sums_list_outside(&sums, outside);
    for (int failed = 0; failed < 2; failed++)
        for (uint32_t i = 0; i < RECORDS; i++)
            if (failed ? m.records[i].flags & TP_MEMORY_OUT_OF_MEMORY
                       : is_outside[i] && !(m.records[i].flags & TP_MEMORY_OUT_OF_MEMORY))
                assert_int_equal(outside[at++], i);
    assert_int_equal(at, count);
    tp_arena_release(&m.arena);
}

static void bytes_in_a_span_equal_a_loop(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++)
        /* tests fine clocks, and coarse clocks that give many records the same time */
        check_random_spans(round % 2, TIMES / (1 + round * round));
}

static void sums_stop_at_the_ends_of_the_range(void **state)
{
    static struct made m;
    struct tp_memory_sums sums;
    (void)state;
    make_memory(&m);
    if (setjmp(m.arena.guard))
        fail();
    for (uint32_t i = 0; i < RECORDS; i++)
        m.records[i] = (struct tp_memory){.ts_ns = i, .bytes = i < 150 ? INT64_MAX : -INT64_MAX};
    tp_memory_sums_build(&sums, &m.trace, m.order, false, &m.arena);
    assert_int_equal(tp_memory_sums_within(&sums, 0, 99).cpu, INT64_MAX);
    assert_int_equal(tp_memory_sums_within(&sums, 150, 180).cpu, -INT64_MAX);
    assert_int_equal(tp_memory_sums_within(&sums, 140, 159).cpu, 0);
    tp_arena_release(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_in_a_span_equal_a_loop),
        cmocka_unit_test(sums_stop_at_the_ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
