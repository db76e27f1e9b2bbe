/* Tests the direct reading of tables against SQLite: both must find the same rows, in the same order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "webreport/trace/inputs/sqlite/database.h"
#include "webreport/trace/inputs/sqlite/table_pages.h"
#include "writer/base/buf.h"

enum { COLUMNS = 3 };
static const char *const names[COLUMNS] = {"id", "number", "text"};

struct reading {
    struct tp_arena arena;
    struct tp_error err;
    struct tp_buf rows; /* the rows as text */
    char path[64];
};

/* Appends a row: its integers and texts, with "-" for other values. */
static int append_row(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct reading *r = context;
    (void)err;
    for (unsigned c = 0; c < COLUMNS; c++) {
        struct tp_str text = tp_database_text(row, c);
        int64_t number;
        if (text.ptr)
            tp_buf_add(&r->rows, text.ptr, text.len);
        else if (tp_database_int(row, c, &number))
            tp_buf_printf(&r->rows, "%lld", (long long)number);
        else
            tp_buf_puts(&r->rows, "-");
        tp_buf_putc(&r->rows, c + 1 < COLUMNS ? '|' : '\n');
    }
    return TP_OK;
}

static int scan(void *context, struct tp_error *err)
{
    struct reading *r = context;
    const struct tp_database_shape shape = {"t", names, 7};
    struct tp_database *db;
    (void)err;
    int code = tp_database_open(&db, r->path, &r->arena, &r->err);
    if (code == TP_OK)
        code = tp_database_scan(db, &shape, append_row, r, &r->err);
    tp_database_close(db);
    return code;
}

static void make(struct reading *r, sqlite3 **db, const char *script)
{
    snprintf(r->path, sizeof r->path, "/tmp/tracepress-test-XXXXXX");
    close(mkstemp(r->path));
    assert_int_equal(sqlite3_open(r->path, db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(*db, script, NULL, NULL, NULL), SQLITE_OK);
    tp_arena_init(&r->arena, 0);
    tp_buf_init(&r->rows, 0);
}

static void release(struct reading *r)
{
    unlink(r->path);
    tp_buf_release(&r->rows);
    tp_arena_release(&r->arena);
}

/* Writes all rows that SQLite reads, in the form of append_row. */
static void write_expected(struct tp_buf *out, sqlite3 *db)
{
    sqlite3_stmt *rows;
    tp_buf_init(out, 0);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT id, number, text FROM t", -1, &rows, NULL), SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW)
        for (int c = 0; c < COLUMNS; c++) {
            int type = sqlite3_column_type(rows, c);
            if (type == SQLITE_NULL || type == SQLITE_BLOB)
                tp_buf_puts(out, "-");
            else
                tp_buf_puts(out, type == SQLITE_FLOAT ? (sqlite3_column_int64(rows, c) ? "1" : "0")
                                                      : (const char *)sqlite3_column_text(rows, c));
            tp_buf_putc(out, c + 1 < COLUMNS ? '|' : '\n');
        }
    sqlite3_finalize(rows);
}

/* Checks that a table has the rows that SQLite finds. is_direct: true if its pages must be read directly. */
static void check_rows(const char *script, bool is_direct)
{
    static struct reading r;
    struct tp_buf expected;
    struct tp_table_pages *pages;
    sqlite3 *db;
    sqlite3_stmt *root;
    make(&r, &db, script);
    write_expected(&expected, db);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_master WHERE name = 't'", -1, &root, NULL), 0);
    assert_int_equal(sqlite3_step(root), SQLITE_ROW);
    assert_int_equal(tp_table_pages_open(&pages, r.path, NULL), TP_OK);
    assert_int_equal(pages && tp_table_pages_can_read(pages, (uint32_t)sqlite3_column_int(root, 0)), is_direct);
    tp_table_pages_close(pages);
    sqlite3_finalize(root);
    sqlite3_close(db);
    assert_int_equal(tp_arena_run(&r.arena, scan, &r, NULL), TP_OK);
    assert_true(expected.size > 0);
    assert_int_equal(r.rows.size, expected.size);
    assert_memory_equal(r.rows.data, expected.data, expected.size);
    tp_buf_release(&expected);
    release(&r);
}

#define ROWS(count)                                                                                                    \
    "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < " #count ") INSERT INTO t "
#define TABLE "CREATE TABLE t (id INTEGER PRIMARY KEY, unused, number, text);"

static void values_of_all_types_equal(void **state)
{
    (void)state;
    check_rows(TABLE "INSERT INTO t VALUES (1, 0, 0, 'a'), (2, 0, 1, ''), (3, 0, -1, NULL), (-9, 0, 127, x'00'),"
                     "(5, 'unused', -128, '12'), (6, 0, 128, 'a'), (7, 0, -32769, 'a'), (8, 0, 8388608, 'a'),"
                     "(9, 0, -2147483649, 'a'), (1 << 40, 0, 1 << 47, 'a'), (11, 0, -(1 << 61), 'a'), (12, 0, 1.5, 7);",
               true);
}

static void large_tables_equal_in_each_page_size(void **state)
{
    char script[400];
    (void)state;
    for (int bytes = 512; bytes <= 65536; bytes *= 2) {
        snprintf(script, sizeof script,
                 "PRAGMA page_size=%d;" TABLE ROWS(30000) "SELECT n * 3, n, n * n, 'text ' || n FROM i;"
                                                          "DELETE FROM t WHERE id %% 7 = 0; UPDATE t SET text = "
                                                          "'another, longer text' WHERE id %% 11 = 0;",
                 bytes);
        check_rows(script, true);
    }
}

static void long_texts_equal(void **state)
{
    (void)state;
    check_rows(TABLE ROWS(300) "SELECT n, n, n, substr(hex(zeroblob(n * 90)), 1, n * 177) || n FROM i;", true);
    check_rows(
        "PRAGMA page_size=512;" TABLE ROWS(70) "SELECT n, hex(zeroblob(n * 50)), n, hex(zeroblob(n * 40)) FROM i;",
        true);
}

static void columns_that_rows_lack_equal(void **state)
{
    (void)state;
    check_rows("CREATE TABLE t (id INTEGER PRIMARY KEY, number); INSERT INTO t VALUES (1, 2);"
               "ALTER TABLE t ADD COLUMN text; INSERT INTO t VALUES (2, 3, 'new');",
               true);
    check_rows("CREATE TABLE t (id INTEGER PRIMARY KEY, number); INSERT INTO t VALUES (1, 2);"
               "ALTER TABLE t ADD COLUMN text DEFAULT 'usual'; INSERT INTO t VALUES (2, 3, 'new');",
               true);
    check_rows("CREATE TABLE t (id, more AS (number + 1), number, text);"
               "INSERT INTO t (id, number, text) VALUES (1, 2, 'a');",
               true);
}

static void other_tables_are_left_to_sqlite(void **state)
{
    (void)state;
    check_rows("CREATE TABLE t (id INTEGER PRIMARY KEY, number, text) WITHOUT ROWID; INSERT INTO t VALUES (1, 2, 'a');",
               false);
    check_rows("PRAGMA encoding='UTF-16';" TABLE "INSERT INTO t VALUES (1, 2, 3, 'text');", false);
}

/* ---- damage ---- */

/* Writes bytes into the root page of the table, scans the table, and returns the result. at: offset in the page. */
static int scan_damaged(struct reading *r, const char *script, long at, const void *bytes, size_t size)
{
    sqlite3 *db;
    make(r, &db, script);
    sqlite3_close(db);
    FILE *file = fopen(r->path, "r+b");
    assert_non_null(file);
    fseek(file, 512 + at, SEEK_SET);
    assert_int_equal(fwrite(bytes, size, 1, file), 1);
    fclose(file);
    return tp_arena_run(&r->arena, scan, r, NULL);
}

static void damage_ends_a_scan(void **state)
{
    static const struct {
        const char *bytes, *why;
        size_t size;
        long at; /* in the root page, which lists the leaves */
    } cases[] = {{"\0\0\0\2", "pages are used more than once", 4, 8},
                 {"\0\0\0\0", "a page is not in the file", 4, 8},
                 {"\x1\xFF", "a list of pages exceeds its page", 2, 12},
                 {"\xFF\xFF", "a list of pages exceeds its page", 2, 3}};
    static struct reading r;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *script = "PRAGMA page_size=512;" TABLE ROWS(100) "SELECT n, n, n, 'text' FROM i;";
        assert_int_equal(scan_damaged(&r, script, cases[i].at, cases[i].bytes, cases[i].size), TP_EFORMAT);
        assert_non_null(strstr(r.err.text, cases[i].why));
        release(&r);
    }
}

/* Rows that share their bytes would multiply the work. */
static void rows_cannot_share_bytes(void **state)
{
    static struct reading r;
    unsigned char head[8 + 2 * 200] = {13, 0, 0, 0, 200};
    (void)state;
    for (unsigned i = 0; i < 200; i++)
        memcpy(head + 8 + 2 * i, "\1\xF0", 2);
    assert_int_equal(
        scan_damaged(&r, "PRAGMA page_size=512;" TABLE "INSERT INTO t VALUES (1, 2, 3, 'text');", 0, head, sizeof head),
        TP_EFORMAT);
    assert_non_null(strstr(r.err.text, "damaged SQLite database (t: rows exceed their page)"));
    release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_types_equal),
        cmocka_unit_test(large_tables_equal_in_each_page_size),
        cmocka_unit_test(long_texts_equal),
        cmocka_unit_test(columns_that_rows_lack_equal),
        cmocka_unit_test(other_tables_are_left_to_sqlite),
        cmocka_unit_test(damage_ends_a_scan),
        cmocka_unit_test(rows_cannot_share_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
