/* What the kernel lets us see of programs by events, and how more is allowed. Any thread. */
#ifndef TP_COLLECTOR_OUTSIDE_EVENTS_EVENT_RIGHTS_H
#define TP_COLLECTOR_OUTSIDE_EVENTS_EVENT_RIGHTS_H

/* kernel.perf_event_paranoid: -1 to 4; 99: the kernel has no events. */
int tp_event_level(void);

/* Where perf_event_open was refused with that errno at that level: what is to be done, in a few words. Static. */
const char *tp_event_advice(int error, int level);

#endif
