/* Tests the file of a spool, which is created by path or received over a socket. */
#include "writer/spool/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct tp_spool_head head = {.magic = TP_SPOOL_MAGIC, .version = TP_SPOOL_VERSION, .pid = 7};
static char path[64];
static int folder, pair[2];

static int set_up(void **state)
{
    (void)state;
    strcpy(path, "/tmp/tracepress-handed-XXXXXX");
    assert_non_null(mkdtemp(path));
    folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    return folder >= 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unlinkat(folder, ".a.tpspool", 0);
    close(folder);
    close(pair[0]);
    close(pair[1]);
    return rmdir(path); /* fails if other files remain */
}

/* Waits for a request and answers it. */
static void *wait_and_answer(void *unused)
{
    char byte;
    recv(pair[0], &byte, 1, MSG_PEEK);
    tp_spool_file_answer(pair[0], folder);
    return unused;
}

static int request_spool(const char *name, const struct tp_spool_head *with)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_and_answer, NULL), 0);
    int fd = tp_spool_file_request(pair[1], name, with, 10000);
    pthread_join(thread, NULL);
    return fd;
}

static void spool_is_sent_with_header_and_lock(void **state)
{
    struct tp_spool_head found;
    struct stat there, had;
    (void)state;
    int fd = request_spool(".a.tpspool", &head);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &found, sizeof found, 0), sizeof found);
    assert_memory_equal(&found, &head, sizeof head);
    assert_int_equal(fstatat(folder, ".a.tpspool", &there, 0), 0);
    assert_int_equal(fstat(fd, &had), 0);
    assert_int_equal(there.st_ino, had.st_ino);
    int other = openat(folder, ".a.tpspool", O_RDONLY | O_CLOEXEC);
    /* fails to lock, because the requester keeps the lock after the answering process has closed the file */
    assert_int_equal(flock(other, LOCK_SH | LOCK_NB), -1);
    close(fd);
    assert_int_equal(flock(other, LOCK_SH | LOCK_NB), 0);
    close(other);
}

static void file_name_is_used_once(void **state)
{
    (void)state;
    int fd = request_spool(".a.tpspool", &head);
    assert_true(fd >= 0);
    assert_int_equal(request_spool(".a.tpspool", &head), -EEXIST);
    close(fd);
}

static void files_outside_of_the_folder_are_refused(void **state)
{
    static const char *const names[] = {
        "", ".", "..", ".tpspool", "a.tpspool", ".a", "../.a.tpspool", ".x/a.tpspool", ".a.tpspool.gz"};
    struct tp_spool_head other = head;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(request_spool(names[i], &head), -EINVAL);
    other.magic++;
    assert_int_equal(request_spool(".a.tpspool", &other), -EINVAL);
    char name[TP_SPOOL_NAME_BYTES + 8];
    memset(name, '.', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_int_equal(tp_spool_file_request(pair[1], name, &head, 0), -ENAMETOOLONG);
}

static void invalid_messages_are_ignored(void **state)
{
    struct tp_spool_request request = {.head = head, .name = ".a.tpspool"};
    (void)state;
    assert_int_equal(send(pair[1], &request, sizeof request, 0), sizeof request); /* sends a request although the
                                                                                   * requester has exited */
    assert_int_equal(send(pair[1], "x", 1, 0), 1);
    tp_spool_file_answer(pair[0], folder);
    assert_int_equal(faccessat(folder, ".a.tpspool", F_OK, 0), -1);
}

static void request_without_answer_times_out(void **state)
{
    (void)state;
    assert_int_equal(tp_spool_file_request(pair[1], ".a.tpspool", &head, 1), -ETIMEDOUT);
    tp_spool_file_answer(pair[0], folder); /* no process receives the answer, so the new file is removed */
    assert_int_equal(faccessat(folder, ".a.tpspool", F_OK, 0), -1);
    shutdown(pair[0], SHUT_RDWR);
    assert_int_equal(tp_spool_file_request(pair[1], ".a.tpspool", &head, 10000), -EPIPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(spool_is_sent_with_header_and_lock, set_up, tear_down),
        cmocka_unit_test_setup_teardown(file_name_is_used_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_outside_of_the_folder_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(invalid_messages_are_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(request_without_answer_times_out, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
