/* Tests the pool of buffers for CUPTI's requests, with one thread and with many. */
#include "collector/source/cupti_pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void returned_buffer_is_reused(void **state)
{
    size_t size;
    (void)state;
    uint8_t *first = tp_cupti_pool_get_buffer(&size, false);
    assert_non_null(first);
    assert_int_equal(size, TP_CUPTI_BUFFER_BYTES);
    assert_int_equal((uintptr_t)first & 7, 0);
    first[size - 1] = 1;
    tp_cupti_pool_return_buffer(first, size);
    assert_ptr_equal(tp_cupti_pool_get_buffer(&size, false), first);
    assert_int_equal(tp_cupti_pool_used_count(), 1);
    tp_cupti_pool_return_buffer(first, size);
    assert_int_equal(tp_cupti_pool_used_count(), 0);
    tp_cupti_pool_unmap_free_buffers();
}

static void full_pool_refuses_or_grows_on_request(void **state)
{
    uint8_t *lent[TP_CUPTI_BUFFERS];
    size_t size;
    (void)state;
    for (int i = 0; i < TP_CUPTI_BUFFERS; i++)
        assert_non_null(lent[i] = tp_cupti_pool_get_buffer(&size, false));
    assert_null(tp_cupti_pool_get_buffer(&size, false));
    assert_int_equal(size, 0);
    uint8_t *extra = tp_cupti_pool_get_buffer(&size, true);
    assert_non_null(extra);
    assert_int_equal(size, TP_CUPTI_EXTRA_BYTES);
    memset(extra, 1, size);
    tp_cupti_pool_return_buffer(extra, size);
    tp_cupti_pool_return_buffer(NULL, 0);
    for (int i = 0; i < TP_CUPTI_BUFFERS; i++)
        tp_cupti_pool_return_buffer(lent[i], TP_CUPTI_BUFFER_BYTES);
    assert_int_equal(tp_cupti_pool_used_count(), 0);
    tp_cupti_pool_unmap_free_buffers();
}

static void lent_buffer_is_not_freed(void **state)
{
    size_t size;
    (void)state;
    uint8_t *lent = tp_cupti_pool_get_buffer(&size, false);
    tp_cupti_pool_unmap_free_buffers();
    memset(lent, 1, size); /* writes to a lent buffer, which trimming must not have freed */
    assert_int_equal(tp_cupti_pool_used_count(), 1);
    tp_cupti_pool_return_buffer(lent, size);
    tp_cupti_pool_unmap_free_buffers();
}

static _Atomic int collisions;

/* Borrows a buffer, writes a mark into it, and checks later that nobody has overwritten the mark. */
static void *borrow_buffers(void *number)
{
    for (int i = 0; i < 2000; i++) {
        size_t size;
        uint8_t *buffer = tp_cupti_pool_get_buffer(&size, false);
        if (!buffer)
            continue;
        buffer[0] = (uint8_t)(uintptr_t)number;
        collisions += buffer[0] != (uint8_t)(uintptr_t)number;
        tp_cupti_pool_return_buffer(buffer, size);
        if (i % 500 == 0)
            tp_cupti_pool_unmap_free_buffers();
    }
    return NULL;
}

static void threads_never_share_a_buffer(void **state)
{
    pthread_t threads[8];
    (void)state;
    for (uintptr_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, borrow_buffers, (void *)i), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(collisions, 0);
    assert_int_equal(tp_cupti_pool_used_count(), 0);
    tp_cupti_pool_unmap_free_buffers();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returned_buffer_is_reused),
        cmocka_unit_test(full_pool_refuses_or_grows_on_request),
        cmocka_unit_test(lent_buffer_is_not_freed),
        cmocka_unit_test(threads_never_share_a_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
