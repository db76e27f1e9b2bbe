/* Demangles names of C++ functions in the form of the Itanium C++ ABI (section 5.1). We use our own code, so that the
 * text does not depend on the machine's C++ runtime. Supports what occurs in names of kernels: nested names, templates,
 * literals, lambdas, functions as arguments. Does not support vtables and other special names, decltype, and
 * expressions beyond operators. */
#ifndef TP_WRITER_TEXT_DEMANGLE_CXX_H
#define TP_WRITER_TEXT_DEMANGLE_CXX_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Demangles "_Z..." with the wording of binutils' c++filt. Returns false, without changing *text, if the name is not
 * mangled, damaged, or unsupported, or if its text would exceed 64 KiB. The text is in the arena, whose guard is
 * set. */
bool tp_demangle_cxx(struct tp_str name, struct tp_str *text, struct tp_arena *arena);

#endif
