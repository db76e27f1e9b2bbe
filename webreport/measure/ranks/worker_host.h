/* Extracts the machine from the name of a trace. */
#ifndef TP_WEBREPORT_MEASURE_RANKS_WORKER_HOST_H
#define TP_WEBREPORT_MEASURE_RANKS_WORKER_HOST_H

#include "writer/base/str.h"

/* Returns the host in a worker name, such as "node7" for "node7_4242". Returns an empty text if the name has only a
 * word such as "worker" or "rank" before the digits. */
struct tp_str tp_worker_host(struct tp_str worker);

#endif
