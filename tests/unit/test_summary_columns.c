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
    Tp__SummaryProcess message;
    struct tp_column_writer writer;
    struct tp_column_reader reader;
    tp_arena_work *work;
};

static uint64_t state_of_draw = 1;

static uint64_t random_number(void)
{
    state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
    return state_of_draw >> (state_of_draw >> 58);
}

static struct tp_column_reader *open_packed_list(struct trip *t)
{
    t->reader = (struct tp_column_reader){.from = &t->message,
                                          .arena = &t->arena,
                                          .scratch = &t->arena,
                                          .texts = t->writer.texts.items,
                                          .text_count = t->writer.texts.count};
    return &t->reader;
}

/* Reads the packed list and stores its length in *count. */
static void *read_packed_list(struct trip *t, const struct tp_column_list *list, uint32_t *count)
{
    return tp_columns_read(list, open_packed_list(t), count);
}

static int check_collectives(void *context, struct tp_error *err)
{
    static const struct tp_str names[] = {{"", 0}, {"a", 1}, {"all_reduce", 10}};
    struct trip *t = context;
    struct tp_summary_collective items[ITEMS];
    uint32_t count;
    (void)err;
    for (int i = 0; i < ITEMS; i++)
        items[i] = (struct tp_summary_collective){.name = names[random_number() % 3],
                                                  .group = names[random_number() % 3],
                                                  .dtype = names[random_number() % 3],
                                                  .sequence = (int64_t)random_number(),
                                                  .bytes = i % 7 ? (int64_t)random_number() : TP_NULL_INT,
                                                  .group_size = (int64_t)random_number(),
                                                  .arrival_ns = i % 5 ? (int64_t)random_number() : INT64_MIN,
                                                  .duration_ns = (int64_t)random_number(),
                                                  .step = i % 3 ? (uint32_t)i : TP_NO_ID};
    tp_columns_write(&tp_list_collectives, &t->writer, items, ITEMS);
    const struct tp_summary_collective *back = read_packed_list(t, &tp_list_collectives, &count);
    assert_int_equal(count, ITEMS);
    assert_false(t->reader.is_bad);
    for (int i = 0; i < ITEMS; i++) {
        assert_true(tp_str_equal(back[i].name, items[i].name) && tp_str_equal(back[i].group, items[i].group));
        assert_true(tp_str_equal(back[i].dtype, items[i].dtype) && back[i].step == items[i].step);
        assert_true(back[i].sequence == items[i].sequence && back[i].arrival_ns == items[i].arrival_ns);
        assert_true(back[i].bytes == items[i].bytes && back[i].group_size == items[i].group_size);
        assert_true(back[i].duration_ns == items[i].duration_ns);
    }
    return 0;
}

static int check_findings(void *context, struct tp_error *err)
{
    struct trip *t = context;
    struct tp_summary_finding item = {
        .rule = TP_STR("A1"), .severity = 2, .confidence = 1, .ceiling_us_per_step = NAN, .occurrences = 3};
    uint32_t count;
    (void)err;
    tp_columns_write(&tp_list_findings, &t->writer, &item, 1);
    const struct tp_summary_finding *back = read_packed_list(t, &tp_list_findings, &count);
    assert_false(t->reader.is_bad);
    assert_true(count == 1 && back->severity == 2 && back->confidence == 1 && back->occurrences == 3);
    assert_true(tp_str_equal(back->rule, item.rule) && back->title.len == 0 && isnan(back->ceiling_us_per_step));
    t->message.finding_severity[0] = 200;
    read_packed_list(t, &tp_list_findings, &count);
    assert_true(t->reader.is_bad);
    t->message.finding_severity[0] = 2, t->message.finding_title[0] = 99;
    read_packed_list(t, &tp_list_findings, &count);
    assert_true(t->reader.is_bad);
    return 0;
}

static int check_amounts(void *context, struct tp_error *err)
{
    struct trip *t = context;
    struct tp_count_kept item = {.operator= TP_STR("op"), .blocks = 5, .bytes = INT64_MAX, .is_exact = true};
    uint32_t count;
    (void)err;
    tp_columns_write(&tp_list_kept, &t->writer, &item, 1);
    const struct tp_count_kept *back = read_packed_list(t, &tp_list_kept, &count);
    assert_true(!t->reader.is_bad && back->blocks == 5 && back->bytes == INT64_MAX && back->is_exact);
    t->message.kept_bytes[0] = (uint64_t)INT64_MAX + 1;
    read_packed_list(t, &tp_list_kept, &count);
    assert_true(t->reader.is_bad);
    assert_true(tp_process_has_equal_lengths(&t->message));
    assert_true(tp_process_exceeds_length(&t->message, 0) && !tp_process_exceeds_length(&t->message, 1));
    t->message.n_kept_bytes = 0;
    assert_false(tp_process_has_equal_lengths(&t->message));
    return 0;
}

/* Writes and reads groups with ranges of ranks. One list contains the ranges of all groups. */
static int check_groups(void *context, struct tp_error *err)
{
    struct trip *t = context;
    struct tp_rank_stride runs[] = {{0, 1, 4}, {8, 2, 2}, {5, 1, 1}};
    struct tp_slot_group items[] = {{.name = TP_STR("a"), .size = 6, .runs = runs, .run_count = 2},
                                    {.name = TP_STR("b"), .size = TP_NULL_INT},
                                    {.name = TP_STR("c"), .size = 1, .runs = runs + 2, .run_count = 1}};
    uint32_t count;
    (void)err;
    tp_columns_write(&tp_list_groups, &t->writer, items, 3);
    assert_int_equal(t->message.n_run_first, 3);
    const struct tp_slot_group *back = read_packed_list(t, &tp_list_groups, &count);
    assert_true(count == 3 && !t->reader.is_bad);
    assert_true(back[0].run_count == 2 && back[1].run_count == 0 && back[2].run_count == 1);
    assert_true(back[0].runs[1].first == 8 && back[0].runs[1].stride == 2 && back[0].runs[1].length == 2);
    assert_true(back[2].runs[0].first == 5 && tp_str_equal(back[2].name, items[2].name));
    t->message.group_runs[1] = 1; /* the groups need four ranges, but the list has three */
    read_packed_list(t, &tp_list_groups, &count);
    assert_true(t->reader.is_bad);
    t->message.group_runs[0] = 1, t->message.group_runs[1] = 0; /* the groups need two ranges, but the list has three */
    read_packed_list(t, &tp_list_groups, &count);
    assert_true(t->reader.is_bad);
    return 0;
}

static int check_optional_members(void *context, struct tp_error *err)
{
    struct trip *t = context;
    struct tp_slot items[] = {{.waits = 1, .is_seen = true}, {.waits = 1, .is_seen = true}};
    struct tp_slot back[] = {{.waits = 9, .before = 9}, {.waits = 9, .before = 9}};
    (void)err;
    tp_columns_write(&tp_list_slot_waits, &t->writer, items, 2);
    assert_int_equal(t->message.n_slot_waits, 0);
    tp_columns_fill(&tp_list_slot_waits, open_packed_list(t), back, 2);
    assert_true(!t->reader.is_bad && back[1].waits == 1 && back[1].before == 0 && back[1].is_seen);
    items[1] = (struct tp_slot){.waits = 2, .before = 300};
    tp_columns_write(&tp_list_slot_waits, &t->writer, items, 2);
    assert_int_equal(t->message.n_slot_waits, 2);
    tp_columns_fill(&tp_list_slot_waits, open_packed_list(t), back, 2);
    assert_true(!t->reader.is_bad && back[0].waits == 1 && back[1].waits == 2 && back[1].before == 300);
    assert_true(back[0].is_seen && !back[1].is_seen);
    tp_columns_fill(&tp_list_slot_waits, open_packed_list(t), back, 1); /* asks for one item, but the list has two */
    assert_true(t->reader.is_bad);
    return 0;
}

static int check_rising_indexes(void *context, struct tp_error *err)
{
    struct trip *t = context;
    uint32_t items[] = {0, 1, 7}, count;
    (void)err;
    tp_columns_write(&tp_list_left_out, &t->writer, items, 3);
    assert_int_equal(t->message.left_out_step[2], 6);
    const uint32_t *back = read_packed_list(t, &tp_list_left_out, &count);
    assert_true(!t->reader.is_bad && count == 3 && back[0] == 0 && back[1] == 1 && back[2] == 7);
    t->message.left_out_step[2] = 0; /* gives two items the same index */
    read_packed_list(t, &tp_list_left_out, &count);
    assert_true(t->reader.is_bad);
    t->message.left_out_step[2] = UINT32_MAX; /* makes the last index exceed 32 bits */
    read_packed_list(t, &tp_list_left_out, &count);
    assert_true(t->reader.is_bad);
    return 0;
}

static int check_records(void *context, struct tp_error *err)
{
    struct trip *t = context;
    struct tp_summary item = {.file = TP_STR("f"), .start_ns = -5, .kernel_fingerprint = UINT64_MAX};
    struct tp_summary back = {.start_ns = 0};
    (void)err;
    tp_columns_write(&tp_record_head, &t->writer, &item, 1);
    tp_columns_fill(&tp_record_head, open_packed_list(t), &back, 1);
    assert_true(!t->reader.is_bad && tp_str_equal(back.file, item.file) && back.verdict.len == 0);
    assert_true(back.start_ns == -5 && back.kernel_fingerprint == UINT64_MAX);
    t->message.headline = 2; /* refers to text 2, but the message has only one text */
    tp_columns_fill(&tp_record_head, open_packed_list(t), &back, 1);
    assert_true(t->reader.is_bad);
    return 0;
}

static int run_with_texts(void *context, struct tp_error *err)
{
    struct trip *t = context;
    t->writer = (struct tp_column_writer){.to = &t->message, .arena = &t->arena};
    tp_strings_init(&t->writer.texts, &t->arena, 0);
    return t->work(t, err);
}

static void run_in_arena(tp_arena_work *work)
{
    struct trip t = {.message = TP__SUMMARY_PROCESS__INIT, .work = work};
    struct tp_error err;
    tp_arena_init(&t.arena, 0);
    assert_int_equal(tp_arena_run(&t.arena, run_with_texts, &t, &err), 0);
    tp_arena_release(&t.arena);
}

static void summary_columns_collectives_are_unpacked_unchanged(void **state)
{
    (void)state;
    run_in_arena(check_collectives);
}

static void summary_columns_invalid_finding_texts_are_refused(void **state)
{
    (void)state;
    run_in_arena(check_findings);
}

static void summary_columns_amounts_and_lengths_are_checked(void **state)
{
    (void)state;
    run_in_arena(check_amounts);
}

static void summary_columns_parts_belong_to_their_structs(void **state)
{
    (void)state;
    run_in_arena(check_groups);
}

static void summary_columns_optional_list_is_absent_with_usual_values(void **state)
{
    (void)state;
    run_in_arena(check_optional_members);
}

static void summary_columns_rising_indexes_refuse_a_repeated_index(void **state)
{
    (void)state;
    run_in_arena(check_rising_indexes);
}

static void summary_columns_records_come_back_equal(void **state)
{
    (void)state;
    run_in_arena(check_records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary_columns_collectives_are_unpacked_unchanged),
        cmocka_unit_test(summary_columns_invalid_finding_texts_are_refused),
        cmocka_unit_test(summary_columns_amounts_and_lengths_are_checked),
        cmocka_unit_test(summary_columns_parts_belong_to_their_structs),
        cmocka_unit_test(summary_columns_optional_list_is_absent_with_usual_values),
        cmocka_unit_test(summary_columns_rising_indexes_refuse_a_repeated_index),
        cmocka_unit_test(summary_columns_records_come_back_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
