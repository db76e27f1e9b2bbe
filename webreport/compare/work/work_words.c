/* Returns sentences for changes of work. See work_words.h. */
#include "webreport/compare/work/work_words.h"

#include "webreport/trace/frame.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

enum { MOST = 120 }; /* largest length of names and shapes, bytes */

static const char *shorten_text(struct tp_arena *arena, struct tp_str text)
{
    size_t size = tp_utf8_fitting_bytes(text.ptr, text.len, MOST);
    return tp_text_printf(arena, "%.*s%s", (int)size, text.ptr, size < text.len ? ".." : "");
}

/* Returns the place of the change as text, such as " in train_step" or " between aten::mm and aten::relu", or "". */
static const char *place_of_change_text(const struct tp_work_change *change, struct tp_arena *arena)
{
    struct tp_str function = tp_frame_function_name(change->place);
    if (function.ptr || change->place.len)
        return tp_text_printf(arena, " in %s", shorten_text(arena, function.ptr ? function : change->place));
    if (change->around[0].len && change->around[1].len)
        return tp_text_printf(arena, " between %s and %s", shorten_text(arena, change->around[0]),
                              shorten_text(arena, change->around[1]));
    if (change->around[0].len || change->around[1].len)
        return tp_text_printf(arena, " %s %s", change->around[0].len ? "after" : "before",
                              shorten_text(arena, change->around[change->around[0].len == 0]));
    return "";
}

static const char *consequence_of_change_text(const struct tp_work_change *change)
{
    if (change->delta <= 0)
        return "";
    switch (change->kind) {
    case TP_WORK_CHANGE_ITEM:
        return ", so the host waits for the value";
    case TP_WORK_CHANGE_HOST_WAIT:
        return ", so the host waits for the result";
    case TP_WORK_CHANGE_COPY:
        return ", a copy";
    case TP_WORK_CHANGE_CAST:
        return ", a cast or move";
    case TP_WORK_CHANGE_ALLOCATION:
        return ", an allocation";
    default:
        return "";
    }
}

/* Returns the times of operators that are slower than the replaced operators, such as ": 2.10 ms, 1.20 ms before", or
 * "". */
static const char *slower_group_times_text(const struct tp_work_change *change, struct tp_arena *arena)
{
    if (change->group_ns[TP_NEW] <= change->group_ns[TP_BASE])
        return "";
    return tp_text_printf(arena, ": %s%s, %s before", tp_text_of_time(arena, change->group_ns[TP_NEW]),
                          change->is_host ? " on the host" : "", tp_text_of_time(arena, change->group_ns[TP_BASE]));
}

static const char *sentence_of_changed_operator(const struct tp_work_change *change, struct tp_arena *arena)
{
    const char *was = shorten_text(arena, change->detail[TP_BASE]), *is = shorten_text(arena, change->detail[TP_NEW]);
    const char *name = shorten_text(arena, change->name), *times = "";
    if (change->times > 1 && change->kind != TP_WORK_CHANGE_REPLACED)
        times = tp_text_printf(arena, "%u ", change->times);
    if (change->kind == TP_WORK_CHANGE_RENAMED || change->kind == TP_WORK_CHANGE_REPLACED)
        return tp_text_printf(arena, "each step has %s%s instead of %s%s%s", times, is, was,
                              place_of_change_text(change, arena), slower_group_times_text(change, arena));
    return tp_text_printf(arena, "%s%s: %s %s instead of %s%s", times, name,
                          change->kind == TP_WORK_CHANGE_SHAPE ? "shapes" : "types", *is ? is : "none",
                          *was ? was : "none", place_of_change_text(change, arena));
}

/* Returns the type of device on which memory is allocated, such as "the GPU". The summary has the number of PyTorch's
 * device type, such as "device 1". */
static const char *device_type_text(struct tp_str name, struct tp_arena *arena)
{
    if (tp_str_equal(name, TP_STR("device 0")))
        return "the CPU";
    if (tp_str_equal(name, TP_STR("device 1")))
        return "the GPU";
    if (tp_str_equal(name, TP_STR("device -1")))
        return "an unknown device";
    return shorten_text(arena, name);
}

const char *tp_work_change_sentence(const struct tp_work_change *change, struct tp_arena *arena)
{
    const char *name = shorten_text(arena, change->name), *sign = change->delta > 0 ? "+" : "\xe2\x88\x92";
    const char *count = tp_text_of_count(arena, change->delta < 0 ? -change->delta : change->delta);
    const char *was = shorten_text(arena, change->detail[TP_BASE]), *is = shorten_text(arena, change->detail[TP_NEW]);
    bool is_one = change->delta == 1 || change->delta == -1;
    switch (change->kind) {
    case TP_WORK_CHANGE_SHAPE:
    case TP_WORK_CHANGE_TYPE:
    case TP_WORK_CHANGE_RENAMED:
    case TP_WORK_CHANGE_REPLACED:
        return sentence_of_changed_operator(change, arena);
    case TP_WORK_CHANGE_ALGORITHM:
    case TP_WORK_CHANGE_OTHER_COPY:
        return tp_text_printf(arena, "%s: %s instead of %s%s", name, *is ? is : "nothing", *was ? was : "nothing",
                              slower_group_times_text(change, arena));
    case TP_WORK_CHANGE_KERNELS:
    case TP_WORK_CHANGE_COPIES:
        return tp_text_printf(arena, "%s%s %s per step: %s%s%s", sign, count,
                              change->kind == TP_WORK_CHANGE_COPIES ? is_one ? "copy" : "copies"
                              : is_one                              ? "kernel"
                                                                    : "kernels",
                              name, *is || *was ? ", " : "", *is ? is : was);
    case TP_WORK_CHANGE_WAIT:
        return tp_text_printf(arena, "%s%s %s per step%s%s%s%s", sign, count, name, *is ? " in " : "", is,
                              place_of_change_text(change, arena),
                              change->delta > 0 ? ", so the host waits for the device" : "");
    case TP_WORK_CHANGE_LAUNCHES:
        return tp_text_printf(arena, "%s%s %s per step", sign, count, is_one ? "launch" : "launches");
    case TP_WORK_CHANGE_ALLOCATIONS:
        return tp_text_printf(arena, "%s%s %s per step on %s", sign, count, is_one ? "allocation" : "allocations",
                              device_type_text(change->name, arena));
    case TP_WORK_CHANGE_UNFREED_MEMORY:
        return tp_text_printf(
            arena, "%s%s per step%s, %s: %s%s%s", sign,
            tp_text_of_bytes(arena, change->bytes < 0 ? -change->bytes : change->bytes),
            place_of_change_text(change, arena), change->delta < 0 ? "freed now" : "never freed",
            tp_text_of_counted_noun(arena, change->delta < 0 ? -change->delta : change->delta, "block", "blocks"),
            *name ? " of " : " outside of operators", name);
    case TP_WORK_CHANGE_FUNCTION:
        if (change->delta)
            return tp_text_printf(arena, "%s%s %s of %s per step in the data loader", sign, count,
                                  is_one ? "call" : "calls", name);
        return tp_text_printf(arena,
                              "each call of %s in the data loader takes %.2f times as long (corrected for the speed of "
                              "the machine)",
                              name, change->ratio);
    case TP_WORK_CHANGE_LOADER:
        return tp_text_printf(arena, "%s%s %s per step in the data loader", sign, count, name);
    default:
        return tp_text_printf(arena, "%s%s %s per step%s%s", sign, count, name, place_of_change_text(change, arena),
                              consequence_of_change_text(change));
    }
}
