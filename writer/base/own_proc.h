/* Whether the numbers in /proc are those of this process: in a namespace of processes that was made without a /proc of
 * its own, they are of the one outside, and a number from there is another process here. Any thread; nothing is
 * allocated. */
#ifndef TP_WRITER_BASE_OWN_PROC_H
#define TP_WRITER_BASE_OWN_PROC_H

#include <stdbool.h>

/* False also where no /proc is. */
bool tp_proc_is_own(void);

#endif
