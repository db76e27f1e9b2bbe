/* Creates the file of a spool and sends it to other processes: see spool_file.h. */
#include "writer/spool/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

/* maximum number of requests that one call answers; the caller must also handle signals and other events */
enum { ANSWERS_AT_ONCE = 64 };

/* ---- the file ---- */

static int link_spool_file(int fd, int folder, const char *name)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, folder, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static int create_spool_file(int folder, const char *name, const struct tp_spool_head *head, bool is_named)
{
    char unit[TP_SPOOL_UNIT] = {0};
    const int flags = O_RDWR | O_CLOEXEC;
    int fd =
        is_named ? openat(folder, name, flags | O_CREAT | O_EXCL, 0600) : openat(folder, ".", flags | O_TMPFILE, 0600);
    if (fd < 0)
        return -errno;
    memcpy(unit, head, sizeof *head);
    int code = posix_fallocate(fd, 0, sizeof unit);
    /* the lock shows the command `recover` that a process still has this file open */
    flock(fd, LOCK_EX | LOCK_NB);
    errno = 0;
    if (code == 0 && pwrite(fd, unit, sizeof unit, 0) != (ssize_t)sizeof unit)
        code = errno ? errno : EIO;
    if (code == 0 && !is_named)
        code = link_spool_file(fd, folder, name);
    if (code && is_named)
        unlinkat(folder, name, 0);
    if (code)
        close(fd);
    return code ? -code : fd;
}

int tp_spool_file_make(int folder, const char *name, const struct tp_spool_head *head)
{
    int fd = create_spool_file(folder, name, head, false);
    return fd >= 0 ? fd : create_spool_file(folder, name, head, true);
}

/* ---- messages with a descriptor ---- */

union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/* Sends a message. fd: descriptor to send, or -1. */
static bool send_message(int to, const void *bytes, size_t size, int fd)
{
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    union control control = {
        .head = {.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
    }
    return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
}

/* Receives a message with its first descriptor. Sets *fd to the descriptor, or to -1 if none exists. Returns the
 * size of the message in bytes, or a negative value if there is no message. */
static ssize_t receive_message(int from, void *bytes, size_t size, int *fd)
{
    struct iovec part = {bytes, size};
    union control control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *fd = -1;
    ssize_t n = recvmsg(from, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = n >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof *fd))
        memcpy(fd, CMSG_DATA(head), sizeof *fd);
    return n;
}

/* ---- requesting side ---- */

static int wait_for_answer(int from, int patience_ms)
{
    struct pollfd waiting = {.fd = from, .events = POLLIN};
    int code, fd, count;
    do
        count = poll(&waiting, 1, patience_ms);
    while (count < 0 && errno == EINTR);
    if (count <= 0)
        return count < 0 ? -errno : -ETIMEDOUT;
    if (receive_message(from, &code, sizeof code, &fd) != (ssize_t)sizeof code)
        return -EPIPE;
    if (code == 0 && fd >= 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return code > 0 ? -code : -EPROTO;
}

int tp_spool_file_request(int socket, const char *name, const struct tp_spool_head *head, int patience_ms)
{
    struct tp_spool_request request = {.head = *head};
    int pair[2];
    if (strlen(name) >= sizeof request.name)
        return -ENAMETOOLONG;
    memcpy(request.name, name, strlen(name));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return -errno;
    bool is_sent = send_message(socket, &request, sizeof request, pair[1]);
    int why = errno;
    close(pair[1]);
    int fd = is_sent ? wait_for_answer(pair[0], patience_ms) : -why;
    close(pair[0]);
    return fd;
}

/* ---- answering side ---- */

/* Returns whether a request is valid. A valid request names a spool directly in the folder. Requests of a recorded
 * program are not trusted. */
static bool is_valid_request(const struct tp_spool_request *request)
{
    static const char end[] = ".tpspool";
    size_t n = strnlen(request->name, sizeof request->name);
    return n < sizeof request->name && n > strlen(end) && request->name[0] == '.' && !memchr(request->name, '/', n) &&
           strcmp(request->name + n - strlen(end), end) == 0 && request->head.magic == TP_SPOOL_MAGIC &&
           request->head.version == TP_SPOOL_VERSION;
}

void tp_spool_file_answer(int socket, int folder)
{
    struct tp_spool_request request;
    int asker;
    for (int i = 0; i < ANSWERS_AT_ONCE; i++) {
        ssize_t n = receive_message(socket, &request, sizeof request, &asker);
        if (n <= 0)
            return;
        if (asker < 0)
            continue;
        bool is_one = n == (ssize_t)sizeof request && is_valid_request(&request);
        int fd = is_one ? tp_spool_file_make(folder, request.name, &request.head) : -EINVAL;
        int code = fd < 0 ? -fd : 0;
        if (!send_message(asker, &code, sizeof code, fd) && fd >= 0)
            unlinkat(folder, request.name, 0); /* the requesting process has exited, so its spool is removed */
        if (fd >= 0)
            close(fd);
        close(asker);
    }
}
