/* Tests headers of .npy files, archives, and comparisons against values computed by hand. Damaged and hostile files are
 * refused. tests/oracle/check_precision.py compares random arrays with NumPy. */
#include "webreport/compare/tensors/precision.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char folder[] = "/tmp/test_precision.XXXXXX";

static const char *path_in_folder(const char *name)
{
    static char path[4][256];
    static int next;
    char *to = path[next++ % 4];
    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    return to;
}

/* Writes a .npy file of version 1.0 with this header (`dict`) and these elements. */
static void write_npy(const char *path, const char *dict, const void *data, size_t size)
{
    size_t length = strlen(dict) + 1;
    unsigned char head[10] = "\x93NUMPY\x01";
    head[8] = (unsigned char)(length & 255);
    head[9] = (unsigned char)(length >> 8);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(head, 1, sizeof head, file);
    fprintf(file, "%s\n", dict);
    fwrite(data, 1, size, file);
    assert_int_equal(fclose(file), 0);
}

static int parse_npy_header(struct tp_npy *npy, const char *dict)
{
    unsigned char bytes[4096] = "\x93NUMPY\x01";
    size_t length = strlen(dict);
    bytes[8] = (unsigned char)(length & 255);
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + 10, dict, length);
    return tp_npy_parse(npy, bytes, 10 + length, NULL);
}

static void headers_are_read_in_any_spelling(void **state)
{
    struct tp_npy npy;
    (void)state;
    assert_int_equal(parse_npy_header(&npy, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"), TP_OK);
    assert_int_equal(npy.type, TP_NPY_FLOAT32);
    assert_int_equal(npy.rank, 2);
    assert_int_equal(npy.count, 12);
    assert_false(npy.is_fortran || npy.is_big_endian);
    assert_int_equal(parse_npy_header(&npy, "{\"shape\":(3L,),\"fortran_order\":True,\"descr\":\">i8\"}  "), TP_OK);
    assert_true(npy.is_fortran && npy.is_big_endian);
    assert_int_equal(npy.type, TP_NPY_INT64);
    assert_int_equal(parse_npy_header(&npy, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }"), TP_OK);
    assert_int_equal(npy.count, 1);
    assert_int_equal(
        parse_npy_header(&npy, "{'descr': '<u2', 'fortran_order': False, 'shape': (5, 0, 9223372036854775807), }"),
        TP_OK);
    assert_int_equal(npy.count, 0);
}

static void invalid_headers_are_refused(void **state)
{
    static const struct {
        const char *dict;
        int code;
    } cases[] = {
        {"", TP_EFORMAT},
        {"{", TP_EFORMAT},
        {"{}", TP_EFORMAT},
        {"{'descr': '<f4', 'shape': (1,)}", TP_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}", TP_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", TP_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1", TP_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", TP_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 2)}", TP_ELIMIT},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", TP_EUNSUPPORTED},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", TP_EUNSUPPORTED},
        {"{'descr': [('a', '<f4', (2,)), ('b)', '|u1')], 'fortran_order': False, 'shape': (1,)}", TP_EUNSUPPORTED},
        {"{'descr': [[[[[", TP_EFORMAT},
    };
    struct tp_npy npy;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (parse_npy_header(&npy, cases[i].dict) != cases[i].code)
            fail_msg("%s: not %d", cases[i].dict, cases[i].code);
    assert_int_equal(tp_npy_parse(&npy, "\x93NUMPY\x01\0\xff\0{", 11, NULL), TP_ETRUNCATED);
    assert_int_equal(tp_npy_parse(&npy, "\x93NUMPY\x09\0\x01\0{", 11, NULL), TP_EUNSUPPORTED);
    assert_int_equal(tp_npy_parse(&npy, "NUMPY", 5, NULL), TP_EFORMAT);
}

static int compare_array_files(struct tp_difference *d, const char *base, const char *new,
                               struct tp_tolerance tolerance)
{
    struct tp_array_pair pair = {.base = {base, NULL}, .new = {new, NULL}};
    struct tp_npy heads[2];
    bool is_new;
    return tp_compare(d, heads, &pair, &tolerance, &is_new, NULL);
}

static void differences_equal_values_by_hand(void **state)
{
    static const double base[] = {3, 0, 4, NAN, INFINITY, 1}, new[] = {3, 0.5, 3, NAN, -INFINITY, NAN};
    const struct tp_tolerance tolerance = {0.25, 0.1};
    const char *dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }";
    struct tp_difference d;
    (void)state;
    write_npy(path_in_folder("a.npy"), dict, base, sizeof base);
    write_npy(path_in_folder("b.npy"), dict, new, sizeof new);
    assert_int_equal(compare_array_files(&d, path_in_folder("a.npy"), path_in_folder("b.npy"), tolerance), TP_OK);
    assert_int_equal(d.count, 6);
    assert_int_equal(d.finite_count, 3);
    /* mismatches: a difference of 0.5 above the limit 0.1, different infinities, and a NaN in only one array */
    assert_int_equal(d.mismatch_count, 3);
    assert_int_equal(d.first_mismatch, 1);
    assert_true(d.max_abs == 1 && d.worst == 2 && d.base_at_worst == 4 && d.new_at_worst == 3);
    assert_true(d.max_rel == 0.25);
    assert_true(fabs(d.rmse - sqrt(1.25 / 3)) < 1e-15);
    assert_true(fabs(d.cosine - 21 / (5 * sqrt(18.25))) < 1e-15);
    assert_int_equal(d.base_nan_count, 1);
    assert_int_equal(d.new_nan_count, 2);
    assert_int_equal(d.base_inf_count + d.new_inf_count, 2);
}

static void indexes_are_in_c_order_for_all_orders(void **state)
{
    /* The same 2 x 3 array in C order and Fortran order. Only element [1][0] differs. */
    static const float c[] = {0, 1, 2, 3, 4, 5}, fortran[] = {0, 9, 1, 4, 2, 5};
    const struct tp_tolerance tolerance = {0, 0};
    struct tp_difference d;
    (void)state;
    write_npy(path_in_folder("c.npy"), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", c, sizeof c);
    write_npy(path_in_folder("f.npy"), "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", fortran,
              sizeof fortran);
    assert_int_equal(compare_array_files(&d, path_in_folder("c.npy"), path_in_folder("f.npy"), tolerance), TP_OK);
    assert_int_equal(d.mismatch_count, 1);
    assert_int_equal(d.worst, 3);
    assert_int_equal(compare_array_files(&d, path_in_folder("f.npy"), path_in_folder("c.npy"), tolerance), TP_OK);
    assert_int_equal(d.worst, 3);
    static const float other[] = {0, 3, 1, 4, 2, 5};
    write_npy(path_in_folder("g.npy"), "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", other,
              sizeof other);
    assert_int_equal(compare_array_files(&d, path_in_folder("f.npy"), path_in_folder("g.npy"), tolerance), TP_OK);
    assert_int_equal(d.worst, 3);
    assert_int_equal(d.first_mismatch, 3);
}

static void wide_integers_and_huge_numbers_are_exact(void **state)
{
    static const int64_t base[] = {INT64_MAX, INT64_MIN}, new[] = {INT64_MAX - 1, INT64_MIN};
    static const double small[] = {3e-200, 4e-200}, huge[] = {3e300, 4e300};
    const struct tp_tolerance tolerance = {0, 0};
    struct tp_difference d;
    (void)state;
    write_npy(path_in_folder("i.npy"), "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", base, sizeof base);
    write_npy(path_in_folder("j.npy"), "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", new, sizeof new);
    assert_int_equal(compare_array_files(&d, path_in_folder("i.npy"), path_in_folder("j.npy"), tolerance), TP_OK);
    assert_int_equal(d.mismatch_count, 1);
    assert_true(d.max_abs == 1);
    write_npy(path_in_folder("s.npy"), "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", small,
              sizeof small);
    write_npy(path_in_folder("h.npy"), "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", huge, sizeof huge);
    assert_int_equal(compare_array_files(&d, path_in_folder("s.npy"), path_in_folder("h.npy"), tolerance), TP_OK);
    assert_true(fabs(d.cosine - 1) < 1e-15);
    assert_true(fabs(d.rmse / sqrt(12.5) - 1e300) < 1e287);
}

static void inconsistent_files_are_refused(void **state)
{
    static const float data[] = {1, 2};
    const struct tp_tolerance tolerance = {0, 0};
    struct tp_difference d;
    (void)state;
    write_npy(path_in_folder("short.npy"), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", data,
              sizeof data);
    write_npy(path_in_folder("vast.npy"), "{'descr': '<f4', 'fortran_order': True, 'shape': (1000000, 1000000), }",
              data, sizeof data);
    write_npy(path_in_folder("good.npy"), "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", data,
              sizeof data);
    assert_int_equal(compare_array_files(&d, path_in_folder("short.npy"), path_in_folder("good.npy"), tolerance),
                     TP_ETRUNCATED);
    assert_int_equal(compare_array_files(&d, path_in_folder("good.npy"), path_in_folder("vast.npy"), tolerance),
                     TP_ETRUNCATED);
    assert_int_equal(compare_array_files(&d, path_in_folder("good.npy"), "/dev/zero", tolerance), TP_EIO);
    assert_int_equal(compare_array_files(&d, path_in_folder("good.npy"), folder, tolerance), TP_EIO);
    assert_int_equal(mkfifo(path_in_folder("pipe.npy"), 0600), 0);
    assert_int_equal(compare_array_files(&d, path_in_folder("pipe.npy"), path_in_folder("good.npy"), tolerance),
                     TP_EIO);
}

static void steps_and_workers_are_read_from_the_path(void **state)
{
    static const float one = 1, two = 2;
    const char *dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }";
    const struct tp_inventory_options find = {0};
    const struct tp_precision_options how = {.tolerance = {NAN, NAN}, .limits = {NAN, NAN, NAN, NAN, 0}};
    struct tp_arena arena;
    (void)state;
    static const char *const folders[] = {"A", "A/h_1.tensors", "A/h_1.tensors/7",
                                          "B", "B/h_2.tensors", "B/h_2.tensors/7"};
    for (size_t i = 0; i < COUNT(folders); i++)
        assert_int_equal(mkdir(path_in_folder(folders[i]), 0700), 0);
    write_npy(path_in_folder("A/h_1.tensors/7/in%2Fx.npy"), dict, &one, sizeof one);
    write_npy(path_in_folder("B/h_2.tensors/7/in%2Fx.npy"), dict, &two, sizeof two);
    write_npy(path_in_folder("A/only.npy"), dict, &one, sizeof one);
    tp_arena_init(&arena, 0);
    assert_int_equal(setjmp(arena.guard), 0);
    struct tp_inventory base, new;
    struct tp_precision *p = tp_arena_alloc(&arena, sizeof *p);
    assert_int_equal(tp_inventory_find(&base, &arena, path_in_folder("A"), &find, NULL), TP_OK);
    assert_int_equal(tp_inventory_find(&new, &arena, path_in_folder("B"), &find, NULL), TP_OK);
    tp_precision_build(p, &base, &new, &how, &arena);
    assert_int_equal(p->table.row_count, 2);
    assert_int_equal(p->verdicts[TP_VERDICT_ONLY_BASE], 1);
    assert_int_equal(p->verdicts[TP_VERDICT_DIFFERS], 1);
    assert_true(tp_str_equal(tp_table_text(&p->table, TP_PRECISION_NAME)[1], TP_STR("in/x")));
    assert_int_equal(tp_table_int(&p->table, TP_PRECISION_STEP)[1], 7);
    tp_arena_release(&arena);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_read_in_any_spelling),
        cmocka_unit_test(invalid_headers_are_refused),
        cmocka_unit_test(differences_equal_values_by_hand),
        cmocka_unit_test(indexes_are_in_c_order_for_all_orders),
        cmocka_unit_test(wide_integers_and_huge_numbers_are_exact),
        cmocka_unit_test(inconsistent_files_are_refused),
        cmocka_unit_test(steps_and_workers_are_read_from_the_path),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
