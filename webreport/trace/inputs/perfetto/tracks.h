/* Stores the tracks of a Perfetto trace, and finds the process and the thread of each track.
 *
 * A track is a process, a thread, or a child of another track. Tracks belong to all sequences. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_TRACKS_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_TRACKS_H

#include "webreport/trace/inputs/perfetto/exported_facts.h"
#include "webreport/trace/inputs/perfetto/interned.h"

struct tp_track {
    uint64_t uuid, parent;
    bool is_described;                                     /* false for a track that only events name */
    bool has_process, has_thread;                          /* true if the description names a process or a thread */
    bool is_placed;                                        /* true if the members after `labels` are set */
    bool is_exported;                                      /* true if the track has a row of an exported trace */
    bool has_events;                                       /* true if `thread` is set */
    int64_t pid, thread_pid, tid;                          /* numbers in the description */
    struct tp_str name, process_name, thread_name, labels; /* ptr NULL if absent */
    uint64_t counter_unit;                                 /* number by which the values of a counter are multiplied */
    bool is_incremental;                                   /* true if the values of a counter are differences */
    int64_t placed_pid, placed_tid;                        /* process and thread to which the events belong */
    struct tp_str pid_token, tid_token;
    uint32_t thread;             /* thread of the events, index in the threads of the sink */
    struct tp_str shown_process; /* name of the process */
};

struct tp_tracks {
    struct tp_sink *sink;
    struct tp_id_map numbers; /* number of the track of each uuid */
    uint64_t last_uuid;       /* uuid of the track that was found last, and its number */
    uint32_t last_number;
    struct tp_vec items; /* elements: struct tp_track */
    bool is_own;         /* true for a file of `tracepress export` */
    struct tp_vec rows;  /* rows of an exported trace: row i has the track i + 1; elements: struct tp_exported_row */
};

void tp_tracks_init(struct tp_tracks *tracks, struct tp_sink *sink);

/* Reads a TrackDescriptor. Sets *thread to the number of the track if it is a thread. Returns false if the message is
 * broken. */
bool tp_tracks_read(struct tp_tracks *tracks, struct tp_str message, uint32_t *thread);

/* Returns the number of the track with this uuid, which is added if it is missing. */
uint32_t tp_tracks_number(struct tp_tracks *tracks, uint64_t uuid);

/* Returns the number of the track of a thread or of a process that no descriptor with a uuid describes. */
uint32_t tp_tracks_of_thread(struct tp_tracks *tracks, int64_t pid, int64_t tid);
uint32_t tp_tracks_of_process(struct tp_tracks *tracks, int64_t pid);

/* Reads a ThreadDescriptor or a ProcessDescriptor into a track. Returns false if the message is broken. */
bool tp_tracks_read_thread(struct tp_tracks *tracks, uint32_t number, struct tp_str message);
bool tp_tracks_read_process(struct tp_tracks *tracks, uint32_t number, struct tp_str message);

/* Returns the number of the track for asynchronous slices with this id. base: number of the track of the thread that
 * wrote the slice. is_local: true if the id belongs to the process. name: name of the slice. */
uint32_t tp_tracks_async(struct tp_tracks *tracks, uint32_t base, uint64_t id, bool is_local, struct tp_str name);

/* Returns the track with this number, and finds its process and thread if that was not done before. Valid until the
 * next call. */
struct tp_track *tp_tracks_place(struct tp_tracks *tracks, uint32_t number);

/* Adds the thread of a track to the sink and names the thread and its process, if that was not done before. Called for
 * events of the host. name: name of the event, which also names a track without a name. */
void tp_tracks_use(struct tp_tracks *tracks, struct tp_track *track, struct tp_str name);

/* Finds the processes and threads of all tracks again, because descriptions may follow the first event. Moves events
 * to their final threads. */
void tp_tracks_finish(struct tp_tracks *tracks);

/* Returns a number as a token that stays valid with the trace. */
struct tp_str tp_tracks_token(struct tp_sink *sink, int64_t number);

#endif
