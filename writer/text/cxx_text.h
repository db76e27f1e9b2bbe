/* A C++ name taken apart as text: "path::word<arguments>(parameters)". Nothing is copied: all parts borrow the name. */
#ifndef TP_WRITER_TEXT_CXX_TEXT_H
#define TP_WRITER_TEXT_CXX_TEXT_H

#include <stdbool.h>

#include "writer/base/str.h"

enum { TP_CXX_ARGUMENTS = 24 };

struct tp_cxx_entity {
    struct tp_str path, word; /* path: with its last "::" */
    struct tp_str arguments[TP_CXX_ARGUMENTS];
    size_t count;
    bool has_more; /* arguments than fit */
};

/* The text behind its first `at` bytes, and these. */
struct tp_str tp_text_from(struct tp_str text, size_t at);
struct tp_str tp_text_upto(struct tp_str text, size_t at);

/* Depth of brackets behind the letter at `i`; "->" and operators are no brackets. */
size_t tp_cxx_depth_after(struct tp_str text, size_t i, size_t depth);

/* First `c` outside of brackets from `at` on, or the length. */
size_t tp_cxx_find_outside(struct tp_str text, char c, size_t at);

/* Where the parameters of a function begin, or the length. */
size_t tp_cxx_parameters_at(struct tp_str name);

/* A name without parameters, taken apart. */
struct tp_cxx_entity tp_cxx_entity_of(struct tp_str text);

/* Adds what stands between commas to the arguments. */
void tp_cxx_split_arguments(struct tp_cxx_entity *entity, struct tp_str list);

/* "-12", "3ul" */
bool tp_cxx_is_number(struct tp_str text);

/* "C<128>" of CUTLASS is 128, "(Enum)2" is 2; others as they are. */
struct tp_str tp_cxx_value_of(struct tp_str text);

#endif
