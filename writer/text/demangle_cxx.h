/* Names of C++ functions as people read them, from the mangling of the Itanium C++ ABI (section 5.1), by own code: the
 * text depends on the name alone, not on the C++ runtime of a machine. Meant for what names of kernels are made of:
 * nested names, templates, literals, lambdas, functions as arguments. Not read: vtables and other special names,
 * decltype, expressions beyond operators. */
#ifndef TP_WRITER_TEXT_DEMANGLE_CXX_H
#define TP_WRITER_TEXT_DEMANGLE_CXX_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Reads "_Z...", worded as c++filt of binutils does. False: it is none, it is damaged, it has what is not read here, or
 * its text would be longer than 64 KiB; *text is then left alone. The text is the arena's, whose guard is set. */
bool tp_demangle_cxx(struct tp_str name, struct tp_str *text, struct tp_arena *arena);

#endif
