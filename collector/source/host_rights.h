/* Rights of single threads: what host_confine.c, which stands before prctl and syscall, hands on after a call. errno
 * stays. Any thread. */
#ifndef TP_COLLECTOR_SOURCE_HOST_RIGHTS_H
#define TP_COLLECTOR_SOURCE_HOST_RIGHTS_H

void tp_rights_after_prctl(int option);
void tp_rights_after_syscall(long number, long first);

#endif
