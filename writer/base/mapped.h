/* Files in memory that others may cut short meanwhile, or whose disk may fail: touching such a page is SIGBUS, which
 * ends a process. A range that is listed here has zeros from that page on instead, in memory of its own, and is known
 * as cut.
 *
 * The handler of SIGBUS is set with the first range. What comes from elsewhere goes on to the handler that was there,
 * or to the one that the program sets later, when its call of sigaction comes to tp_mapped_action (our libraries
 * see to that); else a later one is found at the next tp_mapped_add, and ours put before it. A thread that blocks
 * SIGBUS is ended by the kernel all the same. The process has one list. Any thread, also in the child of a fork and in
 * the handler of a signal. */
#ifndef TP_WRITER_BASE_MAPPED_H
#define TP_WRITER_BASE_MAPPED_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lists size bytes at start, a multiple of the page. Without room in the list they are left as they are. */
void tp_mapped_add(const void *start, size_t size);

/* Takes the range off the list and out of memory; one that is not listed has `size` bytes. NULL is accepted. */
void tp_mapped_remove(const void *start, size_t size);

/* The first byte of a listed range that could not be read since it was listed, a multiple of the page; SIZE_MAX: none.
 */
size_t tp_mapped_cut_at(const void *start);

/* For a library that maps files by itself: while it is on, every page of this thread's that cannot be read becomes
 * zeros. */
void tp_mapped_lenient(bool is);

/* How often any range of the process was cut so far. */
uint32_t tp_mapped_cuts(void);

/* The function that sets actions of signals; NULL: sigaction. For a library that stands before sigaction itself. */
typedef int tp_mapped_setter(int, const struct sigaction *, struct sigaction *);
void tp_mapped_set_by(tp_mapped_setter *setter);

/* What the program says of SIGBUS, as sigaction has it; either may be NULL. False: ours is not set so far, and nothing
 * was done. */
bool tp_mapped_action(const struct sigaction *action, struct sigaction *before);

/* In the child of a fork: no other thread is in the middle of anything. */
void tp_mapped_in_child(void);

#endif
