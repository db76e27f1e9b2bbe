/* Fills the tables of a comparison: rows by kind, the waterfall, findings and facts. See compare.h. */
#include <math.h>

#include "webreport/compare/two/compare.h"
#include "webreport/measure/audience/phrases.h"
#include "webreport/measure/rules/unknown_data.h"
#include "webreport/trace/input_facts.h"
#include "writer/base/sort.h"

static const struct tp_column_def row_defs[TP_ROW_COLUMNS] = {
    {"kind", "Kind", "", "Kind of the row, such as kernel, {operator} or copy.", TP_COLUMN_TEXT},
    {"name", "Name", "", "Name on the new side, or in the base if the row was removed.", TP_COLUMN_TEXT},
    {"owner", "{Operator}", "",
     "For device work, the innermost {operator} that launched the work; for a wait, the outermost {operator} around "
     "the "
     "wait; for a function, the file of the function.",
     TP_COLUMN_TEXT},
    {"shape", "Shapes", "", "Input shapes of the {operator}, or source line of the wait.", TP_COLUMN_TEXT},
    {"dtype", "Types", "", "Input types of the {operator}.", TP_COLUMN_TEXT},
    {"line", "Line", "",
     "For kernels and copies, the source line with most of the time, on the new side, or in the base if the row was "
     "removed. For generated kernels and their {operators}, the line that artifacts of torch.compile show.",
     TP_COLUMN_TEXT},
    {"match", "Match", "",
     "How the row matches a row of the base: same, new, removed, reshaped (other shapes or types), moved (another "
     "line), renamed, fused, split or replaced.",
     TP_COLUMN_TEXT},
    {"base_name", "In the base", "", "Name, shapes, types or line in the base, if different from the new side.",
     TP_COLUMN_TEXT},
    {"verdict", "Verdict", "",
     "improved or regressed: the time changed significantly, or the number of calls changed in every step. hint: a "
     "change that may be noise. inconclusive: the sides are not comparable. neutral: no significant change.",
     TP_COLUMN_TEXT},
    {"is_reported", "Reported", "", "yes if the change is significant or possible, or if a kernel was replaced.",
     TP_COLUMN_BOOL},
    {"follows_from", "Follows from", "", "Name of the changed row that explains this change.", TP_COLUMN_TEXT},
    {"base_calls", "Base calls", "", "Number of calls per step in the base.", TP_COLUMN_REAL},
    {"new_calls", "New calls", "", "Number of calls per step on the new side.", TP_COLUMN_REAL},
    {"base_us", "Base", "us", "Time per step in the base.", TP_COLUMN_NS},
    {"new_us", "New", "us", "Time per step on the new side.", TP_COLUMN_NS},
    {"change_us", "Change", "us", "Change of the time per step: the sum of the columns 'By count' and 'By time'.",
     TP_COLUMN_NS},
    {"by_count_us", "By count", "us", "Change of the number of calls, multiplied by the time per call in the base.",
     TP_COLUMN_NS},
    {"by_time_us", "By time", "us", "Number of calls on the new side, multiplied by the change of the time per call.",
     TP_COLUMN_NS},
    {"low_us", "At least", "us",
     "Lower end of the 99 % interval of the change in a typical step, without the change that all rows have in common.",
     TP_COLUMN_NS},
    {"high_us", "At most", "us",
     "Upper end of the 99 % interval of the change in a typical step, without the change that all rows have in common.",
     TP_COLUMN_NS},
    {"share_percent", "Of step time", "%", "Change in % of the base's mean step time.", TP_COLUMN_REAL},
    {"base_call_us", "Base per call", "us", "Mean time of a call in the base.", TP_COLUMN_NS},
    {"new_call_us", "New per call", "us", "Mean time of a call on the new side.", TP_COLUMN_NS},
};

static const struct tp_column_def part_defs[TP_PART_COLUMNS] = {
    {"part", "Part of the step", "", "Part of the step time, or part of the device's idle time during the step.",
     TP_COLUMN_TEXT},
    {"base_us", "Base", "us", "Mean time per step in the base.", TP_COLUMN_NS},
    {"new_us", "New", "us", "Mean time per step on the new side.", TP_COLUMN_NS},
    {"change_us", "Change", "us", "Value on the new side minus value in the base.", TP_COLUMN_NS},
    {"low_us", "At least", "us", "Lower end of the 99 % interval of the change; only the whole step has an interval.",
     TP_COLUMN_NS},
    {"high_us", "At most", "us", "Upper end of the 99 % interval of the change; only the whole step has an interval.",
     TP_COLUMN_NS},
    {"share_percent", "Of step time", "%", "Change in % of the base's mean step time.", TP_COLUMN_REAL},
    {"verdict", "Verdict", "",
     "Verdict on the whole step: neutral unless the whole 99 % interval is above 0 or below 0. A part of the step has "
     "no verdict.",
     TP_COLUMN_TEXT},
};

static const struct tp_column_def finding_defs[TP_FINDING_DIFF_COLUMNS] = {
    {"rule", "Rule", "", "Id of the rule that reports the finding.", TP_COLUMN_TEXT},
    {"title", "Finding", "", "Title of the finding.", TP_COLUMN_TEXT},
    {"status", "Status", "",
     "new (only on the new side), gone (only in the base), both, or unknown if an input is damaged.", TP_COLUMN_TEXT},
    {"base_severity", "Base severity", "", "Highest severity in a run of the base.", TP_COLUMN_TEXT},
    {"new_severity", "New severity", "", "Highest severity in a run of the new side.", TP_COLUMN_TEXT},
    {"base_ceiling_us", "Base time", "us", "Time per step that the finding affects, in the base.", TP_COLUMN_REAL},
    {"new_ceiling_us", "New time", "us", "Time per step that the finding affects, on the new side.", TP_COLUMN_REAL},
    {"base_occurrences", "Base count", "", "Largest number of occurrences in a run of the base.", TP_COLUMN_INT},
    {"new_occurrences", "New count", "", "Largest number of occurrences in a run of the new side.", TP_COLUMN_INT},
    {"file_line", "Line", "", "First source line in the evidence of the finding.", TP_COLUMN_TEXT},
};

static const struct tp_column_def fact_defs[TP_FACT_COLUMNS] = {
    {"fact", "Fact", "", "Property of the runs.", TP_COLUMN_TEXT},
    {"base", "Base", "", "Value in the base.", TP_COLUMN_TEXT},
    {"new", "New", "", "Value on the new side.", TP_COLUMN_TEXT},
    {"verdict", "Verdict", "", "same, differs, or unknown if the fact is missing on one side.", TP_COLUMN_TEXT},
    {"class", "Class", "",
     "defining: part of the workload. recording: option of the recorder. environment: version or host. result: "
     "measured in the run, so the values may differ.",
     TP_COLUMN_TEXT},
};

/* ---- tables by kind ---- */

static const struct {
    const char *key, *title, *kind; /* kind: name of the kind of rows, for people */
    int rows_of;                    /* enum tp_summary_kind of the rows; -1 for tables without rows */
} tables[TP_COMPARE_TABLES] = {
    [TP_COMPARE_CHANGES] = {"rows", "Times that changed", NULL, -1},
    [TP_COMPARE_STEP] = {"step", "Parts of the step time", NULL, -1},
    [TP_COMPARE_OPERATORS_DEVICE] = {"operators_device", "Operators, device time", "operator, device",
                                     TP_SUMMARY_OPERATOR_DEVICE},
    [TP_COMPARE_OPERATORS_HOST] = {"operators_host", "Operators, host time", "operator, host",
                                   TP_SUMMARY_OPERATOR_HOST},
    [TP_COMPARE_KERNELS] = {"kernels", "Kernels", "kernel", TP_SUMMARY_KERNEL},
    [TP_COMPARE_COPIES] = {"copies", "Copies", "copy", TP_SUMMARY_COPY},
    [TP_COMPARE_SYNCS] = {"syncs", "Synchronisations", "sync", TP_SUMMARY_SYNC},
    [TP_COMPARE_MODULES_DEVICE] = {"modules_device", "Modules, device time", "module, device",
                                   TP_SUMMARY_MODULE_DEVICE},
    [TP_COMPARE_MODULES_HOST] = {"modules_host", "Modules, host time", "module, host", TP_SUMMARY_MODULE_HOST},
    [TP_COMPARE_RUNTIME] = {"runtime", "Runtime calls", "runtime call", TP_SUMMARY_RUNTIME},
    [TP_COMPARE_FUNCTIONS] = {"functions", "Functions, self CPU time", "function", TP_SUMMARY_FUNCTION},
    [TP_COMPARE_WALL] = {"wall_parts", "Parts of the wall time", "part of the wall time", TP_SUMMARY_PART},
    [TP_COMPARE_MEMORY] = {"memory", "Memory", NULL, -1},
    [TP_COMPARE_OWNERS] = {"memory_owners", "Memory at the peak, by owner", NULL, -1},
    [TP_COMPARE_SERVING] = {"serving", "Steps of the engine", NULL, -1},
    [TP_COMPARE_FINDINGS] = {"findings", "Findings", NULL, -1},
    [TP_COMPARE_FACTS] = {"facts", "Facts about both sides", NULL, -1},
};

const char *tp_compare_table_key(enum tp_compare_table table)
{
    return tables[table].key;
}

const char *tp_compare_table_title(enum tp_compare_table table)
{
    return tables[table].title;
}

static const char *kind_text(enum tp_summary_kind kind)
{
    for (unsigned i = 0; i < TP_COMPARE_TABLES; i++)
        if (tables[i].rows_of == (int)kind)
            return tables[i].kind;
    return "part of the step";
}

/* ---- rows ---- */

static int compare_by_change(const void *x, const void *y, const void *context)
{
    const struct tp_change *items = context, *a = &items[*(const uint32_t *)x], *b = &items[*(const uint32_t *)y];
    double p = fabs((double)a->change_ns), q = fabs((double)b->change_ns);
    if (p != q)
        return p > q ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Returns the name of a row in BASE if it differs from the name in NEW; else ptr is NULL. */
static struct tp_str different_name_in_base(const struct tp_compare *c, const struct tp_change *change)
{
    const struct tp_match *match = change->match;
    if (!match->member_count[TP_BASE] || match->kind == TP_MATCH_SAME || match->kind == TP_MATCH_REMOVED)
        return (struct tp_str){NULL, 0};
    struct tp_identity base = tp_sides_identity(&c->sides, match->members[TP_BASE][0]);
    if (match->kind == TP_MATCH_MOVED)
        return base.shape;
    if (match->kind == TP_MATCH_RESHAPED)
        return tp_str_equal(base.shape, change->identity.shape) ? base.dtype : base.shape;
    return base.name;
}

/* Returns the source line of a row: for a generated kernel of the new side and its operator, the line that artifacts of
 * torch.compile show. ptr is NULL if the line is unknown. */
static struct tp_str line_of_row(const struct tp_compare *c, const struct tp_change *change)
{
    enum tp_summary_kind kind = change->identity.kind;
    bool is_code = kind == TP_SUMMARY_KERNEL || kind == TP_SUMMARY_OPERATOR_DEVICE || kind == TP_SUMMARY_OPERATOR_HOST;
    struct tp_str line = is_code ? tp_numbered_line(&c->lines, change->identity.name) : TP_STR("");
    return line.len ? line : change->line;
}

static void fill_row(struct tp_table *table, size_t row, const struct tp_compare *c, const struct tp_change *change)
{
    const struct tp_identity *identity = &change->identity;
    const struct tp_change *cause = change->cause == TP_NO_ID ? NULL : &c->changes.items[change->cause];
    tp_table_text(table, TP_ROW_KIND)[row] = tp_str_of(kind_text(identity->kind));
    tp_table_text(table, TP_ROW_NAME)[row] = identity->name;
    tp_table_text(table, TP_ROW_OWNER)[row] = identity->owner;
    tp_table_text(table, TP_ROW_SHAPE)[row] = identity->shape;
    tp_table_text(table, TP_ROW_DTYPE)[row] = identity->dtype;
    tp_table_text(table, TP_ROW_LINE)[row] = line_of_row(c, change);
    tp_table_text(table, TP_ROW_MATCH)[row] = tp_str_of(tp_match_name(change->match->kind));
    tp_table_text(table, TP_ROW_BASE_NAME)[row] = different_name_in_base(c, change);
    tp_table_text(table, TP_ROW_VERDICT)[row] = tp_str_of(tp_change_verdict_name(change->verdict));
    tp_table_bool(table, TP_ROW_IS_REPORTED)[row] = change->is_reported;
    tp_table_text(table, TP_ROW_CAUSE)[row] = cause ? cause->identity.name : (struct tp_str){NULL, 0};
    for (int s = 0; s < TP_SIDES; s++) {
        tp_table_real(table, TP_ROW_BASE_CALLS + (unsigned)s)[row] = change->calls[s];
        tp_table_int(table, TP_ROW_BASE_TIME + (unsigned)s)[row] = tp_round_to_integer(change->ns[s]);
        tp_table_int(table, TP_ROW_BASE_CALL + (unsigned)s)[row] = tp_round_to_integer(change->call_ns[s]);
    }
    tp_table_int(table, TP_ROW_CHANGE)[row] = change->change_ns;
    tp_table_int(table, TP_ROW_BY_COUNT)[row] = change->change_by_call_count_ns;
    tp_table_int(table, TP_ROW_BY_TIME)[row] = change->change_by_call_time_ns;
    tp_table_int(table, TP_ROW_LOW)[row] = tp_round_to_integer(change->interval.low);
    tp_table_int(table, TP_ROW_HIGH)[row] = tp_round_to_integer(change->interval.high);
    tp_table_real(table, TP_ROW_SHARE)[row] = isfinite(change->share) ? 100 * change->share : NAN;
}

/* Fills a table with the rows of one kind. If the kind is -1, fills the table with all reported changes that have no
 * cause. The largest change comes first. */
static void fill_rows(struct tp_compare *c, enum tp_compare_table which, int kind)
{
    struct tp_table *table = &c->tables[which];
    uint32_t *rows = tp_arena_array(c->arena, c->changes.count, sizeof *rows), count = 0;
    for (uint32_t i = 0; i < c->changes.count; i++) {
        const struct tp_change *change = &c->changes.items[i];
        bool is_cause = change->is_reported && change->cause == TP_NO_ID;
        if (kind < 0 ? is_cause : (int)change->identity.kind == kind)
            rows[count++] = i;
    }
    tp_merge_sort(c->arena, rows, count, sizeof *rows, compare_by_change, c->changes.items);
    tp_table_init(table, c->arena, tables[which].key, row_defs, TP_ROW_COLUMNS, count);
    for (uint32_t i = 0; i < count; i++)
        fill_row(table, i, c, &c->changes.items[rows[i]]);
}

/* ---- the step ---- */

/* Returns the name of a part. Without PyTorch, a program can use another kind of device, which summaries do not
 * distinguish from a GPU. */
static const char *part_name(unsigned part, enum tp_producer producer)
{
    static const char *const names[TP_PART_COUNT][2] = {
        [TP_PART_KERNEL] = {"GPU kernels", "Device kernels"},
        [TP_PART_MEMCPY] = {"Memory copies"},
        [TP_PART_MEMSET] = {"Memory sets"},
        [TP_PART_COMMUNICATION] = {"Communication"},
        [TP_PART_CPU_EXEC] = {"CPU work"},
        [TP_PART_OTHER] = {"Other"},
        [TP_PART_IDLE_HOST] = {"GPU idle, waits for the host", "Device idle, waits for the host"},
        [TP_PART_IDLE_LAUNCH] = {"GPU idle, inside launch calls", "Device idle, inside launch calls"},
        [TP_PART_IDLE_QUEUE] = {"GPU idle, work was queued", "Device idle, work was queued"},
        [TP_PART_IDLE_OUTSIDE] = {"GPU idle, outside of recorded work", "Device idle, outside of recorded work"},
        [TP_PART_IDLE_UNKNOWN] = {"GPU idle, reason unknown", "Device idle, reason unknown"},
        [TP_PART_EXPOSED_COMMUNICATION] = {"Communication not hidden"},
    };
    if (part == TP_PART_RUNTIME)
        return tp_phrase(TP_PHRASE_CALLS, producer);
    if (part == TP_PART_DATALOADER)
        return tp_phrase(TP_PHRASE_INPUT, producer);
    return names[part][!tp_uses_torch_words(producer) && names[part][1]];
}

/* Fills the row of a part. ns: mean time per step on each side. */
static void fill_step_part_row(struct tp_compare *c, size_t row, const char *name, const double ns[TP_SIDES])
{
    struct tp_table *table = &c->tables[TP_COMPARE_STEP];
    double step = c->sides.side[TP_BASE].total_ns, difference = ns[TP_NEW] - ns[TP_BASE];
    tp_table_text(table, TP_PART_NAME)[row] = tp_str_of(name);
    tp_table_int(table, TP_PART_BASE)[row] = tp_round_to_integer(ns[TP_BASE]);
    tp_table_int(table, TP_PART_NEW)[row] = tp_round_to_integer(ns[TP_NEW]);
    tp_table_int(table, TP_PART_CHANGE)[row] = tp_round_to_integer(difference);
    tp_table_int(table, TP_PART_LOW)[row] = tp_table_int(table, TP_PART_HIGH)[row] = TP_NULL_INT;
    tp_table_real(table, TP_PART_SHARE)[row] = step > 0 ? 100 * difference / step : NAN;
    tp_table_text(table, TP_PART_VERDICT)[row] = (struct tp_str){NULL, 0};
}

/* Fills the verdict and interval in the row of the whole step. */
static void set_step_verdicts(struct tp_compare *c)
{
    struct tp_table *table = &c->tables[TP_COMPARE_STEP];
    const struct tp_total *total = &c->totals[TP_QUANTITY_STEP];
    double step = c->sides.side[TP_BASE].total_ns;
    tp_table_int(table, TP_PART_LOW)[0] = tp_round_to_integer(step * total->change.low);
    tp_table_int(table, TP_PART_HIGH)[0] = tp_round_to_integer(step * total->change.high);
    tp_table_text(table, TP_PART_VERDICT)[0] = tp_str_of(tp_change_verdict_name(total->verdict));
}

/* Fills the waterfall: first the step, then its parts without those that are 0 on both sides. */
static void fill_step_table(struct tp_compare *c)
{
    const struct tp_side *base = &c->sides.side[TP_BASE], *new_side = &c->sides.side[TP_NEW];
    unsigned shown[TP_PART_COUNT], count = 0;
    for (unsigned part = 0; part <= TP_PART_IDLE_OUTSIDE; part++)
        if (base->part_ns[part] > 0 || new_side->part_ns[part] > 0)
            shown[count++] = part;
    tp_table_init(&c->tables[TP_COMPARE_STEP], c->arena, "step", part_defs, TP_PART_COLUMNS, count + 1);
    fill_step_part_row(c, 0, "Step", (const double[]){base->total_ns, new_side->total_ns});
    for (unsigned i = 0; i < count; i++)
        fill_step_part_row(c, i + 1, part_name(shown[i], tp_sides_producer(&c->sides)),
                           (const double[]){base->part_ns[shown[i]], new_side->part_ns[shown[i]]});
    set_step_verdicts(c);
}

/* ---- findings and facts ---- */

struct finding {
    /* for each side: the most severe of this finding in all runs */
    const struct tp_summary_finding *of[TP_SIDES];
    int64_t occurrences[TP_SIDES];
};

static struct finding *find_or_add_finding(struct tp_vec *findings, const struct tp_summary_finding *from)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct finding *finding = TP_AT(findings, struct finding, i);
        const struct tp_summary_finding *known = finding->of[TP_NEW] ? finding->of[TP_NEW] : finding->of[TP_BASE];
        if (tp_str_equal(known->rule, from->rule))
            return finding;
    }
    return tp_vec_push(findings);
}

static void find_findings(struct tp_vec *findings, const struct tp_compare *c)
{
    for (int s = TP_SIDES; s-- > 0;) /* NEW comes first, so that the findings have the order of NEW */
        for (uint32_t r = 0; r < c->sides.side[s].input->run_count; r++) {
            const struct tp_summary *run = &c->sides.side[s].input->runs[r];
            for (uint32_t i = 0; i < run->finding_count; i++) {
                struct finding *finding = find_or_add_finding(findings, &run->findings[i]);
                if (!finding->of[s] || run->findings[i].severity < finding->of[s]->severity)
                    finding->of[s] = &run->findings[i];
                if (run->findings[i].occurrences > finding->occurrences[s])
                    finding->occurrences[s] = run->findings[i].occurrences;
            }
        }
}

/* Returns whether the side without the finding may have it, because its input is damaged or cannot show the data that
 * the rule needs. */
static bool is_finding_unknown(const struct tp_compare *c, const struct tp_summary_finding *finding)
{
    const char *rule = tp_arena_copy(c->arena, finding->rule.ptr, finding->rule.len);
    uint32_t needs = tp_unknown_needs_of_rule(rule) | (finding->file_line.len ? TP_UNKNOWN_STACKS : 0u);
    return *c->damage || (needs & c->sides.left_out);
}

static void fill_findings_table(struct tp_compare *c)
{
    struct tp_vec findings = TP_VEC(c->arena, struct finding);
    struct tp_table *table = &c->tables[TP_COMPARE_FINDINGS];
    find_findings(&findings, c);
    tp_table_init(table, c->arena, "findings", finding_defs, TP_FINDING_DIFF_COLUMNS, findings.count);
    for (size_t i = 0; i < findings.count; i++) {
        const struct finding *finding = TP_AT(&findings, struct finding, i);
        const struct tp_summary_finding *known = finding->of[TP_NEW] ? finding->of[TP_NEW] : finding->of[TP_BASE];
        tp_table_text(table, TP_FINDING_DIFF_RULE)[i] = known->rule;
        tp_table_text(table, TP_FINDING_DIFF_TITLE)[i] = known->title;
        tp_table_text(table, TP_FINDING_DIFF_LINE)[i] = known->file_line;
        tp_table_text(table, TP_FINDING_DIFF_STATUS)[i] = finding->of[TP_BASE] && finding->of[TP_NEW] ? TP_STR("both")
                                                          : is_finding_unknown(c, known) ? TP_STR("unknown")
                                                          : finding->of[TP_NEW]          ? TP_STR("new")
                                                                                         : TP_STR("gone");
        for (int s = 0; s < TP_SIDES; s++) {
            const struct tp_summary_finding *of = finding->of[s];
            tp_table_text(table, TP_FINDING_DIFF_BASE_SEVERITY + (unsigned)s)[i] =
                of && of->severity <= TP_SEVERITY_INFO ? tp_str_of(tp_severity_text(of->severity))
                                                       : (struct tp_str){NULL, 0};
            tp_table_real(table, TP_FINDING_DIFF_BASE_CEILING + (unsigned)s)[i] = of ? of->ceiling_us_per_step : NAN;
            tp_table_int(table, TP_FINDING_DIFF_BASE_COUNT + (unsigned)s)[i] =
                of ? finding->occurrences[s] : TP_NULL_INT;
        }
    }
}

static void fill_facts_table(struct tp_compare *c)
{
    struct tp_table *table = &c->tables[TP_COMPARE_FACTS];
    tp_table_init(table, c->arena, "facts", fact_defs, TP_FACT_COLUMNS, c->comparability.fact_count);
    for (uint32_t i = 0; i < c->comparability.fact_count; i++) {
        const struct tp_fact_pair *fact = &c->comparability.facts[i];
        tp_table_text(table, TP_FACT_NAME)[i] = fact->name;
        for (int s = 0; s < TP_SIDES; s++)
            tp_table_text(table, TP_FACT_BASE + (unsigned)s)[i] =
                fact->values[s].len ? fact->values[s] : (struct tp_str){NULL, 0};
        tp_table_text(table, TP_FACT_VERDICT)[i] = tp_str_of(tp_fact_verdict_name(fact->verdict));
        tp_table_text(table, TP_FACT_CLASS)[i] = tp_str_of(tp_fact_class_name(fact->class));
    }
}

void tp_compare_fill_tables(struct tp_compare *compare)
{
    for (enum tp_compare_table i = 0; i < TP_COMPARE_TABLES; i++)
        if (tables[i].rows_of >= 0)
            fill_rows(compare, i, tables[i].rows_of);
    fill_rows(compare, TP_COMPARE_CHANGES, -1);
    fill_step_table(compare);
    tp_compare_build_serving(compare);
    fill_findings_table(compare);
    fill_facts_table(compare);
    for (enum tp_compare_table i = 0; i < TP_COMPARE_TABLES; i++)
        compare->tables[i].title = tables[i].title;
}
