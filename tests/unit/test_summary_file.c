/* Tests files and sets of summaries. Packed data is unpacked unchanged, merging has the properties of a set union, and
 * damage is detected. The summaries are random, with fixed seeds. */
#include "webreport/measure/summary/summary_file.h"

#include <math.h>
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/measure/summary/summary_format.h"
#include "writer/proto/summary.pb-c.h"

/* ---- random summaries ---- */

static uint64_t seed = 1;

static uint64_t random_below(uint64_t below)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (seed >> 33) % below;
}

static struct tp_str make_random_text(struct tp_arena *arena)
{
    char text[40];
    int n =
        random_below(4) ? snprintf(text, sizeof text, "name \xC3\xA9 %llu", (unsigned long long)random_below(30)) : 0;
    return (struct tp_str){tp_arena_copy(arena, text, (size_t)n), (size_t)n};
}

static int64_t make_random_integer(void)
{
    static const int64_t odd[] = {TP_NULL_INT, 0, -1, INT64_MAX, INT64_MIN + 1};
    return random_below(5) ? (int64_t)random_below(UINT64_C(1) << random_below(31)) : odd[random_below(5)];
}

static double make_random_real(void)
{
    return random_below(4) ? (double)random_below(1000000) / 16 : NAN;
}

static void add_random_rows(struct tp_summary *s, struct tp_arena *arena)
{
    s->row_count = (uint32_t)random_below(12);
    s->rows = tp_arena_array(arena, s->row_count, sizeof *s->rows);
    for (uint32_t i = 0; i < s->row_count; i++) {
        int64_t ns[9];
        size_t count = random_below(10);
        for (size_t k = 0; k < count; k++)
            ns[k] = random_below(3) ? (int64_t)random_below(1 << 30) : k ? ns[0] : 77;
        s->rows[i] = (struct tp_summary_row){.kind = (enum tp_summary_kind)random_below(TP_SUMMARY_KIND_COUNT),
                                             .name = make_random_text(arena),
                                             .owner = make_random_text(arena),
                                             .shape = make_random_text(arena),
                                             .dtype = make_random_text(arena),
                                             .bytes = make_random_integer()};
        tp_sketch_build(&s->rows[i].time, ns, count, arena);
        if (random_below(2))
            continue;
        s->rows[i].by_step_ns = tp_arena_array(arena, s->step_count, sizeof(int64_t));
        s->rows[i].by_step_count = tp_arena_array(arena, s->step_count, sizeof(int64_t));
        for (uint32_t k = 0; k < s->step_count; k++) {
            s->rows[i].by_step_ns[k] = (int64_t)random_below(100000);
            s->rows[i].by_step_count[k] = (int64_t)random_below(100);
        }
    }
}

static void add_random_lists(struct tp_summary *s, struct tp_arena *arena)
{
    s->collective_count = (uint32_t)random_below(5);
    s->collectives = tp_arena_array(arena, s->collective_count, sizeof *s->collectives);
    for (uint32_t i = 0; i < s->collective_count; i++)
        s->collectives[i] =
            (struct tp_summary_collective){make_random_text(arena),
                                           make_random_text(arena),
                                           make_random_text(arena),
                                           make_random_integer(),
                                           make_random_integer(),
                                           make_random_integer(),
                                           make_random_integer(),
                                           make_random_integer(),
                                           s->step_count ? (uint32_t)random_below(s->step_count) : TP_NO_ID};
    s->finding_count = (uint32_t)random_below(4);
    s->findings = tp_arena_array(arena, s->finding_count, sizeof *s->findings);
    for (uint32_t i = 0; i < s->finding_count; i++)
        s->findings[i] = (struct tp_summary_finding){
            make_random_text(arena), make_random_text(arena), (uint8_t)random_below(4), (uint8_t)random_below(3),
            make_random_real(),      make_random_integer(),   make_random_text(arena),  make_random_text(arena)};
    s->memory_count = (uint32_t)random_below(3);
    s->memory = tp_arena_array(arena, s->memory_count, sizeof *s->memory);
    for (uint32_t i = 0; i < s->memory_count; i++) {
        struct tp_summary_memory *m = &s->memory[i];
        *m = (struct tp_summary_memory){
            make_random_text(arena),  make_random_integer(), make_random_integer(), make_random_real(), NULL,
            (uint32_t)random_below(4)};
        m->owners = tp_arena_array(arena, m->owner_count, sizeof *m->owners);
        for (uint32_t o = 0; o < m->owner_count; o++)
            m->owners[o] =
                (struct tp_summary_owner){(enum tp_summary_owner_kind)random_below(3), make_random_text(arena),
                                          make_random_integer(), make_random_integer()};
    }
    s->flag_count = (uint32_t)random_below(4);
    s->flags = tp_arena_array(arena, s->flag_count, sizeof *s->flags);
    for (uint32_t i = 0; i < s->flag_count; i++)
        s->flags[i] = (struct tp_summary_flag){make_random_text(arena), make_random_integer()};
}

static void add_random_slots(struct tp_summary *s, struct tp_arena *arena)
{
    struct tp_step_slots *slots = &s->slots;
    slots->host = make_random_text(arena);
    slots->group_count = (uint32_t)random_below(4);
    slots->groups = tp_arena_array(arena, slots->group_count, sizeof *slots->groups);
    for (uint32_t g = 0; g < slots->group_count; g++) {
        slots->groups[g] =
            (struct tp_slot_group){make_random_text(arena),   make_random_text(arena),
                                   make_random_integer(),     NULL,
                                   (uint32_t)random_below(3), (enum tp_group_kind)random_below(TP_GROUP_KINDS)};
        slots->groups[g].runs = tp_arena_array(arena, slots->groups[g].run_count, sizeof *slots->groups[g].runs);
        for (uint32_t i = 0; i < slots->groups[g].run_count; i++)
            slots->groups[g].runs[i] = (struct tp_rank_stride){
                (int64_t)random_below(1000), 1 + (int64_t)random_below(64), 1 + (int64_t)random_below(64)};
    }
    slots->slot_count = (uint32_t)random_below(5);
    slots->step_count = (uint32_t)random_below((uint64_t)s->step_count + 1);
    slots->slots = tp_arena_array(arena, slots->slot_count, sizeof *slots->slots);
    slots->steps = tp_arena_array(arena, slots->step_count, sizeof *slots->steps);
    for (uint32_t k = 0; k < slots->slot_count; k++)
        slots->slots[k] = (struct tp_slot){
            slots->group_count && random_below(3) ? (uint32_t)random_below(slots->group_count) : TP_NO_ID,
            (uint32_t)random_below(9),
            k + 1 < slots->slot_count ? 1 + (uint32_t)random_below(slots->slot_count - 1 - k) : 1,
            (uint32_t)random_below(TP_SLOT_WHOLE + 1),
            random_below(2) != 0,
            (int64_t)random_below(3) << 30};
    for (uint32_t i = 0; i < slots->step_count; i++)
        slots->steps[i] = s->step_count - slots->step_count + i;
    for (unsigned p = 0; p < TP_SLOT_PARTS; p++) {
        slots->us[p] = tp_arena_array(arena, (size_t)slots->slot_count * slots->step_count, sizeof(int64_t));
        for (size_t i = 0; i < (size_t)slots->slot_count * slots->step_count; i++)
            slots->us[p][i] = (int64_t)random_below(UINT64_C(1) << random_below(31));
    }
}

static struct tp_summary make_random_summary(struct tp_arena *arena)
{
    struct tp_summary s = {.key = {make_random_text(arena), random_below(3) ? (int64_t)random_below(6) : TP_NULL_INT,
                                   make_random_integer(), make_random_text(arena),
                                   random_below(2) ? (int64_t)random_below(3) : TP_NULL_INT},
                           .file = make_random_text(arena),
                           .sha256 = make_random_text(arena),
                           .program = make_random_text(arena),
                           .event_count = (int64_t)random_below(5),
                           .start_ns = make_random_integer(),
                           .kernel_fingerprint = random_below(UINT64_MAX)};
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++) {
        s.metrics[i].value = make_random_real();
        s.metrics[i].why = isnan(s.metrics[i].value) ? "nobody knows" : NULL;
    }
    s.fact_count = (uint32_t)random_below(4);
    s.facts = tp_arena_array(arena, s.fact_count, sizeof *s.facts);
    for (uint32_t i = 0; i < s.fact_count; i++)
        s.facts[i] = (struct tp_summary_fact){make_random_text(arena), make_random_text(arena)};
    s.step_count = (uint32_t)random_below(6);
    s.steps = tp_arena_array(arena, s.step_count, sizeof *s.steps);
    for (uint32_t i = 0; i < s.step_count; i++) {
        s.steps[i] = (struct tp_summary_step){
            .name = make_random_text(arena), .start_ns = make_random_integer(), .total_ns = make_random_integer()};
        s.steps[i].is_left_out = random_below(3) == 0;
        for (unsigned p = 0; p < TP_PART_COUNT; p++)
            s.steps[i].part_ns[p] = p % 3 ? make_random_integer() : TP_NULL_INT;
    }
    s.range_count = (uint32_t)random_below(4);
    s.ranges = tp_arena_array(arena, s.range_count, sizeof *s.ranges);
    for (uint32_t i = 0; i < s.range_count; i++)
        s.ranges[i] = (struct tp_summary_range){make_random_text(arena), random_below(2), make_random_integer(),
                                                i % 2 ? TP_NULL_INT : make_random_integer()};
    add_random_rows(&s, arena);
    add_random_lists(&s, arena);
    add_random_slots(&s, arena);
    return s;
}

/* ---- setup and data of all tests ---- */

static struct tp_arena arena;

static int enter_folder(void **state)
{
    (void)state;
    seed = 1;
    tp_arena_init(&arena, 0);
    return 0;
}

static int leave_folder(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

static struct tp_str write_file(const struct tp_summary_set *set)
{
    struct tp_buf out;
    tp_buf_init(&out, 0);
    assert_int_equal(tp_summary_set_write(set, &out, NULL), 0);
    struct tp_str text = {tp_arena_copy(&arena, out.data, out.size), out.size};
    tp_buf_release(&out);
    return text;
}

/* Returns the bytes of a file with `count` random processes. Some keys occur more than once. */
static struct tp_str make_random_file(size_t count)
{
    struct tp_summary_set set;
    tp_summary_set_init(&set, &arena);
    for (size_t i = 0; i < count; i++) {
        struct tp_summary s = make_random_summary(&arena);
        assert_int_equal(tp_summary_set_add(&set, &s, NULL), 0);
    }
    return write_file(&set);
}

static struct tp_str merge_files(struct tp_str a, struct tp_str b)
{
    struct tp_summary_set set;
    tp_summary_set_init(&set, &arena);
    assert_int_equal(tp_summary_set_read(&set, a.ptr, a.len, NULL), 0);
    assert_int_equal(tp_summary_set_read(&set, b.ptr, b.len, NULL), 0);
    for (size_t i = 1; i < set.count; i++)
        assert_true(tp_summary_key_compare(&set.records[i - 1].key, &set.records[i].key) < 0);
    return write_file(&set);
}

static void assert_equal_bytes(struct tp_str a, struct tp_str b)
{
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.ptr, b.ptr, a.len);
}

#define ASSERT_TEXT(a, b) assert_true(tp_str_equal(a, b))

static void assert_real(double a, double b)
{
    assert_true(isnan(a) ? isnan(b) : a == b);
}

/* ---- packing and unpacking ---- */

static void assert_equal_rows(const struct tp_summary *a, const struct tp_summary *b)
{
    assert_int_equal(a->row_count, b->row_count);
    for (uint32_t i = 0; i < a->row_count; i++) {
        const struct tp_summary_row *x = &a->rows[i], *y = &b->rows[i];
        assert_int_equal(x->kind, y->kind);
        ASSERT_TEXT(x->name, y->name);
        ASSERT_TEXT(x->owner, y->owner);
        ASSERT_TEXT(x->shape, y->shape);
        ASSERT_TEXT(x->dtype, y->dtype);
        assert_int_equal(x->bytes, y->bytes);
        assert_int_equal(x->time.count, y->time.count);
        assert_int_equal(x->time.sum_ns, y->time.sum_ns);
        assert_int_equal(x->time.min_ns, y->time.min_ns);
        assert_int_equal(x->time.max_ns, y->time.max_ns);
        assert_int_equal(x->time.bucket_count, y->time.bucket_count);
        for (uint32_t k = 0; k < x->time.bucket_count; k++) {
            assert_int_equal(x->time.buckets[k].bucket, y->time.buckets[k].bucket);
            assert_int_equal(x->time.buckets[k].count, y->time.buckets[k].count);
        }
        if (x->time.count > 1) /* the file stores this value as a float */
            assert_true(fabs(tp_sketch_deviation(&x->time) - tp_sketch_deviation(&y->time)) <=
                        1e-5 * tp_sketch_deviation(&x->time) + 1e-6 * tp_sketch_mean(&x->time));
        assert_int_equal(x->by_step_ns != NULL, y->by_step_ns != NULL);
        for (uint32_t k = 0; k < a->step_count && x->by_step_ns; k++) {
            assert_int_equal(x->by_step_ns[k], y->by_step_ns[k]);
            assert_int_equal(x->by_step_count[k], y->by_step_count[k]);
        }
    }
}

static void assert_equal_lists(const struct tp_summary *a, const struct tp_summary *b)
{
    assert_int_equal(a->collective_count, b->collective_count);
    for (uint32_t i = 0; i < a->collective_count; i++) {
        const struct tp_summary_collective *x = &a->collectives[i], *y = &b->collectives[i];
        ASSERT_TEXT(x->name, y->name);
        ASSERT_TEXT(x->group, y->group);
        ASSERT_TEXT(x->dtype, y->dtype);
        assert_int_equal(x->sequence, y->sequence);
        assert_int_equal(x->bytes, y->bytes);
        assert_int_equal(x->group_size, y->group_size);
        assert_int_equal(x->arrival_ns, y->arrival_ns);
        assert_int_equal(x->duration_ns, y->duration_ns);
        assert_int_equal(x->step, y->step);
    }
    assert_int_equal(a->finding_count, b->finding_count);
    for (uint32_t i = 0; i < a->finding_count; i++) {
        const struct tp_summary_finding *x = &a->findings[i], *y = &b->findings[i];
        ASSERT_TEXT(x->rule, y->rule);
        ASSERT_TEXT(x->title, y->title);
        assert_int_equal(x->severity, y->severity);
        assert_int_equal(x->confidence, y->confidence);
        assert_real(x->ceiling_us_per_step, y->ceiling_us_per_step);
        assert_int_equal(x->occurrences, y->occurrences);
        ASSERT_TEXT(x->file_line, y->file_line);
        ASSERT_TEXT(x->detail, y->detail);
    }
    assert_int_equal(a->memory_count, b->memory_count);
    for (uint32_t i = 0; i < a->memory_count; i++) {
        const struct tp_summary_memory *x = &a->memory[i], *y = &b->memory[i];
        ASSERT_TEXT(x->device, y->device);
        assert_int_equal(x->peak_allocated_bytes, y->peak_allocated_bytes);
        assert_int_equal(x->peak_reserved_bytes, y->peak_reserved_bytes);
        assert_real(x->creep_bytes_per_step, y->creep_bytes_per_step);
        assert_int_equal(x->owner_count, y->owner_count);
        for (uint32_t o = 0; o < x->owner_count; o++) {
            assert_int_equal(x->owners[o].kind, y->owners[o].kind);
            ASSERT_TEXT(x->owners[o].name, y->owners[o].name);
            assert_int_equal(x->owners[o].bytes, y->owners[o].bytes);
            assert_int_equal(x->owners[o].blocks, y->owners[o].blocks);
        }
    }
    assert_int_equal(a->flag_count, b->flag_count);
    for (uint32_t i = 0; i < a->flag_count; i++) {
        ASSERT_TEXT(a->flags[i].name, b->flags[i].name);
        assert_int_equal(a->flags[i].count, b->flags[i].count);
    }
}

static void assert_equal_slots(const struct tp_step_slots *a, const struct tp_step_slots *b)
{
    ASSERT_TEXT(a->host, b->host);
    assert_int_equal(a->group_count, b->group_count);
    for (uint32_t g = 0; g < a->group_count; g++) {
        const struct tp_slot_group *x = &a->groups[g], *y = &b->groups[g];
        ASSERT_TEXT(x->name, y->name);
        ASSERT_TEXT(x->description, y->description);
        assert_int_equal(x->size, y->size);
        assert_int_equal(x->run_count, y->run_count);
        assert_int_equal(x->kind, y->kind);
        for (uint32_t i = 0; i < x->run_count; i++)
            assert_memory_equal(&x->runs[i], &y->runs[i], sizeof x->runs[i]);
    }
    assert_int_equal(a->slot_count, b->slot_count);
    assert_int_equal(a->step_count, b->step_count);
    for (uint32_t k = 0; k < a->slot_count; k++) {
        assert_int_equal(a->slots[k].group, b->slots[k].group);
        assert_int_equal(a->slots[k].calls, b->slots[k].calls);
        assert_int_equal(a->slots[k].waits, b->slots[k].waits);
        assert_int_equal(a->slots[k].before, b->slots[k].before);
        assert_int_equal(a->slots[k].is_seen, b->slots[k].is_seen);
        assert_int_equal(a->slots[k].moved_bytes, b->slots[k].moved_bytes);
    }
    for (uint32_t s = 0; s < a->step_count; s++)
        assert_int_equal(a->steps[s], b->steps[s]);
    for (unsigned p = 0; p < TP_SLOT_PARTS; p++)
        for (size_t i = 0; i < (size_t)a->slot_count * a->step_count; i++)
            assert_int_equal(a->us[p][i], b->us[p][i]);
}

static void assert_equal_head(const struct tp_summary *a, const struct tp_summary *b)
{
    assert_int_equal(tp_summary_key_compare(&a->key, &b->key), 0);
    assert_int_equal(a->key.world_size, b->key.world_size);
    ASSERT_TEXT(a->key.worker, b->key.worker);
    ASSERT_TEXT(a->file, b->file);
    ASSERT_TEXT(a->sha256, b->sha256);
    ASSERT_TEXT(a->program, b->program);
    assert_int_equal(a->event_count, b->event_count);
    assert_int_equal(a->start_ns, b->start_ns);
    assert_true(a->kernel_fingerprint == b->kernel_fingerprint);
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++) {
        assert_real(a->metrics[i].value, b->metrics[i].value);
        bool has_reason = b->metrics[i].why || b->metrics[i].reason == TP_REASON_NOT_STORED;
        assert_true((a->metrics[i].why != NULL) == has_reason);
    }
    assert_int_equal(a->fact_count, b->fact_count);
    for (uint32_t i = 0; i < a->fact_count; i++) {
        ASSERT_TEXT(a->facts[i].name, b->facts[i].name);
        ASSERT_TEXT(a->facts[i].value, b->facts[i].value);
    }
    assert_int_equal(a->range_count, b->range_count);
    for (uint32_t i = 0; i < a->range_count; i++) {
        ASSERT_TEXT(a->ranges[i].name, b->ranges[i].name);
        assert_int_equal(a->ranges[i].is_module, b->ranges[i].is_module);
        assert_int_equal(a->ranges[i].device_ns, b->ranges[i].device_ns);
        assert_int_equal(a->ranges[i].host_ns, b->ranges[i].host_ns);
    }
    assert_int_equal(a->step_count, b->step_count);
    for (uint32_t i = 0; i < a->step_count; i++) {
        ASSERT_TEXT(a->steps[i].name, b->steps[i].name);
        assert_int_equal(a->steps[i].start_ns, b->steps[i].start_ns);
        assert_int_equal(a->steps[i].total_ns, b->steps[i].total_ns);
        assert_int_equal(a->steps[i].is_left_out, b->steps[i].is_left_out);
        for (unsigned p = 0; p < TP_PART_COUNT; p++)
            assert_int_equal(a->steps[i].part_ns[p], b->steps[i].part_ns[p]);
    }
}

static void packed_file_is_read_back_unchanged(void **state)
{
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 300; round++) {
        struct tp_summary before = make_random_summary(&arena), after;
        struct tp_summary_set set, read;
        tp_summary_set_init(&set, &arena);
        tp_summary_set_init(&read, &arena);
        assert_int_equal(tp_summary_set_add(&set, &before, NULL), 0);
        struct tp_str file = write_file(&set);
        assert_true(tp_summary_is_file(file.ptr, 5));
        assert_int_equal(tp_summary_set_read(&read, file.ptr, file.len, NULL), 0);
        assert_int_equal(read.count, 1);
        assert_int_equal(tp_summary_unpack(&after, &read.records[0], &arena, NULL), 0);
        assert_equal_head(&before, &after);
        assert_equal_rows(&before, &after);
        assert_equal_slots(&before.slots, &after.slots);
        assert_equal_lists(&before, &after);
    }
}

/* ---- properties of merging ---- */

static void merge_is_associative_commutative_idempotent(void **state)
{
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 60; round++) {
        struct tp_str a = make_random_file(random_below(12)), b = make_random_file(random_below(12)),
                      c = make_random_file(1);
        assert_equal_bytes(merge_files(a, b), merge_files(b, a));
        assert_equal_bytes(merge_files(merge_files(a, b), c), merge_files(a, merge_files(b, c)));
        assert_equal_bytes(merge_files(a, a), a);
        assert_equal_bytes(merge_files(merge_files(a, b), b), merge_files(a, b));
    }
}

static void merge_keeps_the_record_with_more_events(void **state)
{
    struct tp_summary_set set;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    struct tp_summary s = make_random_summary(&arena);
    tp_summary_set_init(&set, &arena);
    for (int events = 3; events < 6; events++) {
        s.event_count = events % 5;
        assert_int_equal(tp_summary_set_add(&set, &s, NULL), 0);
    }
    assert_int_equal(set.count, 1);
    assert_int_equal(set.records[0].event_count, 4);
    assert_int_equal(set.other_count, 2);
    s.event_count = 4;
    assert_int_equal(tp_summary_set_add(&set, &s, NULL), 0);
    assert_int_equal(set.repeated_record_count, 1);
}

static void keys_distinguish_processes(void **state)
{
    const struct tp_summary_key keys[] = {
        {TP_STR(""), 0, 8, TP_STR("x"), TP_NULL_INT},
        {TP_STR(""), 1, 8, TP_STR("x"), 1},
        {TP_STR(""), 1, 8, TP_STR("x"), 2},
        {TP_STR(""), 1, 8, TP_STR("x"), TP_NULL_INT},
        {TP_STR(""), TP_NULL_INT, 8, TP_STR("w10"), 1},
        {TP_STR(""), TP_NULL_INT, 8, TP_STR("w9"), 1},
        {TP_STR("job"), 0, 8, TP_STR("x"), TP_NULL_INT},
    };
    const struct tp_summary_key other_worker = {TP_STR(""), 0, 4, TP_STR("y"), TP_NULL_INT};
    (void)state;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 7; k++)
            assert_int_equal(tp_summary_key_compare(&keys[i], &keys[k]), (i > k) - (i < k));
    /* a process with a rank is identified by the rank, not by the worker */
    assert_int_equal(tp_summary_key_compare(&keys[0], &other_worker), 0);
}

/* ---- versions ---- */

static void newer_major_version_is_refused(void **state)
{
    struct tp_summary_set set;
    struct tp_error err = {0};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    struct tp_str file = make_random_file(2);
    char *bytes = tp_arena_copy(&arena, file.ptr, file.len);
    assert_int_equal(bytes[5], 2 << 3); /* changes the field `major` */
    bytes[6] = 2;
    tp_summary_set_init(&set, &arena);
    assert_int_equal(tp_summary_set_read(&set, bytes, file.len, &err), TP_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "the summary has format 2"));
    assert_int_equal(set.count, 0);
}

/* Adds fields that a newer minor version might have to an entry and to its process. */
static struct tp_str make_newer_entry(struct tp_str entry)
{
    uint8_t data[] = {5, 1, 2, 3, 4, 5};
    ProtobufCMessageUnknownField field = {999, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, sizeof data, data};
    Tp__SummaryEntry *e = tp__summary_entry__unpack(NULL, entry.len, (const uint8_t *)entry.ptr);
    assert_non_null(e);
    e->base.unknown_fields = &field;
    e->base.n_unknown_fields = 1;
    size_t size = tp__summary_entry__get_packed_size(e);
    uint8_t *bytes = tp_arena_alloc(&arena, size);
    tp__summary_entry__pack(e, bytes);
    e->base.unknown_fields = NULL;
    e->base.n_unknown_fields = 0;
    tp__summary_entry__free_unpacked(e, NULL);
    return (struct tp_str){(const char *)bytes, size};
}

static void unknown_fields_survive_a_merge(void **state)
{
    struct tp_summary_set set, read;
    struct tp_summary s = {.key = {TP_STR("job"), 3, 4, TP_STR("w"), 1}}, after;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    tp_summary_set_init(&set, &arena);
    set.minor = TP_SUMMARY_MINOR + 1;
    assert_int_equal(tp_summary_set_add(&set, &s, NULL), 0);
    set.records[0].bytes = make_newer_entry(set.records[0].bytes);
    struct tp_str newer = write_file(&set), merged = merge_files(make_random_file(5), newer);
    tp_summary_set_init(&read, &arena);
    assert_int_equal(tp_summary_set_read(&read, merged.ptr, merged.len, NULL), 0);
    assert_int_equal(read.minor, TP_SUMMARY_MINOR + 1);
    size_t found = 0;
    for (size_t i = 0; i < read.count; i++)
        if (tp_summary_key_compare(&read.records[i].key, &s.key) == 0) {
            found++;
            assert_equal_bytes(read.records[i].bytes, set.records[0].bytes);
            assert_int_equal(tp_summary_unpack(&after, &read.records[i], &arena, NULL), 0);
        }
    assert_int_equal(found, 1);
}

/* ---- damage ---- */

static void damage_is_found_at_any_byte(void **state)
{
    struct tp_summary_set set;
    (void)state;
    if (setjmp(arena.guard))
        fail();
    struct tp_str file = make_random_file(3);
    char *bytes = tp_arena_copy(&arena, file.ptr, file.len);
    tp_summary_set_init(&set, &arena);
    for (size_t at = 0; at < file.len; at++) {
        bytes[at] ^= (char)(1 << random_below(8));
        struct tp_error err = {0};
        int code = tp_summary_set_read(&set, bytes, file.len, &err);
        bool is_minor = at == 8; /* a change of the minor version is not damage */
        assert_true(code < 0 ? err.text[0] != '\0' && set.count == 0 : is_minor);
        set.count = 0;
        bytes[at] = file.ptr[at];
    }
    for (size_t size = 0; size < file.len; size++) {
        assert_int_equal(tp_summary_set_read(&set, bytes, size, NULL), TP_EFORMAT);
        set.count = 0;
    }
}

static void impossible_metric_is_unknown(void **state)
{
    const double values[] = {INFINITY, -INFINITY, 1e300, -1e19, (double)INT64_MAX, -1.5};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        struct tp_summary_set set;
        struct tp_summary s = make_random_summary(&arena);
        s.metrics[0] = (struct tp_metric_value){.value = values[i]};
        tp_summary_set_init(&set, &arena);
        assert_int_equal(tp_summary_set_add(&set, &s, NULL), 0);
        assert_int_equal(tp_summary_unpack(&s, &set.records[0], &arena, NULL), 0);
        assert_real(s.metrics[0].value, i < 4 ? NAN : values[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(packed_file_is_read_back_unchanged, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(merge_is_associative_commutative_idempotent, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(merge_keeps_the_record_with_more_events, enter_folder, leave_folder),
        cmocka_unit_test(keys_distinguish_processes),
        cmocka_unit_test_setup_teardown(newer_major_version_is_refused, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(unknown_fields_survive_a_merge, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(damage_is_found_at_any_byte, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(impossible_metric_is_unknown, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
