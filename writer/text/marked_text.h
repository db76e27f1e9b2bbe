/* Texts with marks for code and for bold words.
 *
 * In a text of this project, `x` is code and **x** is bold. The functions below replace these characters by private
 * control bytes, which are the marks. Only texts of this project get marks: a backtick or an asterisk in a name of a
 * trace remains a plain character, and a control byte in such a name is never a mark. Pages show marked text as runs
 * (tp_marked_next_run); all other outputs show it with backticks and asterisks (tp_marked_plain). */
#ifndef TP_WRITER_TEXT_MARKED_TEXT_H
#define TP_WRITER_TEXT_MARKED_TEXT_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Returns a text of this project with marks instead of backticks and double asterisks, in the arena. */
const char *tp_marked_text(struct tp_arena *arena, const char *own);

/* Formats like printf. Only backticks and asterisks in the format become marks. If an argument contains a control byte
 * that would be a mark, the result has no marks. The result is in the arena. */
const char *tp_marked_printf(struct tp_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns a text of a trace without the control bytes that would be marks, for insertion into marked text. The result
 * is in the arena, or is the argument itself. */
struct tp_str tp_marked_argument(struct tp_arena *arena, struct tp_str text);

/* Returns marked text with backticks and double asterisks instead of marks, in the arena. NULL returns NULL. */
const char *tp_marked_plain(struct tp_arena *arena, const char *marked);

/* A part of a marked text. */
struct tp_marked_run {
    struct tp_str text; /* part of the marked text; at least one byte */
    bool is_code, is_bold;
};

/* Walk over the runs of a marked text, which must be zeroed except for `rest`. */
struct tp_marked_walk {
    const char *rest; /* the text after the last run */
    bool is_code, is_bold;
};

/* Sets *run to the next run. Returns false after the last run. */
bool tp_marked_next_run(struct tp_marked_walk *walk, struct tp_marked_run *run);

#endif
