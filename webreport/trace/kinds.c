/* Finds the meanings of categories and of special names: see kinds.h and section 2 of docs/definitions.md. */
#include "webreport/trace/kinds.h"

#include "webreport/trace/regions.h"

struct cat_row {
    const char *cat;
    uint8_t kind;
};

/* categories and their kinds, compared in lower case */
static const struct cat_row kinds[] = {
    {"cpu_op", TP_KIND_OPERATOR},
    {"operator", TP_KIND_OPERATOR},
    {"python", TP_KIND_ANNOTATION},
    {"user_annotation", TP_KIND_ANNOTATION},
    {"runtime", TP_KIND_RUNTIME},
    {"kernel", TP_KIND_KERNEL},
    {"memcpy", TP_KIND_MEMCPY},
    {"gpu_memcpy", TP_KIND_MEMCPY},
    {"memset", TP_KIND_MEMSET},
    {"gpu_memset", TP_KIND_MEMSET},
    {"python_function", TP_KIND_FRAME},
    {"trace", TP_KIND_SPAN},
    {"gpu_user_annotation", TP_KIND_GPU_ANNOTATION},
    {"overhead", TP_KIND_OVERHEAD},
    {"user", TP_KIND_OTHER},
    {"cuda_sync", TP_KIND_OTHER},
    {"cuda_event", TP_KIND_OTHER},
    {"mtia_ccp_events", TP_KIND_OTHER},
    {"mtia_insight", TP_KIND_OTHER},
    {"hpu_op", TP_KIND_OTHER},
    {"xpu_sync", TP_KIND_OTHER},
    {"collective_comm", TP_KIND_OTHER},
    {"external_correlation", TP_KIND_OTHER},
    {"cuda_profiler_range", TP_KIND_OTHER},
    {"cpu_instant_event", TP_KIND_OTHER},
    {"graph_event_node", TP_KIND_OTHER},
    {"graph_host_node", TP_KIND_OTHER},
    {"enqueue", TP_KIND_OTHER}, /* torch_npu writes this category for the queue from the host to the runtime */
    {"dequeue", TP_KIND_OTHER},
};

/* Endings of the categories of devices other than CUDA, such as xpu_runtime or mlu_memcpy, and their kinds. */
static const struct cat_row ends[] = {{"_runtime", TP_KIND_RUNTIME}, {"_driver", TP_KIND_RUNTIME},
                                      {"_memcpy", TP_KIND_MEMCPY},   {"_memset", TP_KIND_MEMSET},
                                      {"_kernel", TP_KIND_KERNEL},   {"_user_annotation", TP_KIND_GPU_ANNOTATION}};

enum { LONGEST_CAT = 64 };

/* Copies a category in lower case to `out`, as Python's str.lower() does for ASCII. Copies at most LONGEST_CAT
 * bytes, because longer categories are unknown. */
static struct tp_str lower_case_category(struct tp_str cat, char *out)
{
    size_t n = cat.len < LONGEST_CAT ? cat.len : LONGEST_CAT;
    for (size_t i = 0; i < n; i++)
        out[i] = (char)(cat.ptr[i] >= 'A' && cat.ptr[i] <= 'Z' ? cat.ptr[i] + 32 : cat.ptr[i]);
    return (struct tp_str){out, n};
}

/* Returns true if `lower` is `cat` with one letter missing. */
static bool lacks_one_letter_of_category(struct tp_str lower, struct tp_str cat)
{
    size_t same = 0;
    if (lower.len + 1 != cat.len)
        return false;
    while (same < lower.len && lower.ptr[same] == cat.ptr[same])
        same++;
    return memcmp(lower.ptr + same, cat.ptr + same + 1, lower.len - same) == 0;
}

/* Returns true if `lower` is `cat` with its end cut off, one letter missing, or one or two letters changed. */
static bool is_similar_category(struct tp_str lower, struct tp_str cat)
{
    enum { SHORTEST = 5, MOST = 2 };
    size_t changed = 0;
    if (lower.len && lower.len < cat.len && memcmp(lower.ptr, cat.ptr, lower.len) == 0)
        return true;
    if (cat.len >= SHORTEST && lacks_one_letter_of_category(lower, cat))
        return true;
    for (size_t k = 0; k < lower.len && lower.len == cat.len; k++)
        changed += lower.ptr[k] != cat.ptr[k];
    return lower.len == cat.len && cat.len >= SHORTEST && changed <= MOST;
}

/* Returns true if an unknown category is probably a damaged known category. */
static bool is_misspelled_category(struct tp_str lower)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_similar_category(lower, tp_str_of(kinds[i].cat)))
            return true;
    return is_similar_category(lower, TP_STR("cuda_runtime")) || is_similar_category(lower, TP_STR("cuda_driver"));
}

struct tp_cat_meaning tp_cat_meaning_by_name(struct tp_str cat)
{
    char text[LONGEST_CAT];
    struct tp_str lower = lower_case_category(cat, text);
    struct tp_cat_meaning meaning = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (tp_str_equal(lower, tp_str_of(kinds[i].cat)))
            meaning.kind = kinds[i].kind;
    meaning.is_driver = tp_str_ends(lower, "_driver");
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !meaning.kind; i++)
        if (tp_str_ends(lower, ends[i].cat))
            meaning.kind = ends[i].kind;
    meaning.is_misspelled = !meaning.kind && is_misspelled_category(lower);
    meaning.is_call_of_other_device =
        meaning.kind == TP_KIND_RUNTIME && !tp_str_equal(lower, TP_STR("runtime")) && !tp_str_starts(lower, "cuda_");
    meaning.is_link = tp_str_equal(lower, TP_STR("fwdbwd")) || tp_str_equal(lower, TP_STR("forward_backward"));
    meaning.is_device_link = tp_str_equal(lower, TP_STR("ac2g")) || tp_str_equal(lower, TP_STR("async")) ||
                             tp_str_starts(lower, "async_cpu_to_");
    meaning.has_counters = tp_str_equal(lower, TP_STR("cuda_profiler_range"));
    meaning.is_other_device = tp_str_equal(lower, TP_STR("mtia_ccp_events")) || tp_str_equal(lower, TP_STR("hpu_op"));
    meaning.is_state = tp_str_equal(cat, TP_STR("thread_state"));
    meaning.is_process = tp_str_equal(cat, TP_STR("process"));
    meaning.may_be_region_category = tp_str_equal(cat, TP_STR("Operator")) || tp_str_equal(cat, TP_STR("operator"));
    return meaning;
}

/* ---- device events without a category, as torch_npu writes them ---- */

static bool contains_any(struct tp_str text, const char *const *words)
{
    for (; *words; words++)
        if (tp_str_find_ignore_case(text, *words) >= 0)
            return true;
    return false;
}

uint8_t tp_kind_by_process(struct tp_str process, struct tp_str labels, struct tp_str name, struct tp_str type)
{
    static const char *const devices[] = {"NPU", "GPU", "MLU", "XPU", "HPU", "GCU", "MUSA", "TPU", NULL};
    static const char *const waits[] = {"event_wait",    "event_record", "event_reset",    "notify_wait",
                                        "notify_record", "capture_wait", "capture_record", NULL};
    static const char *const calls[] = {"Synchronize", "aclrtMemcpy", NULL}, *const copies[] = {"memcpy", "sdma", NULL};
    if (tp_str_equal(process, TP_STR("CANN")))
        /* other calls are steps of launches, which the links to device operations show (decode_ascend.c) */
        return contains_any(name, calls) && tp_str_find(name, "MemcpyAsync") < 0 ? TP_KIND_RUNTIME : TP_KIND_OTHER;
    if (!tp_str_starts(process, "Ascend Hardware") && !tp_str_starts_with_one_of(labels, devices))
        return TP_KIND_NONE;
    if (contains_any(name, waits) || contains_any(type, waits))
        return TP_KIND_OTHER;
    if (tp_str_find_ignore_case(name, "memset") >= 0)
        return TP_KIND_MEMSET;
    return contains_any(name, copies) || contains_any(type, copies) ? TP_KIND_MEMCPY : TP_KIND_KERNEL;
}

bool tp_kind_is_communication_task(struct tp_str type)
{
    static const char *const words[] = {"hccl", "communication", NULL};
    return contains_any(type, words);
}

static const char *const range_kinds[TP_RANGE_KINDS] = {
    [TP_RANGE_INPUT] = "input", [TP_RANGE_COMPUTE] = "compute", [TP_RANGE_COMMUNICATION] = "communication",
    [TP_RANGE_COPY] = "copy",   [TP_RANGE_WAIT] = "wait",       [TP_RANGE_SYNC] = "sync"};

const char *tp_range_kind_text(enum tp_range_kind kind)
{
    return range_kinds[kind];
}

enum tp_range_kind tp_range_kind_by_text(struct tp_str text)
{
    for (unsigned kind = TP_RANGE_NONE + 1; kind < TP_RANGE_KINDS; kind++)
        if (tp_str_equal(text, tp_str_of(range_kinds[kind])))
            return (enum tp_range_kind)kind;
    return TP_RANGE_NONE;
}

const char *tp_kind_category_name(unsigned kind)
{
    static const char *const cats[TP_KIND_COUNT] = {[TP_KIND_OPERATOR] = "cpu_op",
                                                    [TP_KIND_ANNOTATION] = "user_annotation",
                                                    [TP_KIND_RUNTIME] = "runtime",
                                                    [TP_KIND_FRAME] = "python_function",
                                                    [TP_KIND_MODULE] = "python_function",
                                                    [TP_KIND_KERNEL] = "kernel",
                                                    [TP_KIND_MEMCPY] = "gpu_memcpy",
                                                    [TP_KIND_MEMSET] = "gpu_memset",
                                                    [TP_KIND_GPU_ANNOTATION] = "gpu_user_annotation",
                                                    [TP_KIND_OVERHEAD] = "overhead"};
    return cats[kind];
}

const char *tp_kind_call_category_name(struct tp_str name)
{
    bool is_driver = tp_str_starts(name, "cu") && name.len > 2 && name.ptr[2] >= 'A' && name.ptr[2] <= 'Z';
    return is_driver ? "cuda_driver" : "cuda_runtime";
}

/* Returns true if the cost of an operator depends on values of its arguments, such as strides, causal masks, or the
 * dimension of a selection. */
static bool has_costly_values(struct tp_str name)
{
    bool is_aten = tp_str_starts(name, "aten::");
    return (is_aten && (tp_str_find(name, "conv") > 0 || tp_str_find(name, "attention") > 0 ||
                        tp_str_find(name, "index_select") > 0)) ||
           tp_str_find_ignore_case(name, "fmha_v3") >= 0 || tp_str_find_ignore_case(name, "flash_attn") >= 0;
}

unsigned tp_name_meaning_by_name(struct tp_str name)
{
    unsigned meaning = 0, regions = tp_regions_by_name(name);
    if (tp_str_equal(name, TP_STR("[memory]")))
        meaning |= TP_NAME_MEMORY;
    if (tp_str_equal(name, TP_STR("[OutOfMemory]")))
        meaning |= TP_NAME_OUT_OF_MEMORY;
    if (tp_str_equal(name, TP_STR("Record Window End")))
        meaning |= TP_NAME_WINDOW_END;
    if (regions & TP_REGION_ANNOTATION)
        meaning |= TP_NAME_REGION;
    if (regions & TP_REGION_OF_TORCH)
        meaning |= TP_NAME_TORCH_REGION;
    if (has_costly_values(name))
        meaning |= TP_NAME_VALUES;
    if (tp_str_starts(name, "triton_"))
        meaning |= TP_NAME_TRITON;
    return meaning;
}
