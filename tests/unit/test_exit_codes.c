/* Tests exit statuses of processes from the messages of the kernel's process connector. A socket pair replaces the
 * kernel. */
#include "collector/outside/processes/exit_codes.h"

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/one_arena.h"

static struct tp_exit_codes codes;
static int kernel;

static int open_pair(void **state)
{
    int pair[2];
    begin(state);
    tp_exit_codes_open(&codes, &arena);
    if (codes.connector >= 0)
        close(codes.connector);
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair) != 0)
        return -1;
    codes.connector = pair[0];
    kernel = pair[1];
    return 0;
}

static int close_pair(void **state)
{
    close(kernel);
    tp_exit_codes_release(&codes);
    return end(state);
}

static void send_exit(uint32_t pid, uint32_t tid, uint32_t status)
{
    char bytes[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(struct proc_event))] __attribute__((aligned(8))) = {0};
    struct nlmsghdr *head = (void *)bytes;
    struct cn_msg *message = NLMSG_DATA(head);
    struct proc_event event = {.what = PROC_EVENT_EXIT};
    event.event_data.exit.process_tgid = (int)pid;
    event.event_data.exit.process_pid = (int)tid;
    event.event_data.exit.exit_code = status;
    head->nlmsg_len = NLMSG_LENGTH(sizeof *message + sizeof event);
    message->len = sizeof event;
    memcpy(message->data, &event, sizeof event);
    assert_int_equal(send(kernel, bytes, sizeof bytes, 0), sizeof bytes);
}

static void exit_code_is_returned_once(void **state)
{
    int status = 0;
    (void)state;
    tp_exit_codes_add_process(&codes, 10);
    send_exit(10, 11, 7 << 8); /* the exit of thread 11, which must be ignored */
    send_exit(10, 10, 3 << 8);
    tp_exit_codes_read(&codes);
    assert_true(tp_exit_codes_find_status(&codes, 10, true, &status));
    assert_int_equal(status, 3 << 8);
    assert_false(tp_exit_codes_find_status(&codes, 10, true, &status));
}

static void exit_may_be_reported_before_start(void **state)
{
    int status = 0;
    (void)state;
    send_exit(20, 20, 5 << 8);
    send_exit(21, 21, 6 << 8);
    tp_exit_codes_read(&codes);
    tp_exit_codes_add_process(&codes, 20);
    assert_true(tp_exit_codes_find_status(&codes, 20, true, &status));
    assert_int_equal(status, 5 << 8);
    tp_exit_codes_read(&codes);
    tp_exit_codes_add_process(&codes, 21); /* a new process reuses the id 21 */
    assert_false(tp_exit_codes_find_status(&codes, 21, true, &status));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(exit_code_is_returned_once, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(exit_may_be_reported_before_start, open_pair, close_pair),
    };
    return cmocka_run_group_tests_name("exit codes", tests, NULL, NULL);
}
