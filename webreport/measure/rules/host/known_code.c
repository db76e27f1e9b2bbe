/* Implements known_code.h: the table of known frames, and the search for a name in the table. */
#include "webreport/measure/rules/host/known_code.h"

#include "webreport/trace/frame.h"

static const struct tp_known_code codes[] = {
    {TP_RULE_H9, "torch/jit/_trace.py", "trace", TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/jit/_trace.py", "trace_module", TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/jit/_script.py", "script", TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/_dynamo/convert_frame.py", NULL, TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/_inductor/compile_fx.py", NULL, TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/export/_trace.py", NULL, TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/fx/_symbolic_trace.py", NULL, TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/fx/graph_module.py", "recompile", TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/fx/experimental/optimization.py", NULL, TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/ao/quantization/quantize_fx.py", NULL, TP_CODE_WHOLE},
    {TP_RULE_H9, "triton/compiler/compiler.py", "compile", TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/utils/cpp_extension.py", "load", TP_CODE_WHOLE},
    {TP_RULE_H9, "torch/utils/cpp_extension.py", "load_inline", TP_CODE_WHOLE},
    {TP_RULE_H10, "torch/serialization.py", "save", TP_CODE_WHOLE},
    {TP_RULE_H10, "torch/distributed/checkpoint/state_dict_saver.py", NULL, TP_CODE_WHOLE},
    {TP_RULE_H10, "safetensors/torch.py", "save_file", TP_CODE_WHOLE},
    {TP_RULE_H10, "tensorboard/writer.py", NULL, TP_CODE_WHOLE},
    {TP_RULE_H10, "logging/__init__.py", "emit", TP_CODE_WHOLE},
    {TP_RULE_H10, "numpy/lib/npyio.py", "save", TP_CODE_WHOLE},
    {TP_RULE_H10, "numpy/lib/npyio.py", "_savez", TP_CODE_WHOLE},
    {TP_RULE_H10, "numpy/lib/_npyio_impl.py", "save", TP_CODE_WHOLE},
    {TP_RULE_H10, "numpy/lib/_npyio_impl.py", "_savez", TP_CODE_WHOLE},
    {TP_RULE_H10, "numpy/lib/npyio.py", "savetxt", TP_CODE_WHOLE},
    {TP_RULE_H10, "numpy/lib/_npyio_impl.py", "savetxt", TP_CODE_WHOLE},
    {TP_RULE_H10, "pandas/core/generic.py", "to_csv", TP_CODE_WHOLE},
    {TP_RULE_H10, "pandas/core/generic.py", "to_json", TP_CODE_WHOLE},
    {TP_RULE_H10, "pandas/core/generic.py", "to_pickle", TP_CODE_WHOLE},
    {TP_RULE_H10, "pandas/core/generic.py", "to_hdf", TP_CODE_WHOLE},
    {TP_RULE_H10, "pandas/core/frame.py", "to_parquet", TP_CODE_WHOLE},
    {TP_RULE_H10, "pandas/core/frame.py", "to_feather", TP_CODE_WHOLE},
    {TP_RULE_H10, "pyarrow/parquet/core.py", "write_table", TP_CODE_WHOLE},
    {TP_RULE_H10, "json/__init__.py", "dump", TP_CODE_WHOLE}, /* json.dump writes each part of the text separately */
    {TP_RULE_H10, "torchvision/utils.py", "save_image", TP_CODE_WHOLE},
    {TP_RULE_H10, "matplotlib/figure.py", "savefig", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in function open>", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in function write>", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in function fsync>", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in function fdatasync>", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in function rename>", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in function replace>", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, TP_PRINT_FRAME, TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in method writerow of _csv.", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in method writerows of _csv.", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in function dump>", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in function compress>", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in method compress of ", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in method write of _io.", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in method flush of _io.", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in method close of _io.", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in method commit of sqlite3.", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in method execute of sqlite3.", TP_CODE_WHOLE},
    {TP_RULE_H10, NULL, "<built-in method executemany of sqlite3.", TP_CODE_WHOLE},
    {TP_RULE_H11, "torch/utils/checkpoint.py", "recompute_fn", TP_CODE_WHOLE},
    {TP_RULE_H11, "torch/utils/checkpoint.py", "unpack_hook", TP_CODE_WHOLE},
    {TP_RULE_H11, "torch/utils/checkpoint.py", "pack_hook", TP_CODE_WHOLE}, /* the forward pass stores its inputs */
    {TP_RULE_H11, "torch/utils/checkpoint.py", "_checkpoint_without_reentrant_generator", TP_CODE_WHOLE},
    /* a reentrant checkpoint recomputes until the TP_CODE_END frame */
    {TP_RULE_H11, "torch/utils/checkpoint.py", "backward", TP_CODE_BEGIN},
    {TP_RULE_H11, "torch/autograd/__init__.py", "backward", TP_CODE_END}, /* backward pass inside the reentrant node */
    {TP_RULE_H12, NULL, "<built-in function collect>", TP_CODE_WHOLE},
    {TP_RULE_H13, "torch/autograd/anomaly_mode.py", NULL, TP_CODE_WHOLE},
    {TP_RULE_H13, "torch/fx/traceback.py", "format_stack", TP_CODE_WHOLE},
    {TP_RULE_H13, "torch/autograd/gradcheck.py", "gradcheck", TP_CODE_WHOLE},
    {TP_RULE_H13, "torch/testing/_comparison.py", "assert_close", TP_CODE_WHOLE},
    {TP_RULE_H13, "torch/distributions/constraints.py", "check",
     TP_CODE_WHOLE}, /* option validate_args, on by default */
    {TP_RULE_H13, "torch/distributions/distribution.py", "__init__", TP_CODE_WHOLE},
    {TP_RULE_H13, "torch/distributions/distribution.py", "_validate_sample", TP_CODE_WHOLE},
};

/* Returns whether the name of a frame matches this code. frame: the parsed name; its path is empty without a file. */
static bool matches_code(const struct tp_known_code *code, struct tp_str name, const struct tp_frame *frame)
{
    if (!code->path)
        return !frame->path.len && tp_str_starts(name, code->function);
    return frame->path.len && tp_str_ends(frame->path, code->path) &&
           (!code->function || tp_str_equal(frame->function, tp_str_of(code->function)));
}

/* Returns the index in `codes` of the code with this name, plus 1; 0 if the name is no known code. */
static uint8_t code_index_of_name(struct tp_str name)
{
    struct tp_frame frame;
    if (!tp_frame_parse(&frame, name) && !tp_str_starts(name, "<built-in "))
        return 0;
    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
        if (matches_code(&codes[c], name, &frame))
            return (uint8_t)(c + 1);
    return 0;
}

uint8_t *tp_find_known_frames(const struct tp_strings *names, struct tp_arena *arena)
{
    uint8_t *known = tp_arena_array(arena, names->count, 1);
    for (uint32_t i = 0; i < names->count; i++)
        known[i] = code_index_of_name(names->items[i]);
    return known;
}

const struct tp_known_code *tp_known_code(uint8_t number)
{
    return &codes[number - 1];
}
