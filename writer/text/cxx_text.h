/* Splits a C++ name as text: "path::word<arguments>(parameters)". Copies nothing: all parts borrow the name. */
#ifndef TP_WRITER_TEXT_CXX_TEXT_H
#define TP_WRITER_TEXT_CXX_TEXT_H

#include <stdbool.h>

#include "writer/base/str.h"

enum { TP_CXX_ARGUMENTS = 24 };

struct tp_cxx_entity {
    struct tp_str path, word; /* path: namespaces and classes, with the last "::"; word: name after the path */
    struct tp_str arguments[TP_CXX_ARGUMENTS];
    size_t count;
    bool has_more; /* true if the name has more arguments than fit */
};

/* tp_text_after returns the text after its first `at` bytes; tp_text_before returns these first bytes. */
struct tp_str tp_text_after(struct tp_str text, size_t at);
struct tp_str tp_text_before(struct tp_str text, size_t at);

/* Returns the depth of brackets after the letter at `i`. The < and > of "->" and of operators are not brackets. */
size_t tp_cxx_depth_after(struct tp_str text, size_t i, size_t depth);

/* Returns the position of the first `c` outside of brackets from `at` on, or the length of the text. */
size_t tp_cxx_find_outside(struct tp_str text, char c, size_t at);

/* Returns the position of a function's parameters, or the length of the name if it has no parameters. */
size_t tp_cxx_find_parameters(struct tp_str name);

/* Splits a name that has no parameters into path, word and arguments. */
struct tp_cxx_entity tp_cxx_split_name(struct tp_str text);

/* Splits `list` at its commas and adds the parts to the arguments. */
void tp_cxx_split_arguments(struct tp_cxx_entity *entity, struct tp_str list);

/* Returns whether the text is a number, such as "-12" or "3ul". */
bool tp_cxx_is_number(struct tp_str text);

/* Returns the value in a text, such as 128 for "C<128>" of CUTLASS and 2 for "(Enum)2". Returns other texts
 * unchanged. */
struct tp_str tp_cxx_inner_value(struct tp_str text);

#endif
