/* Lists the producers of the SQLite databases that tracepress reads. A new producer is a line in this list and a file
 * that defines tp_NAME_producer. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_PRODUCERS_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_PRODUCERS_H

#include "webreport/trace/inputs/sqlite/database.h"
#include "webreport/trace/inputs/sqlite/row_events.h"
#include "webreport/trace/source.h"

struct tp_database_producer {
    /* Returns true if a database has the tables of the producer. */
    bool (*is_one)(const struct tp_database *db);
    /* Appends the pids of the processes to `pids` (elements: int64_t). Returns the codes of tp_database_scan. */
    int (*list)(struct tp_database *db, struct tp_vec *pids, struct tp_error *err);
    /* Reads one process. Returns the codes of tp_database_scan, and TP_EFORMAT without a device operation. */
    int (*read)(struct tp_database *db, struct tp_source *source, struct tp_row_events *events, int64_t pid);
    const char *refusal; /* sentence for a file without a process */
};

/* The first producer that recognises a database reads it. */
#define TP_DATABASE_PRODUCERS(X) X(nsys) X(rocpd) X(rpd) X(nvprof)

#define TP_DECLARE_PRODUCER(name) extern const struct tp_database_producer tp_##name##_producer;
TP_DATABASE_PRODUCERS(TP_DECLARE_PRODUCER)

#endif
