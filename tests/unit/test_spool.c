/* collector/spool: a spool in a program that closes what it does not know, and takes the number for a file of its own.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/spool.h"

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

/* Gives the spool's number to a file of the program. */
static int steal(struct place *place)
{
    int fd = open(place->program_file, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(dup2(fd, place->spool.fd), place->spool.fd);
    return fd;
}

static off_t size_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

/* A chunk as a thread gets it. */
static struct tp_spool_chunk *chunk_of(struct tp_spool *spool, uint32_t size)
{
    const struct tp_spool_chunk header = {.tid = 1};
    struct tp_spool_chunk *chunk = tp_spool_take(spool, size);
    return chunk ? tp_spool_prepare(spool, chunk, &header) : NULL;
}

static void assert_chunk(struct tp_spool *spool, off_t file_size)
{
    struct tp_spool_chunk *chunk = chunk_of(spool, CHUNK);
    assert_non_null(chunk);
    assert_true(chunk->magic == TP_SPOOL_CHUNK_MAGIC);
    munmap(chunk, CHUNK);
    assert_int_equal(size_of(spool->path), file_size);
}

static void the_number_is_away_from_those_of_shells(void **state)
{
    struct place *place = *state;
    assert_true(place->spool.fd >= 200);
}

static void a_closed_number_does_not_end_the_recording(void **state)
{
    struct place *place = *state;
    close(place->spool.fd);
    assert_chunk(&place->spool, TP_SPOOL_UNIT + CHUNK);
    assert_chunk(&place->spool, TP_SPOOL_UNIT + 2 * CHUNK);
}

static void a_number_that_the_program_has_taken_is_left_alone(void **state)
{
    struct place *place = *state;
    int fd = steal(place), number = place->spool.fd;
    assert_chunk(&place->spool, TP_SPOOL_UNIT + CHUNK);
    assert_int_equal(size_of(place->program_file), 0);
    tp_spool_close(&place->spool, false);
    assert_int_equal(fcntl(number, F_GETFD), 0); /* still open */
    close(number);
    close(fd);
}

static void a_path_that_cannot_be_had_any_more_leaves_the_number(void **state)
{
    struct place *place = *state;
    char moved[128];
    snprintf(moved, sizeof moved, "%s/moved", place->folder);
    assert_int_equal(rename(place->spool.path, moved), 0);
    struct tp_spool_chunk *chunk = chunk_of(&place->spool, CHUNK);
    assert_non_null(chunk);
    munmap(chunk, CHUNK);
    assert_int_equal(size_of(moved), TP_SPOOL_UNIT + CHUNK);
    assert_int_equal(rename(moved, place->spool.path), 0);
}

static void without_path_and_number_the_recording_stops(void **state)
{
    struct place *place = *state;
    int fd = steal(place), number = place->spool.fd;
    unlink(place->spool.path);
    assert_null(chunk_of(&place->spool, CHUNK));
    assert_int_not_equal(atomic_load(&place->spool.failed), 0);
    assert_int_equal(size_of(place->program_file), 0);
    close(number);
    close(fd);
}

/* What is copied to the end of the spool when a chunk is used again must never go into a file of the program. */
static void copies_find_the_spool_too(void **state)
{
    struct place *place = *state;
    struct tp_spool_chunk *chunk = chunk_of(&place->spool, TP_SPOOL_FULL_CHUNK);
    assert_non_null(chunk);
    int fd = steal(place), number = place->spool.fd;
    tp_spool_return(&place->spool, chunk);
    assert_ptr_equal(chunk_of(&place->spool, TP_SPOOL_FULL_CHUNK), chunk);
    assert_int_equal(size_of(place->program_file), 0);
    assert_int_equal(size_of(place->spool.path), TP_SPOOL_UNIT + 2 * TP_SPOOL_FULL_CHUNK);
    unlink(place->spool.path);
    tp_spool_return(&place->spool, chunk);
    assert_null(chunk_of(&place->spool, TP_SPOOL_FULL_CHUNK));
    assert_int_equal(size_of(place->program_file), 0);
    close(number);
    close(fd);
}

/* The next pwrite kills the process. */
static void die_at_pwrite(void)
{
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(0);
}

static void a_spool_appears_with_its_head(void **state)
{
    struct place *place = *state;
    char path[96];
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct tp_spool_head head = {.magic = TP_SPOOL_MAGIC, .version = TP_SPOOL_VERSION};
        struct tp_spool spool = {.fd = -1};
        die_at_pwrite();
        _exit(tp_spool_create(&spool, place->folder, ".other", &head, 1 << 20, 0) != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status))
        skip(); /* no filter can be had here */
    snprintf(path, sizeof path, "%s/.other", place->folder);
    assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_number_is_away_from_those_of_shells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_closed_number_does_not_end_the_recording, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_that_the_program_has_taken_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_path_that_cannot_be_had_any_more_leaves_the_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_path_and_number_the_recording_stops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_find_the_spool_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_spool_appears_with_its_head, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
