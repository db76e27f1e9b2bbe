/* Gives functions of tracepress symbols of their own if the Windows C library has functions of the same name. */
#ifndef TP_WRITER_WINDOWS_SYMBOL_H
#define TP_WRITER_WINDOWS_SYMBOL_H

#define TP_WINDOWS(name) __asm__("tp_windows_" #name)

#endif
