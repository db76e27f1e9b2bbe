/* Tests how records are written as JSON: each kind of field, rules for null, omitted members. */
#include "writer/base/fields.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct inner {
    uint32_t number;
    const char *text;
};

struct outer {
    int64_t integer, time_ns;
    uint64_t address;
    uint8_t word;
    bool flag;
    double real;
    struct tp_str str;
    struct inner inner, in_place[2];
    const struct inner *elsewhere;
    const int64_t *numbers;
    const char *texts[2];
    unsigned elsewhere_count, in_place_count, number_count, text_count;
    struct tp_table table;
};

#define I struct inner
static const struct tp_json_field inner_rows[] = {{"number", TP_PLAIN(I, number)}, {"text", TP_PLAIN(I, text)}};
static const struct tp_fields inner_fields = TP_FIELDS("inner", inner_rows);

static const char *value_word(unsigned value)
{
    return value == 2 ? "two" : NULL;
}

static struct tp_json_value double_integer(const struct tp_record *record)
{
    return tp_json_value_int(2 * ((const struct outer *)record->at)->integer);
}

static struct tp_json_value absent_value(const struct tp_record *record)
{
    (void)record;
    return tp_json_value_absent();
}

static size_t fill_with_dashes(const struct tp_record *record, char *room, size_t size)
{
    (void)record;
    memset(room, '-', size);
    return size;
}

static struct tp_json_value computed_dashes(const struct tp_record *record)
{
    return tp_json_value_computed_text(fill_with_dashes, 3, *record);
}

/* Returns the even numbers below 5, one per call. */
static bool next_even_number(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    static const char *const keys[] = {"a", "b", "c", "d", "e"};
    (void)record;
    if (*cursor == 5)
        return false;
    item->key = tp_str_of(keys[*cursor]);
    item->value = *cursor % 2 ? tp_json_value_absent() : tp_json_value_int((int64_t)*cursor);
    ++*cursor;
    return true;
}

static struct tp_buf out;
static struct tp_arena arena;

static void assert_fields(const struct tp_json_field *rows, unsigned count, const struct outer *record,
                          const char *expected)
{
    struct tp_json json;
    struct tp_fields fields = {.name = "outer", .items = rows, .count = count};
    tp_buf_clear(&out);
    tp_json_init(&json, &out);
    tp_fields_json(&fields, record, NULL, &json);
    tp_buf_putc(&out, '\0');
    assert_string_equal(out.data, expected);
}
#define EXPECT(rows, record, expected) assert_fields(rows, sizeof(rows) / sizeof *(rows), record, expected)

#define O struct outer
static void fields_scalars_are_written_by_their_type(void **state)
{
    static const struct tp_json_field rows[] = {
        {"integer", TP_PLAIN(O, integer)},
        {"time_us", TP_US(O, time_ns)},
        {"word", TP_WORD(O, word, value_word)},
        {"flag", TP_PLAIN(O, flag)},
        {"real", TP_PLAIN(O, real)},
        {"str", TP_PLAIN(O, str)},
        {"double", TP_COMPUTED(TP_AS_INT, double_integer)},
        {"dashes", TP_COMPUTED(TP_AS_TEXT, computed_dashes)},
    };
    struct outer o = {.integer = -3, .time_ns = 1500, .word = 2, .flag = true, .real = 2, .str = TP_STR("\"x")};
    (void)state;
    EXPECT(
        rows, &o,
        "{\"integer\":-3,\"time_us\":1.5,\"word\":\"two\",\"flag\":true,\"real\":2.0,\"str\":\"\\\"x\",\"double\":-6,"
        "\"dashes\":\"---\"}");
}

static void fields_unsigned_integers_are_never_negative(void **state)
{
    static const struct tp_json_field rows[] = {{"address", TP_PLAIN(O, address)}};
    (void)state;
    EXPECT(rows, &(struct outer){.address = 7}, "{\"address\":7}");
    EXPECT(rows, &(struct outer){.address = 0xFFFF800000000000}, "{\"address\":18446603336221196288}");
    EXPECT(rows, &(struct outer){.address = UINT64_MAX}, "{\"address\":18446744073709551615}");
}

static void fields_absent_values_are_null(void **state)
{
    static const struct tp_json_field rows[] = {
        {"integer", TP_PLAIN(O, integer)}, {"time_us", TP_US(O, time_ns)}, {"word", TP_WORD(O, word, value_word)},
        {"real", TP_PLAIN(O, real)},       {"str", TP_PLAIN(O, str)},      {"text", TP_PLAIN(O, inner.text)},
    };
    struct outer o = {.integer = TP_NULL_INT, .time_ns = TP_NULL_INT, .word = 1, .real = NAN};
    (void)state;
    EXPECT(rows, &o, "{\"integer\":null,\"time_us\":null,\"word\":null,\"real\":null,\"str\":null,\"text\":null}");
}

static void fields_flags_leave_out_or_write_null(void **state)
{
    static const struct tp_json_field rows[] = {
        {"a", TP_PLAIN(O, integer), TP_ONLY_IF(O, flag)},
        {"b", TP_PLAIN(O, integer), TP_NULL_UNLESS(O, flag)},
        {"c", TP_PLAIN(O, integer), TP_ONLY_IF(O, time_ns)},
        {"d", TP_COMPUTED(TP_AS_INT, absent_value)},
        {"e", TP_RECORD(O, inner, &inner_fields), TP_NULL_UNLESS(O, inner.number)},
    };
    struct outer o = {.integer = 1, .time_ns = 5};
    (void)state;
    EXPECT(rows, &o, "{\"b\":null,\"c\":1,\"e\":null}");
    o = (struct outer){.integer = 1, .flag = true, .inner = {7, "t"}};
    EXPECT(rows, &o, "{\"a\":1,\"b\":1,\"e\":{\"number\":7,\"text\":\"t\"}}");
}

static void fields_records_and_arrays_nest(void **state)
{
    static const struct tp_json_field rows[] = {
        {"here", TP_RECORDS(O, in_place, in_place_count, &inner_fields)},
        {"there", TP_RECORDS(O, elsewhere, elsewhere_count, &inner_fields)},
        {"numbers", TP_ARRAY(O, numbers, number_count)},
        {"texts", TP_ARRAY(O, texts, text_count)},
        {"list", TP_LIST(next_even_number, NULL)},
        {"map", TP_MAP(next_even_number, NULL)},
    };
    static const struct inner there[] = {{3, "c"}};
    static const int64_t numbers[] = {1, TP_NULL_INT};
    struct outer o = {.in_place = {{1, "a"}, {2, NULL}}, .in_place_count = 2, .elsewhere = there, .elsewhere_count = 1};
    o.numbers = numbers, o.number_count = 2, o.texts[0] = "x", o.text_count = 1;
    (void)state;
    EXPECT(rows, &o,
           "{\"here\":[{\"number\":1,\"text\":\"a\"},{\"number\":2,\"text\":null}],\"there\":[{\"number\":3,\"text\":"
           "\"c\"}],"
           "\"numbers\":[1,null],\"texts\":[\"x\"],\"list\":[0,2,4],\"map\":{\"a\":0,\"c\":2,\"e\":4}}");
}

static void fill_table(struct outer *o)
{
    static const struct tp_column_def defs[] = {{.name = "x", .type = TP_COLUMN_INT},
                                                {.name = "y", .type = TP_COLUMN_NS}};
    tp_table_init(&o->table, &arena, "t", defs, 2, 2);
    for (int row = 0; row < 2; row++)
        tp_table_int(&o->table, 0)[row] = row, tp_table_int(&o->table, 1)[row] = 1000 * row;
}

static int fill_arena(void *context, struct tp_error *err)
{
    (void)err;
    fill_table(context);
    return 0;
}

static void fields_tables_are_rows_cells_or_names(void **state)
{
    static const struct tp_json_field inside[] = {{NULL, TP_ROW(O, table, 1, 0)}};
    static const struct tp_fields inside_fields = TP_FIELDS("inside", inside);
    static const struct tp_json_field row[] = {{NULL, TP_ROW(O, table, 0, 1)}, {"inside", TP_PART(&inside_fields)}};
    static const struct tp_fields row_fields = TP_FIELDS("row", row);
    static const struct tp_json_field rows[] = {
        {"rows", TP_PLAIN(O, table)},
        {"cells", TP_CELLS(O, table)},
        {"names", TP_COLUMNS(O, table)},
        {"each", TP_EACH_ROW(O, table, &row_fields)},
    };
    struct outer o = {.integer = 0};
    struct tp_error err;
    (void)state;
    tp_arena_init(&arena, 0);
    assert_int_equal(tp_arena_run(&arena, fill_arena, &o, &err), 0);
    EXPECT(rows, &o,
           "{\"rows\":[{\"x\":0,\"y\":0},{\"x\":1,\"y\":1}],\"cells\":[[0,0],[1,1]],\"names\":[\"x\",\"y\"],"
           "\"each\":[{\"x\":0,\"inside\":{\"y\":0}},{\"x\":1,\"inside\":{\"y\":1}}]}");
    tp_arena_release(&arena);
}

static void fields_record_without_its_flag_is_null(void **state)
{
    static const struct tp_json_field row[] = {{"integer", TP_PLAIN(O, integer)}};
    static const struct tp_fields fields = {.name = "o", .items = row, .count = 1, .flag = 1 + TP_OFFSET(O, flag)};
    struct outer o = {.integer = 4};
    struct tp_json json;
    (void)state;
    tp_buf_clear(&out);
    tp_json_init(&json, &out);
    tp_json_array(&json);
    tp_fields_json(&fields, &o, NULL, &json);
    o.flag = true;
    tp_fields_json(&fields, &o, NULL, &json);
    tp_json_array_end(&json);
    tp_buf_putc(&out, '\0');
    assert_string_equal(out.data, "[null,{\"integer\":4}]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_scalars_are_written_by_their_type),
        cmocka_unit_test(fields_unsigned_integers_are_never_negative),
        cmocka_unit_test(fields_absent_values_are_null),
        cmocka_unit_test(fields_flags_leave_out_or_write_null),
        cmocka_unit_test(fields_records_and_arrays_nest),
        cmocka_unit_test(fields_tables_are_rows_cells_or_names),
        cmocka_unit_test(fields_record_without_its_flag_is_null),
    };
    tp_buf_init(&out, 0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tp_buf_release(&out);
    return failed;
}
