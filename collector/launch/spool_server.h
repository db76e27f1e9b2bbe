/* Creates spool files for the processes of a run. These processes may lack the right to create files, so they get the
 * descriptors of their spools through an inherited socket (writer/spool/spool_file.h). Only one thread may use a
 * server. */
#ifndef TP_COLLECTOR_LAUNCH_SPOOL_SERVER_H
#define TP_COLLECTOR_LAUNCH_SPOOL_SERVER_H

#include <stdbool.h>

struct tp_spool_server {
    int fd;     /* descriptor on which requests arrive; -1: no socket, so processes create their spools by path */
    int theirs; /* descriptor of the other end of the socket, which the program and its descendants inherit */
    int folder; /* descriptor of the folder of spools; borrowed */
};

/* Opens the socket. folder: descriptor of the folder, which must stay open. If the socket cannot be opened, server->fd
 * is -1. */
void tp_spool_server_open(struct tp_spool_server *server, int folder);

/* Sets the environment variable and keeps the socket open for the program. Called in the child before exec. */
void tp_spool_server_set_environment(const struct tp_spool_server *server);

/* Answers all pending requests on server->fd without blocking. */
void tp_spool_server_answer(void *server);

void tp_spool_server_close(struct tp_spool_server *server);

#endif
