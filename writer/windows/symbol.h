/* Gives a function of ours another symbol than that of the Windows C library with the same name. */
#ifndef TP_WRITER_WINDOWS_SYMBOL_H
#define TP_WRITER_WINDOWS_SYMBOL_H

#define TP_WINDOWS(name) __asm__("tp_windows_" #name)

#endif
