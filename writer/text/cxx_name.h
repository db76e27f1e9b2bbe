/* Represents a C++ name as a tree, between parsing and printing, for demangle_cxx.c. A repeated part is one node with
 * several owners, so a short name may produce a very long text. Therefore there are limits for the depth of nodes, and
 * for the steps and bytes of printing. */
#ifndef TP_WRITER_TEXT_CXX_NAME_H
#define TP_WRITER_TEXT_CXX_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

enum { TP_CXX_LONGEST = 1 << 16 }; /* longest text of one name in bytes */

enum tp_cxx_kind {
    TP_CXX_TEXT,   /* node printed as: text */
    TP_CXX_NESTED, /* node printed as: left::right */
    /* node printed as: left::right, where left is a function, which is printed without its return type */
    TP_CXX_LOCAL,
    TP_CXX_TEMPLATE,   /* node printed as: left<right> */
    TP_CXX_CELL,       /* a list: left is the first element, right is the list of the other elements */
    TP_CXX_PACK,       /* a parameter pack; left is the list of its arguments */
    TP_CXX_EXPANSION,  /* a pack expansion: left is printed once for each element of the pack in left */
    TP_CXX_QUALIFIED,  /* node printed as: left, then text */
    TP_CXX_POINTER,    /* node printed as: left, then text, which is * & or && */
    TP_CXX_MEMBER,     /* a pointer to a member of class right; the member has the type left */
    TP_CXX_FUNCTION,   /* a function type: left is the return type, right the list of parameters; text is printed after
                        * it */
    TP_CXX_ARRAY,      /* node printed as: left [text] */
    TP_CXX_ENCODING,   /* a function: left is the name, right the list of parameters, third the return type (may be
                        * NULL); text is printed after it */
    TP_CXX_LAMBDA,     /* a lambda: right is the list of parameters, text its number */
    TP_CXX_CAST,       /* node printed as: (left)text */
    TP_CXX_CONVERSION, /* node printed as: operator left */
    TP_CXX_UNARY,      /* node printed as: text(left) */
    TP_CXX_BINARY      /* node printed as: (left)text(right) */
};

struct tp_cxx_node {
    enum tp_cxx_kind kind;
    uint32_t depth; /* number of levels below this node */
    struct tp_str text;
    const struct tp_cxx_node *left, *right, *third;
};

/* A list that is being built. */
struct tp_cxx_list {
    struct tp_cxx_node *first, *last;
};

/* Prints `node` as c++filt does. Returns false if the text is too long. */
bool tp_cxx_print_node(const struct tp_cxx_node *node, struct tp_vec *text);

#endif
