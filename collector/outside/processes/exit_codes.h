/* Finds the exit status of processes that are not our children. With CAP_NET_ADMIN the kernel's connector reports all
 * exits of the system. Otherwise a pidfd is kept for each process, which has the status since Linux 6.15. One
 * thread. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_EXIT_CODES_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_EXIT_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/id_map.h"
#include "writer/base/str.h"

struct tp_exit_codes {
    int connector;            /* a descriptor, or -1 */
    struct tp_id_map waiting; /* process: its pidfd plus 1, or 0 if the connector is used */
    struct tp_id_map ended;   /* process: its status of wait(2) */
    struct tp_vec early;      /* exits from the last read of processes whose start was not known */
    uint32_t descriptor_count;
};

/* Initializes *codes. The maps are in `arena`, whose guard the caller sets in the calls below that add or read. */
void tp_exit_codes_open(struct tp_exit_codes *codes, struct tp_arena *arena);
void tp_exit_codes_release(struct tp_exit_codes *codes);

/* Adds a process of the recording that has started. */
void tp_exit_codes_add(struct tp_exit_codes *codes, uint32_t pid);

/* Stores the status of a process that is known from elsewhere. */
void tp_exit_codes_put(struct tp_exit_codes *codes, uint32_t pid, int status);

/* Reads the connector's messages. An exit may arrive before the start of its process. It is found if the caller adds
 * the process before the next call. */
void tp_exit_codes_read(struct tp_exit_codes *codes);

/* Gets the status of an exited process and forgets the process. Returns false if it is unknown. keeps_asking: the
 * process is kept if it is unknown. */
bool tp_exit_codes_take(struct tp_exit_codes *codes, uint32_t pid, bool keeps_asking, int *status);

#endif
