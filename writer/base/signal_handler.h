/* Defines the attribute of signal handlers that run inside other programs. */
#ifndef TP_WRITER_BASE_SIGNAL_HANDLER_H
#define TP_WRITER_BASE_SIGNAL_HANDLER_H

/* Makes the handler align the stack itself. User-mode emulators (qemu 7.2) call handlers with a stack that is 8 bytes
 * off the alignment that compilers assume. Otherwise the first SSE store to this stack would raise SIGSEGV. */
#if defined(__x86_64__) || defined(__i386__)
#define TP_SIGNAL_HANDLER __attribute__((force_align_arg_pointer))
#else
#define TP_SIGNAL_HANDLER
#endif

#endif
