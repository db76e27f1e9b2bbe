/* The digest for pull requests and agents. */
#include "webreport/print/digest.h"

#include <math.h>

#include "webreport/document/chart.h"
#include "webreport/document/section.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"
#include "writer/text/markdown_escape.h"

enum { NAME_BYTES = 80, END_BYTES = 96, HEAVY_ROWS = 5, DETAILED_PROFILES = 4 };

/* One profile's part: lines go in whole, while there is room. */
struct part {
    struct tp_arena *arena;
    struct tp_markdown *markdown;
    const struct tp_profile *profile;
    struct tp_naming naming;
    size_t end;   /* where the room ends in the text */
    bool is_full; /* a line did not fit: what follows it is left out, too */
};

static void add_line(struct part *part, const char *text)
{
    size_t size = strlen(text);

    if (part->is_full || part->markdown->out.size + size + 1 > part->end) {
        part->is_full = true;
        part->markdown->left_out++;
        return;
    }
    tp_buf_add(&part->markdown->out, text, size);
    tp_buf_putc(&part->markdown->out, '\n');
}

/* The text as Markdown shows it unchanged. */
static const char *escaped(struct part *part, struct tp_str text)
{
    struct tp_buf buf;
    size_t size = text.len * 6 + 1;
    char *bytes = tp_arena_array(part->arena, size, 1);

    tp_buf_init(&buf, 0);
    buf.data = bytes; /* a fixed buffer: nothing to release when the arena's guard is taken */
    buf.capacity = size;
    buf.max_bytes = size - 1;
    tp_markdown_escape(&buf, text);
    return bytes;
}

/* A name of the trace, shortened and escaped. */
static const char *name_text(struct part *part, struct tp_str name)
{
    return escaped(part, tp_text_cut(part->arena, tp_shown_text(&part->naming, name), NAME_BYTES));
}

static const char BESIDE[] = ", beside PyTorch's trace";

static void add_head(struct part *part)
{
    const struct tp_profile *profile = part->profile;
    struct tp_verdict_words words = tp_section_verdict(&part->naming, profile);
    bool is_many = part->markdown->profile_count > 1;
    struct tp_str title = is_many || !profile->run.len ? profile->worker : profile->run;

    title = profile->beside.len ? profile->beside : title;
    add_line(part, tp_text_printf(part->arena, "## %s%s", name_text(part, title.len ? title : profile->file),
                                  profile->beside.len ? BESIDE : ""));
    add_line(part, tp_text_printf(part->arena, "\n**%s.** %s %s", words.tag, escaped(part, tp_str_of(words.headline)),
                                  escaped(part, tp_str_of(words.text))));
}

static void add_facts(struct part *part)
{
    const struct tp_overview *overview = &part->profile->views->overview;
    const struct tp_quality *quality = &part->profile->advice->quality;
    double total = overview->average_us[TP_AVERAGE_TOTAL];
    const char *split = "", *flags = "";
    bool is_gpu = overview->gpu_summary.row_count > 0;

    for (enum tp_chart_kind kind = 0; kind < TP_CHART_KINDS && total > 0; kind++) {
        double us = overview->average_us[tp_chart_average(kind)];

        if (us > 0)
            split =
                tp_text_printf(part->arena, "%s%s%s %s (%s)", split, *split ? ", " : "", tp_chart_label(kind, is_gpu),
                               tp_text_of_time(part->arena, (int64_t)llround(us * 1000)),
                               tp_text_of_percent(part->arena, 100 * us / total));
    }
    add_line(part, tp_text_printf(part->arena, "\n- Step: %s over %s. %s.",
                                  tp_text_of_time(part->arena, (int64_t)llround(total * 1000)),
                                  tp_text_of_some(part->arena, overview->used_count, "step", "steps"), split));
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++)
        if (quality->flags[i].is_raised)
            flags = tp_text_printf(part->arena, "%s%s%s (%s)", flags, *flags ? ", " : "", quality->flags[i].id,
                                   quality->flags[i].text);
    add_line(part, tp_text_printf(part->arena, "- Trace: %s, %s repaired. Quality flags: %s.",
                                  tp_text_of_some(part->arena, quality->events_total, "event", "events"),
                                  tp_text_of_count(part->arena, quality->repaired), *flags ? flags : "none"));
}

static const char *evidence_text(struct part *part, const struct tp_finding *finding)
{
    const struct tp_evidence *first = &finding->evidence[0];

    if (!finding->evidence_count)
        return "";
    return tp_text_printf(part->arena, " Evidence: event %u of %s at %s, %s%s%s.", first->ordinal,
                          tp_text_of_count(part->arena, finding->evidence_total),
                          tp_text_of_time(part->arena, first->ts_ns),
                          name_text(part, tp_kernel_short_name(part->arena, first->name)),
                          first->file_line.len ? " in " : "", name_text(part, first->file_line));
}

static void add_findings(struct part *part)
{
    const struct tp_recommendations *found = &part->profile->advice->recommendations;

    if (!found->finding_count) {
        add_line(part, "\nNo finding.");
        return;
    }
    add_line(part, "\n| id | severity | at most per step | finding |\n|---|---|---|---|");
    for (uint32_t i = 0; i < found->finding_count; i++) {
        const struct tp_finding *finding = &found->findings[i];
        const char *time = isnan(finding->ceiling_us_per_step)
                               ? "\xe2\x80\x93"
                               : tp_text_of_time(part->arena, (int64_t)llround(finding->ceiling_us_per_step * 1000));

        add_line(part,
                 tp_text_printf(part->arena, "| %s | %s, confidence %s | %s (%s) | **%s.** %s%s |", finding->rule->id,
                                tp_severity_text(finding->severity), tp_confidence_text(finding->confidence), time,
                                tp_text_of_percent(part->arena, finding->share_percent), finding->rule->title,
                                finding->rule->advice, evidence_text(part, finding)));
    }
}

static void add_heavy(struct part *part, const struct tp_table *table, const char *title, const unsigned columns[3],
                      bool is_kernel)
{
    const int64_t *totals = tp_table_int(table, columns[1]), *calls = tp_table_int(table, columns[2]);
    double sum = 0;

    if (!table->row_count)
        return;
    for (size_t i = 0; i < table->row_count; i++)
        sum += (double)totals[i];
    add_line(part, tp_text_printf(part->arena, "\n| %s | calls | time | share |\n|---|---:|---:|---:|", title));
    for (size_t i = 0; i < table->row_count && i < HEAVY_ROWS && totals[i] > 0; i++) {
        struct tp_str name = tp_table_text(table, columns[0])[i];

        add_line(part, tp_text_printf(part->arena, "| %s | %s | %s | %s |",
                                      name_text(part, is_kernel ? tp_kernel_short_name(part->arena, name) : name),
                                      tp_text_of_count(part->arena, calls[i]), tp_text_of_time(part->arena, totals[i]),
                                      tp_text_of_percent(part->arena, sum > 0 ? 100 * (double)totals[i] / sum : 0)));
    }
}

/* One of many: "- worker0: **Input-bound**, 177.6 ms per step; B1 The step waits for input data, at most 28.5 %". */
static void add_short(struct part *part)
{
    const struct tp_profile *profile = part->profile;
    const struct tp_recommendations *found = &profile->advice->recommendations;
    double total = profile->views->overview.average_us[TP_AVERAGE_TOTAL];
    const char *finding = "";

    if (found->finding_count)
        finding = tp_text_printf(part->arena, "; %s %s, at most %s", found->findings[0].rule->id,
                                 found->findings[0].rule->title,
                                 tp_text_of_percent(part->arena, found->findings[0].share_percent));
    struct tp_str worker = profile->beside.len ? profile->beside : profile->worker;
    add_line(part, tp_text_printf(part->arena, "- %s%s%s%s: **%s**, %s per step%s", name_text(part, profile->run),
                                  profile->run.len ? " / " : "", name_text(part, worker.len ? worker : profile->file),
                                  profile->beside.len ? BESIDE : "", tp_section_verdict(&part->naming, profile).tag,
                                  tp_text_of_time(part->arena, (int64_t)llround(total * 1000)), finding));
}

static int add_profile(void *context, struct tp_error *err)
{
    struct part *part = context;
    const struct tp_views *views = part->profile->views;
    bool is_gpu = views->operators.sorted_by_device;
    size_t end = part->end;

    (void)err;
    if (part->markdown->profile_count > DETAILED_PROFILES) {
        part->end = TP_MAX_MARKDOWN_BYTES - END_BYTES; /* lines are about equal: first come, first served */
        add_short(part);
        return TP_OK;
    }

    add_head(part);
    add_facts(part);
    part->end -= (end - part->markdown->out.size) / 3; /* kept for the tables */
    add_findings(part);
    part->end = end;
    part->is_full = false;
    if (views->kernels.is_present)
        add_heavy(part, &views->kernels.by_name, "kernel",
                  (unsigned[]){TP_KERNEL_NAME, TP_KERNEL_TOTAL, TP_KERNEL_CALLS}, true);
    add_heavy(part, &views->operators.by_name, is_gpu ? "operator, GPU self time" : "operator, CPU self time",
              (unsigned[]){TP_OP_NAME, is_gpu ? TP_OP_DEVICE_SELF : TP_OP_HOST_SELF, TP_OP_CALLS}, false);
    add_line(part, "");
    return TP_OK;
}

void tp_markdown_init(struct tp_markdown *markdown, bool redact, size_t profile_count)
{
    *markdown = (struct tp_markdown){.redact = redact, .profile_count = profile_count ? profile_count : 1};
    tp_buf_init(&markdown->out, 0);
}

/* End of the room of the next profile: an equal share of what is left. */
static size_t room_end(const struct tp_markdown *markdown)
{
    size_t left = markdown->profile_count > markdown->done_count ? markdown->profile_count - markdown->done_count : 1;
    size_t max = TP_MAX_MARKDOWN_BYTES - END_BYTES;

    return markdown->out.size < max ? markdown->out.size + (max - markdown->out.size) / left : markdown->out.size;
}

int tp_markdown_add_profile(struct tp_markdown *markdown, const struct tp_profile *profile, struct tp_error *err)
{
    struct tp_arena arena;
    struct part part = {.arena = &arena, .markdown = markdown, .profile = profile, .end = room_end(markdown)};
    int code;

    tp_arena_init(&arena, 0);
    part.naming = (struct tp_naming){.arena = &arena, .redact = markdown->redact};
    if (markdown->redact)
        part.naming.host = tp_worker_host(profile->worker);
    code = tp_arena_run(&arena, add_profile, &part, err);
    markdown->done_count++;
    tp_arena_release(&arena);
    return code;
}

int tp_markdown_add_failed(struct tp_markdown *markdown, struct tp_str file, const char *why, struct tp_error *err)
{
    size_t end = room_end(markdown), before = markdown->out.size;

    (void)err;
    tp_buf_puts(&markdown->out, "- **Not usable**: ");
    tp_markdown_escape(&markdown->out, file);
    tp_buf_puts(&markdown->out, ": ");
    tp_markdown_escape(&markdown->out, tp_str_of(why));
    tp_buf_puts(&markdown->out, "\n");
    markdown->done_count++;
    if (markdown->out.size > end && !markdown->out.failed) {
        markdown->out.size = before;
        markdown->out.data[before] = 0;
        markdown->left_out++;
    }
    return markdown->out.failed;
}

struct tp_str tp_markdown_finish(struct tp_markdown *markdown)
{
    if (markdown->left_out)
        tp_buf_printf(&markdown->out, "\n%zu lines left out; the full numbers are in report.html and --json.\n",
                      markdown->left_out);
    return markdown->out.failed || !markdown->out.data ? (struct tp_str){"", 0}
                                                       : (struct tp_str){markdown->out.data, markdown->out.size};
}

void tp_markdown_release(struct tp_markdown *markdown)
{
    tp_buf_release(&markdown->out);
}
