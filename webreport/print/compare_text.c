/* A comparison for a terminal of 80 columns: see compare.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "webreport/compare/compare.h"
#include "writer/text/format.h"
#include "writer/text/terminal.h"

enum { WIDTH = TP_TERMINAL_WIDTH, INDENT = 13, NAME_WIDTH = 34, NUMBER_WIDTH = 11 };

/* ---- text that a terminal can show ---- */

/* Appends at most `width` characters, the last one "…" when some are left out. Returns how many. */
static size_t put_cut(struct tp_buf *out, struct tp_str text, size_t width)
{
    bool is_cut = tp_terminal_width(text) > width;
    size_t count = tp_terminal_put(out, text, is_cut ? width - 1 : width);
    if (is_cut)
        tp_buf_puts(out, "\xe2\x80\xa6");
    return count + is_cut;
}

static void put_left(struct tp_buf *out, struct tp_str text, size_t width)
{
    tp_terminal_pad(out, width - put_cut(out, text, width));
}

/* A line of at most WIDTH characters behind `indent` blanks. */
static void put_line(struct tp_buf *out, unsigned indent, const char *text)
{
    tp_buf_printf(out, "%*s", (int)indent, "");
    put_cut(out, tp_str_of(text), WIDTH - indent);
    tp_buf_putc(out, '\n');
}

/* ---- numbers ---- */

static const char *signed_time(struct tp_arena *arena, int64_t ns)
{
    return tp_text_printf(arena, "%s%s", ns > 0 && ns != TP_NULL_INT ? "+" : "", tp_text_of_time(arena, ns));
}

static const char *signed_bytes(struct tp_arena *arena, int64_t bytes)
{
    return tp_text_printf(arena, "%s%s", bytes > 0 ? "+" : "", tp_text_of_bytes(arena, bytes));
}

static const char *signed_percent(struct tp_arena *arena, double percent)
{
    return tp_text_printf(arena, "%s%s", percent > 0 ? "+" : "", tp_text_of_percent(arena, percent));
}

static const char *calls_text(struct tp_arena *arena, double calls)
{
    return tp_text_of_fixed(arena, calls, calls == round(calls) ? 0 : 1);
}

/* ---- what changed ---- */

/* "10 -> 11 calls a step: +75.0 µs by count, +7.0 µs by time" */
static const char *calls_line(struct tp_arena *arena, const struct tp_table *t, size_t row)
{
    double base = tp_table_real(t, TP_ROW_BASE_CALLS)[row], new_calls = tp_table_real(t, TP_ROW_NEW_CALLS)[row];
    if (base == new_calls)
        return tp_text_printf(arena, "%s calls a step, %s -> %s each", calls_text(arena, base),
                              tp_text_of_time(arena, tp_table_int(t, TP_ROW_BASE_CALL)[row]),
                              tp_text_of_time(arena, tp_table_int(t, TP_ROW_NEW_CALL)[row]));
    return tp_text_printf(arena, "%s -> %s calls a step: %s by count, %s by time", calls_text(arena, base),
                          calls_text(arena, new_calls), signed_time(arena, tp_table_int(t, TP_ROW_BY_COUNT)[row]),
                          signed_time(arena, tp_table_int(t, TP_ROW_BY_TIME)[row]));
}

static void put_change(struct tp_buf *out, const struct tp_compare *c, size_t row)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_CHANGES];
    struct tp_str match = tp_table_text(t, TP_ROW_MATCH)[row], verdict = tp_table_text(t, TP_ROW_VERDICT)[row];
    struct tp_str kind = tp_table_text(t, TP_ROW_KIND)[row], name = tp_table_text(t, TP_ROW_NAME)[row];
    struct tp_str owner = tp_table_text(t, TP_ROW_OWNER)[row], shape = tp_table_text(t, TP_ROW_SHAPE)[row];
    struct tp_str was = tp_table_text(t, TP_ROW_BASE_NAME)[row];
    bool is_same = tp_str_equal(match, TP_STR("same"));
    put_left(out, tp_str_equal(verdict, TP_STR("neutral")) ? TP_STR("replaced") : verdict, INDENT);
    const char *head = tp_text_printf(c->arena, "%.*s%s%.*s: ", is_same ? 0 : (int)match.len, match.ptr,
                                      is_same ? "" : " ", (int)kind.len, kind.ptr);
    size_t used = INDENT + put_cut(out, tp_str_of(head), WIDTH);
    put_cut(out, name, WIDTH - used);
    tp_buf_putc(out, '\n');
    if (was.ptr)
        put_line(out, INDENT, tp_text_printf(c->arena, "was %.*s", (int)was.len, was.ptr));
    if (owner.len || shape.len)
        put_line(out, INDENT,
                 tp_text_printf(c->arena, "%s%.*s%s%.*s", owner.len ? "in " : "", (int)owner.len, owner.ptr,
                                !shape.len  ? ""
                                : owner.len ? ", "
                                            : "at ",
                                (int)shape.len, shape.ptr));
    put_line(out, INDENT,
             tp_text_printf(c->arena, "%s -> %s a step, %s (%s of the step)",
                            tp_text_of_time(c->arena, tp_table_int(t, TP_ROW_BASE_TIME)[row]),
                            tp_text_of_time(c->arena, tp_table_int(t, TP_ROW_NEW_TIME)[row]),
                            signed_time(c->arena, tp_table_int(t, TP_ROW_CHANGE)[row]),
                            signed_percent(c->arena, tp_table_real(t, TP_ROW_SHARE)[row])));
    if (!isnan(tp_table_real(t, TP_ROW_BASE_CALLS)[row]))
        put_line(out, INDENT, calls_line(c->arena, t, row));
}

static size_t shown_rows(size_t count, int64_t row_limit)
{
    return row_limit >= 0 && (uint64_t)row_limit < count ? (size_t)row_limit : count;
}

static void put_cut_note(struct tp_buf *out, size_t shown, size_t all)
{
    if (shown < all)
        tp_buf_printf(out, "(%zu of %zu rows; --row-limit -1 shows all)\n", shown, all);
}

static void put_changes(struct tp_buf *out, const struct tp_compare *c, int64_t row_limit)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_CHANGES];
    size_t shown = shown_rows(t->row_count, row_limit);
    if (!t->row_count) {
        tp_buf_printf(out, "\n%s\n", tp_compare_nothing_text(c));
        return;
    }
    tp_buf_printf(out, "\n%s\n", tp_compare_table_title(TP_COMPARE_CHANGES));
    for (size_t row = 0; row < shown; row++)
        put_change(out, c, row);
    put_cut_note(out, shown, t->row_count);
}

/* ---- tables ---- */

static void put_head(struct tp_buf *out, const char *title)
{
    tp_buf_putc(out, '\n');
    put_left(out, tp_str_of(title), NAME_WIDTH);
    tp_terminal_right(out, "base", NUMBER_WIDTH);
    tp_terminal_right(out, "new", NUMBER_WIDTH);
    tp_terminal_right(out, "change", NUMBER_WIDTH);
    tp_terminal_right(out, "of a step", WIDTH - NAME_WIDTH - 3 * NUMBER_WIDTH);
    tp_buf_putc(out, '\n');
}

static void put_times(struct tp_buf *out, struct tp_arena *arena, struct tp_str name, const int64_t ns[3], double share)
{
    put_left(out, name, NAME_WIDTH);
    tp_terminal_right(out, tp_text_of_time(arena, ns[0]), NUMBER_WIDTH);
    tp_terminal_right(out, tp_text_of_time(arena, ns[1]), NUMBER_WIDTH);
    tp_terminal_right(out, signed_time(arena, ns[2]), NUMBER_WIDTH);
    tp_terminal_right(out, signed_percent(arena, share), WIDTH - NAME_WIDTH - 3 * NUMBER_WIDTH);
    tp_buf_putc(out, '\n');
}

static void put_step(struct tp_buf *out, const struct tp_compare *c)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_STEP];
    put_head(out, "Mean step");
    for (size_t row = 0; row < t->row_count; row++) {
        const int64_t ns[3] = {tp_table_int(t, TP_PART_BASE)[row], tp_table_int(t, TP_PART_NEW)[row],
                               tp_table_int(t, TP_PART_CHANGE)[row]};
        put_times(out, c->arena, tp_table_text(t, TP_PART_NAME)[row], ns, tp_table_real(t, TP_PART_SHARE)[row]);
    }
}

static void put_rows(struct tp_buf *out, const struct tp_compare *c, enum tp_compare_table which, int64_t row_limit)
{
    const struct tp_table *t = &c->tables[which];
    size_t shown = shown_rows(t->row_count, row_limit);
    if (!shown)
        return;
    put_head(out, tp_compare_table_title(which));
    for (size_t row = 0; row < shown; row++) {
        const int64_t ns[3] = {tp_table_int(t, TP_ROW_BASE_TIME)[row], tp_table_int(t, TP_ROW_NEW_TIME)[row],
                               tp_table_int(t, TP_ROW_CHANGE)[row]};
        put_times(out, c->arena, tp_table_text(t, TP_ROW_NAME)[row], ns, tp_table_real(t, TP_ROW_SHARE)[row]);
    }
    put_cut_note(out, shown, t->row_count);
}

/* ---- memory, findings, facts ---- */

static void put_memory(struct tp_buf *out, const struct tp_compare *c, int64_t row_limit, bool shows_all)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_MEMORY], *owners = &c->tables[TP_COMPARE_OWNERS];
    size_t left = shown_rows(owners->row_count, row_limit);
    for (size_t row = 0; row < t->row_count; row++) {
        struct tp_str device = tp_table_text(t, TP_MEMORY_DIFF_DEVICE)[row];
        struct tp_str verdict = tp_table_text(t, TP_MEMORY_DIFF_VERDICT)[row];
        if (tp_str_equal(verdict, TP_STR("neutral")) && !shows_all)
            continue;
        tp_buf_putc(out, '\n');
        put_line(out, 0,
                 tp_text_printf(c->arena, "Memory of %.*s: %.*s, peak %s -> %s (%s)", (int)device.len, device.ptr,
                                (int)verdict.len, verdict.ptr,
                                tp_text_of_bytes(c->arena, tp_table_int(t, TP_MEMORY_DIFF_BASE)[row]),
                                tp_text_of_bytes(c->arena, tp_table_int(t, TP_MEMORY_DIFF_NEW)[row]),
                                signed_bytes(c->arena, tp_table_int(t, TP_MEMORY_DIFF_CHANGE)[row])));
        for (size_t i = 0; i < owners->row_count && left; i++) {
            struct tp_str kind = tp_table_text(owners, TP_OWNER_DIFF_KIND)[i];
            struct tp_str name = tp_table_text(owners, TP_OWNER_DIFF_NAME)[i];
            name = name.len ? name : TP_STR("(none)");
            if (!tp_str_equal(tp_table_text(owners, TP_OWNER_DIFF_DEVICE)[i], device) ||
                tp_str_equal(tp_table_text(owners, TP_OWNER_DIFF_VERDICT)[i], TP_STR("neutral")))
                continue;
            left--;
            put_line(out, 2,
                     tp_text_printf(c->arena, "%s by %.*s %.*s",
                                    signed_bytes(c->arena, tp_table_int(owners, TP_OWNER_DIFF_CHANGE)[i]),
                                    (int)kind.len, kind.ptr, (int)name.len, name.ptr));
        }
    }
}

static void put_findings(struct tp_buf *out, const struct tp_compare *c)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_FINDINGS];
    bool has_head = false;
    for (size_t row = 0; row < t->row_count; row++) {
        struct tp_str status = tp_table_text(t, TP_FINDING_DIFF_STATUS)[row];
        struct tp_str title = tp_table_text(t, TP_FINDING_DIFF_TITLE)[row];
        struct tp_str rule = tp_table_text(t, TP_FINDING_DIFF_RULE)[row];
        if (tp_str_equal(status, TP_STR("both")))
            continue;
        if (!has_head)
            tp_buf_puts(out, "\nFindings\n");
        has_head = true;
        put_line(out, 0,
                 tp_text_printf(c->arena, "%-5.*s %.*s %.*s", (int)status.len, status.ptr, (int)rule.len, rule.ptr,
                                (int)title.len, title.ptr));
    }
}

static void put_facts(struct tp_buf *out, const struct tp_compare *c, bool shows_all)
{
    const struct tp_comparability *facts = &c->comparability;
    for (uint32_t i = 0; i < facts->fact_count; i++) {
        const struct tp_fact_pair *fact = &facts->facts[i];
        bool is_told = fact->values[TP_BASE].len || fact->values[TP_NEW].len;
        if (fact->verdict != TP_FACT_DIFFERS && !(shows_all && is_told))
            continue;
        put_line(out, 2,
                 tp_text_printf(c->arena, "%-8s%.*s: %.*s -> %.*s", tp_fact_verdict_name(fact->verdict),
                                (int)fact->name.len, fact->name.ptr, (int)fact->values[TP_BASE].len,
                                fact->values[TP_BASE].ptr, (int)fact->values[TP_NEW].len, fact->values[TP_NEW].ptr));
    }
}

/* On two lines where one has no room for the interval. */
static void put_verdict(struct tp_buf *out, const char *text)
{
    const char *colon = strchr(text, ':');
    if (!colon || tp_terminal_width(tp_str_of(text)) <= WIDTH) {
        put_line(out, 0, text);
        return;
    }
    tp_buf_printf(out, "%.*s\n", (int)(colon + 1 - text), text);
    put_line(out, 1, colon + 1); /* behind its blank */
}

void tp_compare_text(struct tp_buf *out, const struct tp_compare *c, bool shows_all, int64_t row_limit)
{
    put_verdict(out, tp_compare_verdict_text(c));
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_side *side = &c->sides.side[s];
        put_line(out, 0,
                 tp_text_printf(c->arena, "%s: %s, %s, %s", s == TP_BASE ? "base" : "new",
                                tp_text_of_some(c->arena, side->input->run_count, "run", "runs"),
                                tp_text_of_some(c->arena, (int64_t)side->step_count, "step", "steps"), c->names[s]));
    }
    put_line(out, 0,
             tp_text_printf(c->arena, "%s; floor %s %%", tp_compare_facts_text(c),
                            tp_text_of_fixed(c->arena, 100 * c->floor, 1)));
    put_facts(out, c, shows_all);
    put_step(out, c);
    put_changes(out, c, row_limit);
    for (enum tp_compare_table i = TP_COMPARE_OPERATORS_DEVICE; shows_all && i <= TP_COMPARE_RUNTIME; i++)
        put_rows(out, c, i, row_limit);
    put_memory(out, c, row_limit, shows_all);
    put_findings(out, c);
}
