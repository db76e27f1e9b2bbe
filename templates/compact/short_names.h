/* Shortens the names of variables and functions in the built-in scripts of the page without changing their meaning. */
#ifndef TP_TEMPLATES_COMPACT_SHORT_NAMES_H
#define TP_TEMPLATES_COMPACT_SHORT_NAMES_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Returns the script with short names in place of the names of variables, functions and parameters. The same name gets
 * the same short name everywhere, and no other name gets it, so that every use still finds its declaration. The most
 * frequent names get the shortest ones. Names of properties, keywords, and the names that the browser declares stay
 * (short_names.c lists those that the scripts use).
 *
 * The names are as short as possible if tp_compact_text shortened the script before. A script with a backtick, `class`
 * or `switch` stays as it is. In a script, `{` must start an object only after a punctuation mark of an expression,
 * `return`, `const`, `let`, `var`, `of`, `in` or `typeof`, and an object must have no member with `get`, `set` or
 * `async` before its name. The files of templates/ keep these rules. */
struct tp_str tp_shorten_names(struct tp_str script, struct tp_arena *arena);

#endif
