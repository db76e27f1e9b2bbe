/* Whether a library can be preloaded into a program, by the bytes of its file.
 *
 * No memory is taken, no lock, and no more than 12 KiB of stack, so that all of it may be called between vfork and exec.
 * errno is not kept. */
#ifndef TP_WRITER_BASE_PRELOAD_FIT_H
#define TP_WRITER_BASE_PRELOAD_FIT_H

/* The reason of programs without a dynamic loader. What they start may take the library from the environment. */
extern const char tp_preload_static[];

/* Checks ELF bytes: NULL when the dynamic loader of this machine will run the program, else why not (tp_preload_static
 * among the reasons). size: of what there is of the file, at least its program headers. */
const char *tp_preload_check_elf(const unsigned char *bytes, unsigned long size);

/* Checks the open ELF file `fd` for the runtime of a sanitizer (AddressSanitizer, ThreadSanitizer, LeakSanitizer ..), as
 * a library or as a part of the program: such a runtime ends or crashes a program into which our library is preloaded.
 * bytes, size: its beginning. NULL: it has none, or its file is damaged. */
const char *tp_preload_check_sanitizer(int fd, const unsigned char *bytes, unsigned long size);

/* Opens the file of a program, relative to the open folder (or AT_FDCWD), without waiting. A descriptor, or -1. */
int tp_preload_open(int folder, const char *path);

/* Both, of the program in the open file `fd`; of a script, those of its interpreter. NULL: the library fits, or the file
 * cannot be read. */
const char *tp_preload_why_not(int fd);

#endif
