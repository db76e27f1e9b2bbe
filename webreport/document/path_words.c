/* Implements path_words.h. */
#include "webreport/document/path_words.h"

#include <string.h>

const char *tp_path_group_words(enum tp_path_group group)
{
    static const char *const words[TP_GROUPS] = {
        [TP_GROUP_HOST] = "the host",
        [TP_GROUP_INPUT] = "data loading",
        [TP_GROUP_COMPUTE] = "compute",
        [TP_GROUP_COMMUNICATION] = "communication",
        [TP_GROUP_COPY] = "copying",
        [TP_GROUP_LATENCY] = "latency",
        [TP_GROUP_UNEXPLAINED] = "unexplained time",
    };
    return words[group];
}

const char *tp_path_group_title(enum tp_path_group group)
{
    static const char *const titles[TP_GROUPS] = {
        [TP_GROUP_HOST] = "Host",
        [TP_GROUP_INPUT] = "Data loading",
        [TP_GROUP_COMPUTE] = "Compute",
        [TP_GROUP_COMMUNICATION] = "Communication",
        [TP_GROUP_COPY] = "Copies",
        [TP_GROUP_LATENCY] = "Latency",
        [TP_GROUP_UNEXPLAINED] = "Unexplained",
    };
    return titles[group];
}

enum tp_look tp_look_of_path_group(enum tp_path_group group)
{
    static const uint8_t looks[TP_GROUPS] = {
        [TP_GROUP_HOST] = TP_LOOK_LAUNCH,        [TP_GROUP_INPUT] = TP_LOOK_HOST, [TP_GROUP_COMPUTE] = TP_LOOK_GPU,
        [TP_GROUP_COMMUNICATION] = TP_LOOK_COMM, [TP_GROUP_COPY] = TP_LOOK_COPY,  [TP_GROUP_LATENCY] = TP_LOOK_NONE,
        [TP_GROUP_UNEXPLAINED] = TP_LOOK_HATCH,
    };
    return (enum tp_look)looks[group];
}

const char *tp_edge_reason_words(enum tp_edge_reason reason)
{
    static const char *const words[TP_EDGE_REASONS] = {
        [TP_EDGE_PROGRAM] = "thread order",
        [TP_EDGE_LAUNCH] = "launch",
        [TP_EDGE_STREAM] = "stream order",
        [TP_EDGE_EVENT] = "event of another stream",
        [TP_EDGE_WAIT] = "device work",
        [TP_EDGE_QUEUE] = "place in the launch queue",
        [TP_EDGE_HANDOVER] = "hand-over to this thread",
        [TP_EDGE_RETURN] = "return from another thread",
        [TP_EDGE_GRAPH] = "graph launch",
        [TP_EDGE_FOLLOWS] = "main thread",
        [TP_EDGE_ARRIVAL] = "batch of a worker process",
        [TP_EDGE_PEER] = "another rank",
    };
    return words[reason];
}

static struct tp_str latency_text(struct tp_arena *arena, struct tp_str reason)
{
    for (unsigned i = 0; i < TP_EDGE_REASONS; i++)
        if (tp_str_equal(reason, tp_str_of(tp_edge_reason_text((enum tp_edge_reason)i))))
            return tp_str_of(tp_text_printf(arena, "waits for %s", tp_edge_reason_words((enum tp_edge_reason)i)));
    return reason;
}

/* Returns the displayed name of work of the host. */
static struct tp_str shown_host_name(const struct tp_naming *naming, struct tp_str name)
{
    return tp_str_equal(name, TP_STR("[no host event]")) ? TP_STR("host time without a record")
                                                         : tp_shown_text(naming, name);
}

struct tp_str tp_path_name_text(const struct tp_naming *naming, enum tp_path_kind kind, struct tp_str name)
{
    static const char before[] = "before ";
    size_t size = sizeof before - 1;
    if (kind == TP_PATH_LATENCY)
        return latency_text(naming->arena, name);
    if (kind == TP_PATH_COMPUTE || kind == TP_PATH_COMMUNICATION)
        return tp_shown_kernel_name(naming, name);
    if (kind != TP_PATH_UNEXPLAINED || !tp_str_starts(name, before))
        return shown_host_name(naming, name);
    struct tp_str later = tp_shown_kernel_name(naming, (struct tp_str){name.ptr + size, name.len - size});
    return tp_str_of(tp_text_printf(naming->arena, "%s%.*s", before, (int)later.len, later.ptr));
}

/* ---- changes ---- */

/* Changes without a name. */
static const struct {
    const char *change, *name, *rest;
} WHOLE_CHANGES[] = {
    {"host=1/2", "Host", "twice as fast"},
    {"launches=0", "Launch calls", "at no cost"},
    {"graph=0", "Host work", "replayed as one graph"},
    {"waits=0", "Waits for the {GPU}", "left out"},
    {"input=0", "Data loading", "at no cost"},
    {"copies=0", "Copies", "at no cost"},
    {"communication=0", "Communication", "at no cost"},
    {"overlap", "Communication", "hidden behind compute"},
};

/* Returns the part of a change between a prefix and a suffix; ptr NULL if the change has another form. */
static struct tp_str name_between(struct tp_str change, const char *prefix, const char *suffix)
{
    size_t head = strlen(prefix), tail = strlen(suffix);
    if (change.len < head + tail || !tp_str_starts(change, prefix) || !tp_str_ends(change, suffix))
        return (struct tp_str){NULL, 0};
    return (struct tp_str){change.ptr + head, change.len - head - tail};
}

/* Returns the words for a change "wait:API PLACE". api: API and place. */
static struct tp_change_words words_of_wait(const struct tp_section *section, struct tp_str api)
{
    const char *space = memchr(api.ptr, ' ', api.len);
    size_t size = space ? (size_t)(space - api.ptr) : api.len;
    struct tp_str place = {api.ptr + size, api.len - size};
    if (place.len)
        place = (struct tp_str){place.ptr + 1, place.len - 1};
    place = tp_path_last_part(tp_shown_text(&section->naming, place));
    return (struct tp_change_words){
        .name = {api.ptr, size},
        .rest = place.len ? tp_text_printf(section->arena, "left out in %.*s", (int)place.len, place.ptr)
                          : "left out outside of operators"};
}

struct tp_change_words tp_change_words_of(const struct tp_section *section, const struct tp_what_if_row *row)
{
    const struct tp_naming *naming = &section->naming;
    for (size_t i = 0; i < sizeof WHOLE_CHANGES / sizeof *WHOLE_CHANGES; i++)
        if (tp_str_equal(row->change, tp_str_of(WHOLE_CHANGES[i].change)))
            return (struct tp_change_words){
                .name = tp_str_of(tp_section_words_for_producer(section, WHOLE_CHANGES[i].name)),
                .rest = WHOLE_CHANGES[i].rest};
    struct tp_str kernel = name_between(row->change, "kernel:", "=1/2");
    if (kernel.ptr)
        return (struct tp_change_words){tp_shown_kernel_name(naming, kernel), tp_shown_text(naming, kernel),
                                        "twice as fast"};
    struct tp_str operator_name = name_between(row->change, "operator:", "=0");
    if (operator_name.ptr)
        return (struct tp_change_words){tp_shown_text(naming, operator_name), {NULL, 0}, "without its CPU time"};
    struct tp_str line = name_between(row->change, "line:", "=0");
    if (line.ptr) {
        struct tp_str full = shown_host_name(naming, line);
        return (struct tp_change_words){tp_path_last_part(full), full, "left out"};
    }
    struct tp_str api = name_between(row->change, "wait:", "");
    if (api.ptr)
        return words_of_wait(section, api);
    return (struct tp_change_words){tp_shown_text(naming, row->text), {NULL, 0}, ""};
}

/* ---- which replays the page shows ---- */

static bool is_judged(const struct tp_trace_verdict *verdict, const struct tp_what_if_view *view)
{
    bool is_whole = verdict->unjudged.reason == TP_UNJUDGED_NOTHING || view->withheld;
    return verdict->class <= TP_CLASS_CPU && is_whole;
}

/* Returns whether everything happens on the host, so that the critical path shows nothing new. */
static bool is_host_alone(const struct tp_model *model, const struct tp_path_sums *path)
{
    static const double NEARLY_ALL = 99;
    int64_t whole_ns = 0;
    for (unsigned i = 0; i < TP_GROUPS; i++)
        whole_ns += path->group_ns[i];
    return !model->devices.count && tp_percent(path->group_ns[TP_GROUP_HOST], whole_ns) >= NEARLY_ALL;
}

bool tp_section_has_replay(const struct tp_section *section)
{
    const struct tp_profile *profile = section->profile;
    const struct tp_what_if_view *view = &profile->advice->what_if;
    return view->step_count && view->step_ns > 0 && !profile->is_helper && !profile->is_silent &&
           is_judged(&profile->advice->verdict, view) && !is_host_alone(profile->model, &view->path);
}
