/* Receives spool files from `tracepress record`: see spool_socket.h. */
#include "collector/spool_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "writer/spool/spool_file.h"

/* maximum wait for an answer, ms; `record` does not answer while a signal stops it */
enum { PATIENCE_MS = 500 };

static struct {
    int fd;
    unsigned long inode;
    bool is_known;
} handed;

void tp_spool_socket_set(const char *text)
{
    char *end = NULL;
    handed.fd = text ? (int)strtol(text, &end, 10) : -1;
    handed.is_known = end && *end == ':';
    if (handed.is_known)
        handed.inode = strtoul(end + 1, NULL, 10);
}

static bool is_socket_open(void)
{
    struct stat status;
    return handed.is_known && fstat(handed.fd, &status) == 0 && S_ISSOCK(status.st_mode) &&
           status.st_ino == handed.inode;
}

int tp_spool_socket_request(const char *name, const struct tp_spool_head *head)
{
    return is_socket_open() ? tp_spool_file_request(handed.fd, name, head, PATIENCE_MS) : -ENOTCONN;
}

void tp_spool_socket_keep_open(void)
{
    int why = errno;
    int flags = is_socket_open() ? fcntl(handed.fd, F_GETFD) : -1;
    if (flags > 0 && flags & FD_CLOEXEC)
        fcntl(handed.fd, F_SETFD, flags & ~FD_CLOEXEC);
    errno = why;
}
