/* Tests collector/spool in a program that closes descriptors it does not own, and opens a file that then gets the
 * spool's descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/spool.h"
#include "writer/spool/spool_read.h"
#include "writer/spool/spool_trace.h"

enum { CHUNK = 4 * TP_SPOOL_UNIT };

struct place {
    char folder[64], program_file[96];
    struct tp_spool spool;
};

static int set_up(void **state)
{
    struct tp_spool_head head = {.magic = TP_SPOOL_MAGIC, .version = TP_SPOOL_VERSION};
    struct place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    snprintf(place->folder, sizeof place->folder, "/tmp/tracepress-spool-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->program_file, sizeof place->program_file, "%s/program", place->folder);
    assert_int_equal(tp_spool_create(&place->spool, place->folder, ".spool", &head, 1 << 20, 0), 0);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    tp_spool_close(&place->spool, false);
    unlink(place->spool.path);
    unlink(place->program_file);
    assert_int_equal(rmdir(place->folder), 0);
    free(place);
    return 0;
}

/* Opens a file that gets the spool's descriptor, as a program might do. */
static int take_over_descriptor(struct place *place)
{
    int fd = open(place->program_file, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(dup2(fd, place->spool.fd), place->spool.fd);
    return fd;
}

static off_t path_size(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

/* Returns a chunk, allocated like the chunk of a thread. */
static struct tp_spool_chunk *get_thread_chunk(struct tp_spool *spool, uint32_t size)
{
    const struct tp_spool_chunk header = {.tid = 1};
    struct tp_spool_chunk *chunk = tp_spool_get_chunk(spool, size);
    return chunk ? tp_spool_prepare_chunk(spool, chunk, &header) : NULL;
}

static void assert_chunk(struct tp_spool *spool, off_t file_size)
{
    struct tp_spool_chunk *chunk = get_thread_chunk(spool, CHUNK);
    assert_non_null(chunk);
    assert_true(chunk->magic == TP_SPOOL_CHUNK_MAGIC);
    tp_spool_unmap(chunk);
    assert_int_equal(path_size(spool->path), file_size);
}

static void descriptor_avoids_numbers_of_shells(void **state)
{
    struct place *place = *state;
    assert_true(place->spool.fd >= 200);
}

static void closed_descriptor_keeps_the_recording(void **state)
{
    struct place *place = *state;
    close(place->spool.fd);
    assert_chunk(&place->spool, TP_SPOOL_UNIT + CHUNK);
    assert_chunk(&place->spool, TP_SPOOL_UNIT + 2 * CHUNK);
}

static void descriptor_of_the_program_is_not_used(void **state)
{
    struct place *place = *state;
    int fd = take_over_descriptor(place), number = place->spool.fd;
    assert_chunk(&place->spool, TP_SPOOL_UNIT + CHUNK);
    assert_int_equal(path_size(place->program_file), 0);
    tp_spool_close(&place->spool, false);
    assert_int_equal(fcntl(number, F_GETFD), 0); /* the program's descriptor is still open */
    close(number);
    close(fd);
}

static void missing_path_keeps_the_descriptor(void **state)
{
    struct place *place = *state;
    char moved[128];
    snprintf(moved, sizeof moved, "%s/moved", place->folder);
    assert_int_equal(rename(place->spool.path, moved), 0);
    struct tp_spool_chunk *chunk = get_thread_chunk(&place->spool, CHUNK);
    assert_non_null(chunk);
    tp_spool_unmap(chunk);
    assert_int_equal(path_size(moved), TP_SPOOL_UNIT + CHUNK);
    assert_int_equal(rename(moved, place->spool.path), 0);
}

static void missing_path_and_descriptor_stop_the_recording(void **state)
{
    struct place *place = *state;
    int fd = take_over_descriptor(place), number = place->spool.fd;
    unlink(place->spool.path);
    assert_null(get_thread_chunk(&place->spool, CHUNK));
    assert_int_not_equal(atomic_load(&place->spool.failed), 0);
    assert_int_equal(path_size(place->program_file), 0);
    close(number);
    close(fd);
}

/* Tests that a reused chunk is copied to the end of the spool, and never to a file of the program. */
static void copies_change_only_the_spool(void **state)
{
    struct place *place = *state;
    struct tp_spool_chunk *chunk = get_thread_chunk(&place->spool, TP_SPOOL_FULL_CHUNK);
    assert_non_null(chunk);
    int fd = take_over_descriptor(place), number = place->spool.fd;
    tp_spool_return_chunk(&place->spool, chunk);
    assert_ptr_equal(get_thread_chunk(&place->spool, TP_SPOOL_FULL_CHUNK), chunk);
    assert_int_equal(path_size(place->program_file), 0);
    assert_int_equal(path_size(place->spool.path), TP_SPOOL_UNIT + 2 * TP_SPOOL_FULL_CHUNK);
    unlink(place->spool.path);
    tp_spool_return_chunk(&place->spool, chunk);
    assert_null(get_thread_chunk(&place->spool, TP_SPOOL_FULL_CHUNK));
    assert_int_equal(path_size(place->program_file), 0);
    close(number);
    close(fd);
}

/* Makes the next call of pwrite kill the process. */
static void kill_at_next_pwrite(void)
{
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(0);
}

static void spool_appears_with_its_header(void **state)
{
    struct place *place = *state;
    char path[96];
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct tp_spool_head head = {.magic = TP_SPOOL_MAGIC, .version = TP_SPOOL_VERSION};
        struct tp_spool spool = {.fd = -1};
        kill_at_next_pwrite();
        _exit(tp_spool_create(&spool, place->folder, ".other", &head, 1 << 20, 0) != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status))
        skip(); /* this system cannot filter system calls */
    snprintf(path, sizeof path, "%s/.other", place->folder);
    assert_int_equal(access(path, F_OK), -1);
}

/* ---- another process truncates the spool ---- */

static void truncated_file_stops_the_recording(void **state)
{
    struct place *place = *state;
    const struct tp_spool_chunk header = {.tid = 1};
    struct tp_spool_chunk *chunk = tp_spool_get_chunk(&place->spool, CHUNK);
    struct tp_spool_chunk *notes = tp_spool_get_notes_chunk(&place->spool, CHUNK);
    assert_non_null(chunk);
    assert_non_null(notes);
    assert_ptr_equal(tp_spool_prepare_chunk(&place->spool, chunk, &header), chunk);
    assert_int_equal(truncate(place->spool.path, TP_SPOOL_UNIT + 3000), 0);
    memset((char *)chunk + sizeof *chunk, 1, CHUNK - sizeof *chunk); /* without protection against truncated files, this
                                                                      * write would cause SIGBUS */
    assert_int_equal(((char *)chunk)[CHUNK - 1], 1);
    assert_null(tp_spool_prepare_chunk(&place->spool, notes, &header));
    assert_int_equal(place->spool.failed, EIO);
    assert_null(tp_spool_get_chunk(&place->spool, CHUNK));
    assert_null(tp_spool_get_notes_chunk(&place->spool, CHUNK));
    tp_spool_return_chunk(&place->spool, chunk);
}

/* Writes a spool with one chunk of a thread. The chunk has eight units, all full of begin records. */
static void write_ranges(struct place *place)
{
    const struct tp_spool_chunk header = {.tid = 1};
    struct tp_spool_chunk *chunk = tp_spool_get_chunk(&place->spool, 2 * CHUNK);
    assert_non_null(chunk);
    assert_ptr_equal(tp_spool_prepare_chunk(&place->spool, chunk, &header), chunk);
    struct tp_spool_record *end = (struct tp_spool_record *)(void *)((char *)chunk + chunk->size);
    for (struct tp_spool_record *at = (struct tp_spool_record *)(void *)(chunk + 1); at < end; at++)
        *at = (struct tp_spool_record){.time = 1, .name = 1, .kind = TP_SPOOL_SCOPE};
    tp_spool_unmap(chunk);
    tp_spool_close(&place->spool, false);
}

static void file_truncated_during_reading_ends_there(void **state)
{
    struct place *place = *state;
    struct tp_arena arena;
    struct tp_spool_file file = {0};
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    unsigned count = 0;
    write_ranges(place);
    tp_arena_init(&arena, 0);
    assert_int_equal(tp_spool_open(&file, place->spool.path, &arena, NULL), 0);
    assert_int_equal(file.thread_count, 1);
    assert_int_equal(tp_spool_cut_offset(&file), SIZE_MAX);
    assert_int_equal(truncate(place->spool.path, 3 * TP_SPOOL_UNIT), 0);
    tp_spool_walk(&walk, &file, file.threads);
    while (tp_spool_next_record(&walk, &record, &payload))
        count++;
    assert_in_range(count, 300, 512); /* count of records: at most two units of 256 records */
    assert_int_equal(tp_spool_cut_offset(&file), 3 * TP_SPOOL_UNIT);
    assert_int_equal(truncate(place->spool.path, 0), 0);
    tp_spool_walk(&walk, &file, file.threads);
    assert_false(tp_spool_next_record(&walk, &record, &payload));
    tp_spool_release(&file);
    tp_arena_release(&arena);
}

/* offset of the page that fails in later mappings, as on a broken disk, bytes; 0: no page fails */
static size_t bad_page;

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    // NOLINTBEGIN(performance-no-int-to-ptr)
    char *bytes = (char *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
    if (bad_page && fd >= 0 && size > bad_page && bytes != MAP_FAILED) {
        int empty = memfd_create("empty", 0);
        syscall(SYS_mmap, bytes + bad_page, (size_t)4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, empty, 0);
        close(empty);
    }
    return bytes;
    // NOLINTEND(performance-no-int-to-ptr)
}

static void failing_page_ends_the_file(void **state)
{
    struct place *place = *state;
    char trace[sizeof place->spool.path + 8];
    struct tp_error err = {0};
    write_ranges(place);
    snprintf(trace, sizeof trace, "%s.json", place->spool.path);
    for (bad_page = 8192; bad_page; bad_page = 0) {
        assert_int_equal(tp_spool_trace(place->spool.path, trace, false, NULL, NULL, &err), TP_EIO);
        assert_int_equal(err.offset, 8192);
        assert_non_null(strstr(err.text, "could not be read from byte 8192 on"));
        assert_int_not_equal(access(trace, F_OK), 0);
    }
    assert_int_equal(tp_spool_trace(place->spool.path, trace, false, NULL, NULL, &err), 0);
    assert_int_equal(unlink(trace), 0);
}

static volatile int caught;
static jmp_buf leave;

static void on_sigbus(int number)
{
    caught = number;
    longjmp(leave, 1);
}

/* Tests that SIGBUS from the program's own memory reaches the program's handler, whether it was installed before or
 * after the recorder's handler. */
static void faults_of_the_program_reach_its_handler(void **state)
{
    struct place *place = *state;
    for (volatile int turn = 0; turn < 2; turn++) {
        struct tp_spool_chunk *volatile chunk = turn ? tp_spool_get_chunk(&place->spool, CHUNK) : NULL;
        int fd = memfd_create("program", 0);
        assert_int_equal(ftruncate(fd, 4096), 0);
        char *volatile bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        assert_true(bytes != MAP_FAILED);
        assert_int_equal(ftruncate(fd, 0), 0);
        close(fd);
        const struct sigaction action = {.sa_handler = on_sigbus, .sa_flags = SA_NODEFER};
        sigaction(SIGBUS, &action, NULL);
        chunk = chunk ? chunk : tp_spool_get_chunk(&place->spool, CHUNK);
        caught = 0;
        if (setjmp(leave) == 0)
            *(volatile char *)(bytes + 1) = 1;
        assert_int_equal(caught, SIGBUS);
        munmap(bytes, 4096);
        tp_spool_unmap(chunk);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(descriptor_avoids_numbers_of_shells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(closed_descriptor_keeps_the_recording, set_up, tear_down),
        cmocka_unit_test_setup_teardown(descriptor_of_the_program_is_not_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_path_keeps_the_descriptor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_path_and_descriptor_stop_the_recording, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_change_only_the_spool, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spool_appears_with_its_header, set_up, tear_down),
        cmocka_unit_test_setup_teardown(truncated_file_stops_the_recording, set_up, tear_down),
        cmocka_unit_test_setup_teardown(file_truncated_during_reading_ends_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failing_page_ends_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_of_the_program_reach_its_handler, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
