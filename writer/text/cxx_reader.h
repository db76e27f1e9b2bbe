/* Reads a C++ name for demangle_cxx.c: letters, nodes, lists. After a failure the name is marked as wrong and functions
 * return empty parts, so that callers need not check each step. */
#ifndef TP_WRITER_TEXT_CXX_READER_H
#define TP_WRITER_TEXT_CXX_READER_H

#include "writer/text/cxx_name.h"

/* State of parsing a C++ name. */
struct tp_cxx_reader {
    const char *at, *end;
    struct tp_arena *arena;
    struct tp_vec again;     /* const struct tp_cxx_node *: parts that S_, S0_ .. refer to */
    struct tp_vec arguments; /* const struct tp_cxx_node *: parts that T_, T0_ .. refer to */
    uint32_t depth, parts;
    bool is_wrong;     /* damaged, unsupported or too long; nothing is printed */
    bool is_in_lambda; /* T_ is an "auto" */
};

/* Facts about the function that a name denotes. */
struct tp_cxx_named {
    bool tags;         /* T_ refers to its template arguments */
    bool is_template;  /* the function's type begins with its return type */
    bool has_no_value; /* constructors, destructors and conversions have no return type */
    struct tp_str quals;
};

/* Returns the next letter, 0 at the end. */
static inline char tp_cxx_peek(const struct tp_cxx_reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

/* Compares the remaining letters for tp_cxx_takes. */
bool tp_cxx_takes_all(struct tp_cxx_reader *r, const char *letters);

/* Skips `letters` (at least one) if they are next, and returns whether they were. The first letter is compared inline,
 * because most do not match. */
static inline bool tp_cxx_takes(struct tp_cxx_reader *r, const char *letters)
{
    return r->at < r->end && *r->at == *letters && tp_cxx_takes_all(r, letters);
}

/* Marks the name as wrong and returns an empty part. */
const struct tp_cxx_node *tp_cxx_wrong(struct tp_cxx_reader *r);

/* Enters a nested part. Returns false if the nesting is too deep. The caller decrements the depth at the end. */
bool tp_cxx_enters(struct tp_cxx_reader *r);

struct tp_str tp_cxx_read_digits(struct tp_cxx_reader *r);

/* Returns the value of at most six digits; UINT32_MAX for more. */
uint32_t tp_cxx_small_number(struct tp_str digits);

/* Reads [number in base 36] "_": only "_" is 0, all others are one higher. */
uint32_t tp_cxx_read_base36(struct tp_cxx_reader *r);

/* Returns a new node, or the empty part if nodes are too many or too deep. */
const struct tp_cxx_node *tp_cxx_part(struct tp_cxx_reader *r, enum tp_cxx_kind kind, struct tp_cxx_node of);
#define TP_CXX_PART(r_, kind_, ...) tp_cxx_part(r_, kind_, (struct tp_cxx_node){__VA_ARGS__})
const struct tp_cxx_node *tp_cxx_text_part(struct tp_cxx_reader *r, const char *text);

void tp_cxx_list_add(struct tp_cxx_reader *r, struct tp_cxx_list *list, const struct tp_cxx_node *item);
const struct tp_cxx_node *tp_cxx_list_end(struct tp_cxx_reader *r, const struct tp_cxx_list *list);

/* Remembers a part that S_ may refer to later, and returns it. */
const struct tp_cxx_node *tp_cxx_remember(struct tp_cxx_reader *r, const struct tp_cxx_node *node);

/* Returns "+" if "pl" is next, or NULL if no operator is next. */
const char *tp_cxx_operator_text(const struct tp_cxx_reader *r);

/* Reads a built-in type, or returns NULL if none is next. */
const struct tp_cxx_node *tp_cxx_read_builtin(struct tp_cxx_reader *r);

#endif
