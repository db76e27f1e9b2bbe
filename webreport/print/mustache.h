/* Compiles Mustache templates to flat arrays of tokens with jump offsets.
 *
 * Supports comments, delimiters, interpolation, sections, inverted sections and partials as github.com/mustache/spec
 * defines them, including standalone lines and indentation of partials. It has no lambdas and no inheritance.
 * template.h renders the result. */
#ifndef TP_WEBREPORT_PRINT_MUSTACHE_H
#define TP_WEBREPORT_PRINT_MUSTACHE_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_mustache_kind {
    TP_MUSTACHE_TEXT,
    TP_MUSTACHE_ESCAPED,  /* {{x}} */
    TP_MUSTACHE_RAW,      /* {{{x}}} {{&x}} */
    TP_MUSTACHE_SECTION,  /* {{#x}} */
    TP_MUSTACHE_INVERTED, /* {{^x}} */
    TP_MUSTACHE_END,      /* {{/x}} */
    TP_MUSTACHE_PARTIAL,  /* {{>x}} */
};

struct tp_mustache_token {
    enum tp_mustache_kind kind;
    uint32_t jump;                     /* SECTION, INVERTED: index of the token after the END of the section */
    struct tp_str text;                /* TEXT: the bytes; other tokens: the name. Points into the template */
    struct tp_str indent;              /* PARTIAL that is alone on its line: blanks before it */
    const struct tp_mustache *partial; /* PARTIAL: its compiled template, set at the first rendering */
};

struct tp_mustache {
    struct tp_str name, indent; /* indent: text before each line of the template, when it is used as a partial */
    struct tp_mustache_token *tokens;
    uint32_t token_count;
};

/* Compiles `text` (borrowed) into *out, with tokens in `arena`. name: for messages. Returns 0, or TP_EFORMAT or
 * TP_ELIMIT with a message "name:line: what" in *err. */
int tp_mustache_compile(struct tp_mustache *out, struct tp_arena *arena, struct tp_str name, struct tp_str text,
                        struct tp_error *err);

#endif
