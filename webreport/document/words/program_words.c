/* Writes the verdict on a program recorded from outside: its headline, and the sentence below the headline. */
#include "webreport/document/words/program_words.h"

#include <ctype.h>
#include <string.h>

#include "webreport/measure/program/program_waits.h"
#include "webreport/model/numbers.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

const char *tp_wall_part_words(unsigned part)
{
    static const char *const words[TP_WALL_COUNT] = {
        [TP_WALL_RUNNING] = "running",
        [TP_WALL_READY] = "ready without a CPU",
        [TP_WALL_WAITS + TP_WAIT_DISK] = "waiting for the disk",
        [TP_WALL_WAITS + TP_WAIT_PAGE_FAULT] = "waiting for a page of memory",
        [TP_WALL_WAITS + TP_WAIT_SOCKET] = "waiting for a socket",
        [TP_WALL_WAITS + TP_WAIT_TERMINAL] = "waiting for the terminal",
        [TP_WALL_WAITS + TP_WAIT_SLEEP] = "sleeping",
        [TP_WALL_WAITS + TP_WAIT_LOCK] = "waiting for a lock",
        [TP_WALL_WAITS + TP_WAIT_KERNEL_LOCK] = "waiting for a lock of the Linux kernel",
        [TP_WALL_WAITS + TP_WAIT_FILE] = "waiting for a file",
        [TP_WALL_WAITS + TP_WAIT_PIPE] = "waiting for a pipe",
        [TP_WALL_WAITS + TP_WAIT_POLL] = "waiting for events (poll)",
        [TP_WALL_WAITS + TP_WAIT_SIGNAL] = "waiting for a signal",
        [TP_WALL_WAITS + TP_WAIT_STOPPED] = "stopped",
        [TP_WALL_WAITS + TP_WAIT_CHILD] = "waiting for a child process",
        [TP_WALL_WAITS + TP_WAIT_EXIT] = "exiting",
        [TP_WALL_WAITS + TP_WAIT_RECORDING] = "waiting for the recording",
        [TP_WALL_WAITS + TP_WAIT_UNKNOWN] = "blocked for an unknown reason"};
    return words[part];
}

const char *tp_wall_part_title(unsigned part, struct tp_arena *arena)
{
    const char *words = tp_wall_part_words(part);
    return tp_text_printf(arena, "%c%s", toupper((unsigned char)words[0]), words + 1);
}

const char *tp_program_wait_words(unsigned part)
{
    static const char *const words[TP_WAIT_COUNT] = {[TP_WAIT_DISK] = "disk",
                                                     [TP_WAIT_PAGE_FAULT] = "page of memory",
                                                     [TP_WAIT_SOCKET] = "socket",
                                                     [TP_WAIT_TERMINAL] = "terminal",
                                                     [TP_WAIT_SLEEP] = "sleep",
                                                     [TP_WAIT_LOCK] = "lock",
                                                     [TP_WAIT_KERNEL_LOCK] = "lock of the Linux kernel",
                                                     [TP_WAIT_FILE] = "file",
                                                     [TP_WAIT_PIPE] = "pipe",
                                                     [TP_WAIT_POLL] = "events (poll)",
                                                     [TP_WAIT_SIGNAL] = "signal",
                                                     [TP_WAIT_STOPPED] = "stopped",
                                                     [TP_WAIT_CHILD] = "child process",
                                                     [TP_WAIT_EXIT] = "exit",
                                                     [TP_WAIT_RECORDING] = "recorder",
                                                     [TP_WAIT_UNKNOWN] = "unknown"};
    return words[part - TP_WALL_WAITS];
}

const char *tp_steps_part_words(unsigned part)
{
    static const char *const words[TP_STEPS_WAITS] = {"running, native code", "running, Python",
                                                      "running, in the Linux kernel", "running", "ready without a CPU"};
    return part < TP_STEPS_WAITS     ? words[part]
           : part == TP_STEPS_UNSEEN ? "not recorded from outside"
                                     : tp_wall_part_words(TP_WALL_WAITS + part - TP_STEPS_WAITS);
}

const char *tp_program_python_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_program_function_text_at(tp_program_function_at(&view->functions, view->python.function),
                                       view->python.line, arena);
}

const char *tp_program_lock_holder_text(const struct tp_program_view *view, const struct tp_wait_group *group,
                                        struct tp_arena *arena)
{
    if (group->holder == TP_NO_ID)
        return NULL;
    const struct tp_thread *row = &view->tree.trace->threads[view->tree.threads[group->holder].row];
    struct tp_str name = tp_program_thread_name(row);
    const char *text = tp_text_printf(arena, "most likely held by %.*s %lld", (int)name.len, name.ptr,
                                      row->tid.is_text ? -1ll : (long long)row->tid.number);
    if (group->holder_function == TP_NO_ID)
        return text;
    return tp_text_printf(arena, "%s, in %s", text,
                          tp_program_function_text_at(tp_program_function_at(&view->functions, group->holder_function),
                                                      group->holder_line, arena));
}

/* ---- names ---- */

enum { MOST_NAME_BYTES = 40, HEADLINE_WORDS = 24 };

static struct tp_str first_word(struct tp_str *text)
{
    while (text->len && *text->ptr == ' ')
        *text = (struct tp_str){text->ptr + 1, text->len - 1};
    const char *end = text->len ? memchr(text->ptr, ' ', text->len) : NULL;
    struct tp_str word = {text->ptr, end ? (size_t)(end - text->ptr) : text->len};
    *text = (struct tp_str){text->ptr + word.len, text->len - word.len};
    return word;
}

static struct tp_str base_name(struct tp_str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    size_t before = slash ? (size_t)(slash - path.ptr) + 1 : 0;
    return before < path.len ? (struct tp_str){path.ptr + before, path.len - before} : path;
}

/* Returns the program of a command as people call it: "sort" for "/usr/bin/sort -n a", and "train.py" for "python3
 * train.py". */
static struct tp_str program_of_command(struct tp_str command)
{
    static const char *const interpreters[] = {"python", "perl", "ruby", "node", "bash", "sh"};
    struct tp_str rest = tp_last_program_of_command(command), name = base_name(first_word(&rest));
    for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++) {
        if (!tp_str_starts(name, interpreters[i]))
            continue;
        struct tp_str script = first_word(&rest);
        if (script.len && *script.ptr != '-')
            return base_name(script);
    }
    return name;
}

/* Returns the subject of the headline. */
static const char *subject_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    struct tp_str name = program_of_command(view->command);
    if (view->story.root_program_count > 1)
        return tp_text_printf(arena, "The group of %u programs", view->story.root_program_count);
    return name.len && name.len <= MOST_NAME_BYTES && *name.ptr != '('
               ? tp_text_printf(arena, "%.*s", (int)name.len, name.ptr)
               : "The program";
}

/* Returns the function names of the C library without the processor that a variant is for: "memcmp" for
 * "__memcmp_evex_movbe". */
struct tp_str tp_program_short_function_name(struct tp_str name)
{
    static const char *const variants[] = {"_evex", "_avx", "_sse", "_erms", "_unaligned", "_rtm"};
    struct tp_str text = name;
    if (!tp_str_starts(text, "__"))
        return name;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        ptrdiff_t at = tp_str_find(text, variants[i]);
        text.len = at > 2 ? (size_t)at : text.len;
    }
    bool is_variant = text.len < name.len;
    bool is_internal = tp_str_starts(text, "__GI_");
    size_t before = !is_internal ? 2 : tp_str_starts(text, "__GI___") ? 7 : 5;
    return (is_variant || is_internal) && before < text.len ? (struct tp_str){text.ptr + before, text.len - before}
                                                            : name;
}

/* Returns a function as in "norm()", or its file if the function has no name of its own; "" if the text is too long. */
static const char *function_text(const struct tp_program_view *view, uint32_t number, struct tp_arena *arena)
{
    if (number == TP_NO_ID)
        return "";
    const struct tp_program_function *f = tp_program_function_at(&view->functions, number);
    struct tp_str name = tp_program_short_function_name(f->name), file = base_name(f->file);
    if (tp_str_starts(f->name, "<"))
        name = file;
    bool has_call = !f->is_nameless && name.len && !tp_str_starts(f->name, "<") && !tp_str_ends(name, ")");
    return name.len && name.len <= MOST_NAME_BYTES
               ? tp_text_printf(arena, "%.*s%s", (int)name.len, name.ptr, has_call ? "()" : "")
               : "";
}

/* ---- the headline ---- */

/* Returns a percentage without decimals, or with one decimal below 10 %. */
static const char *percent_text(struct tp_arena *arena, double percent)
{
    return tp_text_printf(arena, "%s %%", tp_text_of_fixed(arena, percent, percent < 9.95 ? 1 : 0));
}

static const char *part_share_text(const struct tp_program_view *view, unsigned part, struct tp_arena *arena)
{
    return percent_text(arena, tp_wall_part_percent(&view->parts, part));
}

/* Returns a time as a percentage of the program's CPU time. */
static const char *share_of_cpu_time_text(const struct tp_program_view *view, int64_t ns, struct tp_arena *arena)
{
    return percent_text(arena, tp_percent(ns, view->state_ns[TP_STATE_RUNNING]));
}

/* Returns the verb for a part of the wall time, as in "sort waits for the disk". */
static const char *verb_of_part(unsigned part)
{
    static const char *const words[TP_WALL_COUNT] = {[TP_WALL_RUNNING] = "runs",
                                                     [TP_WALL_READY] = "is ready without a CPU",
                                                     [TP_WALL_WAITS + TP_WAIT_DISK] = "waits for the disk",
                                                     [TP_WALL_WAITS + TP_WAIT_PAGE_FAULT] = "waits for memory pages",
                                                     [TP_WALL_WAITS + TP_WAIT_SOCKET] = "waits for a socket",
                                                     [TP_WALL_WAITS + TP_WAIT_TERMINAL] = "waits for the terminal",
                                                     [TP_WALL_WAITS + TP_WAIT_SLEEP] = "sleeps",
                                                     [TP_WALL_WAITS + TP_WAIT_LOCK] = "waits for a lock",
                                                     [TP_WALL_WAITS + TP_WAIT_KERNEL_LOCK] = "waits for a kernel lock",
                                                     [TP_WALL_WAITS + TP_WAIT_FILE] = "waits for a file",
                                                     [TP_WALL_WAITS + TP_WAIT_PIPE] = "waits for a pipe",
                                                     [TP_WALL_WAITS + TP_WAIT_POLL] = "waits for work",
                                                     [TP_WALL_WAITS + TP_WAIT_SIGNAL] = "waits for a signal",
                                                     [TP_WALL_WAITS + TP_WAIT_STOPPED] = "is stopped",
                                                     [TP_WALL_WAITS + TP_WAIT_CHILD] = "waits for child processes",
                                                     [TP_WALL_WAITS + TP_WAIT_EXIT] = "exits",
                                                     [TP_WALL_WAITS + TP_WAIT_RECORDING] = "waits for the recording",
                                                     [TP_WALL_WAITS + TP_WAIT_UNKNOWN] = "is blocked"};
    return words[part];
}

static bool has_finding(const struct tp_program_view *view, enum tp_program_finding_kind kind)
{
    for (unsigned i = 0; i < view->finding_count; i++)
        if (view->findings[i].kind == kind)
            return true;
    return false;
}

/* Returns the share of the CPU time of the function with the most time, such as "61 %"; "" if no function has a tenth
 * of it. *function: this function, or "". */
static const char *share_in_function_text(const struct tp_program_view *view, const char **function,
                                          struct tp_arena *arena)
{
    static const double HOT_PERCENT = 10;
    bool is_python = view->python.function != TP_NO_ID;
    uint32_t number = is_python ? view->python.function : view->story.hottest;
    *function = function_text(view, number, arena);
    if (!**function)
        return "";
    int64_t ns = is_python ? view->python.time_ns : tp_program_function_at(&view->functions, number)->self_ns;
    if (tp_percent(ns, view->state_ns[TP_STATE_RUNNING]) >= HOT_PERCENT)
        return share_of_cpu_time_text(view, ns, arena);
    *function = "";
    return "";
}

/* Returns what to do about the running time. function: the function with the most time; "" if no function has a tenth
 * of it. */
static const char *instruction_for_running(const struct tp_program_view *view, const char *function)
{
    if (view->answer.has_too_many_threads)
        return "use fewer threads, or more CPUs";
    if (has_finding(view, TP_PROGRAM_FINDS_SPINNING))
        return "let threads sleep while they wait for others";
    if (has_finding(view, TP_PROGRAM_FINDS_THREADS))
        return "use a pool of threads";
    if (view->story.hottest == TP_NO_ID)
        return has_finding(view, TP_PROGRAM_FINDS_SHORT) ? "start fewer processes"
               : view->story.refusal.len                 ? "let the recorder see its functions"
                                                         : "record a longer run to see its functions";
    if (*function)
        return "make it cheaper, or call it less often";
    if (has_finding(view, TP_PROGRAM_FINDS_KERNEL))
        return "make fewer and larger system calls";
    return "start with the callers that take most";
}

/* Returns what to do about a wait of the program. */
static const char *instruction_for_wait(const struct tp_program_view *view, enum tp_wait_cause cause,
                                        struct tp_arena *arena)
{
    static const char *const words[TP_WAIT_COUNT] = {[TP_WAIT_DISK] = "use fewer and larger reads and writes",
                                                     [TP_WAIT_PAGE_FAULT] = "read the file before its data is needed",
                                                     [TP_WAIT_SOCKET] =
                                                         "send several requests before waiting for the answers",
                                                     [TP_WAIT_TERMINAL] = "use files for input and output",
                                                     [TP_WAIT_SLEEP] = "wait for an event instead of a fixed time",
                                                     [TP_WAIT_LOCK] = "hold the lock for less time",
                                                     [TP_WAIT_KERNEL_LOCK] = "use fewer threads, or fewer system calls",
                                                     [TP_WAIT_FILE] = "hold locks of files for less time",
                                                     [TP_WAIT_PIPE] = "speed up the process at the other end",
                                                     [TP_WAIT_POLL] = "it is idle, so nothing needs to change",
                                                     [TP_WAIT_SIGNAL] = "it is idle, so nothing needs to change",
                                                     [TP_WAIT_STOPPED] = "record it while it is not stopped",
                                                     [TP_WAIT_CHILD] = "run them in parallel, or start fewer",
                                                     [TP_WAIT_EXIT] = "free less memory at the end",
                                                     [TP_WAIT_RECORDING] = "record with fewer samples",
                                                     [TP_WAIT_UNKNOWN] = "the recording does not show why"};
    const struct tp_wait_group *wait = view->story.wait;
    const char *holder = wait && cause == TP_WAIT_LOCK ? function_text(view, wait->holder_function, arena) : "";
    return *holder ? tp_text_printf(arena, "hold the lock for less time in %s", holder) : words[cause];
}

static const char *instruction_text(const struct tp_program_view *view, const char *function, struct tp_arena *arena)
{
    unsigned part = view->answer.main;
    if (part == TP_WALL_RUNNING)
        return instruction_for_running(view, function);
    if (part != TP_WALL_READY)
        return instruction_for_wait(view, (enum tp_wait_cause)(part - TP_WALL_WAITS), arena);
    return view->throttled_ns > 0 ? "raise its CPU limit (cpu.max)"
                                  : "run fewer jobs in parallel, or give it more CPUs";
}

static const char *too_short_headline(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_text_printf(arena, "%s ran for only %s, too short for a verdict: record a longer run.",
                          subject_text(view, arena), tp_text_of_time(arena, view->parts.wall_ns));
}

static unsigned word_count(const char *text)
{
    unsigned count = 0;
    for (size_t i = 0; text[i]; i++)
        count += text[i] != ' ' && text[i] != '%' && (i == 0 || text[i - 1] == ' ');
    return count;
}

/* Returns the cause and the instruction as one sentence of at most HEADLINE_WORDS words, if possible: a longer sentence
 * loses the detail, then the end of the instruction. */
static const char *sentence_text(struct tp_arena *arena, const char *cause, const char *detail, const char *instruction)
{
    const char *text = tp_text_printf(arena, "%s%s: %s.", cause, detail, instruction);
    const char *comma = strrchr(instruction, ',');
    if (word_count(text) > HEADLINE_WORDS)
        text = tp_text_printf(arena, "%s: %s.", cause, instruction);
    if (word_count(text) > HEADLINE_WORDS && comma)
        text = tp_text_printf(arena, "%s: %.*s.", cause, (int)(comma - instruction), instruction);
    return text;
}

/* Returns the headline about two parts of almost equal length. */
static const char *headline_about_two_parts(struct tp_program_view *view, struct tp_arena *arena)
{
    unsigned main = view->answer.main, second = view->answer.second;
    view->marks[0] = tp_str_of(
        tp_text_printf(arena, "%s for %s of the time", verb_of_part(main), part_share_text(view, main, arena)));
    view->marks[1] =
        tp_str_of(tp_text_printf(arena, "%s for %s", verb_of_part(second), part_share_text(view, second, arena)));
    const char *cause =
        tp_text_printf(arena, "%s %s and %s", subject_text(view, arena), view->marks[0].ptr, view->marks[1].ptr);
    return sentence_text(arena, cause, "", instruction_text(view, "", arena));
}

static const char *headline_about_one_part(struct tp_program_view *view, struct tp_arena *arena)
{
    unsigned main = view->answer.main;
    const char *detail = "", *place = "", *function = "", *verb = verb_of_part(main);
    view->marks[0] = tp_str_of(tp_text_printf(arena, "%s of the time%s", part_share_text(view, main, arena),
                                              main == TP_WALL_READY ? " but gets no CPU" : ""));
    if (main == TP_WALL_READY) {
        verb = "is ready to run";
    } else if (main == TP_WALL_RUNNING && view->answer.has_too_many_threads) {
        detail = ", with more threads than CPUs";
    } else if (main == TP_WALL_RUNNING) {
        const char *share = share_in_function_text(view, &function, arena);
        detail = *share ? tp_text_printf(arena, ", %s of it in %s", share, function) : "";
    } else if (view->story.wait) {
        place = function_text(view, view->story.wait->place, arena);
    }
    if (*place)
        detail = tp_text_printf(arena, ", mostly in %s", place);
    const char *cause = tp_text_printf(arena, "%s %s for %s", subject_text(view, arena), verb, view->marks[0].ptr);
    return sentence_text(arena, cause, detail, instruction_text(view, function, arena));
}

static const char *headline_text(struct tp_program_view *view, struct tp_arena *arena)
{
    view->marks[0] = view->marks[1] = (struct tp_str){NULL, 0};
    if (view->answer.main == TP_WALL_COUNT)
        return too_short_headline(view, arena);
    return view->answer.second == TP_WALL_COUNT ? headline_about_one_part(view, arena)
                                                : headline_about_two_parts(view, arena);
}

/* ---- the sentences below the headline ---- */

/* Returns a sentence about the function with the most CPU time, which the headline does not name; "" if it is
 * unknown. */
static const char *cpu_time_sentence(const struct tp_program_view *view, struct tp_arena *arena)
{
    const char *function;
    const char *share = share_in_function_text(view, &function, arena);
    if (!*share)
        return "";
    return tp_text_printf(arena, "Of its CPU time, %s is in %s. ", share, function);
}

/* Returns a sentence about the native function that takes the most time inside the Python function of the headline,
 * such as "Inside work(), alloc takes the most time, 75 %. "; "" if it is unknown. */
static const char *inner_function_sentence(const struct tp_program_view *view, struct tp_arena *arena)
{
    if (view->python.function == TP_NO_ID || view->python.inner == TP_NO_ID)
        return "";
    struct tp_str name = tp_program_function_at(&view->functions, view->python.inner)->name;
    return tp_text_printf(arena, "Inside %s, %.*s takes the most time, %s. ",
                          function_text(view, view->python.function, arena), (int)name.len, name.ptr,
                          percent_text(arena, tp_percent(view->python.inner_ns, view->python.time_ns)));
}

/* Returns a sentence about a limit of CPU time, or about the time that the program was ready without a CPU, if the
 * headline does not name it; "" if it is short. */
static const char *ready_sentence(const struct tp_program_view *view, struct tp_arena *arena)
{
    static const double DELAY_PERCENT = 10;
    if (view->answer.has_too_many_threads)
        return tp_text_printf(arena, "Its threads were ready without a CPU for %s, summed over the threads. ",
                              tp_text_of_time(arena, view->state_ns[TP_STATE_READY]));
    if (view->throttled_ns > 0)
        return tp_text_printf(arena,
                              "A CPU limit (cgroup) stopped the program, and others with the same limit, for %s. ",
                              tp_text_of_time(arena, view->throttled_ns));
    if (view->rule != TP_PROGRAM_CPU_BOUND || view->story.hottest == TP_NO_ID || view->answer.main == TP_WALL_READY ||
        view->answer.second == TP_WALL_READY || tp_wall_part_percent(&view->parts, TP_WALL_READY) < DELAY_PERCENT)
        return "";
    return tp_text_printf(arena, "For %s of the time it was ready but no CPU was free, because other work ran. ",
                          part_share_text(view, TP_WALL_READY, arena));
}

/* Returns a sentence about the file without symbols whose functions take the most time; "" if they take less than a
 * tenth of the CPU time. */
static const char *symbols_sentence(const struct tp_program_view *view, struct tp_arena *arena)
{
    static const double LEAST_PERCENT = 10;
    struct tp_str file = {NULL, 0};
    int64_t ns = 0;
    for (uint32_t i = 0; i < view->functions.sampled_function_count && view->python.function == TP_NO_ID; i++) {
        const struct tp_program_function *f = tp_program_function_at(&view->functions, view->functions.order[i]);
        if (!f->is_nameless || !f->file.len || (file.len && !tp_str_equal(file, f->file)))
            continue;
        file = f->file;
        ns = tp_sat_add(ns, f->self_ns);
    }
    if (!file.len || tp_percent(ns, view->state_ns[TP_STATE_RUNNING]) < LEAST_PERCENT)
        return "";
    return tp_text_printf(arena, "%.*s has no symbols: install its debug package to see names instead of addresses. ",
                          (int)file.len, file.ptr);
}

static const char *sentences_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    struct tp_str refusal = view->story.refusal;
    bool is_named = view->answer.main == TP_WALL_RUNNING && view->answer.second == TP_WALL_COUNT;
    if (view->rule == TP_PROGRAM_TOO_SHORT)
        return "";
    if (refusal.len)
        return tp_text_printf(arena, "No functions were recorded, because %.*s.", (int)refusal.len, refusal.ptr);
    const char *text = tp_text_printf(arena, "%s%s%s",
                                      is_named ? inner_function_sentence(view, arena) : cpu_time_sentence(view, arena),
                                      ready_sentence(view, arena), symbols_sentence(view, arena));
    size_t size = strlen(text);
    return size ? tp_text_printf(arena, "%.*s", (int)size - 1, text) : "";
}

void tp_fill_program_headline(struct tp_program_view *view, struct tp_arena *arena)
{
    view->headline = tp_str_of(headline_text(view, arena));
    view->advice = tp_str_of(sentences_text(view, arena));
}
