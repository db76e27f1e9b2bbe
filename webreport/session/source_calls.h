/* Finds calls of an operator in Python source: `x.clone()`, `F.relu(x)`, `self.fc1(x)` where fc1 is an nn.Linear. It
 * searches the text line by line and does not parse Python. */
#ifndef TP_WEBREPORT_SESSION_SOURCE_CALLS_H
#define TP_WEBREPORT_SESSION_SOURCE_CALLS_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Texts that call an operator, each with its opening bracket. */
struct tp_source_tokens {
    struct tp_vec items; /* struct tp_str */
};

/* Makes the tokens of `operator` ("aten::add_") for a file: its own name, its other names in Python, and the names that
 * the file gives to modules that call it. Borrows from text; the rest is in `arena` (guard set by the caller). */
void tp_source_tokens_init(struct tp_source_tokens *tokens, struct tp_str text, struct tp_str operator,
                           struct tp_arena * arena);

/* Returns the number of tokens in a line; the text after " #" is a comment. */
unsigned tp_source_tokens_in(const struct tp_source_tokens *tokens, struct tp_str line);

/* Reads the line of a text that begins at *at, without its newline, and advances *at. Returns false at the end. */
bool tp_source_next_line(struct tp_str text, size_t *at, struct tp_str *line);

/* Returns the number of blanks at the beginning of a line. */
size_t tp_source_indent(struct tp_str line);

#endif
