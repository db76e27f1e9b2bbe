/* Finds calls of an operator in Python source: `x.clone()`, `F.relu(x)`, or `self.fc1(x)` if fc1 is an nn.Linear.
 * Searches text line by line and does not parse Python. */
#ifndef TP_WEBREPORT_SESSION_SOURCE_CALLS_H
#define TP_WEBREPORT_SESSION_SOURCE_CALLS_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Texts that mean a call of an operator, such as ".relu(". Each ends with its opening bracket. */
struct tp_source_tokens {
    struct tp_vec items; /* elements: struct tp_str */
};

/* Collects the texts that mean a call of `operator` ("aten::add_") in a file: its own name, its other names in Python,
 * and the names that the file gives to modules that call it. text: the file. The tokens may point into `text`; other
 * memory is in `arena`, whose guard the caller sets. */
void tp_source_tokens_init(struct tp_source_tokens *tokens, struct tp_str text, struct tp_str operator,
                           struct tp_arena * arena);

/* Returns how often the tokens occur in a line. Ignores a comment, which begins with " #". */
unsigned tp_source_tokens_count_in(const struct tp_source_tokens *tokens, struct tp_str line);

/* Sets *line to the line that begins at *at, without its line feed, and moves *at to the next line. Returns false at
 * the end of the text. */
bool tp_source_next_line(struct tp_str text, size_t *at, struct tp_str *line);

/* Returns the number of blanks at the start of a line, which may be spaces or tabs. */
size_t tp_source_line_indent(struct tp_str line);

#endif
