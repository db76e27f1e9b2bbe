/* Reads letters, nodes and lists of a C++ name for demangle_cxx.c. After a failure the name is marked as wrong and all
 * functions return empty parts, so that callers need not check each step. */
#ifndef TP_WRITER_TEXT_CXX_READER_H
#define TP_WRITER_TEXT_CXX_READER_H

#include "writer/text/cxx_name.h"

/* State of parsing a C++ name. */
struct tp_cxx_reader {
    const char *at, *end;
    struct tp_arena *arena;
    struct tp_vec substitution_parts; /* parts to which S_, S0_ .. refer; elements: const struct tp_cxx_node * */
    struct tp_vec arguments;          /* parts to which T_, T0_ .. refer; elements: const struct tp_cxx_node * */
    uint32_t depth, parts;
    bool is_wrong;     /* true if the name is damaged, unsupported or too long; such a name is not printed */
    bool is_in_lambda; /* true inside the parameters of a lambda, where T_ means "auto" */
};

/* Properties of a function name. */
struct tp_cxx_named {
    bool tags;         /* true if T_ refers to the function's template arguments */
    bool is_template;  /* true if the function is a template, whose type begins with its return type */
    bool has_no_value; /* true for constructors, destructors and conversions, which have no return type */
    struct tp_str quals;
};

/* Returns the next letter, or 0 at the end. */
static inline char tp_cxx_peek(const struct tp_cxx_reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

/* Implements tp_cxx_skip_prefix for the letters after the first. */
bool tp_cxx_skip_letters_and_blanks(struct tp_cxx_reader *r, const char *letters);

/* Skips `letters` (at least one) if they are next. Returns whether they were next. The first letter is compared inline,
 * because it usually differs. */
static inline bool tp_cxx_skip_prefix(struct tp_cxx_reader *r, const char *letters)
{
    return r->at < r->end && *r->at == *letters && tp_cxx_skip_letters_and_blanks(r, letters);
}

/* Marks the name as wrong and returns an empty part. */
const struct tp_cxx_node *tp_cxx_mark_wrong(struct tp_cxx_reader *r);

/* Enters a nested part of the name. Returns false if the nesting is too deep. At the end of the part, the caller
 * decrements the depth. */
bool tp_cxx_enter_nested_part(struct tp_cxx_reader *r);

struct tp_str tp_cxx_read_digits(struct tp_cxx_reader *r);

/* Returns the value of at most six digits, or UINT32_MAX for more digits. */
uint32_t tp_cxx_parse_number(struct tp_str digits);

/* Reads [number in base 36] "_". A "_" without a number has the value 0; the value of a number is one higher than the
 * number. */
uint32_t tp_cxx_read_base36(struct tp_cxx_reader *r);

/* Returns a new node, or the empty part if the name has too many or too deep nodes. */
const struct tp_cxx_node *tp_cxx_new_part(struct tp_cxx_reader *r, enum tp_cxx_kind kind, struct tp_cxx_node of);
#define TP_CXX_PART(r_, kind_, ...) tp_cxx_new_part(r_, kind_, (struct tp_cxx_node){__VA_ARGS__})
const struct tp_cxx_node *tp_cxx_new_text_part(struct tp_cxx_reader *r, const char *text);

void tp_cxx_list_add(struct tp_cxx_reader *r, struct tp_cxx_list *list, const struct tp_cxx_node *item);
const struct tp_cxx_node *tp_cxx_list_end(struct tp_cxx_reader *r, const struct tp_cxx_list *list);

/* Stores a part to which S_ may refer later, and returns the part. */
const struct tp_cxx_node *tp_cxx_store_for_substitution(struct tp_cxx_reader *r, const struct tp_cxx_node *node);

/* Returns the operator whose code is next, such as "+" for "pl", or NULL if no operator is next. */
const char *tp_cxx_operator_text(const struct tp_cxx_reader *r);

/* Reads a built-in type. Returns NULL if no built-in type is next. */
const struct tp_cxx_node *tp_cxx_read_builtin(struct tp_cxx_reader *r);

#endif
