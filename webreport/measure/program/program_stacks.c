/* Writes stacks as text. See program_stacks.h. */
#include "webreport/measure/program/program_stacks.h"

enum { SHOWN_FRAMES = 4 };

static const char ARROW[] = " \xe2\x86\x90 ";

void tp_program_stacks_init(struct tp_program_stacks *stacks, const struct tp_trace *trace,
                            struct tp_program_functions *functions, struct tp_strings *texts, struct tp_arena *arena)
{
    uint32_t none = (uint32_t)trace->stack_texts.count;
    *stacks = (struct tp_program_stacks){.functions = functions,
                                         .texts = texts,
                                         .text = TP_VEC(arena, char),
                                         .texts_by_stack =
                                             tp_arena_array(arena, (size_t)none + 1, sizeof *stacks->texts_by_stack),
                                         .none = none};
}

static const struct tp_program_function *function_at(const struct tp_program_functions *functions, size_t index)
{
    return tp_program_function_at(functions, *TP_AT(&functions->path, uint32_t, index));
}

/* Returns whether a Python function calls the innermost non-kernel function of the current stack. */
static bool is_called_from_python(const struct tp_program_functions *functions)
{
    size_t inner = functions->path.count;
    while (inner && function_at(functions, inner - 1)->kind == TP_FUNCTION_KERNEL)
        inner--;
    for (size_t i = 0; i + 1 < inner; i++)
        if (function_at(functions, i)->kind == TP_FUNCTION_PYTHON)
            return true;
    return false;
}

/* Returns the text of a stack, which lists its innermost functions. If the stack has Python functions, only those
 * are listed after the first function. */
const struct tp_program_stack_words *tp_program_stacks_of(struct tp_program_stacks *s, uint32_t stack)
{
    struct tp_program_stack_words *words = &s->texts_by_stack[stack == TP_NO_ID ? s->none : stack];
    if (words->is_known)
        return words;
    unsigned shown = 0;
    words->is_known = true;
    s->text.count = 0;
    tp_program_functions_of_stack(s->functions, stack);
    words->place = tp_program_functions_place(s->functions);
    bool has_python = is_called_from_python(s->functions);
    for (size_t i = s->functions->path.count; i-- > 0 && shown < SHOWN_FRAMES;) {
        const struct tp_program_function *f = function_at(s->functions, i);
        if (f->kind == TP_FUNCTION_KERNEL || (shown && has_python && f->kind != TP_FUNCTION_PYTHON))
            continue;
        if (shown++)
            tp_vec_add_text(&s->text, tp_str_of(ARROW));
        tp_vec_add_text(&s->text, f->name);
    }
    words->text = tp_strings_add(s->texts, (struct tp_str){s->text.count ? s->text.data : "", s->text.count});
    return words;
}
