/* Decodes texts of NVTX and roctx ranges: operators that PyTorch's emit_nvtx writes, and names of steps.
 *
 * emit_nvtx writes "NAME[, seq = N][, op_id = N][, sizes = [[..], []]][, input_op_ids = [(a,b), ..]]"
 * (torch/csrc/autograd/profiler_legacy.cpp, profiler_kineto.cpp and util.cpp of PyTorch). */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_RANGE_TEXT_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_RANGE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* A decoded text. All texts are parts of the original text. */
struct tp_range_text {
    bool is_operator;
    struct tp_str name;            /* the text without the suffixes of emit_nvtx */
    int64_t external_id, sequence; /* TP_NULL_INT if absent */
    struct tp_str dims;            /* sizes of the operands as JSON, not yet checked; ptr NULL if absent */
};

/* Decodes the text of a range. A record_function of the program is not an operator, even if emit_nvtx added its
 * suffixes. */
struct tp_range_text tp_range_text_decode(struct tp_str text);

/* Returns true if the sizes of an operator are JSON. */
bool tp_range_text_are_dims_valid(struct tp_str dims);

/* Splits a name into its text and the number at its end: "iter 5" into "iter" and 5. Returns "#" for a name that is
 * only a number. *number: TP_NULL_INT if the name has none. */
struct tp_str tp_range_text_split(struct tp_str name, int64_t *number);

/* Returns true for a name, without its number, that programs give to their steps: "step", "train_step", "batch". */
bool tp_range_text_is_step_word(struct tp_str name);

/* Returns true for the name of a function of NCCL, such as "ncclAllReduce". */
bool tp_range_text_is_nccl_call(struct tp_str name);

#endif
