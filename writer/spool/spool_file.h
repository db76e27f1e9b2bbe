/* Creates the file of a spool, and sends it to processes that are not allowed to create one.
 *
 * A program may have given up its rights, or have another root, before it records anything. So `tracepress record`
 * opens a pair of sockets, and the program and its descendants inherit one of them. A process that needs a spool sends
 * the head and the name of the spool, and a socket for the answer. The answer contains the open file, so the process
 * needs no access to the path. Both sides of the protocol are in this module. The message is a struct
 * tp_spool_request. The answer is an errno; if it is 0, the descriptor follows. Any thread may call these functions,
 * which allocate nothing. */
#ifndef TP_WRITER_SPOOL_SPOOL_FILE_H
#define TP_WRITER_SPOOL_SPOOL_FILE_H

#include "writer/spool/spool_format.h"

enum { TP_SPOOL_NAME_BYTES = 256 };

struct tp_spool_request {
    struct tp_spool_head head;
    char name[TP_SPOOL_NAME_BYTES]; /* file name of the spool, NUL-terminated */
};

/* Creates the file `name` in the folder with the descriptor `folder`. The file appears together with its head and its
 * lock, so that a killed process leaves no invalid file. If the file system or /proc does not allow that, the named
 * file is created first and its head is written afterwards. Returns the file's descriptor, or a negative errno. */
int tp_spool_file_make(int folder, const char *name, const struct tp_spool_head *head);

/* Requests a spool through `socket`, and waits at most patience_ms for the answer. Returns the spool's descriptor,
 * close-on-exec, or a negative errno. */
int tp_spool_file_request(int socket, const char *name, const struct tp_spool_head *head, int patience_ms);

/* Answers all pending requests on `socket` without blocking. Creates spools only in `folder`. */
void tp_spool_file_answer(int socket, int folder);

#endif
