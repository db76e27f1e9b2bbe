/* Demangles names of C++ functions in the form of the Itanium C++ ABI (section 5.1). This module does not use the
 * machine's C++ runtime, so the text is the same on all machines. It supports the forms that occur in names of kernels:
 * nested names, templates, literals, lambdas, functions as arguments. It does not support vtables and other special
 * names, decltype, and expressions beyond operators. */
#ifndef TP_WRITER_TEXT_DEMANGLE_CXX_H
#define TP_WRITER_TEXT_DEMANGLE_CXX_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Demangles "_Z..." with the wording of binutils' c++filt. Returns false, without changing *text, if the name is not
 * mangled, damaged, or unsupported, or if the text would exceed 64 KiB. The text is in the arena, whose guard the
 * caller has set. */
bool tp_demangle_cxx(struct tp_str name, struct tp_str *text, struct tp_arena *arena);

#endif
