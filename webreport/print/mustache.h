/* Compiles Mustache templates to flat arrays of tokens with jump offsets.
 *
 * Comments, delimiters, interpolation, sections, inverted sections and partials as github.com/mustache/spec defines
 * them, with standalone lines and partial indentation. No lambdas, no inheritance. Rendering is template.h. */
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
    uint32_t jump;                     /* SECTION, INVERTED: index of the token after its END */
    struct tp_str text;                /* TEXT: the bytes; else the name. Points into the template */
    struct tp_str indent;              /* PARTIAL alone on its line: the blanks before it */
    const struct tp_mustache *partial; /* PARTIAL: its template, set at the first rendering */
};

struct tp_mustache {
    struct tp_str name, indent; /* the partial's indentation is part of its text */
    struct tp_mustache_token *tokens;
    uint32_t token_count;
};

/* Compiles `text` (borrowed) into *out, tokens in `arena`. name: for messages. Returns 0, TP_EFORMAT or TP_ELIMIT with
 * "name:line: what" in *err. */
int tp_mustache_compile(struct tp_mustache *out, struct tp_arena *arena, struct tp_str name, struct tp_str text,
                        struct tp_error *err);

#endif
