/* Collects the graphs of torch.compile while their artifacts are read: see compile_parts.h. */
#include "webreport/trace/compile_log/compile_parts.h"

#include "writer/base/sort.h"

struct tp_compile_draft *tp_compile_draft_new(struct tp_compile_reader *r)
{
    struct tp_compile_draft *draft = tp_arena_alloc(r->arena, sizeof *draft);
    draft->calls = TP_VEC(r->arena, struct tp_compile_call);
    draft->file = r->file;
    draft->fx_text = r->fx_text;
    tp_strings_init(&draft->keys, r->arena, 0);
    return draft;
}

/* Returns the part of a key before ":HANDLE", and the handle, which is 0 if the key has none. */
static struct tp_str split_key(struct tp_str key, uint64_t *handle)
{
    size_t at = key.len;
    *handle = 0;
    while (at && tp_is_digit(key.ptr[at - 1]))
        at--;
    if (at < 2 || at == key.len || key.len - at > 18 || key.ptr[at - 1] != ':')
        return key;
    for (size_t i = at; i < key.len; i++)
        *handle = 10 * *handle + (uint64_t)(key.ptr[i] - '0');
    return (struct tp_str){key.ptr, at - 1};
}

struct tp_compile_call *tp_compile_draft_call(struct tp_compile_reader *r, struct tp_compile_draft *draft,
                                              struct tp_str key)
{
    if (draft->calls.count >= TP_MAX_COMPILE_CALLS && tp_strings_find(&draft->keys, key) == TP_NO_ID)
        return NULL;
    uint32_t id = tp_strings_add(&draft->keys, key);
    if (id == draft->calls.count) {
        struct tp_compile_call call = {.key = tp_strings_get(&draft->keys, id)};
        call.name = tp_compile_operator_name(r->arena, split_key(call.key, &call.handle));
        *(struct tp_compile_call *)tp_vec_push(&draft->calls) = call;
        draft->keys_hash += tp_hash_bytes(call.key.ptr, call.key.len);
    }
    return TP_AT(&draft->calls, struct tp_compile_call, id);
}

static bool has_same_keys(const struct tp_compile_draft *a, const struct tp_compile_draft *b)
{
    if (a->keys.count != b->keys.count || a->keys_hash != b->keys_hash)
        return false;
    for (uint32_t i = 0; i < a->keys.count; i++)
        if (tp_strings_find(&b->keys, tp_strings_get(&a->keys, i)) == TP_NO_ID)
            return false;
    return true;
}

/* Adds the stacks and nodes of `from` to a draft with the same keys that lacks them. */
static void complete_draft(struct tp_compile_draft *draft, const struct tp_compile_draft *from)
{
    for (size_t i = 0; i < draft->calls.count; i++) {
        struct tp_compile_call *to = TP_AT(&draft->calls, struct tp_compile_call, i);
        const struct tp_compile_call *call =
            TP_AT(&from->calls, struct tp_compile_call, tp_strings_find(&from->keys, to->key));
        if (!draft->has_stacks) {
            to->first_stack = call->first_stack;
            to->stack_count = call->stack_count;
        }
        if (!draft->has_nodes) {
            to->first_node = call->first_node;
            to->node_count = call->node_count;
        }
    }
    if (!draft->has_stacks)
        draft->stacks_hash = from->stacks_hash;
    draft->has_stacks |= from->has_stacks;
    draft->has_nodes |= from->has_nodes;
    draft->is_code &= from->is_code;
}

void tp_compile_draft_keep(struct tp_compile_reader *r, struct tp_compile_draft *draft)
{
    if (!draft->keys.count)
        return;
    for (size_t i = 0; i < r->drafts.count; i++) {
        struct tp_compile_draft *other = *TP_AT(&r->drafts, struct tp_compile_draft *, i);
        bool fits = !other->has_stacks || !draft->has_stacks || other->stacks_hash == draft->stacks_hash;
        if (fits && has_same_keys(draft, other)) {
            complete_draft(other, draft);
            return;
        }
    }
    if (r->drafts.count >= TP_MAX_COMPILE_GRAPHS)
        r->log->dropped_count++;
    else
        *(struct tp_compile_draft **)tp_vec_push(&r->drafts) = draft;
}

static int compare_by_handle(const void *x, const void *y, const void *context)
{
    const struct tp_compile_call *a = x, *b = y;
    (void)context;
    return (a->handle > b->handle) - (a->handle < b->handle);
}

void tp_compile_drafts_finish(struct tp_compile_reader *r)
{
    for (size_t i = 0; i < r->drafts.count; i++) {
        const struct tp_compile_draft *draft = *TP_AT(&r->drafts, struct tp_compile_draft *, i);
        struct tp_compile_graph *graph = tp_vec_push(&r->log->graphs);
        *graph = (struct tp_compile_graph){
            .calls = draft->calls.data, .call_count = (uint32_t)draft->calls.count, .is_code = draft->is_code};
        tp_merge_sort(r->arena, graph->calls, graph->call_count, sizeof *graph->calls, compare_by_handle, NULL);
        for (uint32_t k = 0; k < graph->call_count; k++)
            graph->has_handles |= graph->calls[k].handle > 0;
    }
}
