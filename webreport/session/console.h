/* Prints messages on standard error, one line for each fact. Makes text from traces harmless for a terminal. */
#ifndef TP_WEBREPORT_SESSION_CONSOLE_H
#define TP_WEBREPORT_SESSION_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct tp_console {
    bool is_quiet; /* true: print errors but no notices */
    bool has_color, is_terminal;
    _Atomic bool shows_progress; /* true: the terminal shows a progress line, which any thread may remove */
    struct timespec started, last;
};

enum tp_color_choice { TP_COLOR_AUTO, TP_COLOR_ALWAYS, TP_COLOR_NEVER };

void tp_console_init(struct tp_console *console, bool is_quiet, int color_choice);

/* Restarts the clock that decides when progress is shown. */
void tp_console_restart(struct tp_console *console);

/* Prints an error as a line that begins with "tracepress: ". Prints control characters as \xNN or \uNNNN. No part of
 * the line can be a command to a CI log. tp_console_notice does the same for a notice, unless is_quiet is set. */
void tp_console_error(struct tp_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tp_console_notice(struct tp_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the text between the name of a file and a message about the file: " " if the message continues the name with
 * a verb, as in "is a zip archive"; otherwise ": ". Static text. */
const char *tp_console_joint(const char *why);

/* Prints why an input cannot be used, after its path. */
void tp_console_input_error(struct tp_console *console, const char *path, const char *why);

/* Prints the paths of the written files, as "wrote report.html, out.json". Skips paths that are NULL, "-" or files
 * of /dev. */
void tp_console_print_written(struct tp_console *console, const char *const *paths, size_t count);

/* Prints a sentence and the paths of the written files on one line. line: the sentence. */
void tp_console_print_line_and_written(struct tp_console *console, const char *line, const char *const *paths,
                                       size_t count);

/* Prints a progress line that the next line overwrites. Prints only on terminals, and only if the work has taken more
 * than one second. */
void tp_console_progress(struct tp_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tp_console_progress_end(struct tp_console *console);

#endif
