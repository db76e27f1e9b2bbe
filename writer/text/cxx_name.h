/* A C++ name as a tree, between reading and showing: for demangle_cxx.c. A part that is used again is one node with
 * several owners, so a short name may stand for a very long text: depth of nodes, steps and bytes of showing are
 * bounded.
 */
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
    TP_CXX_LOCAL,      /* left::right, left a function without what it returns */
    TP_CXX_TEMPLATE,   /* left<right> */
    TP_CXX_CELL,       /* of a list: left, then the rest: right */
    TP_CXX_PACK,       /* arguments that stand for one: a list in left */
    TP_CXX_EXPANSION,  /* left, once for each of the pack in it */
    TP_CXX_QUALIFIED,  /* left and text */
    TP_CXX_POINTER,    /* text: * & && */
    TP_CXX_MEMBER,     /* pointer to a member of right, of type left */
    TP_CXX_FUNCTION,   /* type: returns left, takes the list right; text behind it */
    TP_CXX_ARRAY,      /* left [text] */
    TP_CXX_ENCODING,   /* a function: name left, returns third (may be NULL), takes the list right; text behind it */
    TP_CXX_LAMBDA,     /* takes the list right; text: its number */
    TP_CXX_CAST,       /* (left)text */
    TP_CXX_CONVERSION, /* operator left */
    TP_CXX_UNARY,      /* text(left) */
    TP_CXX_BINARY      /* (left)text(right) */
};

struct tp_cxx_node {
    enum tp_cxx_kind kind;
    uint32_t depth; /* nodes below it, on the longest way */
    struct tp_str text;
    const struct tp_cxx_node *left, *right, *third;
};

/* A list while it grows. */
struct tp_cxx_list {
    struct tp_cxx_node *first, *last;
};

/* Words `node` as c++filt does. False: too long. */
bool tp_cxx_show(const struct tp_cxx_node *node, struct tp_vec *text);

#endif
