/* Creates spool files for the processes of a run. These processes may lack the rights to create files, so they get the
 * descriptors through an inherited socket (writer/spool/spool_file.h). Only one thread may use it. */
#ifndef TP_COLLECTOR_LAUNCH_SPOOL_SERVER_H
#define TP_COLLECTOR_LAUNCH_SPOOL_SERVER_H

#include <stdbool.h>

struct tp_spool_server {
    int fd;     /* descriptor to watch; -1: no socket, so processes create their spools by path */
    int theirs; /* descriptor of the other end of the socket, for the program and its descendants */
    int folder; /* descriptor of the folder of spools; borrowed */
};

/* Opens the socket. folder: descriptor of the folder, which must stay open. Without a socket, fd is -1. */
void tp_spool_server_open(struct tp_spool_server *server, int folder);

/* Sets the environment variable and leaves the socket open for the program. Called in the child before exec. */
void tp_spool_server_set_environment(const struct tp_spool_server *server);

/* Answers all pending requests on server->fd without blocking. */
void tp_spool_server_answer(void *server);

void tp_spool_server_close(struct tp_spool_server *server);

#endif
