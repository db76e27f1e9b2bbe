/* Protects the program from SIGXFSZ, which kills a process that writes beyond RLIMIT_FSIZE. While the collector writes,
 * the writing thread blocks the signal. A pending signal is discarded afterwards. The write fails with EFBIG instead,
 * and the program continues. */
#ifndef TP_COLLECTOR_FILE_SIZE_SIGNAL_H
#define TP_COLLECTOR_FILE_SIZE_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

struct tp_file_size_signal {
    sigset_t old;
    bool was_pending; /* true if a SIGXFSZ of the program was already pending; this signal is not discarded */
};

/* tp_file_size_signal_block blocks the signal in this thread, tp_file_size_signal_unblock unblocks it. A thread that is
 * created between the two calls blocks the signal for its whole life. */
void tp_file_size_signal_block(struct tp_file_size_signal *hold);
void tp_file_size_signal_unblock(const struct tp_file_size_signal *hold);

#endif
