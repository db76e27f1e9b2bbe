/* Counters of the program (loss, learning rate ..) as scalars: the last value in each step. */
#include <math.h>
#include <string.h>

#include "webreport/export/export_tfevents.h"
#include "writer/text/format.h"
#include "writer/tfevents_file.h"

enum { MOST_COUNTERS = 64 };

struct counter {
    const char *tag;
    double *values;
    int64_t *times; /* by step: of the value */
};

/* The tag the live event file has for it. */
static const char *tag_of(const struct tp_tf_run *run, uint32_t name)
{
    struct tp_arena *arena = run->export->arena;
    const char *part = tp_tf_tag_part(arena, tp_strings_get(&run->export->profile->trace->names, name));
    char *clean = tp_arena_copy(arena, part, strlen(part));
    tp_tfevents_clean(clean);
    return tp_text_printf(arena, "profile_counters/%s", clean);
}

/* The counter of that tag; NULL when there are too many. */
static struct counter *counter_of(const struct tp_tf_run *run, struct tp_tf_columns *columns, struct tp_vec *counters,
                                  const char *tag)
{
    for (size_t i = 0; i < counters->count; i++)
        if (strcmp(TP_AT(counters, struct counter, i)->tag, tag) == 0)
            return TP_AT(counters, struct counter, i);
    if (counters->count == MOST_COUNTERS)
        return NULL;
    struct counter *counter = tp_vec_push(counters);
    counter->tag = tag;
    counter->values = tp_tf_column_new(columns, tag, "Last value of this counter in the step.");
    counter->times = tp_arena_array(columns->arena, run->step_count, sizeof *counter->times);
    return counter;
}

void tp_tf_add_counters(const struct tp_tf_run *run, struct tp_tf_columns *columns)
{
    const struct tp_trace *trace = run->export->profile->trace;
    struct tp_vec counters = TP_VEC(columns->arena, struct counter);
    uint32_t *by_name = tp_arena_array(columns->arena, trace->names.count, sizeof *by_name); /* number + 1; 0: new */
    for (uint32_t i = 0; i < trace->counter_count; i++) {
        const struct tp_counter *value = &trace->counters[i];
        uint32_t step = isnan(value->value) ? TP_NO_ID : tp_tf_step_of(run, value->ts_ns);
        if (step == TP_NO_ID || by_name[value->name] == TP_NO_ID)
            continue;
        if (!by_name[value->name]) {
            struct counter *found = counter_of(run, columns, &counters, tag_of(run, value->name));
            by_name[value->name] = found ? (uint32_t)(found - TP_AT(&counters, struct counter, 0)) + 1 : TP_NO_ID;
            i--; /* again, now that it has a place */
            continue;
        }
        struct counter *counter = TP_AT(&counters, struct counter, by_name[value->name] - 1);
        if (isnan(counter->values[step]) || value->ts_ns >= counter->times[step]) {
            counter->values[step] = value->value;
            counter->times[step] = value->ts_ns;
        }
    }
}
