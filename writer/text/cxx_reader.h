/* A C++ name while it is read, for demangle_cxx.c: letters, nodes, lists. A reader that fails makes the
 * name wrong and returns an empty part, so nobody has to ask after each step. */
#ifndef TP_WRITER_TEXT_CXX_READER_H
#define TP_WRITER_TEXT_CXX_READER_H

#include "writer/text/cxx_name.h"

/* A C++ name while it is read. */
struct tp_cxx_reader {
    const char *at, *end;
    struct tp_arena *arena;
    struct tp_vec again;     /* const struct tp_cxx_node *: what S_, S0_ .. stand for */
    struct tp_vec arguments; /* const struct tp_cxx_node *: what T_, T0_ .. stand for */
    uint32_t depth, parts;
    bool is_wrong;     /* damaged, not read here or too much: nothing is shown any more */
    bool is_in_lambda; /* T_ is an "auto" */
};

/* What a name says of the function that it names. */
struct tp_cxx_named {
    bool tags;         /* its template arguments are what T_ stands for */
    bool is_template;  /* the type of the function begins with what it returns */
    bool has_no_value; /* constructors, destructors, conversions: it does not */
    struct tp_str quals;
};

/* The next letter, 0 at the end. */
static inline char tp_cxx_peek(const struct tp_cxx_reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

/* The rest of tp_cxx_takes, where the first letter is right. */
bool tp_cxx_takes_all(struct tp_cxx_reader *r, const char *letters);

/* Goes past `letters` (at least one) if they are next; whether they were. Most are not, which the first one tells. */
static inline bool tp_cxx_takes(struct tp_cxx_reader *r, const char *letters)
{
    return r->at < r->end && *r->at == *letters && tp_cxx_takes_all(r, letters);
}

/* The name is wrong from here on; an empty part. */
const struct tp_cxx_node *tp_cxx_wrong(struct tp_cxx_reader *r);

/* Something nested begins; false: too much of it. Who enters takes one from the depth in the end. */
bool tp_cxx_enters(struct tp_cxx_reader *r);

struct tp_str tp_cxx_read_digits(struct tp_cxx_reader *r);

/* Value of at most six digits; UINT32_MAX of more. */
uint32_t tp_cxx_small_number(struct tp_str digits);

/* [number in base 36] "_": nothing before the "_" is 0, all others are one higher. */
uint32_t tp_cxx_read_base36(struct tp_cxx_reader *r);

/* A node, or the empty part where there are too many or too deep ones. */
const struct tp_cxx_node *tp_cxx_part(struct tp_cxx_reader *r, enum tp_cxx_kind kind, struct tp_cxx_node of);
#define TP_CXX_PART(r_, kind_, ...) tp_cxx_part(r_, kind_, (struct tp_cxx_node){__VA_ARGS__})
const struct tp_cxx_node *tp_cxx_text_part(struct tp_cxx_reader *r, const char *text);

void tp_cxx_list_add(struct tp_cxx_reader *r, struct tp_cxx_list *list, const struct tp_cxx_node *item);
const struct tp_cxx_node *tp_cxx_list_end(struct tp_cxx_reader *r, const struct tp_cxx_list *list);

/* What S_ may stand for later. */
const struct tp_cxx_node *tp_cxx_remember(struct tp_cxx_reader *r, const struct tp_cxx_node *node);

/* "+" where "pl" is next, NULL where no operator is. */
const char *tp_cxx_operator_text(const struct tp_cxx_reader *r);

/* A type of the language, NULL where none is next. */
const struct tp_cxx_node *tp_cxx_read_builtin(struct tp_cxx_reader *r);

#endif
