/* Reads the programs of a run that were recorded from outside: see run_programs.h. */
#include "webreport/session/run_programs.h"

#include "writer/base/limits.h"

struct opening {
    struct tp_run_program *program;
    const char *path;
    const struct tp_trace_options *read;
};

static int open_program(void *context, struct tp_error *err)
{
    const struct opening *opening = context;
    struct tp_run_program *program = opening->program;
    int code = tp_trace_read(&program->trace, &program->arena, opening->path, opening->read, err);
    if (code == TP_OK)
        tp_program_view_build(&program->view, &program->trace, &program->arena);
    return code;
}

void tp_run_programs_open(struct tp_run_programs *programs, const struct tp_run *run,
                          const struct tp_trace_options *read, struct tp_arena *arena)
{
    struct tp_trace_options options = *read;
    options.skips_hash = true;
    options.wants_arguments = false;
    options.is_strict = false;
    *programs = (struct tp_run_programs){0};
    for (size_t i = 0; i < run->file_count && programs->count < TP_MAX_RUN_PROGRAMS; i++) {
        if (!run->files[i].is_program)
            continue;
        if (!programs->items)
            programs->items = tp_arena_array(arena, TP_MAX_RUN_PROGRAMS, sizeof *programs->items);
        struct tp_run_program *program = &programs->items[programs->count];
        program->file = program->first_accompanied_file = i;
        tp_arena_init(&program->arena, 0);
        struct opening opening = {program, run->files[i].path, &options};
        bool is_open = tp_arena_run(&program->arena, open_program, &opening, NULL) == TP_OK && program->view.is_present;
        if (is_open)
            programs->count++;
        else
            tp_arena_release(&program->arena);
    }
}

void tp_run_programs_close(struct tp_run_programs *programs)
{
    for (size_t i = 0; i < programs->count; i++)
        tp_arena_release(&programs->items[i].arena);
    programs->count = 0;
}

const struct tp_program_steps *tp_run_programs_find_steps(struct tp_run_programs *programs, size_t file,
                                                          const struct tp_model *model, size_t *at,
                                                          struct tp_arena *arena)
{
    struct tp_program_steps *steps = programs->count ? tp_arena_alloc(arena, sizeof *steps) : NULL;
    for (size_t i = 0; i < programs->count; i++) {
        struct tp_run_program *program = &programs->items[i];
        if (!tp_program_steps_build(steps, model, &program->view, arena))
            continue;
        *at = program->file;
        if (program->first_accompanied_file == program->file)
            program->first_accompanied_file = file;
        return steps;
    }
    return NULL;
}

size_t tp_run_programs_find_first_file(const struct tp_run_programs *programs, size_t file)
{
    for (size_t i = 0; i < programs->count; i++)
        if (programs->items[i].file == file)
            return programs->items[i].first_accompanied_file;
    return file;
}
