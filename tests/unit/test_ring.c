/* Tests the flight recorder, a spool that keeps only the last part of a recording. */
#include "collector/tracepress.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <glob.h>

#include "collector/session.h"
#include "writer/spool/spool_read.h"

enum { MEGABYTE = 1 << 20, SLACK = 128 << 10 }; /* SLACK: bytes allowed for notes and the header */

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-ring-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* Content of the spool that the handler received. Names of ranges are consecutive numbers. */
static struct {
    long first, last, count, threads, bytes;
    bool is_unbroken;
} seen;

static void read_thread(const struct tp_spool_file *file, const struct tp_spool_thread *thread)
{
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    tp_spool_walk(&walk, file, thread);
    while (tp_spool_next_record(&walk, &record, &payload)) {
        if (record.kind != TP_SPOOL_SCOPE)
            continue;
        struct tp_str name = tp_spool_record_name(file, &record, payload);
        long number = strtol(name.ptr, NULL, 10);
        if (seen.count++ == 0)
            seen.first = number;
        else
            seen.is_unbroken &= number == seen.last + 1;
        seen.last = number;
    }
    assert_int_equal(walk.broken_count, 0);
}

static void read_spool_in_handler(const struct tracepress_trace *trace, void *unused)
{
    struct tp_arena arena;
    struct tp_spool_file file;
    struct stat status;
    (void)unused;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_spool_open(&file, trace->spool, &arena, NULL), 0);
    assert_int_equal(stat(trace->spool, &status), 0);
    memset(&seen, 0, sizeof seen);
    seen.is_unbroken = true;
    seen.threads = file.thread_count;
    seen.bytes = (long)status.st_size;
    assert_true(file.head.flags & TP_SPOOL_RING);
    for (uint32_t t = 0; t < file.thread_count; t++)
        read_thread(&file, &file.threads[t]);
    tp_spool_release(&file);
    tp_arena_release(&arena);
}

static void start_recording(uint32_t megabytes)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = folder;
    options.handler = read_spool_in_handler;
    options.ring_mb = megabytes;
    assert_int_equal(tracepress_start(&options), 0);
}

static void count_ranges(long from, long count)
{
    for (long i = from; i < from + count; i++) {
        char text[24];
        snprintf(text, sizeof text, "%ld", i);
        tracepress_begin_text(text);
        tracepress_end();
    }
}

static void ring_keeps_the_newest_records(void **state)
{
    const long count = 300000, per_range = 48; /* a range takes 48 bytes: begin record, text and end record */
    (void)state;
    start_recording(1);
    count_ranges(0, count);
    tracepress_stop();
    assert_true(seen.is_unbroken);
    assert_int_equal(seen.last, count - 1);
    assert_in_range(seen.count, (MEGABYTE - TP_SPOOL_FULL_CHUNK) / per_range - 20, MEGABYTE / per_range);
    assert_in_range(seen.bytes, MEGABYTE, MEGABYTE + SLACK);
}

static void short_recording_is_complete(void **state)
{
    (void)state;
    start_recording(2);
    count_ranges(0, 20000);
    tracepress_stop();
    assert_true(seen.is_unbroken && seen.first == 0 && seen.count == 20000);
}

static long spool_size(void)
{
    glob_t found;
    char pattern[sizeof folder + 16];
    struct stat status = {0};
    snprintf(pattern, sizeof pattern, "%s/.*.tpspool", folder);
    if (glob(pattern, 0, NULL, &found) == 0)
        stat(found.gl_pathv[0], &status);
    globfree(&found);
    return (long)status.st_size;
}

/* Tests that records are complete if they are made while the ring buffer's pages are allocated in advance. */
static void ring_pages_are_allocated_in_advance(void **state)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    struct statvfs disk;
    (void)state;
    if (statvfs(folder, &disk) != 0 || (uint64_t)disk.f_bavail * disk.f_frsize < 128ull * MEGABYTE)
        skip(); /* on a nearly full disk, pages are not allocated in advance */
    start_recording(4);
    count_ranges(0, 500);
    for (int i = 0; i < 6000 && spool_size() < 4l * MEGABYTE; i++)
        nanosleep(&pause, NULL);
    assert_true(spool_size() >= 4l * MEGABYTE);
    count_ranges(500, 70000);
    long size = spool_size();
    tracepress_stop();
    assert_true(seen.is_unbroken && seen.first == 0 && seen.count == 70500);
    assert_in_range(size, 4l * MEGABYTE, 4l * MEGABYTE + SLACK);
    for (int i = 0; i < 20; i++) { /* stops the recording while pages are still being allocated */
        start_recording(4);
        count_ranges(0, 10);
        tracepress_stop();
        assert_true(seen.is_unbroken && seen.count == 10);
    }
}

static void environment_variable_enables_the_ring(void **state)
{
    (void)state;
    setenv("TRACEPRESS_RING_MB", "1", 1);
    start_recording(0);
    count_ranges(0, 100000);
    tracepress_stop();
    unsetenv("TRACEPRESS_RING_MB");
    assert_int_equal(seen.last, 99999);
    assert_in_range(seen.bytes, MEGABYTE, MEGABYTE + SLACK);
}

static void *record_on_thread(void *number)
{
    count_ranges((long)(intptr_t)number, 5000);
    return NULL;
}

/* Tests that later threads use the chunks of a thread that has exited. */
static void threads_share_the_ring(void **state)
{
    enum { ROUNDS = 50, THREADS = 4 };
    pthread_t threads[THREADS];
    (void)state;
    start_recording(1);
    for (int i = 0; i < ROUNDS; i++) {
        for (int t = 0; t < THREADS; t++)
            pthread_create(&threads[t], NULL, record_on_thread, (void *)(intptr_t)i);
        for (int t = 0; t < THREADS; t++)
            pthread_join(threads[t], NULL);
    }
    tracepress_stop();
    assert_in_range(seen.bytes, MEGABYTE, MEGABYTE + SLACK);
    /* each thread writes 240 KB, so the ring contains the last four threads and parts of earlier ones */
    assert_in_range(seen.threads, THREADS, 3 * THREADS + 4);
    assert_int_equal(seen.last, ROUNDS - 1 + 4999);
}

static void threads_beyond_the_chunks_get_one_each(void **state)
{
    enum { THREADS = 40 }; /* more than the 16 chunks of 1 MiB */
    static pthread_t threads[THREADS];
    (void)state;
    start_recording(1);
    for (int round = 0; round < 3; round++) {
        for (int t = 0; t < THREADS; t++)
            pthread_create(&threads[t], NULL, record_on_thread, (void *)(intptr_t)1);
        for (int t = 0; t < THREADS; t++)
            pthread_join(threads[t], NULL);
    }
    tracepress_stop();
    assert_in_range(seen.bytes, MEGABYTE, THREADS * TP_SPOOL_FULL_CHUNK + SLACK);
    assert_int_equal(seen.last, 5000);
}

/* ---- the file of the ring ---- */

static struct tp_spool spool;

static void create_spool(uint64_t max_bytes, uint64_t ring_bytes)
{
    const struct tp_spool_head head = {.magic = TP_SPOOL_MAGIC, .version = TP_SPOOL_VERSION};
    assert_int_equal(tp_spool_create(&spool, folder, "spool", &head, max_bytes, ring_bytes), 0);
}

static struct tp_spool_chunk *get_chunk_with_sequence(uint32_t sequence)
{
    const struct tp_spool_chunk header = {.thread = 1, .sequence = sequence};
    struct tp_spool_chunk *chunk = tp_spool_get_chunk(&spool, TP_SPOOL_FULL_CHUNK);
    return chunk ? tp_spool_prepare_chunk(&spool, chunk, &header) : NULL;
}

static void full_disk_makes_the_ring_smaller(void **state)
{
    (void)state;
    create_spool(3 * TP_SPOOL_FULL_CHUNK, MEGABYTE);
    struct tp_spool_chunk *first = get_chunk_with_sequence(0), *second = get_chunk_with_sequence(1);
    assert_true(first && second && first->size == TP_SPOOL_FULL_CHUNK);
    first[1].tid = 7;
    assert_null(get_chunk_with_sequence(2)); /* the file is full and both chunks are in use, so no chunk is available */
    tp_spool_return_chunk(&spool, first);
    tp_spool_return_chunk(&spool, second);
    assert_ptr_equal(get_chunk_with_sequence(2), first);
    assert_int_equal(first[1].tid, 0);
    assert_true(first->magic == TP_SPOOL_CHUNK_MAGIC && first->sequence == 2);
    assert_ptr_equal(get_chunk_with_sequence(3), second);
    assert_null(get_chunk_with_sequence(4));
    tp_spool_return_chunk(&spool, first);
    assert_null(tp_spool_get_notes_chunk(&spool, 4096)); /* fails, because notes are never overwritten */
    tp_spool_close(&spool, true);
    tp_spool_unmap(second);
}

/* Tests that a forked child does not follow the list of free chunks, which is in memory that parent and child share. */
static void child_does_not_follow_links_of_the_parent(void **state)
{
    (void)state;
    create_spool(3 * TP_SPOOL_FULL_CHUNK, MEGABYTE);
    struct tp_spool_chunk *first = get_chunk_with_sequence(0), *second = get_chunk_with_sequence(1);
    tp_spool_return_chunk(&spool, first);
    tp_spool_return_chunk(&spool, second);
    first->next = 64; /* refers to a chunk that only the parent has */
    tp_spool_close_in_child(&spool);
    assert_int_equal(spool.fd, -1);
    assert_null(spool.spare.oldest);
    first->next = 0;
    unlink(spool.path);
    tp_spool_unmap(first);
    tp_spool_unmap(second);
}

/* Stores the sequence numbers of the chunks that a reader finds. Returns their count. */
static uint32_t read_chunk_sequences(uint32_t sequences[8])
{
    struct tp_arena arena;
    struct tp_spool_file file;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_spool_open(&file, spool.path, &arena, NULL), 0);
    uint32_t count = file.thread_count ? file.threads[0].end : 0;
    assert_in_range(count, 1, 8);
    for (uint32_t i = 0; i < count; i++)
        sequences[i] = file.chunks[i]->sequence;
    tp_spool_release(&file);
    tp_arena_release(&arena);
    return count;
}

static void reused_chunks_are_copied_first(void **state)
{
    uint32_t sequences[8];
    (void)state;
    create_spool(MEGABYTE, 0);
    struct tp_spool_chunk *chunk = get_chunk_with_sequence(0);
    for (uint32_t i = 1; i < 5; i++) {
        tp_spool_return_chunk(&spool, chunk);
        assert_ptr_equal(get_chunk_with_sequence(i), chunk);
    }
    assert_int_equal(read_chunk_sequences(sequences), 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(sequences[i], i);
    tp_spool_return_chunk(&spool, chunk);
    tp_spool_close(&spool, true);
}

static void kill_during_a_copy_keeps_records(void **state)
{
    uint32_t sequences[8];
    (void)state;
    create_spool(MEGABYTE, 0);
    struct tp_spool_chunk *chunk = get_chunk_with_sequence(0);
    tp_spool_return_chunk(&spool, chunk);
    assert_ptr_equal(get_chunk_with_sequence(1),
                     /* The chunk was copied to the end of the file. The test now restores the old place to its state
                      * before it was emptied. */
                     chunk);
    chunk->sequence = 0;
    assert_int_equal(read_chunk_sequences(sequences), 1);
    assert_int_equal(sequences[0], 0);
    const uint64_t none = 0; /* restores the state before the copy was complete */
    assert_int_equal(pwrite(spool.fd, &none, sizeof none, TP_SPOOL_UNIT + TP_SPOOL_FULL_CHUNK), sizeof none);
    assert_int_equal(read_chunk_sequences(sequences), 1);
    tp_spool_return_chunk(&spool, chunk);
    tp_spool_close(&spool, true);
}

static void missing_space_keeps_the_chunk(void **state)
{
    uint32_t sequences[8];
    (void)state;
    create_spool(TP_SPOOL_UNIT + TP_SPOOL_FULL_CHUNK, 0);
    tp_spool_return_chunk(&spool, get_chunk_with_sequence(0));
    assert_null(get_chunk_with_sequence(1));
    assert_int_equal(spool.failed, EFBIG);
    assert_int_equal(read_chunk_sequences(sequences), 1);
    assert_null(get_chunk_with_sequence(1));
    tp_spool_close(&spool, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_keeps_the_newest_records),
        cmocka_unit_test(short_recording_is_complete),
        cmocka_unit_test(ring_pages_are_allocated_in_advance),
        cmocka_unit_test(environment_variable_enables_the_ring),
        cmocka_unit_test(threads_share_the_ring),
        cmocka_unit_test(threads_beyond_the_chunks_get_one_each),
        cmocka_unit_test(full_disk_makes_the_ring_smaller),
        cmocka_unit_test(child_does_not_follow_links_of_the_parent),
        cmocka_unit_test(reused_chunks_are_copied_first),
        cmocka_unit_test(kill_during_a_copy_keeps_records),
        cmocka_unit_test(missing_space_keeps_the_chunk),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
