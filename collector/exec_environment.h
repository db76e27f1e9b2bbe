/* The environment of what a process of the run becomes or starts, so that it is recorded, too: `env -i program`, and
 * `LD_PRELOAD=other.so program` inside a script, would leave us behind.
 *
 * The program's variables stay as they are, LD_PRELOAD gets the library in front, and what `tracepress record` set is
 * there again. Where the library cannot be loaded (another root, no rights, a program that has confined itself, one that
 * was built with a sanitizer or for another C library) it is left out, so that the loader says nothing about it. All of it may be called between vfork and exec: no memory is
 * taken, no lock, and nothing is written but the caller's. */
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
void tp_exec_tell(const char *folder, char mark, const char *text);

/* A program that this process becomes or starts. */
struct tp_exec_program {
    const char *name; /* as the call has it; NULL: it is `fd` */
    bool is_searched; /* a name without a slash is looked up in PATH */
    int fd;           /* of its file, or of the folder of a relative name; AT_FDCWD */
};

/* Records the program in the file of the run. Returns whether the library can be preloaded into it. One that cannot be
 * found or read counts as able, for its loader decides. */
bool tp_exec_tell_program(const struct tp_exec_program *program);

/* Bytes that tp_exec_environment needs for this environment, which may be NULL; 0: it stays as it is. */
size_t tp_exec_bytes(char *const *given);

/* The environment, in `room`: pointers to the given texts, to ours, and a text of LD_PRELOAD behind them. NULL when it
 * is to stay as it is. fits: what tp_exec_tell_program returned; else the library is left out. */
char **tp_exec_environment(char *const *given, bool fits, void *room);

#endif
