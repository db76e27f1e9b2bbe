/* Tests the columns of lists in summaries. Packed lists are unpacked unchanged, and values that do not fit into the
 * struct are refused. */
#include "webreport/measure/summary/summary_columns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "writer/proto/summary.pb-c.h"

enum { ITEMS = 200 };

struct trip {
    struct tp_arena arena;
    struct tp_strings texts;
    Tp__SummaryProcess message;
    struct tp_unpack unpack;
    tp_arena_work *work;
};

static uint64_t state_of_draw = 1;

static uint64_t draw(void)
{
    state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
    return state_of_draw >> (state_of_draw >> 58);
}

/* Unpacks the packed list and stores its length in `count`. */
static void *read_back(struct trip *t, enum tp_list list, uint32_t *count)
{
    t->unpack = (struct tp_unpack){
        .from = &t->message, .arena = &t->arena, .texts = t->texts.items, .text_count = t->texts.count};
    return tp_columns_unpack(list, &t->unpack, count);
}

static int collectives(void *context, struct tp_error *err)
{
    static const struct tp_str names[] = {{"", 0}, {"a", 1}, {"all_reduce", 10}};
    struct trip *t = context;
    struct tp_summary_collective items[ITEMS];
    uint32_t count;
    (void)err;
    for (int i = 0; i < ITEMS; i++)
        items[i] = (struct tp_summary_collective){.name = names[draw() % 3],
                                                  .group = names[draw() % 3],
                                                  .dtype = names[draw() % 3],
                                                  .sequence = (int64_t)draw(),
                                                  .bytes = i % 7 ? (int64_t)draw() : TP_NULL_INT,
                                                  .group_size = (int64_t)draw(),
                                                  .arrival_ns = i % 5 ? (int64_t)draw() : INT64_MIN,
                                                  .duration_ns = (int64_t)draw(),
                                                  .step = i % 3 ? (uint32_t)i : TP_NO_ID};
    tp_columns_pack(TP_LIST_COLLECTIVES, &t->message, items, ITEMS, &t->texts, &t->arena);
    const struct tp_summary_collective *back = read_back(t, TP_LIST_COLLECTIVES, &count);
    assert_int_equal(count, ITEMS);
    assert_false(t->unpack.is_bad);
    for (int i = 0; i < ITEMS; i++) {
        assert_true(tp_str_equal(back[i].name, items[i].name) && tp_str_equal(back[i].group, items[i].group));
        assert_true(tp_str_equal(back[i].dtype, items[i].dtype) && back[i].step == items[i].step);
        assert_true(back[i].sequence == items[i].sequence && back[i].arrival_ns == items[i].arrival_ns);
        assert_true(back[i].bytes == items[i].bytes && back[i].group_size == items[i].group_size);
        assert_true(back[i].duration_ns == items[i].duration_ns);
    }
    return 0;
}

static int findings(void *context, struct tp_error *err)
{
    struct trip *t = context;
    struct tp_summary_finding item = {
        .rule = TP_STR("A1"), .severity = 2, .confidence = 1, .ceiling_us_per_step = NAN, .occurrences = 3};
    uint32_t count;
    (void)err;
    tp_columns_pack(TP_LIST_FINDINGS, &t->message, &item, 1, &t->texts, &t->arena);
    const struct tp_summary_finding *back = read_back(t, TP_LIST_FINDINGS, &count);
    assert_false(t->unpack.is_bad);
    assert_true(count == 1 && back->severity == 2 && back->confidence == 1 && back->occurrences == 3);
    assert_true(tp_str_equal(back->rule, item.rule) && back->title.len == 0 && isnan(back->ceiling_us_per_step));
    t->message.finding_severity[0] = 200;
    read_back(t, TP_LIST_FINDINGS, &count);
    assert_true(t->unpack.is_bad);
    t->message.finding_severity[0] = 2, t->message.finding_title[0] = 99;
    read_back(t, TP_LIST_FINDINGS, &count);
    assert_true(t->unpack.is_bad);
    return 0;
}

static int amounts(void *context, struct tp_error *err)
{
    struct trip *t = context;
    struct tp_count_kept item = {.operator= TP_STR("op"), .blocks = 5, .bytes = INT64_MAX, .is_exact = true};
    uint32_t count;
    (void)err;
    tp_columns_pack(TP_LIST_KEPT, &t->message, &item, 1, &t->texts, &t->arena);
    const struct tp_count_kept *back = read_back(t, TP_LIST_KEPT, &count);
    assert_true(!t->unpack.is_bad && back->blocks == 5 && back->bytes == INT64_MAX && back->is_exact);
    t->message.kept_bytes[0] = (uint64_t)INT64_MAX + 1;
    read_back(t, TP_LIST_KEPT, &count);
    assert_true(t->unpack.is_bad);
    assert_true(tp_columns_are_even(&t->message));
    assert_true(tp_columns_are_longer(&t->message, 0) && !tp_columns_are_longer(&t->message, 1));
    t->message.n_kept_bytes = 0;
    assert_false(tp_columns_are_even(&t->message));
    return 0;
}

static int with_texts(void *context, struct tp_error *err)
{
    struct trip *t = context;
    tp_strings_init(&t->texts, &t->arena, 0);
    return t->work(t, err);
}

static void run(tp_arena_work *work)
{
    struct trip t = {.message = TP__SUMMARY_PROCESS__INIT, .work = work};
    struct tp_error err;
    tp_arena_init(&t.arena, 0);
    assert_int_equal(tp_arena_run(&t.arena, with_texts, &t, &err), 0);
    tp_arena_release(&t.arena);
}

static void summary_columns_collectives_are_unpacked_unchanged(void **state)
{
    (void)state;
    run(collectives);
}

static void summary_columns_invalid_finding_texts_are_refused(void **state)
{
    (void)state;
    run(findings);
}

static void summary_columns_amounts_and_lengths_are_checked(void **state)
{
    (void)state;
    run(amounts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary_columns_collectives_are_unpacked_unchanged),
        cmocka_unit_test(summary_columns_invalid_finding_texts_are_refused),
        cmocka_unit_test(summary_columns_amounts_and_lengths_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
