/* Texts of rules for programs that serve a model or only call one: see rule_words.h. Users of a serving engine set its
 * options and change no code; programs that only call a model have no backward pass, optimizer or learning rate. */
#include "webreport/measure/rules/rule_words.h"

#include "webreport/measure/rules/rules_eval.h"

/* NULL: the rule's own. */
struct words {
    const char *title, *advice;
};

#define GRAPHS                                                                                                         \
    "captured graphs (vLLM: no --enforce-eager, and sizes that --cudagraph-capture-sizes has; SGLang: no "             \
    "--disable-cuda-graph, and a --cuda-graph-max-bs that reaches the batch; TensorRT-LLM: cuda_graph_config)"
#define OVERLAP                                                                                                        \
    "Let the engine prepare the next step while the device works (vLLM: --async-scheduling; SGLang: no "               \
    "--disable-overlap-schedule; TensorRT-LLM: no disable_overlap_scheduler)"
#define LESS_COMMUNICATION "use fewer devices for each copy of the model, or more copies of it"

static const struct words serving[TP_RULE_COUNT] = {
    [TP_RULE_A1] = {NULL, "Let the engine replay " GRAPHS ", and batch more requests."},
    [TP_RULE_A2] = {NULL, "Let the engine replay " GRAPHS "."},
    [TP_RULE_A3] = {NULL, "Let the engine compile and replay: " GRAPHS "."},
    [TP_RULE_A4] = {NULL, OVERLAP "; in code of your own wait on an event, later, instead of on the whole device."},
    [TP_RULE_A5] = {NULL, OVERLAP ": the tokens are then read behind it."},
    [TP_RULE_A8] = {NULL, "Send requests of all sizes before the record, so that the engine has compiled and captured "
                          "what they need."},
    [TP_RULE_A11] = {NULL, OVERLAP ", and keep tokens, texts and logs off the thread that launches."},
    [TP_RULE_A13] = {NULL, OVERLAP ", and keep tokens, texts and logs off the thread that launches."},
    [TP_RULE_C1] = {NULL, "Serve the model in bfloat16 or float16 (the engine's dtype), where the accuracy permits."},
    [TP_RULE_C2] = {NULL, "Serve the model in bfloat16 or float16 (the engine's dtype)."},
    [TP_RULE_C13] = {NULL, "Batch more requests, or let the engine put the kernels into one."},
    [TP_RULE_C15] = {NULL, "Choose a fused attention of the engine (vLLM, SGLang: --attention-backend)."},
    [TP_RULE_C16] = {NULL, "Let the engine compile them (vLLM: no --enforce-eager, a --compilation-config; SGLang: "
                           "--enable-torch-compile), or use its fused norms, rotary embeddings and activations."},
    [TP_RULE_C17] = {NULL, "Tune this shape: the engine's own table of tuned products, TunableOp, other tokens in a "
                           "prefill (multiples of 64)."},
    [TP_RULE_C24] = {NULL, "Serve the model in bfloat16 or float16 (the engine's dtype), where the accuracy permits."},
    [TP_RULE_C25] = {NULL, "After a check of the accuracy: FP8 weights and activations, by the engine (vLLM, SGLang: "
                           "--quantization fp8) or a model that was stored in FP8."},
    [TP_RULE_E1] = {NULL, "Keep the engine's own all-reduce on (vLLM, SGLang: no --disable-custom-all-reduce), "
                          "and " LESS_COMMUNICATION " (a smaller --tensor-parallel-size, a larger "
                          "--data-parallel-size)."},
    [TP_RULE_H6] = {NULL, OVERLAP ". The profiler itself enlarges this share when stacks are recorded."},
    [TP_RULE_R6] = {"The engine decodes one request at a time",
                    "If several requests wait at a time, give them to the engine together, so that it batches them: a "
                    "list of prompts in one call, or concurrent requests to the server. This raises the throughput; a "
                    "single request is not answered sooner."},
    [TP_RULE_R2] = {NULL, "Record the engine under steady load, after requests of all sizes (vLLM, SGLang: start_profile "
                          "and stop_profile while they run)."},
    [TP_RULE_R3] = {NULL, "Send requests of all sizes before the record (vLLM, SGLang: start_profile only then), and "
                          "judge what follows."},
};

/* What is true of who serves, too, and has no words of its own there. */
static const struct words inference[TP_RULE_COUNT] = {
    [TP_RULE_B2] = {"Input data is loaded in the process that calls the model",
                    "Set num_workers above 0 (and persistent_workers), or prepare the next inputs on another thread, so "
                    "that loading overlaps the step."},
    [TP_RULE_C2] = {NULL, "Load the model in bfloat16 or float16, or use autocast."},
    [TP_RULE_C3] = {NULL, "Pad the sizes of the weights (vocabulary, hidden: N and K of the products) to a multiple "
                          "of 8 by zeros, before the model is called. The batch may stay as it is."},
    [TP_RULE_C25] = {NULL, "After a check of the accuracy: FP8 weights and activations (torchao's float8 inference, "
                           "Transformer Engine)."},
    [TP_RULE_D1] = {NULL, "Use a smaller type, a smaller batch, shorter inputs, or shard the model."},
    [TP_RULE_D4] = {NULL, "Something keeps what each step makes. Often: results gathered on the device (move them to the "
                          "host), a cache that is never cut, or calls outside of torch.inference_mode, whose results "
                          "keep their graph."},
    [TP_RULE_E1] = {NULL, "Start it as soon as its data is ready and compute meanwhile, or " LESS_COMMUNICATION "."},
    [TP_RULE_E4] = {NULL, "Send several tensors with one call: flatten them into one, or coalesce."},
    [TP_RULE_E6] = {NULL, "Prefetch the next layer: FullyShardedDataParallel(forward_prefetch=True, "
                          "limit_all_gathers=False where memory allows); fully_shard: "
                          "set_modules_to_forward_prefetch. Where memory allows, keep the whole model on each device."},
    [TP_RULE_E7] = {NULL, "Use one process for each device, with the model on it: nothing is copied but its own "
                          "inputs."},
    [TP_RULE_E9] = {"A wrapper for several ranks runs with a single one", "Call the model itself, without the wrapper."},
    [TP_RULE_E10] = {NULL, "Call the model inside of the wrapper (model.module): it broadcasts nothing."},
    [TP_RULE_E11] = {NULL, "Send more micro-batches through the stages at a time, and give all stages equal work."},
    [TP_RULE_H5] = {NULL, "Each call costs a few microseconds before it computes: batch the work, use torch.compile, or "
                          "call in torch.inference_mode."},
    [TP_RULE_H8] = {NULL, "Start it as soon as its data is ready and compute meanwhile, or " LESS_COMMUNICATION "."},
    [TP_RULE_H10] = {NULL, "Write every N steps, or hand a copy to another thread that writes it while the next steps "
                           "run."},
    [TP_RULE_H12] = {NULL, "Collect where nobody waits, not in every step; gc.freeze() after start-up keeps what stays "
                           "out of each collection. How long it takes without the profiler is not in this trace: "
                           "recording stacks makes it longer."},
    [TP_RULE_H13] = {NULL, "Leave checks of every value off in real runs, and look at values in hooks every N steps."},
    [TP_RULE_H19] = {NULL, "Take more samples a step: reading the weights costs the same for each batch."},
};

static const struct words *words_of(size_t rule, enum tp_program_use_kind use)
{
    static const struct words none;
    if (use == TP_USE_SERVING && (serving[rule].title || serving[rule].advice))
        return &serving[rule];
    bool only_calls =
        use == TP_USE_SERVING || use == TP_USE_DIFFUSION || use == TP_USE_INFERENCE || use == TP_USE_CPU;
    return only_calls ? &inference[rule] : &none;
}

struct tp_rule_words tp_rule_words_of_use(const struct tp_rule *rule, enum tp_producer producer,
                                          enum tp_program_use_kind use)
{
    unsigned count;
    struct tp_rule_words words = tp_rule_words(rule, producer);
    if (!tp_speaks_torch(producer))
        return words;
    const struct words *own = words_of((size_t)(rule - tp_rules(&count)), use);
    words.title = own->title ? own->title : words.title;
    words.advice = own->advice ? own->advice : words.advice;
    return words;
}
