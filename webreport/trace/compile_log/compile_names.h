/* Relates the names of generated kernels, and of the operators that generated code calls, to the names in a trace. */
#ifndef TP_WEBREPORT_TRACE_COMPILE_LOG_COMPILE_NAMES_H
#define TP_WEBREPORT_TRACE_COMPILE_LOG_COMPILE_NAMES_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Returns the name of the operator that a trace shows for a call: "aten::addmm" for "extern_kernels.addmm" and for
 * "torch.ops.aten.addmm.default". The result is a part of `name`, or in the arena. */
struct tp_str tp_compile_operator_name(struct tp_arena *arena, struct tp_str name);

/* Returns the name of a generated kernel without the number of its graph and its own number: "triton_poi_fused_add" for
 * "graph_0_triton_poi_fused_add_12". Returns other names unchanged. The result is a part of `name`. */
struct tp_str tp_compile_kernel_family(struct tp_str name);

/* Returns true if one of the names of a trace shows code that torch.compile or Triton generated. */
bool tp_compile_has_name(const struct tp_strings *names);

/* Returns the number of bytes of the word (letters, digits, underscores) at the beginning of the text. */
static inline size_t tp_compile_word_length(struct tp_str text)
{
    size_t n = 0;
    while (n < text.len && tp_is_word_character(text.ptr[n]))
        n++;
    return n;
}

#endif
