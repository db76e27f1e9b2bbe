/* Finds calls of an operator in Python source: `x.clone()`, `F.relu(x)`, or `self.fc1(x)` where fc1 is an nn.Linear.
 * Searches the text line by line, and does not parse Python. */
#ifndef TP_WEBREPORT_SESSION_SOURCE_CALLS_H
#define TP_WEBREPORT_SESSION_SOURCE_CALLS_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Texts that call an operator, each with its opening bracket. */
struct tp_source_tokens {
    struct tp_vec items; /* elements: struct tp_str */
};

/* Makes the tokens that call `operator` ("aten::add_") in a file: its own name, its other names in Python, and the
 * names that the file gives to modules that call it. The tokens may refer to `text`. All other memory is in `arena`,
 * whose guard the caller sets. */
void tp_source_tokens_init(struct tp_source_tokens *tokens, struct tp_str text, struct tp_str operator,
                           struct tp_arena * arena);

/* Returns the number of tokens in a line. Text after " #" is a comment and is ignored. */
unsigned tp_source_tokens_in(const struct tp_source_tokens *tokens, struct tp_str line);

/* Returns the line of a text that begins at *at, without its newline, and advances *at. Returns false at the end of the
 * text. */
bool tp_source_next_line(struct tp_str text, size_t *at, struct tp_str *line);

/* Returns the number of blanks at the start of a line. */
size_t tp_source_indent(struct tp_str line);

#endif
