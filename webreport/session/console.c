/* Prints lines on standard error: see console.h. */
#include "webreport/session/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/environment.h"
#include "writer/base/utf8.h"
#include "writer/text/terminal.h"

enum { LINE = 1024 };

void tp_console_init(struct tp_console *console, bool is_quiet, int color_choice)
{
    memset(console, 0, sizeof *console);
    console->is_quiet = is_quiet;
    console->is_terminal = isatty(STDERR_FILENO) == 1;
    console->has_color = color_choice == TP_COLOR_ALWAYS ||
                         (color_choice == TP_COLOR_AUTO && console->is_terminal && !tp_environment("NO_COLOR"));
    clock_gettime(CLOCK_MONOTONIC, &console->started);
}

void tp_console_restart(struct tp_console *console)
{
    clock_gettime(CLOCK_MONOTONIC, &console->started);
}

/* Writes an escape for the first character of `text`: \xNN for a control character, \uNNNN for a character that changes
 * the text direction. Returns the size of that character in `text`, bytes; 0 if it needs no escape. */
static size_t put_visible_character(char *out, size_t size, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned bidi = tp_utf8_bidi_length(text, strlen(text));
    bool is_c1 = *p == 0xC2 && p[1] >= 0x80 && p[1] < 0xA0;
    if (bidi)
        snprintf(out, size, "\\u%04x", bidi);
    else if (is_c1 || *p < 0x20 || *p == 0x7F)
        snprintf(out, size, "\\x%02x", is_c1 ? p[1] : *p);
    else
        return 0;
    return bidi ? (bidi < 0x800 ? 2 : 3) : 1 + (size_t)is_c1;
}

/* Copies a text to `out` so that it can neither move the cursor nor contain a command to a CI log. */
static void escape_for_terminal(const char *text, char *out, size_t size)
{
    size_t used = 0;
    for (size_t taken; *text && used + 9 < size; text += taken ? taken : 1) {
        taken = put_visible_character(out + used, size - used, text);
        if (taken)
            used += strlen(out + used);
        else
            out[used++] = *text;
    }
    out[used] = '\0';
    tp_terminal_disable_commands(out, used);
}

static void print_message(struct tp_console *console, const char *color, const char *format, va_list args)
{
    char raw[LINE], line[LINE * 4], whole[sizeof line + 32];
    vsnprintf(raw, sizeof raw, format, args);
    escape_for_terminal(raw, line, sizeof line);
    tp_console_progress_end(console);
    snprintf(whole, sizeof whole, "%stracepress: %s%s\n", console->has_color ? color : "", line,
             console->has_color ? "\033[0m" : "");
    /* one fputs for the whole line, because fprintf of newer C libraries writes in parts, which would mix the lines
     * of several ranks */
    fputs(whole, stderr);
}

void tp_console_error(struct tp_console *console, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(console, "\033[31m", format, args);
    va_end(args);
}

void tp_console_notice(struct tp_console *console, const char *format, ...)
{
    va_list args;
    if (console->is_quiet)
        return;
    va_start(args, format);
    print_message(console, "\033[33m", format, args);
    va_end(args);
}

const char *tp_console_joint(const char *why)
{
    static const char *const verbs[] = {"is ", "was ", "holds begin"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strncmp(why, verbs[i], strlen(verbs[i])) == 0)
            return " ";
    return ": ";
}

void tp_console_input_error(struct tp_console *console, const char *path, const char *why)
{
    tp_console_error(console, "%s%s%s", path, tp_console_joint(why), why);
}

/* Joins the paths of written files in `text`, as in "report.html, out.json". Skips NULL, "-" and files of /dev. Returns
 * false if no path is left. */
static bool join_written_names(char *text, size_t room, const char *const *paths, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count && size < room; i++)
        if (paths[i] && strcmp(paths[i], "-") != 0 && strncmp(paths[i], "/dev/", 5) != 0)
            size += (size_t)snprintf(text + size, room - size, "%s%s", size ? ", " : "", paths[i]);
    return size > 0;
}

void tp_console_print_written(struct tp_console *console, const char *const *paths, size_t count)
{
    char text[LINE];
    if (join_written_names(text, sizeof text, paths, count))
        tp_console_notice(console, "wrote %s", text);
}

void tp_console_print_line_and_written(struct tp_console *console, const char *line, const char *const *paths,
                                       size_t count)
{
    char text[LINE];
    bool has_written = join_written_names(text, sizeof text, paths, count);
    tp_console_notice(console, "%s%s%s", line, has_written ? " Written to " : "", has_written ? text : "");
}

static double seconds_since(const struct timespec *then, const struct timespec *now)
{
    return (double)(now->tv_sec - then->tv_sec) + (double)(now->tv_nsec - then->tv_nsec) / 1e9;
}

void tp_console_progress(struct tp_console *console, const char *format, ...)
{
    struct timespec now;
    char raw[LINE], line[LINE * 4];
    va_list args;
    if (!console->is_terminal || console->is_quiet)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (seconds_since(&console->started, &now) < 1 || seconds_since(&console->last, &now) < 0.1)
        return;
    console->last = now;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    escape_for_terminal(raw, line, 100);
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    console->shows_progress = true;
}

void tp_console_progress_end(struct tp_console *console)
{
    if (console->shows_progress)
        fputs("\r\033[K", stderr);
    console->shows_progress = false;
}
