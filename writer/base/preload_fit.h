/* Finds out from the bytes of a program's file whether a library can be preloaded into the program.
 *
 * The functions allocate nothing, take no lock and need at most 12 KiB of stack, so that they may be called between
 * vfork and exec. They change errno. */
#ifndef TP_WRITER_BASE_PRELOAD_FIT_H
#define TP_WRITER_BASE_PRELOAD_FIT_H

/* Reason against preloading into a program without a dynamic loader. Other programs that this program starts may still
 * load the library. */
extern const char tp_preload_static[];

/* Checks the beginning of an ELF file. Returns NULL if the dynamic loader of this machine runs the program, otherwise
 * the reason, such as tp_preload_static. size: length of `bytes`, which contain at least the program headers. */
const char *tp_preload_check_elf(const unsigned char *bytes, unsigned long size);

/* Checks the open ELF file `fd` for the runtime of a sanitizer (AddressSanitizer, ThreadSanitizer, LeakSanitizer ..),
 * as a library or as a part of the program. Such a runtime ends or crashes a program into which our library is
 * preloaded. bytes, size: beginning of the file. Returns the reason against preloading, or NULL if the file has no such
 * runtime or is damaged. */
const char *tp_preload_check_sanitizer(int fd, const unsigned char *bytes, unsigned long size);

/* Opens a program's file without blocking. folder: an open folder for relative paths, or AT_FDCWD. Returns a
 * descriptor, or -1. */
int tp_preload_open(int folder, const char *path);

/* Checks the program in the open file `fd` for a dynamic loader and for sanitizers. For a script, checks its
 * interpreter. Returns the reason against preloading, or NULL if the library can be preloaded or the file cannot be
 * read. */
const char *tp_preload_refusal(int fd);

#endif
