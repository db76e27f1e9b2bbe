/* Creates spools for the processes of a run: see spool_server.h. */
#include "collector/launch/spool_server.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/spool/spool_file.h"

/* lowest descriptor of the socket in the program; shells and daemons use lower descriptors for themselves */
enum { LOWEST_SOCKET_FD = 199 };

void tp_spool_server_open(struct tp_spool_server *server, int folder)
{
    int pair[2] = {-1, -1};
    if (folder < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        pair[0] = pair[1] = -1;
    *server = (struct tp_spool_server){.fd = pair[0], .theirs = pair[1], .folder = folder};
}

void tp_spool_server_set_environment(const struct tp_spool_server *server)
{
    char text[64];
    struct stat status;
    unsetenv("TRACEPRESS_SPOOL_SOCKET"); /* removes the variable of an outer `record` */
    int fd = server->theirs >= 0 ? fcntl(server->theirs, F_DUPFD, LOWEST_SOCKET_FD) : -1;
    if (fd < 0 && server->theirs >= 0) /* F_DUPFD fails for this descriptor if the limit of descriptors is low */
        fd = dup(server->theirs);
    if (fd < 0 || fstat(fd, &status) != 0)
        return;
    snprintf(text, sizeof text, "%d:%lu", fd, (unsigned long)status.st_ino);
    setenv("TRACEPRESS_SPOOL_SOCKET", text, 1);
}

void tp_spool_server_answer(void *server)
{
    const struct tp_spool_server *it = server;
    tp_spool_file_answer(it->fd, it->folder);
}

void tp_spool_server_close(struct tp_spool_server *server)
{
    if (server->fd >= 0) {
        close(server->fd);
        close(server->theirs);
    }
    server->fd = server->theirs = -1;
}
