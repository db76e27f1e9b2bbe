/* Makes the section on how a profile was measured: checks that report a problem, numbers of read, repaired and skipped
 * events, facts about the input, and definitions. */
#include "webreport/document/report/program_document.h"
#include "webreport/document/report/sections.h"

#include <ctype.h>
#include <string.h>

#include "webreport/measure/program/program_facts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/utf8.h"

/* Returns the number of records that the recorder of tracepress lost, by reason, or "". The numbers come from the
 * metadata of the trace. */
static const char *losses_of_recorder_text(const struct tp_section *section)
{
    static const struct {
        const char *key, *one, *many;
    } ALL[] = {
        {"tracepress_dropped", "record dropped by the recorder", "records dropped by the recorder"},
        {"tracepress_gpu_dropped", "GPU record dropped by CUPTI", "GPU records dropped by CUPTI"},
        {"tracepress_gpu_without_time", "GPU record without a time", "GPU records without a time"},
        {"tracepress_gpu_unknown", "GPU record of an unknown kind", "GPU records of an unknown kind"},
        {"tracepress_gpu_broken", "GPU buffer that could not be read", "GPU buffers that could not be read"},
    };
    struct tp_arena *arena = section->arena;
    const char *text = "";

    for (size_t i = 0; i < sizeof(ALL) / sizeof(ALL[0]); i++) {
        int64_t count = tp_value_int(tp_trace_header(section->profile->trace, ALL[i].key));

        if (count > 0)
            text = tp_text_printf(arena, "%s%s%s", text, *text ? ", " : "",
                                  tp_text_of_counted_noun(arena, count, ALL[i].one, ALL[i].many));
    }
    return text;
}

/* Returns the number of steps and the way they were found, such as "18 used, marked by ProfilerStep, 1 left out as
 * warm-up". */
static const char *steps_text(const struct tp_section *section)
{
    const struct tp_model *model = section->profile->model;
    struct tp_arena *arena = section->arena;
    uint32_t warm_up = tp_unused_step_count(model, TP_STEP_WARM_UP);
    uint32_t unfinished = tp_unused_step_count(model, TP_STEP_UNFINISHED);
    uint32_t different = tp_unused_step_count(model, TP_STEP_DIFFERENT);
    const char *left_out = "";
    if (model->step_marker == TP_MARKER_WINDOW)
        return "no steps are marked, so the whole recording counts as one step";
    if (warm_up)
        left_out = tp_text_printf(arena, ", %s left out as warm-up", tp_text_of_count(arena, warm_up));
    if (unfinished)
        left_out =
            tp_text_printf(arena, "%s, %s left out as unfinished", left_out, tp_text_of_count(arena, unfinished));
    if (different)
        left_out = tp_text_printf(arena, "%s, %s left out as different", left_out, tp_text_of_count(arena, different));
    if (tp_steps_are_inferred(model))
        return tp_text_printf(arena, "%s used, inferred from %s%s", tp_text_of_count(arena, model->used_count),
                              tp_step_source_text(&section->naming, model), left_out);
    const char *own = tp_phrase(TP_PHRASE_STEP_MARKER, model->producer);
    const char *marker =
        own && model->step_marker == TP_MARKER_PROFILER_STEP ? own : tp_step_marker_text(model->step_marker);
    return tp_text_printf(arena, "%s used, marked by %s%s", tp_text_of_count(arena, model->used_count), marker,
                          left_out);
}

/* Returns the number of operators, and how many of them the reader changed: "23,616; of these, 6 were merged into a
 * caller of the same name". */
static const char *operators_text(struct tp_arena *arena, const struct tp_trace_facts *facts)
{
    const struct {
        uint64_t count;
        const char *change;
    } changes[] = {{facts->operators_clipped, "shortened to the end of the caller"},
                   {facts->operators_folded, "merged into a caller of the same name"},
                   {facts->operators_unfinished, "unfinished at the end of the recording"}};
    const char *text = tp_text_of_count(arena, (int64_t)facts->operator_count), *separator = ";";
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (changes[i].count) {
            text = tp_text_printf(arena, "%s%s %s %s", text, separator,
                                  tp_text_of_count(arena, (int64_t)changes[i].count), changes[i].change);
            separator = ",";
        }
    return text;
}

/* Returns the word for a kind of event in the user's words. */
static const char *event_kind_text(const struct tp_section *section, const char *kind)
{
    const char *text = strcmp(kind, "operator") == 0     ? "{operator}"
                       : strcmp(kind, "annotation") == 0 ? "{annotation}"
                                                         : kind;
    return tp_section_words_for_producer(section, text);
}

static void put_event_counts(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_quality *quality = &section->profile->advice->quality;
    const struct tp_trace_facts *facts = &section->profile->views->facts;
    struct tp_list *counts = tp_object_add_list(object, "counts");
    struct tp_arena *arena = section->arena;
    const char *text = "";

    tp_list_add_fact(counts, "In the file", tp_text_of_count(arena, quality->events_total));
    for (unsigned i = 0; i < quality->read_count; i++)
        text = tp_text_printf(arena, "%s%s%s %s", text, i ? ", " : "", event_kind_text(section, quality->read[i].name),
                              tp_text_of_count(arena, quality->read[i].count));
    tp_list_add_fact(counts, "Read",
                     tp_text_printf(arena, "%s: %s", tp_text_of_count(arena, quality->read_total), text));
    text = "";
    for (unsigned i = 0; i < quality->skipped_count; i++)
        text = tp_text_printf(arena, "%s%s%s %s", text, i ? ", " : "", quality->skipped[i].name,
                              tp_text_of_count(arena, quality->skipped[i].count));
    tp_list_add_fact(counts, "Not used",
                     quality->skipped_total
                         ? tp_text_printf(arena, "%s: %s", tp_text_of_count(arena, quality->skipped_total), text)
                         : "0");
    text = "";
    for (unsigned i = 0; i < quality->notice_count; i++)
        text = tp_text_printf(arena, "%s%s%s %s", text, i ? ", " : "", quality->notices[i].name,
                              tp_text_of_count(arena, quality->notices[i].count));
    tp_list_add_fact(counts, "Repaired", quality->notice_count ? text : "0");
    text = losses_of_recorder_text(section);
    if (*text)
        tp_list_add_fact(counts, "Lost in recording", text);
    tp_list_add_fact(counts, tp_section_words_for_producer(section, "{Operators}"), operators_text(arena, facts));
    if (facts->device_time_ns && !tp_has_only_devices_of_program(section->profile->model))
        tp_list_add_fact(counts, tp_section_words_for_producer(section, "Without {operator}"),
                         !facts->device_events_unlinked
                             ? "0"
                             : tp_text_printf(arena, "%s (%s), of which %s have no recorded launch",
                                              tp_text_of_counted_noun(arena, (int64_t)facts->device_events_unlinked,
                                                                      "device event", "device events"),
                                              tp_text_of_time(arena, facts->device_time_unlinked_ns),
                                              tp_text_of_count(arena, (int64_t)facts->device_events_without_launch)));
    tp_list_add_fact(counts, "Steps", steps_text(section));
}

/* Returns the result of a check, such as "kernels without a recorded launch call: 25.3 % of kernels". */
static const char *flag_text(struct tp_arena *arena, const struct tp_quality_flag *flag)
{
    const char *value = flag->type == TP_QUALITY_INT    ? tp_text_of_count(arena, flag->count)
                        : flag->type == TP_QUALITY_REAL ? tp_text_of_fixed(arena, flag->percent, 1)
                                                        : "";
    if (flag->is_statement || !*value)
        return flag->text;
    static const char percent[] = "percent";
    const char *unit = flag->unit;
    if (flag->type == TP_QUALITY_REAL && strncmp(unit, percent, strlen(percent)) == 0)
        return tp_text_printf(arena, "%s: %s %%%s", flag->text, value, unit + strlen(percent));
    return flag->type == TP_QUALITY_REAL ? tp_text_printf(arena, "%s: %s %s", flag->text, value, unit)
                                         : tp_text_printf(arena, "%s: %s", flag->text, value);
}

/* Returns the result of a check with the rules whose confidence it lowers. */
static const char *check_text(struct tp_arena *arena, const struct tp_quality_flag *flag)
{
    const char *weakens = "";

    for (unsigned i = 0; i < flag->weakens_count; i++)
        weakens =
            tp_text_printf(arena, "%s%s%s", weakens, i ? ", " : ". This lowers the confidence in ", flag->weakens[i]);
    return tp_text_printf(arena, "%s%s", flag_text(arena, flag), weakens);
}

/* Returns the result of a check as a sentence. */
static const char *flag_sentence(struct tp_arena *arena, const struct tp_quality_flag *flag)
{
    const char *text = flag_text(arena, flag);
    return tp_text_printf(arena, "%c%s.", toupper((unsigned char)text[0]), text + 1);
}

/* Returns the rules that were skipped, grouped by reason in order of first appearance, such as "Not evaluated because
 * record_shapes was off: C1, C3. Not evaluated because the rule is for another kind of program: H1, H2". */
static const char *skipped_rules(struct tp_arena *arena, const struct tp_recommendations *found)
{
    const char *text = "";

    for (uint32_t i = 0; i < found->not_evaluated_count; i++) {
        const char *reason = found->not_evaluated[i].reason;
        bool is_first = true;

        for (uint32_t k = 0; k < i; k++)
            is_first &= strcmp(found->not_evaluated[k].reason, reason) != 0;
        if (!is_first)
            continue;
        text = tp_text_printf(arena, "%s%sNot evaluated because %s: %s", text, *text ? ". " : "", reason,
                              found->not_evaluated[i].rule->id);
        for (uint32_t k = i + 1; k < found->not_evaluated_count; k++)
            if (strcmp(found->not_evaluated[k].reason, reason) == 0)
                text = tp_text_printf(arena, "%s, %s", text, found->not_evaluated[k].rule->id);
    }
    return text;
}

static bool is_listed_term(const char *term, const char *const *terms)
{
    while (*terms && strcmp(term, *terms) != 0)
        terms++;
    return *terms != NULL;
}

/* Returns whether the page lists a check. Checks of launches and kernels are listed only for programs with devices. */
static bool does_check_apply(const struct tp_section *section, const struct tp_quality_flag *flag)
{
    const struct tp_model *model = section->profile->model;
    return flag->is_raised || tp_uses_torch_words(model->producer) || tp_mentions_launches(model) ||
           !is_listed_term(flag->id, (const char *const[]){"F2", "F3", "F6", "F10", NULL});
}

/* Adds a sentence for each check that reports a problem to `flags`, and a fact for each check to `checks`. */
static void put_quality_checks(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_quality *quality = &section->profile->advice->quality;
    struct tp_list *flags = tp_object_add_list(object, "flags"), *checks = tp_object_add_list(object, "checks");
    struct tp_arena *arena = section->arena;
    unsigned checked = 0, raised = 0;
    const char *rules = skipped_rules(arena, &section->profile->advice->recommendations);

    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++) {
        const struct tp_quality_flag *flag = &quality->flags[i];

        if (!does_check_apply(section, flag))
            continue;
        checked++;
        raised += flag->is_raised;
        if (flag->is_raised && flag->which != TP_CASE_NO_STEPS) /* a notice reports missing steps */
            tp_object_add_sentence(tp_list_add_object(flags), "flag", tp_str_of(flag_sentence(arena, flag)));
        tp_list_add_fact(checks, flag->id, check_text(arena, flag));
    }
    if (*rules)
        tp_list_add_fact(checks, "Rules not evaluated", rules);
    tp_object_add_text(object, "checks_note",
                       tp_text_printf(arena, "%u of %u quality checks %s a problem.", raised, checked,
                                      raised == 1 ? "reports" : "report"));
}

/* ---- facts about the input, and definitions of figures that are not in a table ---- */

static void add_fact_with_code(struct tp_list *facts, const char *term, struct tp_str text)
{
    struct tp_object *object;

    if (!text.len)
        return;
    object = tp_list_add_object(facts);
    tp_object_add_text(object, "term", term);
    tp_object_add_str(object, "fact", text);
    tp_object_add_bool(object, "is_code", true);
}

/* Adds the facts that the recorded program passed to tracepress. Does nothing if names are hidden. */
static void put_program_facts(const struct tp_section *section, struct tp_list *facts)
{
    enum { MOST_FACTS = 64 };
    const struct tp_trace *trace = section->profile->trace;
    size_t shown = 0;

    for (uint32_t i = 0; i < trace->header_count && shown < MOST_FACTS && !section->naming.redact; i++) {
        struct tp_str key = trace->header[i].key, text;

        if (!tp_is_program_fact(key))
            continue;
        text = tp_program_fact_text(section->arena, trace->header[i].value);
        if (text.len) {
            add_fact_with_code(
                facts, tp_arena_copy(section->arena, key.ptr, tp_utf8_fitting_bytes(key.ptr, key.len, 64)), text);
            shown++;
        }
    }
}

static void put_about_facts(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_profile *profile = section->profile;
    struct tp_list *facts = tp_object_add_list(object, "facts");
    struct tp_arena *arena = section->arena;
    struct tp_str file = tp_shown_text(&section->naming, profile->file),
                  worker = tp_shown_text(&section->naming, profile->worker);

    add_fact_with_code(facts, "Trace", file);
    tp_list_add_fact(facts, "Size",
                     tp_text_printf(arena, "%s, %s uncompressed",
                                    tp_text_of_bytes(arena, (int64_t)profile->trace->reading.file_bytes),
                                    tp_text_of_bytes(arena, (int64_t)profile->trace->reading.text_bytes)));
    add_fact_with_code(facts, "SHA-256", profile->sha256);
    add_fact_with_code(facts, "Worker", worker);
    if (profile->main_worker.len)
        tp_list_add_fact(facts, "Second trace",
                         "PyTorch and tracepress recorded the same process. Their two traces count as one worker. "
                         "Comparisons of workers leave out this trace.");
    if (profile->span != TP_NULL_INT)
        tp_list_add_fact(facts, "Recording",
                         tp_text_printf(arena, "recording %s of this worker", tp_text_of_count(arena, profile->span)));
    tp_list_add_fact(facts, "Events",
                     tp_text_printf(arena, "%s, %s repaired",
                                    tp_text_of_count(arena, profile->advice->quality.events_total),
                                    tp_text_of_count(arena, profile->advice->quality.repaired)));
    put_program_facts(section, facts);
    if (tp_section_is_program(section))
        tp_program_add_facts_of_recording(section, facts);
    tp_list_add_fact(facts, "Made by", "tracepress " TP_VERSION);
}

/* Returns whether a defined term applies only to programs with a GPU. */
static bool is_gpu_term(const char *term)
{
    return is_listed_term(term, (const char *const[]){"SM efficiency", "Occupancy", "Tensor Cores", NULL});
}

/* Returns whether a defined term applies only to programs with a device of any type. */
static bool is_device_term(const char *term)
{
    return is_listed_term(term, (const char *const[]){"{GPU} busy", "Idle", "True cost", NULL});
}

static const char idle[] =
    "Idle time is the part of the step time in which nothing runs on the device. Host: the host has not begun to "
    "launch the next operation. Launch: the host is inside the call that launches the next operation. Queue: the next "
    "operation was launched but has not started. Outside: the time is before the first or after the last recorded "
    "operation of the device. Unknown: the launch of the next operation was not recorded, or the host waits for work "
    "that was not recorded.";
static const char idle_of_own[] =
    "Idle time is the part of the step time in which nothing runs on the device. Outside: the time is before the "
    "first or after the last recorded operation of the device.";

static const char verdict[] = "The verdict is about the busiest device. The verdict names the largest part of the step "
                              "time other than compute, if this part is at least 20 % of the step time. If compute "
                              "takes at least 66 % of the step time, the verdict is compute-bound.";
static const char verdict_of_host[] = "The verdict is about the main thread. The verdict names the largest part of the "
                                      "step time other than compute, if this part is at least 20 % of the step time.";

static void put_definitions(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_model *model = section->profile->model;
    bool has_only_registered_devices = tp_has_only_devices_of_program(model);
    const char *step =
        tp_text_printf(section->arena,
                       "A step lasts from its%s start to %s. If several categories overlap, the time counts once, for "
                       "the first category in this order: %s",
                       tp_steps_are_inferred(model) ? "" : " marker's",
                       tp_mentions_launches(model) ? "the end of the {GPU} work that the step launched" : "its end",
                       tp_phrase(TP_PHRASE_CATEGORIES, model->producer));
    const char *const TEXTS[][2] = {
        {"Step time", step},
        {"{GPU} busy",
         "{GPU} busy is the share of step time during which a kernel, a copy or a memset runs on the device."},
        {"SM efficiency", "SM efficiency is the number of blocks of the running kernels per SM, but at most 1, "
                          "averaged over the step time. SM efficiency is estimated from the launch configurations."},
        {"Occupancy", "Occupancy is the mean of the occupancies that the profiler estimates for the kernels, weighted "
                      "by kernel time."},
        {"Self, total", has_only_registered_devices ? "Self time excludes the time of inner ranges."
                        : tp_mentions_launches(model)
                            ? "Self time excludes the {operators} that {an operator} calls. {GPU} time belongs to the "
                              "innermost {operator} that launched the {GPU} work."
                            : "Self time excludes the {operators} that {an operator} calls."},
        {"Tensor Cores", "A kernel that uses tensor cores is recognised by its name. {An operator} is eligible if "
                         "kernels that use tensor cores exist for it."},
        {"Idle", has_only_registered_devices ? idle_of_own : idle},
        {"Verdict", tp_uses_torch_words(model->producer) || model->gpu_count ? verdict : verdict_of_host},
        {"Estimate",
         "The time of a finding is the union of its time intervals within the steps. The estimate is a range for the "
         "part of this time that a fix would save. Each estimate excludes the time of the findings above it, so "
         "estimates can be added. A fix may save less if other work overlaps, and more if the host then waits less "
         "elsewhere."},
        {"True cost", "If the host waits for the device, the true cost of the wait is the idle time of the device "
                      "after the wait, but at most the length of the wait."},
    };
    struct tp_list *definitions = tp_object_add_list(object, "definitions");

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        if ((tp_mentions_launches(model) || !is_gpu_term(TEXTS[i][0])) &&
            (tp_uses_torch_words(model->producer) || model->gpu_count || !is_device_term(TEXTS[i][0])))
            tp_list_add_fact(definitions, tp_section_words_for_producer(section, TEXTS[i][0]),
                             tp_section_words_for_producer(section, TEXTS[i][1]));
}

/* Adds the definitions of terms for a program recorded from outside. */
static void put_program_glossary(struct tp_object *object)
{
    static const char *const TEXTS[][2] = {
        {"Wall",
         "Wall time is the time during which at least one thread of the program exists. Wall time counts as "
         "running while any thread runs. While no thread runs, wall time counts as ready if any thread is "
         "ready. While all threads wait, wall time is assigned to one cause of waiting. This is the first "
         "cause in the following list for which any thread waits: disk, page fault, socket, terminal, sleep, lock, "
         "kernel lock, file, pipe, poll, signal, stopped, child, exit, recording, unknown."},
        {"Ready", "A thread is ready if it could run but no CPU is free."},
        {"Self, total", "A function's self time is the CPU time of the samples in which the function is innermost. A "
                        "function's total time is the CPU time of all samples with the function in the stack."},
        {"Verdict", "Ten rules are checked in a fixed order. The first rule that applies gives the verdict."},
    };
    struct tp_list *definitions = tp_object_add_list(object, "definitions");

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        tp_list_add_fact(definitions, TEXTS[i][0], TEXTS[i][1]);
}

struct tp_data tp_section_about(const struct tp_section *section)
{
    struct tp_object *object = tp_object_new(section->arena);

    put_about_facts(section, object);
    if (tp_section_is_program(section)) {
        put_program_glossary(object);
    } else {
        put_quality_checks(section, object);
        put_event_counts(section, object);
        put_definitions(section, object);
    }
    tp_object_add_text(object, "left_out", section->left_out ? section->left_out : "");
    return tp_data_of_object(object);
}
