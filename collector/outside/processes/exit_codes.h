/* Finds the exit status of processes that are not children of this one. With CAP_NET_ADMIN, the kernel's connector
 * reports all exits of the system. Otherwise this module keeps a pidfd of each process, which provides the status since
 * Linux 6.15. Only one thread may use this module. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_EXIT_CODES_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_EXIT_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/id_map.h"
#include "writer/base/str.h"

struct tp_exit_codes {
    int connector;            /* descriptor of the kernel's connector; -1: not available */
    struct tp_id_map waiting; /* key: process; value: its pidfd plus 1, or 0 if the connector is used */
    struct tp_id_map ended;   /* key: process; value: exit status, as wait(2) returns it */
    struct tp_vec early;      /* exits that arrived in the last read before the start of their process; elements: struct
                               * early_end */
    uint32_t open_descriptor_count;
};

/* Initializes *codes. The maps are in `arena`. The caller sets the guard of the arena in all calls that add or read. */
void tp_exit_codes_open(struct tp_exit_codes *codes, struct tp_arena *arena);
void tp_exit_codes_release(struct tp_exit_codes *codes);

/* Adds a process of the recording that has started. */
void tp_exit_codes_add_process(struct tp_exit_codes *codes, uint32_t pid);

/* Stores a status that the caller received from another source. */
void tp_exit_codes_store_status(struct tp_exit_codes *codes, uint32_t pid, int status);

/* Reads the connector's messages. An exit may arrive before the start of its process. The status is kept only until the
 * next call, so the caller must add the process before that. */
void tp_exit_codes_read(struct tp_exit_codes *codes);

/* Sets *status to the exit status of a process and forgets the process. Returns false if the status is unknown.
 * keeps_asking: true keeps a process whose status is unknown, so that the caller can ask again. */
bool tp_exit_codes_find_status(struct tp_exit_codes *codes, uint32_t pid, bool keeps_asking, int *status);

#endif
