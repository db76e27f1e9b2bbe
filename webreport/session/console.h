/* Prints messages on standard error: one line for each fact. Text from traces is made harmless for a terminal. */
#ifndef TP_WEBREPORT_SESSION_CONSOLE_H
#define TP_WEBREPORT_SESSION_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct tp_console {
    bool is_quiet; /* notices are not printed; errors are always printed */
    bool has_color, is_terminal;
    _Atomic bool shows_progress; /* the terminal shows a progress line; any thread may remove it */
    struct timespec started, last;
};

enum tp_color_choice { TP_COLOR_AUTO, TP_COLOR_ALWAYS, TP_COLOR_NEVER };

void tp_console_init(struct tp_console *console, bool is_quiet, int color_choice);

/* Restarts the clock that decides whether progress is shown. */
void tp_console_restart(struct tp_console *console);

/* Prints a line that begins with "tracepress: ". Control characters are shown as \xNN or \uNNNN, and no part of the
 * line can be a command to a CI log. */
void tp_console_error(struct tp_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tp_console_notice(struct tp_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints which files were written, as "wrote report.html, out.json". Leaves out NULL, "-" and files of /dev. */
void tp_console_print_written(struct tp_console *console, const char *const *paths, size_t count);

/* Prints `line`, a sentence, followed by the names of the written files, all in one line. */
void tp_console_print_line_and_written(struct tp_console *console, const char *line, const char *const *paths,
                                       size_t count);

/* Prints a line that the next line overwrites. Prints only on terminals, and only if the work takes more than a second.
 */
void tp_console_progress(struct tp_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tp_console_progress_end(struct tp_console *console);

#endif
