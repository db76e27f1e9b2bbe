/* Chooses the changes that the critical path of a trace suggests. */
#include "webreport/what_if/usual_changes.h"

#include "webreport/model/numbers.h"
#include "webreport/what_if/change_make.h"
#include "webreport/what_if/change_more.h"
#include "webreport/what_if/wait_place.h"
#include "writer/base/buf.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"

/* Largest number of rows of one kind that become changes. */
enum { ROWS_PER_KIND = 3 };

void tp_answer_find_more(struct tp_answering *a, const struct tp_vec *changes)
{
    a->operators = tp_arena_array(a->temporary, changes->count, sizeof *a->operators);
    a->more_ns = tp_arena_array(a->temporary, changes->count, sizeof *a->more_ns);
    for (size_t i = 0; i < changes->count; i++) {
        uint32_t name = TP_AT(changes, struct tp_what_if_change, i)->operator_name;
        if (name != TP_NO_ID && !tp_answer_more_of(a, name))
            a->operators[a->operator_count++] = name;
    }
    for (uint32_t i = 0; i < a->operator_count; i += 64) {
        uint32_t count = a->operator_count - i < 64 ? a->operator_count - i : 64;
        tp_operator_more(&a->graph, a->operators + i, count, a->more_ns + i, a->temporary);
    }
}

int64_t *tp_answer_more_of(const struct tp_answering *a, uint32_t name)
{
    for (uint32_t i = 0; i < a->operator_count; i++)
        if (a->operators[i] == name)
            return a->more_ns[i];
    return NULL;
}

static void add_change(struct tp_answering *a, struct tp_vec *changes, struct tp_str text)
{
    struct tp_error err;
    if (tp_change_parse(tp_vec_push(changes), &a->graph, text, &a->source, &err))
        changes->count--; /* a name that ends like a factor cannot be written as a change */
}

/* Adds the changes of a whole kind, if the graph has parts of this kind. */
static void add_general_changes(struct tp_answering *a, struct tp_vec *changes)
{
    static const struct {
        const char *text;
        int needs; /* enum tp_path_kind; -1: nothing */
    } rows[] = {{"host=1/2", -1},
                {"launches=0", TP_PATH_LAUNCH},
                {"graph=0", TP_PATH_LAUNCH},
                {"waits=0", TP_PATH_WAIT},
                {"input=0", TP_PATH_INPUT},
                {"copies=0", TP_PATH_COPY},
                {"communication=0", TP_PATH_COMMUNICATION},
                {"overlap", TP_PATH_COMMUNICATION}};
    bool has_kind[TP_PATH_KINDS] = {false};
    for (uint32_t i = 0; i < a->graph.part_count; i++)
        has_kind[a->graph.labels[a->graph.parts[i].label].kind] |= a->graph.parts[i].short_ns > 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].needs < 0 || has_kind[rows[i].needs])
            add_change(a, changes, tp_str_of(rows[i].text));
}

/* Returns the text head + name + tail. */
static struct tp_str join_text(struct tp_answering *a, const char *head, struct tp_str name, const char *tail)
{
    struct tp_buf buf;
    tp_buf_init(&buf, 0);
    tp_buf_puts(&buf, head);
    tp_buf_add(&buf, name.ptr, name.len);
    tp_buf_puts(&buf, tail);
    size_t size = buf.size;
    return (struct tp_str){tp_buf_move(&buf, a->temporary), size};
}

/* Adds the longest rows of a kind on the critical path. */
static void add_changes_of_kind(struct tp_answering *a, struct tp_vec *changes, enum tp_path_kind kind,
                                const char *head, const char *tail)
{
    unsigned count = 0;
    for (size_t i = 0; i < a->result->row_count && count < ROWS_PER_KIND; i++) {
        const struct tp_path_row *row = &a->result->rows[i];
        if (row->kind != kind)
            continue;
        add_change(a, changes, join_text(a, head, row->name, tail));
        count++;
    }
}

/* Calls that wait with the same name and place. */
struct wait_group {
    struct tp_str place, call;
    int64_t waited_ns;
    uint32_t first, count; /* events of the calls: items of a vector */
};

static int compare_places(const void *x, const void *y, const void *context)
{
    const struct wait_group *a = x, *b = y;
    (void)context;
    int order = tp_str_compare(a->place, b->place);
    return order ? order : tp_str_compare(a->call, b->call);
}

static int compare_groups(const void *x, const void *y, const void *context)
{
    const struct wait_group *a = x, *b = y;
    if (a->waited_ns != b->waited_ns)
        return a->waited_ns > b->waited_ns ? -1 : 1;
    return compare_places(x, y, context);
}

/* Lists each call that waits, and that the model counts as a wait, as a group of its own. */
static struct tp_vec list_waits(struct tp_answering *a)
{
    const struct tp_model *model = a->model;
    struct tp_vec groups = TP_VEC(a->temporary, struct wait_group);
    struct tp_id_map wake_of_event;
    tp_id_map_init(&wake_of_event, a->temporary);
    for (uint32_t i = 0; i < a->graph.waiting_count; i++) /* TP_NO_ID: the call has no node */
        tp_id_map_find_or_add(&wake_of_event, a->graph.waiting_events[i]);
    for (uint32_t i = 0; i < a->graph.wake_count; i++)
        *tp_id_map_find_or_add(&wake_of_event, a->graph.nodes[a->graph.wakes[i]].event) = a->graph.wakes[i];
    for (uint32_t i = 0; i < model->wait_count; i++) {
        uint32_t event = model->waits[i].event, *wake = tp_id_map_find(&wake_of_event, event);
        if (!wake)
            continue;
        const struct tp_replay_node *n = *wake == TP_NO_ID ? NULL : &a->graph.nodes[*wake];
        *(struct wait_group *)tp_vec_push(&groups) =
            (struct wait_group){.call = tp_trace_event_name(model->trace, &model->trace->events[event]),
                                .place = tp_change_place_of_wait(&a->graph, event),
                                .waited_ns = n ? tp_sat_sub(n->start_ns, n[-1].end_ns) : 0,
                                .first = event,
                                .count = 1};
    }
    tp_id_map_release(&wake_of_event);
    return groups;
}

static void add_change_of_group(struct tp_answering *a, struct tp_vec *changes, const struct wait_group *group,
                                const uint32_t *events)
{
    struct tp_what_if_change *change = tp_vec_push(changes);
    struct tp_str head = join_text(a, "no ", group->call, " in ");
    struct tp_str call = join_text(a, "wait:", group->call, " ");
    tp_change_init(change);
    tp_change_without_waits(change, &a->graph, events + group->first, group->count, a->temporary);
    change->name = join_text(a, call.ptr, group->place, "");
    change->text = join_text(a, head.ptr, group->place.len ? group->place : TP_STR("any operator"), "");
}

/* Adds the places at which calls wait longest. */
static void add_wait_changes(struct tp_answering *a, struct tp_vec *changes)
{
    struct tp_vec groups = list_waits(a);
    struct wait_group *all = groups.data;
    uint32_t *events = tp_arena_array(a->temporary, groups.count, sizeof *events), count = 0;
    tp_merge_sort(a->temporary, all, groups.count, sizeof *all, compare_places, NULL);
    for (uint32_t i = 0; i < groups.count; i++) {
        struct wait_group group = all[i];
        events[i] = group.first;
        if (count && compare_places(&all[count - 1], &group, NULL) == 0) {
            all[count - 1].waited_ns = tp_sat_add(all[count - 1].waited_ns, group.waited_ns);
            all[count - 1].count++;
            continue;
        }
        group.first = i;
        all[count++] = group;
    }
    tp_merge_sort(a->temporary, all, count, sizeof *all, compare_groups, NULL);
    for (uint32_t i = 0; i < count && i < ROWS_PER_KIND; i++)
        add_change_of_group(a, changes, &all[i], events);
}

void tp_usual_changes(struct tp_answering *a, struct tp_vec *changes)
{
    add_general_changes(a, changes);
    add_changes_of_kind(a, changes, TP_PATH_COMPUTE, "kernel:", "=1/2");
    add_changes_of_kind(a, changes, TP_PATH_OPERATOR, "operator:", "=0");
    add_changes_of_kind(a, changes, TP_PATH_PYTHON, "line:", "=0");
    add_wait_changes(a, changes);
}
