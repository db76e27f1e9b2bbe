/* About: the input, and the definitions of the figures that have no column to carry them. */
#include "webreport/document/section.h"

static void add_code(struct tp_list *facts, const char *term, struct tp_str text)
{
    struct tp_object *object;

    if (!text.len)
        return;
    object = tp_list_object(facts);
    tp_object_text(object, "term", term);
    tp_object_str(object, "fact", text);
    tp_object_bool(object, "is_code", true);
}

static void put_facts(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_profile *profile = section->profile;
    struct tp_list *facts = tp_object_list(object, "facts");
    struct tp_arena *arena = section->arena;
    struct tp_str file = tp_shown_text(&section->naming, profile->file),
                  worker = tp_shown_text(&section->naming, profile->worker);

    add_code(facts, "Trace", file);
    tp_section_add_fact(facts, "Size",
                        tp_text_printf(arena, "%s, %s of text",
                                       tp_text_of_bytes(arena, (int64_t)profile->trace->reading.file_bytes),
                                       tp_text_of_bytes(arena, (int64_t)profile->trace->reading.text_bytes)));
    add_code(facts, "SHA-256", profile->sha256);
    add_code(facts, "Worker", worker);
    if (profile->beside.len)
        tp_section_add_fact(facts, "Beside",
                            "what tracepress recorded in the process that PyTorch wrote the trace of; the two are one "
                            "worker, and comparisons of workers leave this one out");
    if (profile->span != TP_NULL_INT)
        tp_section_add_fact(facts, "Span", tp_text_of_count(arena, profile->span));
    tp_section_add_fact(facts, "Events",
                        tp_text_printf(arena, "%s, %s repaired",
                                       tp_text_of_count(arena, profile->advice->quality.events_total),
                                       tp_text_of_count(arena, profile->advice->quality.repaired)));
    tp_section_add_fact(facts, "Made by", "tracepress " TP_VERSION);
}

static void put_definitions(struct tp_object *object)
{
    static const char *const TEXTS[][2] = {
        {"Step time",
         "From a step marker's start to the end of the GPU work it launched. Time that several categories share counts "
         "once, for "
         "the first of: kernel, copy, set, communication, runtime, data loading, CPU; what is left is other."},
        {"GPU busy", "Share of the steps during which a kernel, a copy or a set runs on the device."},
        {"SM efficiency", "Blocks of the running kernels per SM, capped at 1, over all step time. An estimate from the "
                          "launch geometry."},
        {"Occupancy", "The profiler's estimate per kernel, weighted by the kernel's time."},
        {"Self, total", "Self excludes the operators that an operator calls. GPU time belongs to the innermost "
                        "operator that launched it."},
        {"Tensor Cores", "A kernel counts by its name; an operator is eligible when such kernels exist for it."},
        {"Idle", "Time of the steps in which nothing runs on the device. Host: the next operation has not been called "
                 "yet. Launch: the host is inside that call. Queue: the operation has been called, but the device or "
                 "its queue holds it. Outside: beyond the recorded work of the device. Unknown: its call is not "
                 "recorded."},
        {"Verdict", "The device that is busy longest, and the kind of time that fills most of the steps beside "
                    "compute: from a fifth of them on it names the class; compute of two thirds is compute-bound."},
        {"At most", "A finding's time is the union of the intervals it concerns within the steps: an upper bound of "
                    "what can be saved, never "
                    "a promise. Findings overlap, so they must not be added."},
        {"True cost",
         "Of a wait: the time after it in which the device really had nothing to do, at most the wait itself."},
    };
    struct tp_list *definitions = tp_object_list(object, "definitions");

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        tp_section_add_fact(definitions, TEXTS[i][0], TEXTS[i][1]);
}

struct tp_data tp_section_about(const struct tp_section *section)
{
    struct tp_object *object = tp_object_new(section->arena);

    put_facts(section, object);
    put_definitions(object);
    tp_object_text(object, "left_out", section->left_out ? section->left_out : "");
    return tp_data_of_object(object);
}
