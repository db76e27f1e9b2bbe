/* Compiles Mustache templates to flat arrays of tokens with jump offsets.
 *
 * Comments, delimiters, interpolation, sections, inverted sections, partials and their dynamic names work as
 * github.com/mustache/spec defines them, including standalone lines and indentation of partials. Lambdas and
 * inheritance are not supported.
 * template.h renders the compiled templates. */
#ifndef TP_WEBREPORT_PRINT_MUSTACHE_H
#define TP_WEBREPORT_PRINT_MUSTACHE_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_mustache_kind {
    TP_MUSTACHE_TEXT,
    TP_MUSTACHE_ESCAPED,  /* tag {{x}} */
    TP_MUSTACHE_RAW,      /* tag {{{x}}} or {{&x}} */
    TP_MUSTACHE_SECTION,  /* tag {{#x}} */
    TP_MUSTACHE_INVERTED, /* tag {{^x}} */
    TP_MUSTACHE_END,      /* tag {{/x}} */
    TP_MUSTACHE_PARTIAL,  /* tag {{>x}} or {{>*x}} */
};

struct tp_mustache_token {
    enum tp_mustache_kind kind;
    uint32_t jump;        /* for SECTION and INVERTED: index of the token after the END of the section */
    struct tp_str text;   /* TEXT: the bytes; other tokens: the name; both are borrowed from the template */
    struct tp_str indent; /* PARTIAL that is alone on its line: the blanks before it */
    const struct tp_mustache *partial; /* PARTIAL without '*': its compiled template, set when first rendered */
};

struct tp_mustache {
    struct tp_str name,
        indent; /* indent: blanks that were added before each line, for a template that is used as a partial */
    struct tp_mustache_token *tokens;
    uint32_t token_count;
};

/* Compiles `text` (borrowed) into *out, with tokens in `arena`. name: name of the template, for messages. Returns 0,
 * TP_EFORMAT or TP_ELIMIT; *err then has a message "name:line: what". */
int tp_mustache_compile(struct tp_mustache *out, struct tp_arena *arena, struct tp_str name, struct tp_str text,
                        struct tp_error *err);

#endif
