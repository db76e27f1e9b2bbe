/* The file of a spool: how one is made, and how a process that may not make one gets it.
 *
 * A program may have given up its rights, or have another root, when it first records something. So `tracepress record`
 * keeps a socket, of which the program and all that it starts have the other end: whoever wants a spool sends its head,
 * its name and a socket of his own for the answer, which is the open file. Nobody needs the path. Both sides are here,
 * because they are one protocol; a message is struct tp_spool_request, the answer an errno, with the descriptor when it
 * is 0. Any thread; no memory is taken. */
#ifndef TP_WRITER_SPOOL_SPOOL_FILE_H
#define TP_WRITER_SPOOL_SPOOL_FILE_H

#include "writer/spool/spool_format.h"

enum { TP_SPOOL_NAME_BYTES = 256 };

struct tp_spool_request {
    struct tp_spool_head head;
    char name[TP_SPOOL_NAME_BYTES]; /* NUL-terminated */
};

/* Makes the file `name` in the folder of that descriptor. It appears with its head and its lock, so that whoever is
 * killed meanwhile leaves no file that is no spool; by name from the start where the file system, or the place of
 * /proc, does not have it otherwise. Returns its descriptor, or a negative errno. */
int tp_spool_file_make(int folder, const char *name, const struct tp_spool_head *head);

/* Asks whoever has the other end of `socket`, for patience_ms at most. Returns the spool's descriptor, close-on-exec,
 * or a negative errno. */
int tp_spool_file_ask(int socket, const char *name, const struct tp_spool_head *head, int patience_ms);

/* Answers what waits on `socket`, never blocks: spools are made in `folder`, and nowhere else. */
void tp_spool_file_answer(int socket, int folder);

#endif
