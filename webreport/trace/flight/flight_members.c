/* Reads the members of a dump next to its entries: the version, the groups, and how far each group is. See
 * flight_dump.h. */
#include <errno.h>
#include <stdlib.h>

#include "webreport/trace/flight/flight_value.h"
#include "webreport/trace/json/number.h"

/* ---- version ---- */

/* Returns whether a version is 1.x or 2.x. A minor version adds members. */
static bool is_known_version(struct tp_str version)
{
    size_t at = 2;
    if (version.len < 3 || (version.ptr[0] != '1' && version.ptr[0] != '2') || version.ptr[1] != '.')
        return false;
    while (at < version.len && tp_is_digit(version.ptr[at]))
        at++;
    return at == version.len;
}

int tp_flight_set_version(struct tp_flight_dump *dump, const struct tp_flight_value *version, struct tp_error *err)
{
    enum { SHOWN = 20 };
    struct tp_str text = version->kind == TP_FLIGHT_TEXT ? version->text : (struct tp_str){"", 0};
    dump->version = (struct tp_str){tp_arena_copy(dump->arena, text.ptr, text.len), text.len};
    if (is_known_version(text))
        return TP_OK;
    return tp_flight_refuse(dump, TP_FLIGHT_VERSION, TP_EFORMAT, err,
                            "version %.*s of the Flight Recorder's format is not known; versions 1.x and 2.x are",
                            (int)(text.len < SHOWN ? text.len : SHOWN), text.ptr);
}

/* ---- groups ---- */

/* Adds the group of a member. The last of equal names counts. */
static void add_group(struct tp_flight_dump *dump, struct tp_str key, const struct tp_flight_members *members)
{
    struct tp_flight_value name = tp_flight_member(members, TP_FLIGHT_KEY_NAME);
    struct tp_flight_value description = tp_flight_member(members, TP_FLIGHT_KEY_DESC);
    struct tp_flight_value ranks = tp_flight_member(members, TP_FLIGHT_KEY_RANKS);
    if (name.kind == TP_FLIGHT_TEXT && name.text.len)
        key = name.text;
    struct tp_flight_group *group = tp_vec_push(&dump->groups);
    group->name = tp_strings_add(&dump->texts, key);
    group->description =
        tp_strings_add(&dump->texts, description.kind == TP_FLIGHT_TEXT ? description.text : (struct tp_str){"", 0});
    group->ranks = tp_strings_add(&dump->texts, ranks.kind == TP_FLIGHT_TEXT ? ranks.text : (struct tp_str){"", 0});
}

void tp_flight_set_groups(struct tp_flight_dump *dump, struct tp_flight_source *source,
                          const struct tp_flight_value *config)
{
    struct tp_flight_walk walk;
    struct tp_flight_members members;
    struct tp_flight_value item;
    struct tp_str key;
    dump->groups.count = 0;
    if (config->kind != TP_FLIGHT_DICT)
        return;
    tp_flight_walk_begin(&walk, source, config);
    while (tp_flight_walk_next(&walk, &key, &item)) {
        if (item.kind != TP_FLIGHT_DICT)
            continue;
        tp_flight_members_fill(&members, source, &item);
        add_group(dump, key, &members);
    }
}

/* ---- progress ---- */

/* Reads an integer, or a text with one. Returns false for other values. */
static bool read_int(const struct tp_flight_value *value, int64_t *out)
{
    if (value->kind == TP_FLIGHT_TEXT)
        return value->text.len && tp_number_parse_int(value->text, out) == TP_NUMBER_OK;
    *out = value->integer;
    return value->kind == TP_FLIGHT_INT;
}

void tp_flight_set_progress(struct tp_flight_dump *dump, struct tp_flight_source *source,
                            const struct tp_flight_value *status)
{
    struct tp_flight_walk walk;
    struct tp_flight_members members;
    struct tp_flight_value item;
    struct tp_str key;
    int64_t group, last;
    dump->progress.count = 0;
    dump->leaves_calls_out = false;
    if (status->kind == TP_FLIGHT_NOTHING)
        return;
    tp_flight_walk_begin(&walk, source, status);
    while (tp_flight_walk_next(&walk, &key, &item)) {
        dump->leaves_calls_out = true;
        tp_flight_members_fill(&members, source, &item);
        struct tp_flight_value enqueued = tp_flight_member(&members, TP_FLIGHT_KEY_LAST_ENQUEUED);
        if (read_int(&enqueued, &last) && tp_number_parse_int(key, &group) == TP_NUMBER_OK)
            *(struct tp_flight_progress *)tp_vec_push(&dump->progress) = (struct tp_flight_progress){group, last};
    }
}
