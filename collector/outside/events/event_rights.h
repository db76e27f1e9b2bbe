/* Determines which kernel events this process may open, and how to allow more. Any thread may call these functions. */
#ifndef TP_COLLECTOR_OUTSIDE_EVENTS_EVENT_RIGHTS_H
#define TP_COLLECTOR_OUTSIDE_EVENTS_EVENT_RIGHTS_H

/* Returns kernel.perf_event_paranoid, which is -1 to 4, or 99 if the kernel has no events. */
int tp_event_level(void);

/* Returns advice in a few words. error: errno with which perf_event_open was refused. level: from tp_event_level. The
 * text is static. */
const char *tp_event_advice(int error, int level);

#endif
