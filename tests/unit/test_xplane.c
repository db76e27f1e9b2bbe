/* Tests the builder of XSpace messages. The generated reader must read back everything that was written, with any
 * texts. */
#include "writer/xplane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/base/limits.h"
#include "writer/proto/xplane.pb-c.h"

static char path[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(path, "/tmp/tracepress-xplane-XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int leave_folder(void **state)
{
    (void)state;
    return unlink(path);
}

static void init_arena(struct tp_arena *arena)
{
    tp_arena_init(arena, 0);
}

/* Packs the space and reads it back. */
static Tp__XSpace *pack_and_read_space(struct tp_xspace *space)
{
    static uint8_t bytes[1 << 20];
    struct tp_error err = {0};
    assert_int_equal(tp_xspace_write(space, path, &err), TP_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    Tp__XSpace *read = tp__xspace__unpack(NULL, size, bytes);
    assert_non_null(read);
    return read;
}

static void assert_text(ProtobufCBinaryData bytes, const char *want)
{
    assert_int_equal(bytes.len, strlen(want));
    assert_memory_equal(bytes.data, want, bytes.len);
}

static void xplane_written_data_is_read_back(void **state)
{
    struct tp_arena arena;
    (void)state;
    init_arena(&arena);
    if (setjmp(arena.guard))
        fail();
    struct tp_xspace *space = tp_xspace_new(&arena, TP_STR("worker0"), 0);
    struct tp_xplane *plane = tp_xspace_add_plane(space, 7, TP_STR("/host:CPU"));
    uint32_t name = tp_xplane_add_name(plane, TP_STR("a/b:b"), TP_STR("x::b"));
    uint32_t stat = tp_xplane_add_text(plane, TP_STR("n")), text = tp_xplane_add_text(plane, TP_STR("value"));
    const struct tp_xstat stats[] = {{.name = stat, .type = TP_XSTAT_INT, .integer = -5},
                                     {.name = stat, .type = TP_XSTAT_UINT, .number = UINT64_MAX},
                                     {.name = stat, .type = TP_XSTAT_REAL, .real = 0.5},
                                     {.name = stat, .type = TP_XSTAT_TEXT, .text = text}};
    assert_int_equal(tp_xplane_add_name(plane, TP_STR("a/b:b"), TP_STR("x::b")), name);
    assert_int_not_equal(tp_xplane_add_name(plane, TP_STR("a/b:b"), TP_STR("")), name);
    tp_xplane_add_stat(plane, &stats[0]);
    tp_xplane_begin_line(plane, 3, TP_STR("python"));
    tp_xplane_add_event(plane, &(struct tp_xevent){2, 3, name, 4, stats});
    tp_xplane_add_event(plane, &(struct tp_xevent){0, 0, name, 0, NULL});
    tp_xplane_begin_line(plane, 4, TP_STR("empty"));
    tp_xspace_add_plane(space, 8, TP_STR("second"));
    Tp__XSpace *read = pack_and_read_space(space);
    assert_int_equal(read->n_planes, 2);
    assert_text(read->hostnames[0], "worker0");
    const Tp__XPlane *p = read->planes[0];
    assert_int_equal(p->id, 7);
    assert_text(p->name, "/host:CPU");
    assert_int_equal(p->stats[0]->int64_value, -5);
    assert_int_equal(p->n_lines, 2);
    assert_text(p->lines[0]->name, "python");
    assert_int_equal(p->lines[1]->id, 4);
    const Tp__XEvent *e = p->lines[0]->events[0];
    assert_int_equal(e->offset_ps, 2000);
    assert_int_equal(e->duration_ps, 3000);
    assert_int_equal(e->metadata_id, p->event_metadata[0]->key);
    assert_text(p->event_metadata[0]->value->name, "a/b:b");
    assert_text(p->event_metadata[0]->value->display_name, "x::b");
    assert_true(e->stats[1]->uint64_value == UINT64_MAX);
    assert_true(e->stats[2]->double_value == 0.5);
    assert_int_equal(e->stats[3]->ref_value, p->stat_metadata[1]->key);
    assert_text(p->stat_metadata[1]->value->name, "value");
    assert_int_equal(p->lines[0]->events[1]->offset_ps, 0);
    assert_text(read->planes[1]->name, "second");
    tp__xspace__free_unpacked(read, NULL);
    tp_arena_release(&arena);
}

static void xplane_hostile_names_stay_text(void **state)
{
    struct tp_arena arena;
    (void)state;
    init_arena(&arena);
    if (setjmp(arena.guard))
        fail();
    struct tp_xspace *space = tp_xspace_new(&arena, TP_STR("h\xff"), 0);
    struct tp_xplane *plane = tp_xspace_add_plane(space, 1, TP_STR("p\0q"));
    tp_xplane_add_name(plane, TP_STR("a\0b"), TP_STR("\xc3"));
    tp_xplane_add_name(plane, TP_STR("<script>\xf0\x9f\x98\x80"), TP_STR(""));
    tp_xplane_add_text(plane, TP_STR("\xed\xa0\x80"));
    Tp__XSpace *read = pack_and_read_space(space);
    assert_text(read->hostnames[0], "h\xEF\xBF\xBD");
    assert_text(read->planes[0]->name, "p\xEF\xBF\xBDq");
    assert_text(read->planes[0]->event_metadata[0]->value->name, "a\xEF\xBF\xBD"
                                                                 "b");
    assert_text(read->planes[0]->event_metadata[0]->value->display_name, "\xEF\xBF\xBD");
    assert_text(read->planes[0]->event_metadata[1]->value->name, "<script>\xf0\x9f\x98\x80");
    assert_text(read->planes[0]->stat_metadata[0]->value->name, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    tp__xspace__free_unpacked(read, NULL);
    tp_arena_release(&arena);
}

static void xplane_times_beyond_picoseconds_are_cut(void **state)
{
    struct tp_arena arena;
    (void)state;
    init_arena(&arena);
    if (setjmp(arena.guard))
        fail();
    struct tp_xspace *space = tp_xspace_new(&arena, TP_STR("h"), 0);
    struct tp_xplane *plane = tp_xspace_add_plane(space, 1, TP_STR("p"));
    tp_xplane_begin_line(plane, 1, TP_STR("l"));
    tp_xplane_add_event(plane, &(struct tp_xevent){.start_ns = -1, .dur_ns = INT64_MAX});
    Tp__XSpace *read = pack_and_read_space(space);
    assert_int_equal(read->planes[0]->lines[0]->events[0]->offset_ps, 0);
    assert_int_equal(read->planes[0]->lines[0]->events[0]->duration_ps, TP_MAX_XEVENT_NS * 1000);
    tp__xspace__free_unpacked(read, NULL);
    tp_arena_release(&arena);
}

static void xplane_too_large_file_is_not_written(void **state)
{
    struct tp_arena arena;
    struct tp_error err = {0};
    (void)state;
    init_arena(&arena);
    if (setjmp(arena.guard))
        fail();
    struct tp_xspace *space = tp_xspace_new(&arena, TP_STR("h"), 10000);
    struct tp_xplane *plane = tp_xspace_add_plane(space, 1, TP_STR("p"));
    tp_xplane_begin_line(plane, 1, TP_STR("l"));
    size_t used = 0;
    for (int i = 0; i < 100000; i++) {
        tp_xplane_add_event(plane, &(struct tp_xevent){.start_ns = i});
        used = i == 1000 ? arena.used_bytes : used;
    }
    assert_int_equal(arena.used_bytes, used); /* events beyond the limit take no memory */
    unlink(path);
    assert_int_equal(tp_xspace_write(space, path, &err), TP_ELIMIT);
    assert_non_null(strstr(err.text, "10000"));
    assert_int_equal(access(path, F_OK), -1);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(xplane_written_data_is_read_back, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(xplane_hostile_names_stay_text, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(xplane_times_beyond_picoseconds_are_cut, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(xplane_too_large_file_is_not_written, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
