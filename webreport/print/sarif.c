/* Prints findings as SARIF 2.1.0. See print.h. Code hosts need the rules, a result for each location, paths relative to
 * the root of the repository, and a fingerprint that stays the same when lines move. */
#include "webreport/print/print.h"

#include <stdlib.h>

#include "webreport/document/name_text.h"
#include "writer/base/json_out.h"
#include "writer/base/path.h"
#include "writer/text/format.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

struct sarif {
    const char *source_root;
    const struct tp_findings_block *list;
    struct tp_arena *arena;
    struct tp_json json;
    struct tp_vec rules; /* elements: const struct tp_rule_block *, in the order of first use */
};

static void put_text_object(struct tp_json *json, const char *key, const char *text)
{
    tp_json_key(json, key);
    tp_json_object(json);
    tp_json_member_text(json, "text", text);
    tp_json_object_end(json);
}

/* ---- rules ---- */

static bool is_finding_a_result(const struct tp_finding_block *finding)
{
    return finding->tone != TP_TONE_GOOD && !finding->is_inconclusive_by_noise;
}

/* Returns the index of a rule in s->rules, or the length of this list if it lacks the rule. */
static size_t rule_index(const struct sarif *s, const struct tp_rule_block *rule)
{
    size_t i = 0;
    while (i < s->rules.count && *TP_AT(&s->rules, const struct tp_rule_block *, i) != rule)
        i++;
    return i;
}

static void put_rules(struct sarif *s)
{
    tp_json_key(&s->json, "rules");
    tp_json_array(&s->json);
    for (size_t i = 0; i < s->list->count; i++) {
        const struct tp_rule_block *rule = s->list->items[i].rule;
        if (!is_finding_a_result(&s->list->items[i]) || rule_index(s, rule) < s->rules.count)
            continue;
        *(const struct tp_rule_block **)tp_vec_push(&s->rules) = rule;
        tp_json_object(&s->json);
        tp_json_member_text(&s->json, "id", rule->id);
        put_text_object(&s->json, "shortDescription", rule->title);
        put_text_object(&s->json, "help", rule->help);
        tp_json_object_end(&s->json);
    }
    tp_json_array_end(&s->json);
}

/* ---- locations ---- */

/* Splits a text such as "path(12): function" into URI and line number. Returns false for other texts. */
static bool split_place(const struct sarif *s, struct tp_str file_line, const char **uri, const char **line)
{
    const char *root = s->source_root;
    size_t length = root ? strlen(root) : 0;
    while (length && root[length - 1] == '/')
        length--;
    if (length && file_line.len > length + 1 && memcmp(file_line.ptr, root, length) == 0 &&
        file_line.ptr[length] == '/')
        file_line = (struct tp_str){file_line.ptr + length + 1, file_line.len - length - 1};
    while (tp_str_starts(file_line, "./"))
        file_line = (struct tp_str){file_line.ptr + 2, file_line.len - 2};
    bool is_absolute = file_line.len && file_line.ptr[0] == '/';
    struct tp_naming path = {.arena = s->arena, .source_url = is_absolute ? "file:///{path}" : "{path}"};
    struct tp_naming number = {.arena = s->arena, .source_url = "{line}"};
    *uri = tp_source_link(&path, file_line);
    *line = tp_source_link(&number, file_line);
    return *uri && *line && strtol(*line, NULL, 10) > 0;
}

static void put_location(struct tp_json *json, const char *key, const char *uri, int64_t line)
{
    tp_json_key(json, key);
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

/* Returns a relative path as a URI. An absolute path is reduced to the file name. */
static const char *file_uri(const struct sarif *s, const char *file)
{
    struct tp_naming naming = {.arena = s->arena, .source_url = "{path}"};
    const char *uri = tp_source_link(
        &naming, tp_str_of(tp_text_printf(s->arena, "%.2000s(1)", *file == '/' ? tp_path_base(file) : file)));
    return uri ? uri : "budget";
}

/* Writes the location of a result without a source line: the broken limit in the budget file, or else the input. */
static void put_fallback_location(struct sarif *s, const struct tp_finding_block *finding)
{
    if (s->list->is_source_file)
        put_location(&s->json, "locations", file_uri(s, s->list->source), finding->line);
    else
        put_location(&s->json, "locations", file_uri(s, s->list->input), 1);
}

/* ---- results ---- */

/* Returns a hash of rule, file, function and subject, which stays the same when lines move. */
static const char *finding_fingerprint(const struct sarif *s, const struct tp_finding_block *finding,
                                       const struct tp_place_block *place, const char *uri)
{
    const char *name = "";
    if (place && place->function.ptr)
        name = tp_text_printf(s->arena, "): %.*s", (int)place->function.len, place->function.ptr);
    else if (place)
        name = tp_text_printf(s->arena, ")%.*s", (int)place->file_line.len, place->file_line.ptr);
    name = tp_text_printf(s->arena, "%s|%s|%s|%.*s", finding->rule->id, uri ? uri : "", name, (int)finding->subject.len,
                          finding->subject.ptr);
    return tp_text_printf(s->arena, "%016llx", (unsigned long long)tp_hash_bytes(name, strlen(name)));
}

static void put_result(struct sarif *s, const struct tp_finding_block *finding, const struct tp_place_block *place)
{
    const char *message = finding->message, *uri = NULL, *line = NULL;
    bool has_place = place && split_place(s, place->file_line, &uri, &line);
    if (place)
        message = tp_text_printf(s->arena, "%.*s (%s)", (int)place->text.len, place->text.ptr, message);
    tp_json_object(&s->json);
    tp_json_member_text(&s->json, "ruleId", finding->rule->id);
    tp_json_member_int(&s->json, "ruleIndex", (int64_t)rule_index(s, finding->rule));
    tp_json_member_text(&s->json, "level",
                        finding->tone == TP_TONE_BAD                                         ? "error"
                        : finding->tone == TP_TONE_WARN || finding->is_inconclusive_by_input ? "warning"
                                                                                             : "note");
    put_text_object(&s->json, "message", message);
    if (has_place)
        put_location(&s->json, "locations", uri, strtol(line, NULL, 10));
    if (has_place &&
        s->list->is_source_file) /* adds the line of the broken limit in the budget file as a related location */
        put_location(&s->json, "relatedLocations", file_uri(s, s->list->source), finding->line);
    if (!has_place)
        put_fallback_location(s, finding);
    tp_json_key(&s->json, "partialFingerprints");
    tp_json_object(&s->json);
    tp_json_member_text(&s->json, "tracepress/v1", finding_fingerprint(s, finding, place, uri));
    tp_json_object_end(&s->json);
    tp_json_object_end(&s->json);
}

static void put_results(struct sarif *s)
{
    tp_json_key(&s->json, "results");
    tp_json_array(&s->json);
    for (size_t i = 0; i < s->list->count; i++) {
        const struct tp_finding_block *finding = &s->list->items[i];
        if (!is_finding_a_result(finding))
            continue;
        for (uint32_t p = 0; p < finding->place_count; p++)
            put_result(s, finding, &finding->places[p]);
        if (finding->place_count == 0)
            put_result(s, finding, NULL);
    }
    tp_json_array_end(&s->json);
}

static void put_run(struct sarif *s)
{
    tp_json_object(&s->json);
    tp_json_key(&s->json, "tool");
    tp_json_object(&s->json);
    tp_json_key(&s->json, "driver");
    tp_json_object(&s->json);
    tp_json_member_text(&s->json, "name", "tracepress");
    tp_json_member_text(&s->json, "version", TP_VERSION);
    put_rules(s);
    tp_json_object_end(&s->json);
    tp_json_object_end(&s->json);
    put_results(s);
    tp_json_object_end(&s->json);
}

int tp_print_sarif(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                   struct tp_error *err)
{
    (void)err;
    struct sarif s = {.source_root = options->source_root, .arena = document->arena};
    tp_json_init(&s.json, out);
    tp_json_object(&s.json);
    tp_json_member_text(&s.json, "$schema", SCHEMA);
    tp_json_member_text(&s.json, "version", "2.1.0");
    tp_json_key(&s.json, "runs");
    tp_json_array(&s.json);
    for (size_t i = 0; i < document->blocks.count; i++) {
        const struct tp_block *block = tp_document_block_at(document, i);
        if (block->kind != TP_BLOCK_FINDINGS)
            continue;
        s.list = &block->findings;
        s.rules = TP_VEC(document->arena, const struct tp_rule_block *);
        put_run(&s);
    }
    tp_json_array_end(&s.json);
    tp_json_object_end(&s.json);
    tp_buf_putc(out, '\n');
    return TP_OK;
}
