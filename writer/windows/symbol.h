/* Gives a function of tracepress another symbol than the function of the Windows C library with the same name. */
#ifndef TP_WRITER_WINDOWS_SYMBOL_H
#define TP_WRITER_WINDOWS_SYMBOL_H

#define TP_WINDOWS(name) __asm__("tp_windows_" #name)

#endif
