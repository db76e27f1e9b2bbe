/* A function of ours in place of one that the C library of Windows has under the same name. */
#ifndef TP_WRITER_WINDOWS_SYMBOL_H
#define TP_WRITER_WINDOWS_SYMBOL_H

#define TP_WINDOWS(name) __asm__("tp_windows_" #name)

#endif
