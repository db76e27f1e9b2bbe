/* Protects mapped files that another program may truncate, or whose disk may fail. Access to a page that is then
 * missing raises SIGBUS, which kills the process. In a registered range, this page and all later pages are replaced
 * with private pages of zeros, and the range is marked as cut.
 *
 * The first registered range installs the handler of SIGBUS. A SIGBUS outside all ranges is passed to the previous
 * handler, or to the handler that the program sets later through tp_mapped_change_action (our libraries intercept
 * sigaction). If the program sets its handler in another way, the next tp_mapped_add installs our handler again. The
 * kernel still kills a thread that blocks SIGBUS. The process has one list of ranges. Any thread may call these
 * functions, also in a child of fork and in a signal handler. */
#ifndef TP_WRITER_BASE_MAPPED_H
#define TP_WRITER_BASE_MAPPED_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers `size` bytes at `start`, which must be a multiple of the page size. Does nothing if the list of ranges is
 * full. */
void tp_mapped_add(const void *start, size_t size);

/* Unregisters and unmaps a range. `size` is used only if the range is not registered. start may be NULL. */
void tp_mapped_remove(const void *start, size_t size);

/* Returns the offset of the first unreadable byte in a registered range, a multiple of the page size; SIZE_MAX if all
 * bytes are readable. */
size_t tp_mapped_cut_offset(const void *start);

/* Turns lenient mode on or off for this thread, for a library that maps files by itself. In lenient mode, every
 * unreadable page that the thread touches is replaced with zeros. */
void tp_mapped_replace_lost_pages(bool is);

/* Returns how often ranges of this process were cut so far. */
uint32_t tp_mapped_cut_count(void);

typedef int tp_mapped_setter(int, const struct sigaction *, struct sigaction *);
/* Sets the function that is called to set signal actions; NULL: sigaction. For a library that intercepts sigaction
 * itself. */
void tp_mapped_set_action_setter(tp_mapped_setter *setter);

/* Sets and returns the program's action for SIGBUS, like sigaction. Either pointer may be NULL. Returns false without
 * any effect if our handler is not installed. */
bool tp_mapped_change_action(const struct sigaction *action, struct sigaction *before);

/* Releases the lock in a child of fork, because the thread that locked it may be missing in the child. */
void tp_mapped_reset_in_child(void);

#endif
