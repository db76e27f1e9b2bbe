/* Creates the file of a spool, and sends it to processes that may not create one.
 *
 * A program may have given up its rights, or have another root, before it records anything. So `tracepress record`
 * opens a socket, and the program and its descendants inherit its other end. A process that needs a spool sends the
 * head, the name, and a socket for the answer, which contains the open file. It needs no access to the path. Both sides
 * of the protocol are in this module. A message is struct tp_spool_request. The answer is an errno, with the descriptor
 * if it is 0. Any thread; allocates nothing. */
#ifndef TP_WRITER_SPOOL_SPOOL_FILE_H
#define TP_WRITER_SPOOL_SPOOL_FILE_H

#include "writer/spool/spool_format.h"

enum { TP_SPOOL_NAME_BYTES = 256 };

struct tp_spool_request {
    struct tp_spool_head head;
    char name[TP_SPOOL_NAME_BYTES]; /* NUL-terminated */
};

/* Creates the file `name` in the folder with that descriptor. The file appears with its head and its lock, so that a
 * killed process leaves no invalid file. If the file system or /proc does not allow that, it is created with its name.
 * Returns its descriptor, or a negative errno. */
int tp_spool_file_make(int folder, const char *name, const struct tp_spool_head *head);

/* Requests a spool from the other end of `socket`, waiting at most patience_ms. Returns its descriptor, close-on-exec,
 * or a negative errno. */
int tp_spool_file_ask(int socket, const char *name, const struct tp_spool_head *head, int patience_ms);

/* Answers all pending requests on `socket` without blocking. Creates spools only in `folder`. */
void tp_spool_file_answer(int socket, int folder);

#endif
