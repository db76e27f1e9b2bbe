/* How handlers of signals are declared that run inside programs of others. */
#ifndef TP_WRITER_BASE_SIGNAL_HANDLER_H
#define TP_WRITER_BASE_SIGNAL_HANDLER_H

/* The handler sets its own stack in order: user-mode emulators (qemu 7.2) call handlers with a stack that is 8 bytes
 * off the alignment that compilers rely on, and the first SSE store to it is SIGSEGV. */
#if defined(__x86_64__) || defined(__i386__)
#define TP_SIGNAL_HANDLER __attribute__((force_align_arg_pointer))
#else
#define TP_SIGNAL_HANDLER
#endif

#endif
