/* A table of functions whose names show what they do, such as cunn_SoftMaxForward and vllm::rms_norm_kernel. */
#ifndef TP_WRITER_TEXT_KERNEL_WORDS_H
#define TP_WRITER_TEXT_KERNEL_WORDS_H

#include "writer/base/arena.h"
#include "writer/text/cxx_text.h"
#include "writer/text/kernel_parts.h"

/* Fills the meaning of a kernel whose function is `entity`. name: whole name of the kernel. Returns false if the table
 * has no row for the function. */
bool tp_kernel_words_find(struct tp_kernel_meaning *meaning, struct tp_arena *arena, const struct tp_cxx_entity *entity,
                          struct tp_str name);

#endif
