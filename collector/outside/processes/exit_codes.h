/* How processes end that are not our children: the kernel's connector tells all ends of the system to who has
 * CAP_NET_ADMIN; else a descriptor of each process is kept, which knows from Linux 6.15 on. One thread. */
#ifndef TP_COLLECTOR_OUTSIDE_PROCESSES_EXIT_CODES_H
#define TP_COLLECTOR_OUTSIDE_PROCESSES_EXIT_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/id_map.h"
#include "writer/base/str.h"

struct tp_exit_codes {
    int connector;            /* a descriptor, or -1 */
    struct tp_id_map waiting; /* process: its descriptor plus 1, or 0 where the connector is asked */
    struct tp_id_map ended;   /* process: its status, as wait(2) has it */
    struct tp_vec early;      /* ends told at the last read, of processes whose begin was not */
    uint32_t descriptor_count;
};

/* The maps live in `arena`, whose guard the caller sets in the calls below that add or read. */
void tp_exit_codes_open(struct tp_exit_codes *codes, struct tp_arena *arena);
void tp_exit_codes_release(struct tp_exit_codes *codes);

/* A process of the recording has begun. */
void tp_exit_codes_add(struct tp_exit_codes *codes, uint32_t pid);

/* How a process ended, known from elsewhere. */
void tp_exit_codes_put(struct tp_exit_codes *codes, uint32_t pid, int status);

/* Takes what the connector has told. An end may be told before the begin of its process is read: it is known to who adds
 * the process before the next call. */
void tp_exit_codes_read(struct tp_exit_codes *codes);

/* The status of a process that is over; false: it is not known. Forgets the process; keeps_asking: only when it is known. */
bool tp_exit_codes_take(struct tp_exit_codes *codes, uint32_t pid, bool keeps_asking, int *status);

#endif
