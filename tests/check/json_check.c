/* json_check: an independent reader of our JSON, for tests. It shares no code with tracepress.
 *
 *   json_check valid FILE                     strict RFC 8259 and UTF-8, or status 1 with the place
 *   json_check get FILE PATH                  prints the value at runs.0.profiles.0.worker; PATH# prints its length
 *   json_check diff OURS REF [PATH [KEY..]]   OURS (below PATH) must have every value of REF. Quotients (known by
 *                                             their keys, with all values below them) may differ by 1e-9, relative.
 *                                             OURS may have more members, but not more rows. With KEYs, only these
 *                                             members are compared. Rules in rules_left_out of REF are not compared.
 *
 * A file that begins like gzip is read through zlib. Status: 0 equal or valid, 1 different or not JSON, 2 wrong usage
 * or unreadable file. */
#include "tests/check/json_node.h"

enum { MAX_SHOWN = 20 };

/* ---- comparing
 * -------------------------------------------------------------------------------------------------------- */

struct result {
    size_t compared, different;
};

static void report_difference(struct result *result, const char *path, const struct node *ours, const struct node *ref)
{
    const char *a = ours ? (ours->text ? ours->text : "(container)") : "(missing)",
               *b = ref->text ? ref->text : "(container)";
    if (result->different++ < MAX_SHOWN)
        printf("%s: ours %.200s, reference %.200s\n", path, a, b);
}

/* Path and rules of the value that is being compared. */
struct place {
    char *path;
    bool is_quotient; /* true if the number is a quotient of two integers that was rounded once */
    bool has_rows;    /* true if the names of members come from the data, not from the definition */
    /* rules that the reference omits, each with the rules that it changes; NULL if the reference has all rules */
    const struct node *left_out;
    const struct node *findings; /* findings of OURS; used only with left_out */
};

static bool has_prefix_and_suffix(const char *text, const char *prefix, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return (*prefix && strncmp(text, prefix, strlen(prefix)) == 0) || (m <= n && strcmp(text + n - m, suffix) == 0);
}

static bool is_one_of(const char *key, const char *const *keys)
{
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0)
            return true;
    return false;
}

static bool is_quotient_key(const char *key)
{
    static const char *const keys[] = {"average", "flame_value_us", "step_us", "percent", "value", "all", NULL};
    return is_one_of(key, keys) || has_prefix_and_suffix(key, "mean_", "_ratio") ||
           has_prefix_and_suffix(key, "", "_percent") || has_prefix_and_suffix(key, "", "_per_step");
}

static bool has_rows_key(const char *key)
{
    static const char *const keys[] = {"call_stacks_by_name",
                                       "call_stacks_by_name_and_input_shape",
                                       "curve_points_up_to_10240",
                                       "events",
                                       "operator_stats",
                                       "operator_stats_folded",
                                       "device_busy_by_gpu_us",
                                       "peak_bytes",
                                       "read",
                                       "skipped",
                                       "device_information",
                                       NULL};
    return is_one_of(key, keys) || has_prefix_and_suffix(key, "", "_by_worker") ||
           has_prefix_and_suffix(key, "", "_by_step_and_worker");
}

static bool is_same_number(const struct node *ours, const struct node *ref, bool is_quotient)
{
    /* decimal digits that a double represents exactly; numbers with more digits must be equal as texts */
    enum { EXACT_DIGITS = 15 };
    double a = strtod(ours->text, NULL), b = strtod(ref->text, NULL);
    if (strcmp(ours->text, ref->text) == 0)
        return true;
    if (is_quotient)
        return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
    return a == b && ours->length <= EXACT_DIGITS && ref->length <= EXACT_DIGITS;
}

static void compare_values(struct result *result, struct place place, const struct node *ours, const struct node *ref);

/* Reports members that only the document `ours` has. Additional fields are allowed, but additional rows are not. */
static void find_additional_members(struct result *result, const struct place *place, const struct node *ours,
                                    const struct node *ref)
{
    const struct node *theirs = ref->first;
    for (const struct node *own = ours->first; own; own = own->next) {
        if (!theirs || strcmp(own->key, theirs->key) != 0)
            theirs = find_member(ref, own->key);
        if (!theirs) {
            result->compared++;
            result->different++;
            printf("%s.%.200s: only in ours\n", place->path, own->key);
        }
        theirs = theirs ? theirs->next : NULL;
    }
}

/* ---- findings: by rule, in any order ---- */

#define LEFT_OUT "rules_left_out"

static const char *rule_id(const struct node *row)
{
    const struct node *id = row->type == '{' ? find_member(row, "id") : NULL;
    return id && id->text ? id->text : "";
}

/* Returns the number of findings of a rule in a list. */
static size_t count_findings(const struct node *list, const char *id)
{
    size_t count = 0;
    for (const struct node *row = list->first; row; row = row->next)
        count += strcmp(rule_id(row), id) == 0;
    return count;
}

/* Returns finding number `n` of a rule, or NULL if the rule has fewer. */
static const struct node *find_finding(const struct node *list, const char *id, size_t n)
{
    for (const struct node *row = list->first; row; row = row->next)
        if (strcmp(rule_id(row), id) == 0 && n-- == 0)
            return row;
    return NULL;
}

/* Returns whether the reference omits this rule, or whether an omitted rule with findings in OURS changes it. left_out:
 * member rules_left_out of the reference, which maps each omitted rule to a list of changed rules; NULL: the reference
 * has every rule. */
static bool is_rule_omitted(const struct place *place, const char *id)
{
    if (!place->left_out)
        return false;
    if (find_member(place->left_out, id))
        return true;
    for (const struct node *rule = place->left_out->first; rule; rule = rule->next) {
        bool is_changed = false;
        for (const struct node *changed = rule->first; changed; changed = changed->next)
            is_changed |= changed->text && strcmp(changed->text, id) == 0;
        if (is_changed && find_finding(place->findings, rule->key, 0))
            return true;
    }
    return false;
}

static bool is_list_of_rules(const char *path)
{
    return strstr(path, ".recommendations.findings") || strstr(path, ".recommendations.rules_not_evaluated");
}

static void compare_rules(struct result *result, struct place place, const struct node *ours, const struct node *ref)
{
    size_t room = strlen(place.path) + 600;
    struct place below = {exit_if_out_of_memory(malloc(room)), place.is_quotient, false, NULL, NULL};
    for (const struct node *row = ref->first; row; row = row->next) {
        size_t before = 0;
        if (is_rule_omitted(&place, rule_id(row)))
            continue;
        for (const struct node *other = ref->first; other != row; other = other->next)
            before += strcmp(rule_id(other), rule_id(row)) == 0;
        snprintf(below.path, room, "%s.%.500s", place.path, rule_id(row));
        compare_values(result, below, find_finding(ours, rule_id(row), before), row);
    }
    for (const struct node *own = ours->first; own; own = own->next)
        if (!is_rule_omitted(&place, rule_id(own)) &&
            count_findings(ours, rule_id(own)) > count_findings(ref, rule_id(own))) {
            result->different++;
            printf("%s.%.200s: only in ours\n", place.path, rule_id(own));
        }
    free(below.path);
}

/* Returns whether the key is a total that includes findings of a rule that the reference omits. */
static bool has_total_of_omitted_rule(const struct place *place, const char *key)
{
    if (!place->left_out || strncmp(key, "total_ceiling", strlen("total_ceiling")) != 0)
        return false;
    for (const struct node *own = place->findings->first; own; own = own->next)
        if (is_rule_omitted(place, rule_id(own)))
            return true;
    return false;
}

static void compare_children(struct result *result, struct place place, const struct node *ours, const struct node *ref)
{
    size_t index = 0, room = strlen(place.path) + 600;
    const struct node *own = ours->first;
    struct place below = place;
    below.path = exit_if_out_of_memory(malloc(room));
    below.has_rows = ref->type == '{' && place.has_rows;
    if (ref->type == '{' && find_member(ref, LEFT_OUT) && find_member(ours, "findings")) {
        place.left_out = below.left_out = find_member(ref, LEFT_OUT);
        place.findings = below.findings = find_member(ours, "findings");
    }
    result->compared += ref->type == '[';
    if (ref->type == '[' && ours->length != ref->length) {
        result->different++;
        printf("%s: ours has %zu items, reference %zu\n", place.path, ours->length, ref->length);
    }
    if (ref->type == '{' && place.has_rows)
        find_additional_members(result, &place, ours, ref);
    for (const struct node *child = ref->first; child; child = child->next, index++) {
        if (ref->type == '[') {
            snprintf(below.path, room, "%s.%zu", place.path, index);
        } else {
            snprintf(below.path, room, "%s.%.500s", place.path, child->key);
            below.is_quotient = place.is_quotient || is_quotient_key(child->key);
            below.has_rows = place.has_rows || has_rows_key(child->key);
            if (!own || strcmp(own->key, child->key) != 0) /* rare, because the documents have the same key order */
                own = find_member(ours, child->key);
        }
        bool is_row_used_for_similarity =
            ref->type == '[' || (strcmp(child->key, LEFT_OUT) != 0 && !has_total_of_omitted_rule(&place, child->key));
        if (is_row_used_for_similarity)
            compare_values(result, below, own, child);
        own = own ? own->next : NULL;
    }
    free(below.path);
}

static void compare_values(struct result *result, struct place place, const struct node *ours, const struct node *ref)
{
    if (ours && ours->type == ref->type && (ref->type == '{' || ref->type == '[')) {
        if (ref->type == '[' && is_list_of_rules(place.path))
            compare_rules(result, place, ours, ref);
        else
            compare_children(result, place, ours, ref);
        return;
    }
    result->compared++;
    bool same = ours && ours->text && ref->text &&
                (ours->type == ref->type || (strchr("-0123456789", ours->type) && strchr("-0123456789", ref->type))) &&
                (ref->type == '0' ? is_same_number(ours, ref, place.is_quotient)
                                  : ours->length == ref->length && memcmp(ours->text, ref->text, ref->length) == 0);
    if (!same)
        report_difference(result, place.path, ours, ref);
}

/* Returns the value at a path such as runs.0.profiles.0.worker, or NULL if it does not exist. */
static struct node *find_value(struct node *node, const char *path)
{
    char *copy = exit_if_out_of_memory(strdup(path)), *rest = copy, *part;
    while (node && (part = strsep(&rest, ".")) != NULL) {
        struct node *child = node->first;
        if (!*part)
            continue;
        if (node->type == '[')
            for (long i = strtol(part, NULL, 10); child && i > 0; i--)
                child = child->next;
        else
            child = find_member(node, part);
        node = child;
    }
    free(copy);
    return node;
}

static int compare_files(char **args, int count)
{
    static struct node ours, ref; /* static, so that leak checkers find their memory at exit */
    struct result result = {0};
    if (!load_json_file(args[0], &ours) || !load_json_file(args[1], &ref))
        return 1;
    struct node *own = find_value(&ours, count > 2 ? args[2] : "");
    if (count <= 3)
        compare_values(&result, (struct place){.path = ""}, own, &ref);
    for (int i = 3; i < count; i++) {
        const struct node *wanted = find_member(&ref, args[i]);
        if (wanted)
            compare_values(&result,
                           (struct place){args[i], is_quotient_key(args[i]), has_rows_key(args[i]), NULL, NULL},
                           own ? find_member(own, args[i]) : NULL, wanted);
    }
    printf("%zu values compared, %zu differ\n", result.compared, result.different);
    return result.different != 0 || result.compared == 0;
}

static int print_value_at_path(const char *file, const char *path)
{
    static struct node root;
    size_t n = strlen(path);
    bool count = n && path[n - 1] == '#';
    char *where = exit_if_out_of_memory(strndup(path, n - count));
    const struct node *node = load_json_file(file, &root) ? find_value(&root, where) : NULL;
    free(where);
    if (!node) {
        puts("(missing)");
        return 1;
    }
    if (count || !node->text)
        printf("%zu\n", node->length);
    else
        printf("%s\n", node->text);
    return 0;
}

int main(int argc, char **argv)
{
    static struct node root;
    if (argc == 3 && !strcmp(argv[1], "valid"))
        return load_json_file(argv[2], &root) ? 0 : 1;
    if (argc == 4 && !strcmp(argv[1], "get"))
        return print_value_at_path(argv[2], argv[3]);
    if (argc >= 4 && !strcmp(argv[1], "diff"))
        return compare_files(argv + 2, argc - 2);
    fputs("usage: json_check valid FILE | get FILE PATH | diff OURS REF [PATH [KEY..]]\n", stderr);
    return 2;
}
