/* What in Python's source calls an operator: `x.clone()`, `F.relu(x)`, `self.fc1(x)` where fc1 is an nn.Linear. Reads text as
 * it stands, line by line; it is no parser of Python. */
#ifndef TP_WEBREPORT_SESSION_SOURCE_CALLS_H
#define TP_WEBREPORT_SESSION_SOURCE_CALLS_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Texts that call an operator, each with its bracket. */
struct tp_source_tokens {
    struct tp_vec items; /* struct tp_str */
};

/* The tokens of `operator` ("aten::add_") in a file: its own name, what Python says for it, and the names that the file
 * gives to modules which do it. Borrows from text; the rest is in `arena` (guard set by the caller). */
void tp_source_tokens_init(struct tp_source_tokens *tokens, struct tp_str text, struct tp_str operator,
                           struct tp_arena * arena);

/* How many of the tokens stand in a line; what is behind " #" is a comment. */
unsigned tp_source_tokens_in(const struct tp_source_tokens *tokens, struct tp_str line);

/* The next line of a text without its end, from *at on; false: there is none. */
bool tp_source_next_line(struct tp_str text, size_t *at, struct tp_str *line);

/* Bytes of blanks at the beginning of a line. */
size_t tp_source_indent(struct tp_str line);

#endif
