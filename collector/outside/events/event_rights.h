/* Determines which kernel events we may open, and how to allow more. Any thread. */
#ifndef TP_COLLECTOR_OUTSIDE_EVENTS_EVENT_RIGHTS_H
#define TP_COLLECTOR_OUTSIDE_EVENTS_EVENT_RIGHTS_H

/* Returns kernel.perf_event_paranoid, which is -1 to 4, or 99 if the kernel has no events. */
int tp_event_level(void);

/* Returns advice in a few words if perf_event_open was refused with that errno at that level. Static. */
const char *tp_event_advice(int error, int level);

#endif
