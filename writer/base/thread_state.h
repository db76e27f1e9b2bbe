/* Defines the states of a thread, for recorders and readers. */
#ifndef TP_WRITER_BASE_THREAD_STATE_H
#define TP_WRITER_BASE_THREAD_STATE_H

enum tp_thread_state {
    TP_STATE_RUNNING,
    TP_STATE_READY,   /* the thread waits for a CPU */
    TP_STATE_BLOCKED, /* the thread waits for something other than a CPU */
    TP_STATE_COUNT
};

/* Returns the name of a state as traces and exports write it. The text is static. */
static inline const char *tp_thread_state_name(enum tp_thread_state state)
{
    static const char *const names[TP_STATE_COUNT] = {"running", "ready", "blocked"};
    return names[state];
}

#endif
