/* Restarts the sampler when a thread changes its rights. host_confine.c, which intercepts prctl and syscall, calls
 * these functions after such a system call. They do not change errno. Any thread may call them. */
#ifndef TP_COLLECTOR_SOURCE_HOST_RIGHTS_H
#define TP_COLLECTOR_SOURCE_HOST_RIGHTS_H

void tp_rights_after_prctl(int option);
void tp_rights_after_syscall(long number, long first);

#endif
