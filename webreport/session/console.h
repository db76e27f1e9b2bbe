/* Prints messages on standard error: one line per fact, with text from traces made harmless for a terminal. */
#ifndef TP_WEBREPORT_SESSION_CONSOLE_H
#define TP_WEBREPORT_SESSION_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct tp_console {
    bool is_quiet; /* notices are left out; errors are always printed */
    bool has_color, is_terminal;
    _Atomic bool shows_progress; /* a progress line is on the terminal; any thread may end it */
    struct timespec started, last;
};

enum tp_color_choice { TP_COLOR_AUTO, TP_COLOR_ALWAYS, TP_COLOR_NEVER };

void tp_console_init(struct tp_console *console, bool is_quiet, int color_choice);

/* Restarts the clock that decides when progress is shown. */
void tp_console_restart(struct tp_console *console);

/* Prints a line "tracepress: ...". Control characters in it are shown as \xNN or \uNNNN, and no part of it is a command
 * to a CI log. */
void tp_console_error(struct tp_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tp_console_notice(struct tp_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints which files were written: "wrote report.html, out.json". Leaves out NULL, "-" and files of /dev. */
void tp_console_wrote(struct tp_console *console, const char *const *paths, size_t count);

/* Prints `line`, a sentence, and which files were written, in one line. */
void tp_console_line_and_wrote(struct tp_console *console, const char *line, const char *const *paths, size_t count);

/* Prints a line that the next one overwrites; only on terminals, and only when the work takes over a second. */
void tp_console_progress(struct tp_console *console, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tp_console_progress_end(struct tp_console *console);

#endif
