/* Determines which kernel events this process may open, and advises how to allow more events. Any thread may call these
 * functions. */
#ifndef TP_COLLECTOR_OUTSIDE_EVENTS_EVENT_RIGHTS_H
#define TP_COLLECTOR_OUTSIDE_EVENTS_EVENT_RIGHTS_H

/* Returns the system setting kernel.perf_event_paranoid, -1 to 4; 99 if the kernel has no events. */
int tp_event_paranoid_level(void);

/* Returns a short static text that advises how to allow events. error: errno of the refused perf_event_open. level:
 * from tp_event_paranoid_level. */
const char *tp_event_rights_advice(int error, int level);

#endif
