/* The verdict as SARIF 2.1.0: see check_print.h. What a code host needs of it: a rule per metric, a result per place,
 * paths relative to the repository's root, a fingerprint that stays when lines move. */
#include "webreport/check/check_print.h"

#include <stdlib.h>

#include "webreport/render/format.h"
#include "webreport/render/section_text.h"
#include "writer/base/json_out.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

struct sarif {
    const struct tp_check_print *print;
    struct tp_json json;
    int rule_of[TP_METRIC_COUNT]; /* position in the list of rules, -1: not used */
};

static void text_object(struct tp_json *json, const char *key, const char *text)
{
    tp_json_key(json, key);
    tp_json_object(json);
    tp_json_member_text(json, "text", text);
    tp_json_object_end(json);
}

/* ---- rules ---- */

static const char *help_of(const struct tp_metric *metric, struct tp_arena *arena)
{
    unsigned count;
    const struct tp_rule *rules = tp_rules(&count);
    for (unsigned i = 0; i < count; i++)
        if (rules[i].title == tp_metric_title(metric))
            return tp_text_printf(arena, "%s %s", rules[i].advice, rules[i].doc_url ? rules[i].doc_url : "");
    return tp_text_printf(arena, "Unit: %s. In report --json: %s.", tp_metric_unit_text(metric->unit), metric->json);
}

static void put_rules(struct sarif *s)
{
    const struct tp_check *c = s->print->check;
    int count = 0;
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        s->rule_of[i] = -1;
    tp_json_key(&s->json, "rules");
    tp_json_array(&s->json);
    for (size_t i = 0; i < c->count; i++) {
        int metric = c->items[i].line->metric;
        if (c->items[i].status == TP_CHECK_PASS || s->rule_of[metric] >= 0)
            continue;
        s->rule_of[metric] = count++;
        tp_json_object(&s->json);
        tp_json_member_text(&s->json, "id", tp_metrics[metric].name);
        text_object(&s->json, "shortDescription", tp_metric_title(&tp_metrics[metric]));
        text_object(&s->json, "help", help_of(&tp_metrics[metric], s->print->arena));
        tp_json_object_end(&s->json);
    }
    tp_json_array_end(&s->json);
}

/* ---- places ---- */

/* The path and line of "path(12): function" as an address and a number; false when it is none. */
static bool locate(const struct sarif *s, struct tp_str file_line, const char **uri, const char **line)
{
    const char *root = s->print->source_root;
    size_t length = root ? strlen(root) : 0;
    while (length && root[length - 1] == '/')
        length--;
    if (length && file_line.len > length + 1 && memcmp(file_line.ptr, root, length) == 0 &&
        file_line.ptr[length] == '/')
        file_line = (struct tp_str){file_line.ptr + length + 1, file_line.len - length - 1};
    while (tp_str_starts(file_line, "./"))
        file_line = (struct tp_str){file_line.ptr + 2, file_line.len - 2};
    bool is_absolute = file_line.len && file_line.ptr[0] == '/';
    struct tp_naming path = {.arena = s->print->arena, .source_url = is_absolute ? "file://{path}" : "{path}"};
    struct tp_naming number = {.arena = s->print->arena, .source_url = "{line}"};
    *uri = tp_source_link(&path, file_line);
    *line = tp_source_link(&number, file_line);
    return *uri && *line && strtol(*line, NULL, 10) > 0;
}

static void location(struct tp_json *json, const char *uri, int64_t line)
{
    tp_json_key(json, "locations");
    tp_json_array(json);
    tp_json_object(json);
    tp_json_key(json, "physicalLocation");
    tp_json_object(json);
    tp_json_key(json, "artifactLocation");
    tp_json_object(json);
    tp_json_member_text(json, "uri", uri);
    tp_json_object_end(json);
    tp_json_key(json, "region");
    tp_json_object(json);
    tp_json_member_int(json, "startLine", line);
    tp_json_object_end(json);
    tp_json_object_end(json);
    tp_json_object_end(json);
    tp_json_array_end(json);
}

/* A relative file name as an address; of an absolute one the last part. */
static const char *file_uri(const struct sarif *s, const char *file)
{
    struct tp_naming naming = {.arena = s->print->arena, .source_url = "{path}"};
    const char *slash = strrchr(file, '/');
    const char *uri = tp_source_link(
        &naming, tp_str_of(tp_text_printf(s->print->arena, "%.2000s(1)", *file == '/' && slash ? slash + 1 : file)));
    return uri ? uri : "budget";
}

/* Where a result without a place of its own stands: its line of the budget, else the trace. */
static void fallback(struct sarif *s, const struct tp_check_item *item)
{
    const struct tp_check_input *input = s->print->check->input;
    if (input->budget->file)
        location(&s->json, file_uri(s, input->budget->file), item->line->number);
    else
        location(&s->json, file_uri(s, input->run.name), 1);
}

/* ---- results ---- */

static void put_result(struct sarif *s, const struct tp_check_item *item, const struct tp_check_place *place)
{
    static const char *const levels[] = {"none", "warning", "note", "error"};
    struct tp_arena *arena = s->print->arena;
    const char *message = tp_check_item_message(s->print, item), *uri = NULL, *line = NULL, *name;
    bool has_place = place && locate(s, place->file_line, &uri, &line);
    if (place)
        message = tp_text_printf(arena, "%.*s (%s)", (int)place->text.len, place->text.ptr, message);
    name = place ? strrchr(tp_text_printf(arena, ")%.*s", (int)place->file_line.len, place->file_line.ptr), ')') : "";
    name = tp_text_printf(arena, "%s|%s|%s|%.*s", tp_metrics[item->line->metric].name, uri ? uri : "", name,
                          (int)item->subject.len, item->subject.ptr);
    tp_json_object(&s->json);
    tp_json_member_text(&s->json, "ruleId", tp_metrics[item->line->metric].name);
    tp_json_member_int(&s->json, "ruleIndex", s->rule_of[item->line->metric]);
    tp_json_member_text(&s->json, "level", levels[item->status]);
    text_object(&s->json, "message", message);
    if (has_place)
        location(&s->json, uri, strtol(line, NULL, 10));
    else
        fallback(s, item);
    tp_json_key(&s->json, "partialFingerprints");
    tp_json_object(&s->json);
    tp_json_member_text(&s->json, "tracepress/v1",
                        tp_text_printf(arena, "%016llx", (unsigned long long)tp_hash_bytes(name, strlen(name))));
    tp_json_object_end(&s->json);
    tp_json_object_end(&s->json);
}

static void put_results(struct sarif *s)
{
    const struct tp_check *c = s->print->check;
    tp_json_key(&s->json, "results");
    tp_json_array(&s->json);
    for (size_t i = 0; i < c->count; i++) {
        const struct tp_check_item *item = &c->items[i];
        if (item->status == TP_CHECK_PASS)
            continue;
        for (uint32_t p = 0; p < item->place_count; p++)
            put_result(s, item, &item->places[p]);
        if (item->place_count == 0)
            put_result(s, item, NULL);
    }
    tp_json_array_end(&s->json);
}

void tp_check_sarif(const struct tp_check_print *print, struct tp_buf *out)
{
    struct sarif s = {.print = print};
    tp_json_init(&s.json, out);
    tp_json_object(&s.json);
    tp_json_member_text(&s.json, "$schema", SCHEMA);
    tp_json_member_text(&s.json, "version", "2.1.0");
    tp_json_key(&s.json, "runs");
    tp_json_array(&s.json);
    tp_json_object(&s.json);
    tp_json_key(&s.json, "tool");
    tp_json_object(&s.json);
    tp_json_key(&s.json, "driver");
    tp_json_object(&s.json);
    tp_json_member_text(&s.json, "name", "tracepress");
    tp_json_member_text(&s.json, "version", TP_VERSION);
    put_rules(&s);
    tp_json_object_end(&s.json);
    tp_json_object_end(&s.json);
    put_results(&s);
    tp_json_object_end(&s.json);
    tp_json_array_end(&s.json);
    tp_json_object_end(&s.json);
    tp_buf_putc(out, '\n');
}
