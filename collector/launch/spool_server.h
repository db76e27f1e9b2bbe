/* Hands spools to the processes of a run, which may have no rights to make them, by a socket that they inherit: see
 * writer/spool/spool_file.h. For one thread. */
#ifndef TP_COLLECTOR_LAUNCH_SPOOL_SERVER_H
#define TP_COLLECTOR_LAUNCH_SPOOL_SERVER_H

#include <stdbool.h>

struct tp_spool_server {
    int fd;     /* to be watched; -1: there is none, and processes make their spools by path */
    int theirs; /* the end of the program and all that it starts */
    int folder; /* of the spools; borrowed */
};

/* folder: a descriptor of the folder, which must stay open. Without a socket fd is -1. */
void tp_spool_server_open(struct tp_spool_server *server, int folder);

/* Sets the variable of the program, and leaves it the socket; in the child, before exec. */
void tp_spool_server_set_environment(const struct tp_spool_server *server);

/* Answers what waits on server->fd; never blocks. */
void tp_spool_server_answer(void *server);

void tp_spool_server_close(struct tp_spool_server *server);

#endif
