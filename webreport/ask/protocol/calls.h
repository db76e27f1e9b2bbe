/* Runs calls of tools one after the other on a thread of their own, so that a client can cancel them. */
#ifndef TP_WEBREPORT_ASK_PROTOCOL_CALLS_H
#define TP_WEBREPORT_ASK_PROTOCOL_CALLS_H

#include <pthread.h>
#include <stdatomic.h>

#include "webreport/ask/ask.h"
#include "writer/base/limits.h"

/* The output of the server. Each line is written as a whole, by any thread. */
struct tp_lines_out {
    int fd;
    pthread_mutex_t lock;
    atomic_bool is_closed; /* true: the reader of the output is gone */
};

/* Writes a text and a line feed. */
void tp_lines_out_write(struct tp_lines_out *out, struct tp_str text);

/* A call that waits or runs. */
struct tp_waiting_call {
    const struct tp_tool *tool;
    char *id, *arguments; /* compact JSON */
    bool is_cancelled;
};

struct tp_calls {
    struct tp_ask *ask;
    struct tp_lines_out *out;
    pthread_t thread;
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t changed;
    struct tp_waiting_call items[TP_MAX_ASK_WAITING]; /* a ring; the call that runs is the first */
    unsigned first, count;
    bool is_running, is_ended;
};

/* Starts the thread. Returns 0 or TP_ENOMEM. */
int tp_calls_start(struct tp_calls *calls, struct tp_ask *ask, struct tp_lines_out *out, struct tp_error *err);

/* Adds a call, and waits while TP_MAX_ASK_WAITING calls are waiting. Copies both texts. Returns false if memory is
 * exhausted. */
bool tp_calls_add(struct tp_calls *calls, const struct tp_tool *tool, struct tp_str id, struct tp_str arguments);

/* Cancels the call with this id, which then gets no answer. Does nothing without such a call. */
void tp_calls_cancel(struct tp_calls *calls, struct tp_str id);

/* Waits until all calls have run, and ends the thread. is_hurried: true cancels all calls. */
void tp_calls_finish(struct tp_calls *calls, bool is_hurried);

#endif
