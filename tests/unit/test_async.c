/* Tests how a trace shows the tasks of the public interface: their ids, and the arrows from start to end. */
#include <pthread.h>

#include "tests/unit/recorded_text.h"

static int begin_async_test(void **state)
{
    (void)state;
    return begin_text_recording();
}

/* For each text that begins with `head`, stores the number after the next `key` in `out`. Returns how many numbers were
 * stored, at most `most`. */
static size_t read_numbers(const char *head, const char *key, long long *out, size_t most)
{
    size_t count = 0;
    for (const char *at = strstr(text, head); at && count < most; at = strstr(at + 1, head)) {
        const char *found = strstr(at, key);
        assert_non_null(found);
        out[count++] = strtoll(found + strlen(key), NULL, 10);
    }
    return count;
}

/* Tests that tasks with equal ids but different names are different tasks. An arrow leads from the start of each task
 * to its end. */
static void arrows_distinguish_tasks_with_equal_ids(void **state)
{
    long long from[4], to[4], begun[4], ended[4];
    (void)state;
    const tracepress_name read = tracepress_intern("read"), write = tracepress_intern("write");
    tracepress_async_begin(read, 7);
    tracepress_async_begin(write, 7);
    tracepress_async_begin(write, 0);
    tracepress_async_end(read, 7);
    tracepress_async_end(write, 7);
    tracepress_async_end(write, 0);
    tracepress_stop();
    assert_int_equal(read_numbers("{\"ph\":\"b\",", "\"id\":\"", begun, 4), 3);
    assert_int_equal(read_numbers("{\"ph\":\"e\",", "\"id\":\"", ended, 4), 3);
    assert_true(begun[0] == 7 && begun[1] == 7 && begun[2] == 0);
    assert_memory_equal(begun, ended, 3 * sizeof *begun);
    assert_int_equal(read_numbers("{\"ph\":\"s\",", "\"id\":", from, 4), 3);
    assert_int_equal(read_numbers("{\"ph\":\"f\",", "\"id\":", to, 4), 3);
    assert_memory_equal(from, to, 3 * sizeof *from);
    for (int i = 0; i < 3; i++) {
        assert_true(from[i] >= 0 && from[i] < 1ll << 53); /* all JSON readers represent integers below 2^53 exactly */
        assert_true(from[i] != from[(i + 1) % 3]);
    }
}

enum { THREADS = 4, IDS = 1000 };

static void *request_ids(void *given)
{
    uint64_t *ids = given;
    for (int i = 0; i < IDS; i++)
        ids[i] = tracepress_async_id();
    return NULL;
}

static int compare_by_number(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static void ids_are_unique(void **state)
{
    static uint64_t ids[THREADS * IDS];
    pthread_t threads[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, request_ids, ids + i * IDS), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    qsort(ids, THREADS * IDS, sizeof *ids, compare_by_number);
    assert_true(ids[0] >= 1ull << 52 && ids[THREADS * IDS - 1] < 1ull << 53);
    for (int i = 1; i < THREADS * IDS; i++)
        assert_true(ids[i - 1] < ids[i]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arrows_distinguish_tasks_with_equal_ids, begin_async_test, end_text_recording),
        cmocka_unit_test(ids_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
