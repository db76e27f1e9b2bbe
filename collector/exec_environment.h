/* The environment of what a process of the run becomes or starts, so that it is recorded, too: `env -i program`, and
 * `LD_PRELOAD=other.so program` inside a script, would leave us behind.
 *
 * The program's variables stay as they are, LD_PRELOAD gets the library in front, and what `tracepress record` set
 * is there again. The library is left out where it cannot be loaded, so that the loader prints no error: under
 * another root, without rights, in a program that has confined itself, or one that was built with a sanitizer or for
 * another C library. All functions may be called between vfork and exec: they take no memory and no lock, and write
 * only to the caller's memory. */
#ifndef TP_COLLECTOR_EXEC_ENVIRONMENT_H
#define TP_COLLECTOR_EXEC_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Keeps what this process was started with; in the constructor. Until then, environments stay as they are. library:
 * path of the preload library, borrowed; NULL: they stay as they are again. */
void tp_exec_keep(const char *library);

/* Adds the line "PID MARK TEXT", the mark without blanks around it, to the file of the run that tells why nothing was
 * recorded (collector/launch/why_nothing.h). One write, so that lines of processes that begin together stay whole; what
 * cannot be told is not. */
void tp_exec_report(const char *folder, char mark, const char *text);

/* A program that this process becomes or starts. */
struct tp_exec_program {
    const char *name; /* as the program passed it; NULL: the file is `fd` */
    bool is_searched; /* a name without a slash is looked up in PATH */
    int fd;           /* of the file, or of the folder that a relative name starts in; AT_FDCWD */
};

/* Notes the program in the file of the run. Returns whether the library can be preloaded into it; true also for a
 * program that cannot be found or read, because its loader decides then. */
bool tp_exec_report_program(const struct tp_exec_program *program);

/* Bytes that tp_exec_environment needs for this environment, which may be NULL; 0: it stays as it is. */
size_t tp_exec_bytes(char *const *given);

/* The environment, in `room`: pointers to the given texts, to ours, and a text of LD_PRELOAD behind them. NULL when it
 * is to stay as it is. fits: result of tp_exec_report_program; false leaves the library out. */
char **tp_exec_environment(char *const *given, bool fits, void *room);

#endif
