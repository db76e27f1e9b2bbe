/* Represents a C++ name as a tree, between parsing and printing: for demangle_cxx.c. A repeated part is one node with
 * several owners, so a short name may produce a very long text. Therefore the depth of nodes, and the steps and bytes
 * of printing, are limited. */
#ifndef TP_WRITER_TEXT_CXX_NAME_H
#define TP_WRITER_TEXT_CXX_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

enum { TP_CXX_LONGEST = 1 << 16 }; /* text of one name, in bytes */

enum tp_cxx_kind {
    TP_CXX_TEXT,       /* text */
    TP_CXX_NESTED,     /* left::right */
    TP_CXX_LOCAL,      /* left::right, left a function without its return type */
    TP_CXX_TEMPLATE,   /* left<right> */
    TP_CXX_CELL,       /* an element of a list: left, then the remaining list: right */
    TP_CXX_PACK,       /* a parameter pack: its arguments as a list in left */
    TP_CXX_EXPANSION,  /* left repeated for each element of the pack in it */
    TP_CXX_QUALIFIED,  /* left and text */
    TP_CXX_POINTER,    /* text: * & && */
    TP_CXX_MEMBER,     /* pointer to a member of right, of type left */
    TP_CXX_FUNCTION,   /* type: returns left, takes the list right; text after it */
    TP_CXX_ARRAY,      /* left [text] */
    TP_CXX_ENCODING,   /* a function: name left, returns third (may be NULL), takes the list right; text after it */
    TP_CXX_LAMBDA,     /* takes the list right; text: its number */
    TP_CXX_CAST,       /* (left)text */
    TP_CXX_CONVERSION, /* operator left */
    TP_CXX_UNARY,      /* text(left) */
    TP_CXX_BINARY      /* (left)text(right) */
};

struct tp_cxx_node {
    enum tp_cxx_kind kind;
    uint32_t depth; /* levels of nodes below it */
    struct tp_str text;
    const struct tp_cxx_node *left, *right, *third;
};

/* A list under construction. */
struct tp_cxx_list {
    struct tp_cxx_node *first, *last;
};

/* Prints `node` as c++filt does. Returns false if it is too long. */
bool tp_cxx_show(const struct tp_cxx_node *node, struct tp_vec *text);

#endif
