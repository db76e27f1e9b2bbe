/* Finds the ranks of process groups: see flight_job.h.
 *
 * A dump lists its groups by name. Groups that torch splits share a name, so a group is a name with a set of ranks. The
 * recorder of gloo lists all groups under one empty name; its default group then has all ranks of the job. */
#include "webreport/measure/flight/flight_job.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

/* Sets of ranks that dumps list for one name. */
struct listed {
    struct tp_vec sets; /* distinct sets; elements: uint32_t */
};

/* State of the search. */
struct search {
    struct tp_flight_job *job;
    struct tp_id_map set_of_text;    /* text of ranks -> set; NO_LIST for texts that list no ranks */
    struct tp_id_map listed_of;      /* name -> index in `listed` */
    struct tp_vec listed;            /* elements: struct listed */
    struct tp_id_map set_of_rank;    /* (name, index of rank) -> set */
    struct tp_id_map description_of; /* name -> text */
    struct tp_id_map users_of;       /* name -> index in `users` */
    struct tp_vec users;             /* ranks that used a group, ascending; elements: struct tp_vec of uint32_t */
    struct tp_id_map group_of_rank;  /* (name, index of rank) -> group */
    uint32_t whole_set;              /* set of all ranks of the job; TP_NO_ID if not made yet */
};

enum { NO_LIST = UINT32_MAX - 1 };

/* ---- sets of ranks ---- */

static int compare_ranks(const void *x, const void *y, const void *context)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    (void)context;
    return (a > b) - (a < b);
}

/* Adds a set. ranks: elements uint32_t, in any order, with repetitions. */
static uint32_t add_set(struct tp_flight_job *job, struct tp_vec *ranks)
{
    uint32_t *items = ranks->data;
    size_t count = 0;
    tp_merge_sort(job->arena, items, ranks->count, sizeof *items, compare_ranks, NULL);
    for (size_t i = 0; i < ranks->count; i++)
        if (!count || items[count - 1] != items[i])
            items[count++] = items[i];
    return tp_strings_add(&job->rank_sets, (struct tp_str){count ? (const char *)items : "", count * sizeof *items});
}

static const uint32_t *ranks_of_set(const struct tp_flight_job *job, uint32_t set, uint32_t *count)
{
    struct tp_str bytes = tp_strings_get(&job->rank_sets, set);
    *count = (uint32_t)(bytes.len / sizeof(uint32_t));
    return (const uint32_t *)(const void *)bytes.ptr;
}

static bool contains(const struct tp_flight_job *job, uint32_t set, uint32_t rank)
{
    uint32_t count;
    const uint32_t *ranks = ranks_of_set(job, set, &count);
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranks[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ranks[low] == rank;
}

/* Reads a text such as "[0, 1]". Returns false if it has another form or lists no number. */
static bool read_ranks(struct tp_str text, struct tp_vec *ranks)
{
    bool has_number = false;
    if (text.len < 3 || text.ptr[0] != '[' || text.ptr[text.len - 1] != ']')
        return false;
    for (size_t i = 1; i < text.len - 1;) {
        uint64_t number = 0;
        size_t from = i;
        for (; tp_is_digit(text.ptr[i]); i++)
            number = number < TP_MAX_FLIGHT_RANKS ? number * 10 + (uint64_t)(text.ptr[i] - '0') : number;
        has_number |= i > from;
        if (i > from && number < TP_MAX_FLIGHT_RANKS)
            *(uint32_t *)tp_vec_push(ranks) = (uint32_t)number;
        if (i == from && text.ptr[i] != ',' && text.ptr[i] != ' ')
            return false;
        i += i == from;
    }
    return has_number;
}

static uint32_t set_of_text(struct search *s, uint32_t text)
{
    struct tp_vec ranks = TP_VEC(s->job->arena, uint32_t);
    uint32_t *set = tp_id_map_find_or_add(&s->set_of_text, text);
    if (*set == TP_NO_ID)
        *set = read_ranks(tp_flight_text(s->job, text), &ranks) ? add_set(s->job, &ranks) : NO_LIST;
    return *set;
}

/* ---- what the dumps list ---- */

static struct listed *listed_of(struct search *s, uint32_t name)
{
    uint32_t *index = tp_id_map_find_or_add(&s->listed_of, name);
    if (*index == TP_NO_ID) {
        *index = (uint32_t)s->listed.count;
        ((struct listed *)tp_vec_push(&s->listed))->sets = TP_VEC(s->job->arena, uint32_t);
    }
    return TP_AT(&s->listed, struct listed, *index);
}

static void add_to_sets(struct listed *listed, uint32_t set)
{
    for (size_t i = 0; i < listed->sets.count; i++)
        if (*TP_AT(&listed->sets, uint32_t, i) == set)
            return;
    *(uint32_t *)tp_vec_push(&listed->sets) = set;
}

static void expect_ranks(struct tp_flight_job *job, uint32_t set)
{
    uint32_t count;
    const uint32_t *ranks = ranks_of_set(job, set, &count);
    for (uint32_t i = 0; i < count; i++)
        job->is_expected[ranks[i]] = true;
}

static void describe(struct search *s, uint32_t name, uint32_t description)
{
    uint32_t *text = tp_id_map_find_or_add(&s->description_of, name);
    if (*text == TP_NO_ID)
        *text = description;
}

static void read_groups_of_rank(struct search *s, uint32_t index)
{
    const struct tp_flight_rank *rank = tp_flight_rank_at(s->job, index);
    for (uint32_t i = 0; i < rank->group_count; i++) {
        const struct tp_flight_group *group = &rank->groups[i];
        uint32_t set = set_of_text(s, group->ranks);
        if (set == NO_LIST)
            continue;
        *tp_id_map_find_or_add(&s->set_of_rank, tp_id_pair(group->name, index)) = set;
        describe(s, group->name, group->description);
    }
}

/* Collects the sets that count: of two equal names in one dump, the last. */
static void list_sets(struct search *s)
{
    for (uint32_t r = 0; r < s->job->ranks.count; r++) {
        const struct tp_flight_rank *rank = tp_flight_rank_at(s->job, r);
        for (uint32_t i = 0; i < rank->group_count; i++) {
            uint32_t set = tp_id_map_get(&s->set_of_rank, tp_id_pair(rank->groups[i].name, r));
            if (set == TP_NO_ID)
                continue;
            add_to_sets(listed_of(s, rank->groups[i].name), set);
            expect_ranks(s->job, set);
        }
    }
}

static void read_calls_of_rank(struct search *s, uint32_t index)
{
    const struct tp_flight_rank *rank = tp_flight_rank_at(s->job, index);
    for (uint32_t i = 0; i < rank->call_count; i++) {
        const struct tp_flight_call *call = &rank->calls[i].call;
        uint32_t *users = tp_id_map_find_or_add(&s->users_of, call->group);
        if (*users == TP_NO_ID) {
            *users = (uint32_t)s->users.count;
            *(struct tp_vec *)tp_vec_push(&s->users) = TP_VEC(s->job->arena, uint32_t);
        }
        struct tp_vec *list = TP_AT(&s->users, struct tp_vec, *users);
        if (!list->count || *TP_AT(list, uint32_t, list->count - 1) != rank->number)
            *(uint32_t *)tp_vec_push(list) = rank->number;
        describe(s, call->group, call->description);
    }
}

/* ---- the group of a call ---- */

/* Returns the only listed set of a name that contains the rank; TP_NO_ID for none or several. */
static uint32_t only_set_with(struct search *s, uint32_t name, uint32_t rank)
{
    uint32_t found = TP_NO_ID, index = tp_id_map_get(&s->listed_of, name);
    const struct listed *listed = index == TP_NO_ID ? NULL : TP_AT(&s->listed, struct listed, index);
    for (size_t i = 0; listed && i < listed->sets.count; i++) {
        uint32_t set = *TP_AT(&listed->sets, uint32_t, i);
        if (!contains(s->job, set, rank))
            continue;
        if (found != TP_NO_ID)
            return TP_NO_ID;
        found = set;
    }
    return found;
}

/* Returns the set of all ranks that gloo's dumps list, that have a dump, or whose file could not be read. */
static uint32_t whole_set(struct search *s)
{
    struct tp_flight_job *job = s->job;
    struct tp_vec ranks = TP_VEC(job->arena, uint32_t);
    uint32_t empty = tp_strings_find(&job->texts, (struct tp_str){"", 0});
    uint32_t index = empty == TP_NO_ID ? TP_NO_ID : tp_id_map_get(&s->listed_of, empty);
    const struct listed *listed = index == TP_NO_ID ? NULL : TP_AT(&s->listed, struct listed, index);
    if (s->whole_set != TP_NO_ID)
        return s->whole_set;
    for (size_t i = 0; listed && i < listed->sets.count; i++) {
        uint32_t count;
        const uint32_t *items = ranks_of_set(job, *TP_AT(&listed->sets, uint32_t, i), &count);
        for (uint32_t k = 0; k < count; k++)
            *(uint32_t *)tp_vec_push(&ranks) = items[k];
    }
    for (size_t i = 0; i < job->files.count; i++) {
        const struct tp_flight_file *file = TP_AT(&job->files, struct tp_flight_file, i);
        if (file->rank >= 0)
            *(uint32_t *)tp_vec_push(&ranks) = (uint32_t)file->rank;
    }
    s->whole_set = add_set(job, &ranks);
    return s->whole_set;
}

static uint32_t set_of_users(struct search *s, uint32_t name)
{
    struct tp_vec ranks = TP_VEC(s->job->arena, uint32_t);
    const struct tp_vec *users = TP_AT(&s->users, struct tp_vec, tp_id_map_get(&s->users_of, name));
    for (size_t i = 0; i < users->count; i++)
        *(uint32_t *)tp_vec_push(&ranks) = *TP_AT(users, uint32_t, i);
    return add_set(s->job, &ranks);
}

static uint32_t add_group(struct search *s, uint32_t name, uint32_t set, bool is_known)
{
    struct tp_flight_job *job = s->job;
    const uint32_t key[] = {name, set, is_known};
    uint32_t id = tp_strings_add(&job->group_keys, (struct tp_str){(const char *)key, sizeof key});
    if (id < job->groups.count)
        return id;
    struct tp_flight_group_of_ranks *group = tp_vec_push(&job->groups);
    group->name = name;
    group->description = tp_id_map_get(&s->description_of, name);
    group->ranks = ranks_of_set(job, set, &group->rank_count);
    group->is_known = is_known;
    return id;
}

static uint32_t find_group(struct search *s, uint32_t name, uint32_t rank)
{
    uint32_t set = tp_id_map_get(&s->set_of_rank, tp_id_pair(name, rank));
    if (set == TP_NO_ID)
        set = only_set_with(s, name, tp_flight_rank_at(s->job, rank)->number);
    if (set != TP_NO_ID)
        return add_group(s, name, set, true);
    struct tp_str description = tp_flight_text(s->job, tp_id_map_get(&s->description_of, name));
    if (tp_str_equal(description, TP_STR("default_pg")))
        return add_group(s, name, whole_set(s), true);
    return add_group(s, name, set_of_users(s, name), false);
}

void tp_flight_job_set_groups(struct tp_flight_job *job)
{
    struct search s = {.job = job,
                       .listed = TP_VEC(job->arena, struct listed),
                       .users = TP_VEC(job->arena, struct tp_vec),
                       .whole_set = TP_NO_ID};
    struct tp_id_map *maps[] = {&s.set_of_text,    &s.listed_of, &s.set_of_rank,
                                &s.description_of, &s.users_of,  &s.group_of_rank};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        tp_id_map_init(maps[i], job->arena);
    for (uint32_t r = 0; r < job->ranks.count; r++)
        read_calls_of_rank(&s, r);
    for (uint32_t r = 0; r < job->ranks.count; r++)
        read_groups_of_rank(&s, r);
    list_sets(&s);
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        struct tp_flight_rank *rank = tp_flight_rank_at(job, r);
        for (uint32_t i = 0; i < rank->call_count; i++) {
            uint64_t key = tp_id_pair(rank->calls[i].call.group, r);
            uint32_t group = tp_id_map_get(&s.group_of_rank, key);
            if (group == TP_NO_ID) {
                group = find_group(&s, rank->calls[i].call.group, r);
                *tp_id_map_find_or_add(&s.group_of_rank, key) = group;
            }
            rank->calls[i].group = group;
        }
    }
}
