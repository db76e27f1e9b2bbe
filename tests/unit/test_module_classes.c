/* Tests the classes of modules: equal layers are one row, and single wrappers are left out. */
#include "webreport/document/report/module_classes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct tp_arena arena;

static int set_up(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    return setjmp(arena.guard);
}

static int tear_down(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

struct module {
    const char *name;
    uint32_t parent; /* index in the list; TP_NO_ID for the top level */
    int64_t calls, device_ns, self_ns;
};

static struct tp_column_def defs[TP_MODULE_COLUMNS];

static void make_view(struct tp_module_view *view, const struct module *modules, size_t count)
{
    for (unsigned i = 0; i < TP_MODULE_COLUMNS; i++)
        defs[i] = (struct tp_column_def){"x", "X", "", "", i == TP_MODULE_NAME ? TP_COLUMN_TEXT : TP_COLUMN_NS};
    *view = (struct tp_module_view){.is_present = true, .parent = tp_arena_array(&arena, count, sizeof(uint32_t))};
    tp_table_init(&view->table, &arena, "modules", defs, TP_MODULE_COLUMNS, count);
    for (size_t i = 0; i < count; i++) {
        for (unsigned column = 1; column < TP_MODULE_COLUMNS; column++)
            tp_table_int(&view->table, column)[i] = TP_NULL_INT;
        tp_table_text(&view->table, TP_MODULE_NAME)[i] = tp_str_of(modules[i].name);
        tp_table_int(&view->table, TP_MODULE_OCCURRENCES)[i] = modules[i].calls;
        tp_table_int(&view->table, TP_MODULE_DEVICE_TOTAL)[i] = modules[i].device_ns;
        tp_table_int(&view->table, TP_MODULE_DEVICE_SELF)[i] = modules[i].self_ns;
        view->parent[i] = modules[i].parent;
    }
}

static void assert_row(const struct tp_module_classes *classes, size_t row, const char *name, uint32_t depth,
                       int64_t calls, int64_t device_ns)
{
    struct tp_str text = tp_table_text(&classes->rows, TP_CLASS_NAME)[row];
    assert_true(tp_str_equal(text, tp_str_of(name)));
    assert_int_equal(classes->depth[row], depth);
    assert_int_equal(tp_table_int(&classes->rows, TP_CLASS_CALLS)[row], calls);
    assert_int_equal(tp_table_int(&classes->rows, TP_CLASS_DEVICE)[row], device_ns);
}

static void equal_layers_are_one_row(void **state)
{
    static const struct module modules[] = {
        {"Model_0", TP_NO_ID, 1, 1000, 0}, {"Encoder_0", 0, 1, 990, 0},     {"Layer_0", 1, 2, 500, 0},
        {"Linear_0", 2, 2, 100, 100},      {"Attention_0", 2, 2, 400, 400}, {"Layer_1", 1, 2, 480, 0},
        {"Linear_1", 5, 2, 90, 90},        {"Attention_1", 5, 2, 390, 390}, {"Embedding_0", 0, 1, 10, 10},
    };
    struct tp_module_view view;
    struct tp_module_classes classes;

    (void)state;
    make_view(&view, modules, sizeof modules / sizeof *modules);
    tp_module_classes_build(&classes, &view, true, &arena);
    /* the model and the encoder are single modules that consist of the layers */
    assert_int_equal(classes.rows.row_count, 4);
    assert_row(&classes, 0, "2 \xc3\x97 Layer", 0, 4, 980);
    assert_row(&classes, 1, "2 \xc3\x97 Attention", 1, 4, 790);
    assert_row(&classes, 2, "2 \xc3\x97 Linear", 1, 4, 190);
    assert_row(&classes, 3, "Embedding", 0, 1, 10);
    assert_int_equal(classes.most_self, 1);
    assert_true(fabs(classes.self_percent - 79.8) < 0.05);
    assert_true(fabs(tp_table_real(&classes.rows, TP_CLASS_DEVICE_SHARE)[0] - 98) < 1e-9);
    assert_true(isnan(tp_table_real(&classes.rows, TP_CLASS_HOST_SHARE)[0]));
}

static void names_keep_digits_that_are_no_number_of_a_module(void **state)
{
    static const struct module modules[] = {{"Conv2d", TP_NO_ID, 1, 20, 20}, {"_7", TP_NO_ID, 1, 10, 10}};
    struct tp_module_view view;
    struct tp_module_classes classes;

    (void)state;
    make_view(&view, modules, sizeof modules / sizeof *modules);
    tp_module_classes_build(&classes, &view, true, &arena);
    assert_row(&classes, 0, "Conv2d", 0, 1, 20);
    assert_row(&classes, 1, "_7", 0, 1, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_layers_are_one_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_keep_digits_that_are_no_number_of_a_module, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("module_classes", tests, NULL, NULL);
}
