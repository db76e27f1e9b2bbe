/* Tests the arena: zeroed items, growth without loss of content, and the jump to arena.guard at the limit. */
#include "writer/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/base/error.h"

static void arena_items_are_zero_and_aligned(void **state)
{
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    for (size_t size = 1; size < 600000; size = size * 3 + 1) {
        unsigned char *item = tp_arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)item % 16, 0);
        assert_int_equal(item[0] | item[size - 1], 0);
        memset(item, 0xAA, size);
    }
    tp_arena_release(&arena);
    assert_int_equal(arena.used_bytes, 0);
}

static void arena_resize_keeps_bytes_and_zeroes_new_ones(void **state)
{
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    unsigned char *block = NULL;
    size_t size = 0;
    for (size_t want = 100; want < 8u << 20; want *= 3) {
        block = tp_arena_resize(&arena, block, size, want);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(block[i], 7);
        for (size_t i = size; i < want; i++)
            assert_int_equal(block[i], 0);
        memset(block, 7, want);
        size = want;
    }
    tp_arena_free_item(&arena, block, size);
    tp_arena_release(&arena);
}

static int fill_and_check(void *context, struct tp_error *err)
{
    struct tp_arena *arena = context;
    (void)err;
    for (size_t size = 1; size < 4000000; size = size * 5 + 3) {
        unsigned char *item = tp_arena_alloc(arena, size);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(item[i], 0);
        memset(item, 0xAA, size);
    }
    for (int i = 0; i < 300; i++)
        memset(tp_arena_alloc(arena, 1000), 0xBB, 1000);
    return TP_OK;
}

static void cleared_arena_is_like_a_new_arena(void **state)
{
    struct tp_arena arena;
    size_t used = 0;
    (void)state;
    tp_arena_init(&arena, 24u << 20);
    for (int round = 0; round < 4; round++) {
        assert_int_equal(tp_arena_run(&arena, fill_and_check, &arena, NULL), TP_OK);
        used = used ? used : arena.used_bytes;
        assert_int_equal(arena.used_bytes, used);
        tp_arena_clear(&arena);
        assert_int_equal(arena.used_bytes, 0);
    }
    tp_arena_release(&arena);
    tp_arena_release(&arena);
}

static void arena_jumps_to_the_guard_at_its_limit(void **state)
{
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 1 << 20);
    if (setjmp(arena.guard)) {
        assert_int_equal(arena.code, TP_ELIMIT);
        tp_arena_release(&arena);
        return;
    }
    for (;;)
        tp_arena_alloc(&arena, 1000);
}

/* Returns the number of resident bytes of a page-aligned range. */
static size_t resident_bytes(const void *start, size_t size)
{
    enum { PAGE = 4096 };
    static unsigned char pages[1024];
    size_t count = 0;
    assert_true(size / PAGE <= sizeof pages);
    assert_int_equal(mincore((void *)(uintptr_t)start, size, pages), 0);
    for (size_t i = 0; i < size / PAGE; i++)
        count += pages[i] & 1;
    return count * PAGE;
}

static void arena_without_huge_pages_uses_only_touched_pages(void **state)
{
    enum { SIZE = 4 << 20, PAGE = 4096 };
    struct tp_arena arena;
    (void)state;
#if defined(__SANITIZE_ADDRESS__) /* with it, blocks come from malloc */
    skip();
#endif
    tp_arena_init(&arena, 0);
    arena.avoids_huge_pages = true;
    if (setjmp(arena.guard))
        fail();
    char *block = tp_arena_alloc(&arena, SIZE);
    char *page = (char *)(((uintptr_t)block + PAGE) & ~(uintptr_t)(PAGE - 1));
    page[0] = page[PAGE] = 1;
    assert_int_equal(resident_bytes(page, SIZE - PAGE), 2 * PAGE);
    block = tp_arena_resize(&arena, block, SIZE, 3 * (size_t)SIZE / 2); /* the kernel moves its pages */
    page = (char *)(((uintptr_t)block + PAGE) & ~(uintptr_t)(PAGE - 1));
    assert_int_equal(page[0], 1);
    page[SIZE] = 1;
    assert_in_range(resident_bytes(page + SIZE - PAGE, SIZE / 2 - PAGE), PAGE, 2 * PAGE);
    tp_arena_release(&arena);
}

/* Returns whether the mapping that contains `start` must not get huge pages. */
static bool refuses_huge_pages(const void *start)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool is_inside = false, refuses = false;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long first, end;
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            is_inside = (uintptr_t)start >= first && (uintptr_t)start < end;
        else if (is_inside && strncmp(line, "VmFlags:", 8) == 0)
            refuses = strstr(line, " nh") != NULL;
    }
    fclose(maps);
    return refuses;
}

static void returned_pages_stay_returned(void **state)
{
    enum { SIZE = 4 << 20, PAGE = 4096 };
    struct tp_arena arena;
    (void)state;
#if defined(__SANITIZE_ADDRESS__) /* with it, blocks come from malloc */
    skip();
#endif
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    char *block = tp_arena_alloc(&arena, SIZE);
    char *page = (char *)(((uintptr_t)block + PAGE) & ~(uintptr_t)(PAGE - 1));
    memset(block, 1, SIZE);
    tp_arena_free_item(&arena, block, SIZE);
    tp_arena_return_free_pages(&arena);
    assert_int_equal(resident_bytes(page, SIZE - PAGE), 0);
    /* a system with huge pages may fill the range again unless the mapping refuses them */
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0)
        assert_true(refuses_huge_pages(page));
    char *again = tp_arena_alloc(&arena, SIZE);
    assert_ptr_equal(again, block);
    assert_int_equal(again[SIZE / 2], 0);
    tp_arena_release(&arena);
}

static void arena_array_detects_size_overflow(void **state)
{
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard)) {
        assert_int_equal(arena.code, TP_ENOMEM);
        tp_arena_release(&arena);
        return;
    }
    tp_arena_array(&arena, SIZE_MAX / 2, 16);
    fail();
}

static void vec_keeps_its_items_while_growing(void **state)
{
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    struct tp_vec vec = TP_VEC(&arena, uint64_t);
    for (uint64_t i = 0; i < 200000; i++)
        *(uint64_t *)tp_vec_push(&vec) = i;
    for (uint64_t i = 0; i < 200000; i++)
        assert_true(*TP_AT(&vec, uint64_t, i) == i);
    tp_arena_release(&arena);
}

static void vec_fit_keeps_items_and_frees_the_rest(void **state)
{
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    struct tp_vec vec = TP_VEC(&arena, uint64_t);
    for (uint64_t i = 0; i < 1100000; i++)
        *(uint64_t *)tp_vec_push(&vec) = i;
    size_t used = arena.used_bytes;
    tp_vec_fit(&vec);
    assert_int_equal(vec.count, 1100000);
    /* this memory may be the tail that tp_vec_fit freed, but must not overlap the items */
    memset(tp_arena_alloc(&arena, 2000000), 0xFF, 2000000);
    for (uint64_t i = 1100000; i < 2400000; i++)
        *(uint64_t *)tp_vec_push(&vec) = i;
    for (uint64_t i = 0; i < 2400000; i++)
        assert_true(*TP_AT(&vec, uint64_t, i) == i);
#if !defined(__SANITIZE_ADDRESS__)
    assert_true(arena.used_bytes - used < 2400000 * 3 * sizeof(uint64_t));
#endif
    (void)used;
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_items_are_zero_and_aligned),
        cmocka_unit_test(arena_resize_keeps_bytes_and_zeroes_new_ones),
        cmocka_unit_test(cleared_arena_is_like_a_new_arena),
        cmocka_unit_test(arena_jumps_to_the_guard_at_its_limit),
        cmocka_unit_test(arena_without_huge_pages_uses_only_touched_pages),
        cmocka_unit_test(returned_pages_stay_returned),
        cmocka_unit_test(arena_array_detects_size_overflow),
        cmocka_unit_test(vec_keeps_its_items_while_growing),
        cmocka_unit_test(vec_fit_keeps_items_and_frees_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
