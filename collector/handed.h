/* Spools that `tracepress record` hands to us (writer/spool/spool_file.h), by a socket that the programs of the run
 * inherit. TRACEPRESS_SPOOL_SOCKET=NUMBER:INODE says which it is; a program that has closed it, or given its number to
 * a file of its own, makes its spools by path. Any thread; in the child of fork, and between vfork and exec, too. */
#ifndef TP_COLLECTOR_HANDED_H
#define TP_COLLECTOR_HANDED_H

#include "writer/spool/spool_format.h"

/* Keeps which socket it is; text: of the variable, NULL: there is none. */
void tp_handed_from(const char *text);

/* The descriptor of a new spool in the folder of the run; negative: it cannot be had in this way. */
int tp_handed_spool(const char *name, const struct tp_spool_head *head);

/* Sees that exec leaves the socket open. */
void tp_handed_pass_on(void);

#endif
