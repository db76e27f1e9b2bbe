/* Reads the artifacts of torch.compile that are JSON: see compile_parts.h. */
#include "webreport/trace/compile_log/compile_parts.h"
#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/value.h"

/* Contents of an artifact. Its members are the kernels of one graph, or the member `inside` has these members. */
enum content { KERNELS, STACKS, NODES };
static const struct {
    const char *name; /* part of the name of the artifact; tp_compile_is_artifact has the same parts */
    enum content content;
    const char *inside;
} formats[] = {
    {"kernel_information", KERNELS, NULL},     {"kernel_stack_traces", STACKS, NULL},
    {"node_mappings", NODES, "cppCodeToPost"}, {"kernel_to_post_grad", NODES, NULL},
    {"kernel_mapping_post_grad", NODES, NULL},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Returns the row of an artifact's name; FORMATS if it has none. */
static size_t find_format(struct tp_str name)
{
    size_t i = 0;
    while (i < FORMATS && tp_str_find(name, formats[i].name) < 0)
        i++;
    return i;
}

/* Sets the stacks of a call. list: a list of tracebacks, or one traceback. */
static void set_stacks(struct tp_compile_reader *r, struct tp_compile_draft *draft, struct tp_compile_call *call,
                       struct tp_str list)
{
    struct tp_vec *ids = &r->log->stack_ids;
    struct tp_str item;
    uint64_t hash = tp_hash_bytes(call->key.ptr, call->key.len);
    call->first_stack = (uint32_t)ids->count;
    if (tp_value_starts_with(list, '"'))
        *(uint32_t *)tp_vec_push(ids) = tp_compile_traceback(r, list);
    for (size_t at = 0; tp_value_starts_with(list, '[') && tp_value_next(list, &at, NULL, &item);)
        if (tp_value_starts_with(item, '"') && ids->count < TP_MAX_COMPILE_ITEMS)
            *(uint32_t *)tp_vec_push(ids) = tp_compile_traceback(r, item);
    call->stack_count = (uint32_t)ids->count - call->first_stack;
    for (uint32_t i = 0; i < call->stack_count; i++)
        hash = tp_hash_mix(hash ^ 0x9E3779B97F4A7C15ull, *TP_AT(ids, uint32_t, call->first_stack + i) + 1);
    draft->stacks_hash += hash;
    draft->has_stacks = true;
}

static void set_nodes(struct tp_compile_reader *r, struct tp_compile_draft *draft, struct tp_compile_call *call,
                      struct tp_str list)
{
    struct tp_vec *nodes = &r->log->nodes;
    struct tp_str item;
    call->first_node = (uint32_t)nodes->count;
    for (size_t at = 0; tp_value_starts_with(list, '[') && tp_value_next(list, &at, NULL, &item);)
        if (tp_value_starts_with(item, '"') && nodes->count < TP_MAX_COMPILE_ITEMS)
            *(struct tp_str *)tp_vec_push(nodes) = tp_value_text(r->arena, item);
    call->node_count = (uint32_t)nodes->count - call->first_node;
    draft->has_nodes = true;
}

static void read_kernels(struct tp_compile_reader *r, struct tp_str object, enum content content)
{
    struct tp_compile_draft *draft = tp_compile_draft_new(r);
    struct tp_str key, item;
    for (size_t at = 0; tp_value_starts_with(object, '{') && tp_value_next(object, &at, &key, &item);) {
        struct tp_compile_call *call = tp_compile_draft_call(r, draft, tp_value_text(r->arena, key));
        if (!call) {
            r->log->dropped_count++;
            break;
        }
        if (content != NODES)
            set_stacks(r, draft, call, content == STACKS ? item : tp_value_member(item, "stack_traces"));
        if (content != STACKS)
            set_nodes(r, draft, call, content == NODES ? item : tp_value_member(item, "post_grad_nodes"));
    }
    tp_compile_draft_keep(r, draft);
}

void tp_compile_read_artifact(struct tp_compile_reader *r, struct tp_str name, struct tp_str json)
{
    size_t format = find_format(name);
    struct tp_buf buf;
    if (format == FORMATS)
        return;
    tp_buf_init(&buf, TP_MAX_COMPILE_TEXT_BYTES);
    unsigned defects = tp_clean_value(&buf, json);
    if (buf.failed || defects & (TP_CLEAN_SYNTAX | TP_CLEAN_DEPTH)) {
        r->log->dropped_count++;
        tp_buf_release(&buf);
        return;
    }
    size_t size = buf.size;
    char *text = tp_buf_move(&buf, r->arena);
    struct tp_str object = {text, size};
    if (formats[format].inside)
        object = tp_value_member(object, formats[format].inside);
    read_kernels(r, object, formats[format].content);
    tp_arena_free_item(r->arena, text, size + 1);
}
