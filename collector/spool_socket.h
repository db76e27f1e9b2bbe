/* Receives spool files from `tracepress record` (writer/spool/spool_file.h) through a socket that all programs of the
 * run inherit. TRACEPRESS_SPOOL_SOCKET=NUMBER:INODE identifies the socket. If a program has closed the socket, or
 * reused its number for another file, the program creates its spools by path instead. Any thread may call these
 * functions, also in a child of fork and between vfork and exec. */
#ifndef TP_COLLECTOR_SPOOL_SOCKET_H
#define TP_COLLECTOR_SPOOL_SOCKET_H

#include "writer/spool/spool_format.h"

/* Sets the socket that the other functions use. text: value of TRACEPRESS_SPOOL_SOCKET, or NULL if it is not set. */
void tp_spool_socket_set(const char *text);

/* Returns the descriptor of a new spool in the folder of the run, or a negative value if `record` sends none through
 * the socket. */
int tp_spool_socket_request(const char *name, const struct tp_spool_head *head);

/* Makes sure that the socket stays open across exec. */
void tp_spool_socket_keep_open(void);

#endif
