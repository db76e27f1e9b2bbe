/* Chooses the path of the live event file (live.h) and appends to the file. Only one thread at a time may call these
 * functions. */
#ifndef TP_COLLECTOR_LIVE_FILE_H
#define TP_COLLECTOR_LIVE_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { TP_LIVE_PATH = 4600 };

struct tp_live_file {
    int fd;         /* descriptor of the file; -1: not open */
    bool has_peers; /* true if other ranks use the directory, so that the file must be in a subfolder */
    /* true if the folder is chosen; then another event file of tracepress in this folder is an export of this run */
    bool is_placed;
    size_t size;          /* size of the file in bytes */
    char directory[4200]; /* directory as passed to tp_live_file_init; "" before that call */
    char worker[160];     /* name of the worker: letters, digits and ._- */
    char folder[4400], path[TP_LIVE_PATH];
};

/* Initializes *file. Creates no file yet. */
void tp_live_file_init(struct tp_live_file *file, const char *directory, const char *worker, bool has_peers);
/* Returns whether *file was initialized for this directory. */
bool tp_live_file_is_for_directory(const struct tp_live_file *file, const char *directory);
/* Returns whether the file exists. `tracepress export` into the folder of the file removes it. */
bool tp_live_file_exists(const struct tp_live_file *file);
/* Appends complete records with one write, and creates the file if needed. Returns 0 or an errno. After an error the
 * file still ends with its last complete record. */
int tp_live_file_append(struct tp_live_file *file, const void *records, size_t size);
void tp_live_file_close(struct tp_live_file *file);

#endif
