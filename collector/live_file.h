/* Where the live event file lies, and appending to it: see live.h. One thread at a time. */
#ifndef TP_COLLECTOR_LIVE_FILE_H
#define TP_COLLECTOR_LIVE_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { TP_LIVE_PATH = 4600 };

struct tp_live_file {
    int fd;               /* -1: not open */
    bool has_peers;       /* never in the directory itself */
    bool is_placed;       /* `folder` is ours: what else of ours lies there is an export of this run */
    size_t size;          /* bytes in the file */
    char directory[4200]; /* as given; "" before tp_live_file_init */
    char worker[160];     /* letters, digits and ._- */
    char folder[4400], path[TP_LIVE_PATH];
};

/* Nothing is made yet. */
void tp_live_file_init(struct tp_live_file *file, const char *directory, const char *worker, bool has_peers);
/* Whether it was made for that directory. */
bool tp_live_file_is_for(const struct tp_live_file *file, const char *directory);
/* Whether there is a file that has not been removed meanwhile, by an export into its folder. */
bool tp_live_file_is_there(const struct tp_live_file *file);
/* Appends whole records with one write, after making the file where there is none. 0 or an errno: the file then ends
 * with its last whole record. */
int tp_live_file_append(struct tp_live_file *file, const void *records, size_t size);
void tp_live_file_close(struct tp_live_file *file);

#endif
