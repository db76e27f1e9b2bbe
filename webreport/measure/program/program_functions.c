/* Finds the functions in the samples of a program. See program_functions.h. */
#include "webreport/measure/program/program_functions.h"

#include "webreport/trace/code_origin.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

/* ---- frames ---- */

/* The role of a kernel function in the recording of perf events. */
enum event_role { EVENTS_NONE, EVENTS_WORK, EVENTS_CALL };

/* Returns the role of a kernel function. EVENTS_WORK: the kernel runs the function for recorded events, at switches,
 * forks, exits and samples. EVENTS_CALL: the program calls the function to use its own events. */
static enum event_role role_of_kernel_function(struct tp_str name)
{
    static const char *const calls[] = {"perf_read", "perf_ioctl", "perf_mmap", "perf_poll", "perf_release"};
    static const char *const work[] = {
        "perf_event_",     "__perf_event_",      "perf_iterate_",     "perf_output_",       "perf_pending_",
        "perf_swevent_",   "perf_tp_event",      "perf_trace_",       "perf_callchain",     "perf_prepare_",
        "inherit_event",   "inherit_task_group", "free_event_rcu",    "ctx_sched_",         "irq_work_run",
        "irq_work_single", "sysvec_irq_work",    "__sysvec_irq_work", "asm_sysvec_irq_work"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (tp_str_equal(name, tp_str_of(calls[i])))
            return EVENTS_CALL;
    if (tp_str_find(name, "sys_perf_event_open") >= 0)
        return EVENTS_CALL;
    for (size_t i = 0; i < sizeof work / sizeof *work; i++)
        if (tp_str_starts(name, work[i]))
            return EVENTS_WORK;
    return EVENTS_NONE;
}

/* Returns whether an interpreter invented the path, such as "<string>" or "<frozen importlib._bootstrap>". */
static bool is_path_of_interpreter(struct tp_str path)
{
    return path.len > 2 && path.ptr[0] == '<' && path.ptr[path.len - 1] == '>';
}

static struct tp_program_function parse_function(struct tp_str frame, int32_t *line)
{
    struct tp_program_function f = {.name = frame};
    struct tp_frame parts;
    *line = 0;
    if (tp_frame_parse(&parts, frame) && parts.function.len) {
        f.name = parts.function;
        f.file = parts.path;
        f.kind = parts.is_python || is_path_of_interpreter(parts.path) ? TP_FUNCTION_PYTHON : TP_FUNCTION_NATIVE;
        struct tp_code code = tp_code_of_path(f.kind == TP_FUNCTION_PYTHON ? f.file : TP_STR(""));
        f.is_users = code.origin == TP_ORIGIN_USER;
        f.is_line = code.is_line;
        *line = parts.line > 0 ? parts.line : 0;
        return f;
    }
    const char *bracket = frame.len && frame.ptr[frame.len - 1] == ']' ? memrchr(frame.ptr, '[', frame.len) : NULL;
    if (bracket && bracket > frame.ptr + 1 && bracket[-1] == ' ') {
        f.name.len = (size_t)(bracket - frame.ptr) - 1;
        f.file = (struct tp_str){bracket + 1, frame.len - f.name.len - 3};
    }
    f.is_nameless =
        tp_str_starts(f.name, "[unknown]") || tp_str_starts(f.name, "[jit]") || tp_str_find(f.name, "+0x") >= 0;
    f.kind = tp_str_equal(f.file, TP_STR(TP_RECORDING_FILE)) ? TP_FUNCTION_KERNEL : TP_FUNCTION_NATIVE;
    f.is_recording = f.kind == TP_FUNCTION_KERNEL && tp_str_equal(f.name, TP_STR(TP_RECORDING_FUNCTION));
    f.event_role = f.kind == TP_FUNCTION_KERNEL ? (uint8_t)role_of_kernel_function(f.name) : EVENTS_NONE;
    return f;
}

/* Names a nameless function after its file: "+0x12 [libm.so]" becomes libm.so+0x12. */
static void name_function_after_file(struct tp_program_function *f, struct tp_arena *arena)
{
    if (!tp_str_starts(f->name, "+0x") || !f->file.len)
        return;
    char *name = tp_arena_alloc(arena, f->file.len + f->name.len + 1);
    memcpy(name, f->file.ptr, f->file.len);
    memcpy(name + f->file.len, f->name.ptr, f->name.len);
    f->name = (struct tp_str){name, f->file.len + f->name.len};
}

static uint32_t function_number(struct tp_program_functions *functions, uint32_t frame)
{
    uint32_t *known = &functions->of_frame[frame];
    struct tp_str text = tp_str_trim(tp_stack_frame_text(functions->stacks, frame));
    if (*known || !text.len)
        return *known;
    struct tp_program_function f = parse_function(text, &functions->line_by_frame[frame]);
    name_function_after_file(&f, functions->arena);
    uint32_t name = tp_strings_add(&functions->texts, f.name), file = tp_strings_add(&functions->texts, f.file);
    uint32_t number = tp_keys_pair(&functions->keys, name, file);
    if (number == functions->items.count)
        *(struct tp_program_function *)tp_vec_push(&functions->items) = f;
    return *known = number + 1;
}

void tp_program_functions_init(struct tp_program_functions *functions, const struct tp_trace *trace,
                               struct tp_arena *arena)
{
    *functions = (struct tp_program_functions){.arena = arena,
                                               .stacks = trace->stacks,
                                               .items = TP_VEC(arena, struct tp_program_function),
                                               .path = TP_VEC(arena, uint32_t),
                                               .frames = TP_VEC(arena, uint32_t)};
    tp_strings_init(&functions->texts, arena, 0);
    tp_keys_init(&functions->keys, arena, 2);
    functions->of_frame = tp_arena_array(arena, trace->stacks->frames.count + 1, sizeof(uint32_t));
    functions->line_by_frame = tp_arena_array(arena, trace->stacks->frames.count + 1, sizeof(int32_t));
}

/* ---- stacks ---- */

/* Returns the index of the outermost valid function of the path. If a kernel function calls a function of the program,
 * this kernel function and all its callers are invalid. Unknown code without a caller is also invalid. */
static size_t first_valid_function(const struct tp_program_functions *functions)
{
    const uint32_t *path = functions->path.data;
    size_t first = functions->path.count, count = first;
    bool is_in_program = false;
    while (first) {
        bool is_kernel = tp_program_function_at(functions, path[first - 1])->kind == TP_FUNCTION_KERNEL;
        if (is_kernel && is_in_program)
            break;
        is_in_program = is_in_program || !is_kernel;
        first--;
    }
    while (first + 1 < count && tp_str_equal(tp_program_function_at(functions, path[first])->name, TP_STR("[unknown]")))
        first++;
    return first;
}

static uint32_t number_of_recording_function(struct tp_program_functions *functions)
{
    uint32_t name = tp_strings_add(&functions->texts, TP_STR(TP_RECORDING_FUNCTION)),
             file = tp_strings_add(&functions->texts, TP_STR(TP_RECORDING_FILE));
    uint32_t number = tp_keys_pair(&functions->keys, name, file);
    if (number == functions->items.count)
        *(struct tp_program_function *)tp_vec_push(&functions->items) =
            (struct tp_program_function){.name = TP_STR(TP_RECORDING_FUNCTION),
                                         .file = TP_STR(TP_RECORDING_FILE),
                                         .kind = TP_FUNCTION_KERNEL,
                                         .is_recording = true};
    return number;
}

/* Cuts the path after the outermost function that does work for events of the recording. */
static void cut_path_at_recording(struct tp_program_functions *functions)
{
    uint32_t *path = functions->path.data;
    for (size_t i = 0; i < functions->path.count; i++) {
        const struct tp_program_function *f = tp_program_function_at(functions, path[i]);
        if (f->event_role == EVENTS_CALL)
            return;
        if (f->event_role == EVENTS_NONE)
            continue;
        path[i] = number_of_recording_function(functions);
        functions->path.count = functions->frames.count = i + 1;
        return;
    }
}

bool tp_program_functions_end_in_recording(const struct tp_program_functions *functions)
{
    size_t count = functions->path.count;
    return count && tp_program_function_at(functions, *TP_AT(&functions->path, uint32_t, count - 1))->is_recording;
}

void tp_program_functions_of_stack(struct tp_program_functions *functions, uint32_t stack)
{
    uint32_t *path, *frames;
    size_t kept = 0;
    functions->path.count = 0;
    tp_stack_frames(functions->stacks, tp_stacks_node_of_text(functions->stacks, stack), SIZE_MAX, &functions->frames);
    frames = functions->frames.data;
    for (size_t i = 0; i < functions->frames.count; i++) {
        uint32_t number = function_number(functions, frames[i]);
        if (!number)
            continue;
        *(uint32_t *)tp_vec_push(&functions->path) = number - 1;
        frames[kept++] = frames[i];
    }
    functions->frames.count = kept;
    size_t first = first_valid_function(functions);
    path = functions->path.data;
    if (first) {
        memmove(path, path + first, (kept - first) * sizeof *path);
        memmove(frames, frames + first, (kept - first) * sizeof *frames);
        functions->path.count = functions->frames.count = kept - first;
    }
    cut_path_at_recording(functions);
}

/* ---- adding up ---- */

/* The self time of one line of a function. */
struct line_time {
    uint32_t function;
    int32_t line;
    int64_t ns;
};

static int compare_by_self(const void *x, const void *y, const void *context)
{
    const struct tp_program_functions *functions = context;
    const struct tp_program_function *a = tp_program_function_at(functions, *(const uint32_t *)x),
                                     *b = tp_program_function_at(functions, *(const uint32_t *)y);
    if (a->self_ns != b->self_ns)
        return a->self_ns > b->self_ns ? -1 : 1;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    int names = tp_str_compare(a->name, b->name);
    return names ? names : tp_str_compare(a->file, b->file);
}

/* Chooses the line of each function: the line with the most self time, or the first of several equal lines. */
static void choose_lines_of_functions(struct tp_program_functions *functions, const struct tp_keys *lines,
                                      const int64_t *ns)
{
    int64_t *most = tp_arena_array(functions->arena, functions->items.count + 1, sizeof *most);
    for (uint32_t i = 0; i < tp_keys_count(lines); i++) {
        const uint32_t *key = tp_keys_get(lines, i);
        struct tp_program_function *f = TP_AT(&functions->items, struct tp_program_function, key[0]);
        int32_t line = (int32_t)key[1];
        if (!f->line || ns[i] > most[key[0]] || (ns[i] == most[key[0]] && line < f->line)) {
            f->line = line;
            most[key[0]] = ns[i];
        }
    }
}

void tp_program_functions_sum_times(struct tp_program_functions *functions, const struct tp_process_tree *tree)
{
    const struct tp_trace *trace = tree->trace;
    struct tp_keys lines;
    struct tp_vec line_ns = TP_VEC(functions->arena, int64_t), last = TP_VEC(functions->arena, uint32_t);
    tp_keys_init(&lines, functions->arena, 2);
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        int64_t weight = tree->weight_of_sample_ns[i];
        tp_program_functions_of_stack(functions, trace->samples[i].stack);
        while (last.count < functions->items.count)
            *(uint32_t *)tp_vec_push(&last) = 0;
        for (size_t k = 0; k < functions->path.count; k++) {
            uint32_t number = *TP_AT(&functions->path, uint32_t, k);
            struct tp_program_function *f = TP_AT(&functions->items, struct tp_program_function, number);
            if (*TP_AT(&last, uint32_t, number) != i + 1) /* adds a recursive function only once per sample */
                f->total_ns = tp_sat_add(f->total_ns, weight);
            *TP_AT(&last, uint32_t, number) = i + 1;
            f->is_found = true;
            if (k + 1 < functions->path.count)
                continue;
            int32_t line = functions->line_by_frame[*TP_AT(&functions->frames, uint32_t, k)];
            uint32_t place = tp_keys_pair(&lines, number, (uint32_t)line);
            while (line_ns.count <= place)
                *(int64_t *)tp_vec_push(&line_ns) = 0;
            *TP_AT(&line_ns, int64_t, place) = tp_sat_add(*TP_AT(&line_ns, int64_t, place), weight);
            f->self_ns = tp_sat_add(f->self_ns, weight);
            f->sample_count++;
        }
    }
    choose_lines_of_functions(functions, &lines, line_ns.data);
    uint32_t count = (uint32_t)functions->items.count;
    functions->order = tp_arena_array(functions->arena, count + 1, sizeof *functions->order);
    for (uint32_t i = 0; i < count; i++)
        if (tp_program_function_at(functions, i)->is_found)
            functions->order[functions->sampled_function_count++] = i;
    if (functions->sampled_function_count > 1)
        tp_merge_sort(functions->arena, functions->order, functions->sampled_function_count, sizeof *functions->order,
                      compare_by_self, functions);
}

/* ---- texts for people ---- */

const char *tp_function_kind_text(enum tp_function_kind kind)
{
    static const char *const texts[TP_FUNCTION_KINDS] = {"native", "python", "kernel"};
    return texts[kind];
}

const char *tp_program_function_place_text(const struct tp_program_function *function, struct tp_arena *arena)
{
    return function->line
               ? tp_text_printf(arena, "%.*s:%d", (int)function->file.len, function->file.ptr, (int)function->line)
               : tp_text_printf(arena, "%.*s", (int)function->file.len, function->file.ptr);
}

bool tp_program_function_is_system(const struct tp_program_function *function)
{
    static const char *const starts[] = {"libc.so",     "libc-2",   "libpthread", "ld-linux",        "[vdso]",
                                         "../sysdeps/", "./nptl/",  "./io/",      "./misc/",         "./socket/",
                                         "./posix/",    "./libio/", "./time/",    "./csu/",          "kernel",
                                         "vdso",        "ld-musl",  "./malloc/",  "./stdio-common/", "./elf/"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (tp_str_starts(function->file, starts[i]))
            return true;
    return function->is_nameless && tp_str_starts(function->name, "[unknown]");
}

const char *tp_program_function_text(const struct tp_program_function *function, struct tp_arena *arena)
{
    return tp_program_function_text_at(function, function->line, arena);
}

struct tp_program_place tp_program_functions_place(const struct tp_program_functions *functions)
{
    enum { USERS_PYTHON, LIBRARY_LINE, PYTHON, OWN, ANY, WORTHS };
    size_t found[WORTHS] = {0}; /* for each kind of place: 1 + index of its function in the path; 0: not in the path */
    for (size_t i = functions->path.count; i; i--) {
        const struct tp_program_function *f =
            tp_program_function_at(functions, *TP_AT(&functions->path, uint32_t, i - 1));
        int worth = f->is_users                        ? USERS_PYTHON
                    : f->is_line                       ? LIBRARY_LINE
                    : f->kind == TP_FUNCTION_PYTHON    ? PYTHON
                    : tp_program_function_is_system(f) ? ANY
                                                       : OWN;
        found[worth] = found[worth] ? found[worth] : i;
    }
    for (int worth = 0; worth < WORTHS; worth++)
        if (found[worth])
            return (struct tp_program_place){
                *TP_AT(&functions->path, uint32_t, found[worth] - 1),
                functions->line_by_frame[*TP_AT(&functions->frames, uint32_t, found[worth] - 1)]};
    return (struct tp_program_place){TP_NO_ID, 0};
}

const char *tp_program_function_text_at(const struct tp_program_function *function, int32_t line,
                                        struct tp_arena *arena)
{
    struct tp_program_function at = *function;
    at.line = line;
    if (tp_str_equal(function->name, TP_STR("[jit]")))
        return "code generated at run time";
    bool says_place = !function->is_nameless && !tp_program_function_is_system(function);
    const char *place = says_place ? tp_program_function_place_text(&at, arena) : "";
    return tp_text_printf(arena, *place ? "%.*s (%s)" : "%.*s%s", (int)function->name.len, function->name.ptr, place);
}
