/* Words the answer. The headline has at most HEADLINE_WORDS words: the part of the time that limits the steps, how much
 * it takes, and the first finding about this part as an instruction. See answer_words.h. */
#include "webreport/document/words/answer_words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "webreport/document/words/device_words.h"
#include "webreport/document/words/words.h"
#include "webreport/measure/audience/phrases.h"
#include "webreport/model/numbers.h"
#include "webreport/trace/frame.h"
#include "webreport/trace/regions.h"
#include "writer/base/buf.h"
#include "writer/text/format.h"

enum { HEADLINE_WORDS = 24 };

/* Arguments that the functions of this file share. */
struct answer_words {
    struct tp_answer *answer;
    const struct tp_advice *advice;
    const struct tp_model *model;
    struct tp_arena *arena;
    const char *device; /* subject of the sentence, such as "The GPU" */
    struct tp_buf text; /* the headline */
};

/* ---- names and numbers ---- */

const char *tp_answer_part_title(enum tp_answer_part_kind part, bool has_device)
{
    static const char *const device[] = {[TP_ANSWER_WORK] = "{GPU} work",
                                         [TP_ANSWER_INPUT] = "Loading data",
                                         [TP_ANSWER_CODE] = "Waiting for code on the CPU",
                                         [TP_ANSWER_LAUNCH] = "Slow launches",
                                         [TP_ANSWER_SYNC] = "Idle after a wait of the CPU",
                                         [TP_ANSWER_COPY] = "Copies",
                                         [TP_ANSWER_COMMUNICATION] = "Communication",
                                         [TP_ANSWER_NOT_SHOWN] = "Not judged"};
    static const char *const host[] = {[TP_ANSWER_WORK] = "{Operators}",
                                       [TP_ANSWER_INPUT] = "Loading data",
                                       [TP_ANSWER_SYNC] = "Waiting",
                                       [TP_ANSWER_COPY] = "Copies",
                                       [TP_ANSWER_COMMUNICATION] = "Communication",
                                       [TP_ANSWER_BETWEEN] = "Code between {operators}",
                                       [TP_ANSWER_NOT_SHOWN] = "Not judged"};
    const char *title = has_device ? device[part] : host[part];
    return title ? title : "";
}

const char *tp_answer_segment_title(const struct tp_model *model, const struct tp_answer_segment *segment,
                                    struct tp_arena *arena)
{
    if (!segment->is_work)
        return tp_text_printf(arena, "%.*s", (int)segment->name.len, segment->name.ptr);
    if (segment->work == TP_WORK_OTHER)
        return tp_words_for_trace(model, model->gpu_count ? "{GPU} work of other kinds" : "Other {operators}", arena);
    if (segment->work != TP_WORK_COUNT)
        return tp_work_title(segment->work);
    return tp_words_for_trace(model, model->gpu_count ? "Other {GPU} work" : "Other {operators}", arena);
}

struct tp_str tp_short_host_name(struct tp_str name)
{
    static const char built_in[] = "<built-in ";
    unsigned regions = tp_regions_by_name(name);
    struct tp_str function = tp_frame_function_name(name);
    if (regions & TP_REGION_LOADER)
        return TP_STR("DataLoader");
    if (regions & (TP_REGION_OPTIMIZER_STEP | TP_REGION_ZERO_GRAD)) {
        const char *mark = memchr(name.ptr, '#', name.len);
        return (struct tp_str){mark + 1, name.len - (size_t)(mark + 1 - name.ptr)};
    }
    if (function.len)
        return function;
    if (!tp_str_starts(name, built_in))
        return tp_frame_module_class(name);
    /* "<built-in method to of Tensor object at 0x7f>" and "<built-in function len>" name "to" and "len" */
    const char *at = memchr(name.ptr + sizeof built_in - 1, ' ', name.len - (sizeof built_in - 1));
    const char *end = at ? memchr(at + 1, ' ', name.len - (size_t)(at + 1 - name.ptr)) : NULL;
    end = end ? end : name.ptr + name.len - 1;
    return at && at + 1 < end ? (struct tp_str){at + 1, (size_t)(end - at - 1)} : name;
}

static const char *fixed_text(struct tp_arena *arena, double value, double largest)
{
    return tp_text_of_fixed(arena, value, largest >= 100 ? 0 : largest >= 10 ? 1 : 2);
}

/* Returns the unit of a time in a headline: a time of 1 ms to 10 s is in milliseconds. */
static struct tp_unit unit_of_headline(int64_t ns)
{
    enum { MS = 1000000 };
    static const struct tp_unit us = {"µs", 1e3, 0}, ms = {"ms", 1e6, 0}, s = {"s", 1e9, 0};
    return ns >= INT64_C(10000) * MS ? s : ns >= MS ? ms : us;
}

const char *tp_part_of_time_text(struct tp_arena *arena, int64_t part_ns, int64_t whole_ns)
{
    struct tp_unit unit = unit_of_headline(whole_ns);
    double whole = (double)whole_ns / unit.divisor;
    return tp_text_printf(arena, "%s of %s %s", fixed_text(arena, (double)part_ns / unit.divisor, whole),
                          fixed_text(arena, whole, whole), unit.text);
}

const char *tp_time_instead_text(struct tp_arena *arena, int64_t now_ns, int64_t before_ns)
{
    int64_t longest_ns = now_ns > before_ns ? now_ns : before_ns;
    struct tp_unit unit = unit_of_headline(longest_ns);
    double now = (double)now_ns / unit.divisor, before = (double)before_ns / unit.divisor;
    double longest = (double)longest_ns / unit.divisor;
    return tp_text_printf(arena, "%s instead of %s %s", fixed_text(arena, now, longest),
                          fixed_text(arena, before, longest), unit.text);
}

const char *tp_time_change_text(struct tp_arena *arena, int64_t before_ns, int64_t after_ns)
{
    struct tp_unit unit = unit_of_headline(before_ns);
    double before = (double)before_ns / unit.divisor, after = (double)after_ns / unit.divisor;
    return tp_text_printf(arena, "%s to %s %s", fixed_text(arena, before, before), fixed_text(arena, after, before),
                          unit.text);
}

const char *tp_range_of_time_text(struct tp_arena *arena, int64_t low_ns, int64_t high_ns)
{
    struct tp_unit unit = unit_of_headline(high_ns);
    double value = (double)high_ns / unit.divisor;
    const char *high = fixed_text(arena, value, value), *low = fixed_text(arena, (double)low_ns / unit.divisor, value);
    if (low_ns <= 0)
        return tp_text_printf(arena, "up to %s %s", high, unit.text);
    return strcmp(low, high) == 0 ? tp_text_printf(arena, "%s %s", high, unit.text)
                                  : tp_text_printf(arena, "%s to %s %s", low, high, unit.text);
}

/* Returns a time with the unit and the decimals of a text of tp_part_of_time_text. */
static const char *time_like_part_text(struct tp_arena *arena, int64_t ns, int64_t whole_ns)
{
    struct tp_unit unit = unit_of_headline(whole_ns);
    return tp_text_printf(arena, "%s %s", fixed_text(arena, (double)ns / unit.divisor, (double)whole_ns / unit.divisor),
                          unit.text);
}

/* Returns the mean time of a part in an analysed step, ns. */
static int64_t step_ns(const struct answer_words *w, int64_t ns)
{
    return ns / (w->advice->verdict.steps_used ? w->advice->verdict.steps_used : 1);
}

static const char *time_of_part(const struct answer_words *w, enum tp_answer_part_kind part)
{
    return tp_part_of_time_text(w->arena, step_ns(w, w->answer->parts[part].ns), step_ns(w, w->answer->whole_ns));
}

/* Returns a percentage without decimals, or with one decimal below 10 %. */
static const char *percent_text(const struct answer_words *w, double percent)
{
    return tp_text_printf(w->arena, "%s %%", tp_text_of_fixed(w->arena, percent, percent < 9.95 ? 1 : 0));
}

/* Returns a share as used before "of it": "95 %", or "all". */
static const char *share_of_it_text(const struct answer_words *w, double percent)
{
    return percent >= 99.5 ? "all" : percent_text(w, percent);
}

static double percent_of_part(const struct answer_words *w, enum tp_answer_part_kind part)
{
    return tp_percent(w->answer->parts[part].ns, w->answer->whole_ns);
}

/* ---- the causes ---- */

enum { MOST_NAME_BYTES = 40 };

/* Returns the name of a function as in "zoom()", without its path; "" if it is too long or not the name of a
 * function. */
static const char *function_text(const struct answer_words *w, struct tp_str line)
{
    struct tp_str name = tp_short_host_name(line);
    bool is_function = name.len && name.ptr != line.ptr;
    if (!is_function || name.len > MOST_NAME_BYTES || name.ptr[0] == '<')
        return "";
    return tp_text_printf(w->arena, "%.*s()", (int)name.len, name.ptr);
}

static const char *name_of_loader(const struct answer_words *w)
{
    const struct tp_model *model = w->model;
    const char *loader = "input data", *function = function_text(w, w->answer->line);
    for (uint32_t i = 0; i < model->trace->names.count; i++)
        if (tp_regions_by_name(model->trace->names.items[i]) & TP_REGION_DATA_LOADER)
            loader = "the DataLoader";
    return *function ? tp_text_printf(w->arena, "%s, mostly in %s", loader, function) : loader;
}

/* Returns the function in which the host was while the device waited, such as "preprocess() on the CPU". */
static const char *name_of_code(const struct answer_words *w)
{
    const char *function = function_text(w, w->answer->frame);
    if (*function)
        return tp_text_printf(w->arena, "%s on the CPU", function);
    function = function_text(w, w->answer->line);
    return *function ? tp_text_printf(w->arena, "code on the CPU, mostly %s", function) : "code on the CPU";
}

/* Returns what the device loses time to, as in "The GPU loses 47 of 208 ms to .." */
static const char *noun_of_part(const struct answer_words *w, enum tp_answer_part_kind part)
{
    switch (part) {
    case TP_ANSWER_INPUT:
        return name_of_loader(w);
    case TP_ANSWER_CODE:
        return name_of_code(w);
    case TP_ANSWER_LAUNCH:
        return "slow launches";
    case TP_ANSWER_SYNC:
        return "waits of the CPU";
    case TP_ANSWER_COPY:
        return "copies";
    case TP_ANSWER_COMMUNICATION:
        return "communication";
    default:
        return "other time";
    }
}

/* Returns a kind of work as used within a sentence, such as "matrix products". */
static const char *work_within_sentence(enum tp_work work)
{
    static const char *const words[TP_WORK_COUNT] = {[TP_WORK_GEMM] = "matrix products",
                                                     [TP_WORK_ATTENTION] = "attention",
                                                     [TP_WORK_CONVOLUTION] = "convolutions",
                                                     [TP_WORK_MOE] = "expert layers",
                                                     [TP_WORK_NORM] = "normalisation",
                                                     [TP_WORK_SOFTMAX] = "softmax and losses",
                                                     [TP_WORK_ELEMENTWISE] = "element-wise work",
                                                     [TP_WORK_REDUCTION] = "reductions",
                                                     [TP_WORK_LAYOUT] = "layout changes",
                                                     [TP_WORK_EMBEDDING] = "embeddings and gathers",
                                                     [TP_WORK_OPTIMIZER] = "the optimizer",
                                                     [TP_WORK_COMMUNICATION] = "communication",
                                                     [TP_WORK_SAMPLING] = "sampling and sorting",
                                                     [TP_WORK_QUANTISE] = "quantisation",
                                                     [TP_WORK_COPY] = "copies",
                                                     [TP_WORK_WAIT] = "waits",
                                                     [TP_WORK_ALLOCATION] = "allocation",
                                                     [TP_WORK_ENGINE] = "the autograd engine",
                                                     [TP_WORK_OTHER] = "other work"};
    return words[work];
}

static void put_marked(struct answer_words *w, enum tp_answer_part_kind part, const char *text)
{
    struct tp_answer_mark *mark = &w->answer->marks[w->answer->mark_count++];
    *mark = (struct tp_answer_mark){w->text.size, strlen(text), part};
    tp_buf_puts(&w->text, text);
}

/* Appends the words about the two largest parts of the time, if they are almost equal. */
static void put_two_causes(struct answer_words *w)
{
    enum tp_answer_part_kind main = w->answer->main, second = w->answer->second;
    tp_buf_printf(&w->text, "%s loses ", w->device);
    put_marked(w, main, tp_text_printf(w->arena, "%s to %s", time_of_part(w, main), noun_of_part(w, main)));
    tp_buf_puts(&w->text, " and ");
    put_marked(w, second,
               tp_text_printf(w->arena, "%s to %s",
                              time_like_part_text(w->arena, step_ns(w, w->answer->parts[second].ns),
                                                  step_ns(w, w->answer->whole_ns)),
                              noun_of_part(w, second)));
}

/* Returns the share of the whole time that a kind of work takes, or "all of it" if there is no other work. */
static const char *share_of_segment_text(const struct answer_words *w, const struct tp_answer_segment *segment)
{
    const char *share = percent_text(w, tp_percent(segment->ns, w->answer->whole_ns));
    return strcmp(share, percent_text(w, percent_of_part(w, TP_ANSWER_WORK))) == 0 ? "all of it" : share;
}

/* Appends the words about the work of the device, or of the host. Returns an instruction about the range of the program
 * that has most of the work, or NULL. */
static const char *put_work(struct answer_words *w)
{
    static const double NAMED_PERCENT = 25;
    const struct tp_answer_part *part = &w->answer->parts[TP_ANSWER_WORK];
    const struct tp_answer_segment *first = part->segment_count > 1 ? &part->segments[0] : NULL;
    double share = first ? tp_percent(first->ns, part->ns) : 0;
    const char *whole = w->advice->verdict.period == TP_PERIOD_RECORDING ? "the recording" : "the step";
    const char *time = percent_text(w, percent_of_part(w, TP_ANSWER_WORK));
    const char *does = w->answer->has_device ? tp_text_printf(w->arena, "%s computes for ", w->device)
                                             : tp_words_for_trace(w->model, "{Operators} take ", w->arena);
    const struct tp_verdict_largest *largest = &w->advice->verdict.largest;
    bool has_name = !w->answer->has_device && largest->name.len && largest->name.len <= MOST_NAME_BYTES;
    bool is_range = has_name && w->advice->verdict.headline_id == TP_HEADLINE_RANGES;
    if (is_range) {
        tp_buf_printf(&w->text, "%.*s ", (int)largest->name.len, largest->name.ptr);
        put_marked(w, TP_ANSWER_WORK,
                   tp_text_printf(w->arena, "takes %s of %s", percent_text(w, largest->percent), whole));
        return "make it cheaper, or call it less often";
    }
    tp_buf_puts(&w->text, does);
    put_marked(w, TP_ANSWER_WORK, tp_text_printf(w->arena, "%s of %s", time, whole));
    if (share >= NAMED_PERCENT && first->is_work && first->work != TP_WORK_OTHER)
        tp_buf_printf(&w->text, ", %s in %s", share_of_segment_text(w, first), work_within_sentence(first->work));
    else if (has_name && largest->percent >= NAMED_PERCENT)
        tp_buf_printf(&w->text, ", %s of it in %.*s", share_of_it_text(w, largest->percent), (int)largest->name.len,
                      largest->name.ptr);
    return NULL;
}

static void put_cause_on_device(struct answer_words *w)
{
    enum tp_answer_part_kind main = w->answer->main;
    const char *time = time_of_part(w, main);
    switch (main) {
    case TP_ANSWER_LAUNCH:
        tp_buf_printf(&w->text, "The CPU cannot launch fast enough, so %c%s ", tolower((unsigned char)w->device[0]),
                      w->device + 1);
        put_marked(w, main, tp_text_printf(w->arena, "idles %s", time));
        break;
    case TP_ANSWER_SYNC:
        tp_buf_printf(&w->text, "%s ", w->device);
        put_marked(w, main, tp_text_printf(w->arena, "idles %s", time));
        tp_buf_puts(&w->text, " after the CPU waited for it");
        break;
    case TP_ANSWER_COPY:
        put_marked(w, main, tp_text_printf(w->arena, "Copies take %s", time));
        tp_buf_puts(&w->text, " while no kernel runs");
        break;
    case TP_ANSWER_COMMUNICATION:
        if (w->advice->verdict.headline_id == TP_HEADLINE_COLLECTIVE) {
            put_marked(w, main, tp_text_printf(w->arena, "One collective takes %s", time));
            tp_buf_puts(&w->text, ", because other ranks called it late or started after this recording");
            break;
        }
        put_marked(w, main, tp_text_printf(w->arena, "Communication takes %s", time));
        tp_buf_puts(&w->text, " with no work beside it");
        break;
    default:
        tp_buf_printf(&w->text, "%s waits ", w->device);
        put_marked(w, main, time);
        tp_buf_printf(&w->text, " for %s", noun_of_part(w, main));
    }
}

static void put_cause_on_host(struct answer_words *w)
{
    static const char *const does[] = {[TP_ANSWER_INPUT] = "Loading data takes %s",
                                       [TP_ANSWER_SYNC] = "The main thread waits %s",
                                       [TP_ANSWER_COPY] = "Copies take %s",
                                       [TP_ANSWER_COMMUNICATION] = "Communication takes %s",
                                       [TP_ANSWER_BETWEEN] = "Code between {operators} takes %s"};
    enum tp_answer_part_kind main = w->answer->main;
    const char *words = tp_words_for_trace(w->model, does[main], w->arena), *at = strstr(words, "%s");
    put_marked(w, main, tp_text_printf(w->arena, "%.*s%s", (int)(at - words), words, time_of_part(w, main)));
}

/* Appends what cannot be judged, and why. Returns what to record, or NULL. */
static const char *put_unjudged(struct answer_words *w)
{
    const struct tp_trace_verdict *v = &w->advice->verdict;
    bool has_bar = w->answer->whole_ns > 0;
    int64_t ns = has_bar ? w->answer->parts[TP_ANSWER_NOT_SHOWN].ns : v->unjudged.ns;
    const char *time = tp_part_of_time_text(w->arena, step_ns(w, ns), step_ns(w, w->model->window_ns));
    const char *device = tp_text_printf(w->arena, "%c%s", tolower((unsigned char)w->device[0]), w->device + 1);
    switch (v->unjudged.reason) {
    case TP_UNJUDGED_CAPTURE:
        tp_buf_puts(&w->text, "The program captures a device graph for ");
        put_marked(w, TP_ANSWER_NOT_SHOWN, time);
        return "record the replay of the graph";
    case TP_UNJUDGED_TOO_LITTLE_WORK:
        tp_buf_puts(&w->text, "This recording has ");
        put_marked(w, TP_ANSWER_NOT_SHOWN, "too little work to judge");
        return "record several steps after a warm-up";
    case TP_UNJUDGED_FIRST_USE:
        tp_buf_printf(&w->text, "First use of %s fills ", device);
        put_marked(w, TP_ANSWER_NOT_SHOWN, time);
        tp_buf_puts(&w->text, " of this recording");
        return "warm up for some steps, then record";
    case TP_UNJUDGED_EDGE:
    case TP_UNJUDGED_MISSING:
        if (v->unrecorded_wait_ns > ns / 2) {
            tp_buf_printf(&w->text, "No work of %s was recorded for ", device);
            put_marked(w, TP_ANSWER_NOT_SHOWN, time);
            tp_buf_puts(&w->text, ", although the CPU waits for it");
            return "record more steps";
        }
        put_marked(w, TP_ANSWER_NOT_SHOWN, tp_text_printf(w->arena, "%s cannot be judged", time));
        tp_buf_printf(&w->text, ", because the recording does not show the earlier work of %s", device);
        return "record more steps";
    default:
        tp_buf_printf(&w->text, "%s has no work for ", w->device);
        put_marked(w, TP_ANSWER_NOT_SHOWN, time);
        tp_buf_puts(&w->text,
                    v->cause == TP_TIME_QUEUE ? ", although work was launched" : ", and the trace does not show why");
        return v->cause == TP_TIME_QUEUE ? "the trace does not show why" : NULL;
    }
}

/* ---- what to do ---- */

/* Returns the first finding about the main part that saves time, else the first that saves time; NULL if none does. */
static const struct tp_finding *first_finding(const struct answer_words *w)
{
    const struct tp_recommendations *found = &w->advice->recommendations;
    const enum tp_answer_part_kind parts[] = {w->answer->main, w->answer->second};
    for (unsigned p = 0; p < 2 && parts[p] != TP_ANSWER_KINDS; p++)
        for (uint32_t i = 0; i < found->finding_count; i++)
            if (w->answer->part_of_finding[i] == parts[p] && found->findings[i].high_percent > 0)
                return &found->findings[i];
    return NULL;
}

static unsigned word_count(const char *text, size_t size)
{
    unsigned count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    return count;
}

/* Returns a size at which the instruction can end: before the last of its punctuation marks within `size`. */
static size_t shorter_instruction(const char *text, size_t size)
{
    while (size && !strchr(":;,", text[size - 1]))
        size--;
    return size ? size - 1 : 0;
}

void tp_put_instruction(struct tp_buf *headline, const char *joint, const char *action)
{
    size_t size = strlen(action);
    bool has_colon = memchr(headline->data, ':', headline->size) != NULL;
    unsigned used = word_count(headline->data, headline->size) + (joint ? word_count(joint, strlen(joint)) - 1 : 0);
    unsigned left = used < HEADLINE_WORDS ? HEADLINE_WORDS - used : 0;
    size -= size && action[size - 1] == '.';
    while (size && word_count(action, size) > left)
        size = shorter_instruction(action, size);
    if (size) {
        bool is_name = isupper((unsigned char)action[0]) && size > 1 && isupper((unsigned char)action[1]);
        tp_buf_puts(headline, joint ? joint : has_colon || memchr(action, ':', size) ? "; " : ": ");
        for (size_t i = 0; i < size; i++) /* a headline has no marks of code */
            if (action[i] != '`')
                tp_buf_putc(headline, i || is_name ? action[i] : (char)tolower((unsigned char)action[i]));
    }
    tp_buf_putc(headline, '.');
}

/* ---- the sentences below the headline ---- */

/* Returns a sentence about the rest of the time. */
static const char *rest_text(const struct answer_words *w)
{
    static const double LEAST_PERCENT = 5, KIND_PERCENT = 25;
    const struct tp_answer_part *work = &w->answer->parts[TP_ANSWER_WORK];
    enum tp_answer_part_kind best = TP_ANSWER_KINDS;
    if (!w->answer->has_device)
        return "";
    if (w->answer->main != TP_ANSWER_WORK) {
        double share = work->segment_count > 1 ? tp_percent(work->segments[0].ns, work->ns) : 0;
        return tp_text_printf(w->arena, "%s computes for %s of the time%s. ", w->device,
                              percent_text(w, percent_of_part(w, TP_ANSWER_WORK)),
                              share >= KIND_PERCENT && work->segments[0].work != TP_WORK_OTHER
                                  ? tp_text_printf(w->arena, ", %s in %s", share_of_segment_text(w, &work->segments[0]),
                                                   work_within_sentence(work->segments[0].work))
                                  : "");
    }
    for (enum tp_answer_part_kind k = TP_ANSWER_INPUT; k < TP_ANSWER_NOT_SHOWN; k++)
        if (best == TP_ANSWER_KINDS || w->answer->parts[k].ns > w->answer->parts[best].ns)
            best = k;
    if (percent_of_part(w, best) < LEAST_PERCENT)
        return "No other cause takes 5 % of the time or more. ";
    return tp_text_printf(w->arena, "It loses %s to %s. ", time_of_part(w, best), noun_of_part(w, best));
}

/* Returns the most important reservation about the numbers, as a sentence; "" without one. */
static const char *reservation_text(const struct answer_words *w)
{
    const struct tp_trace_verdict *v = &w->advice->verdict;
    if (v->recording_percent > 0)
        return tp_text_printf(
            w->arena,
            "Record once without %s before you change the program: the recording itself takes %s %s of the time.",
            v->is_recording_of_stacks ? "stacks" : "shapes and memory", v->has_device ? "at least" : "about",
            percent_text(w, v->recording_percent));
    if (v->ready_percent > 0)
        return tp_text_printf(w->arena, "For %s of the time the main thread could run, but no CPU was free.",
                              percent_text(w, v->ready_percent));
    return ""; /* a notice reports steps without marks */
}

/* ---- the whole answer ---- */

static const char *subject_of_device(const struct tp_trace_verdict *v, const struct tp_model *model,
                                     struct tp_arena *arena)
{
    if (!v->has_device)
        return "The CPU";
    if (model->gpu_count == 1 && !model->gpus[0].is_own)
        return tp_text_printf(arena, "The %s", model->gpus[0].word);
    struct tp_str title = tp_device_title(model, v->device, arena);
    return tp_text_printf(arena, "%.*s", (int)title.len, title.ptr);
}

/* Returns the size of the first sentence of a text, without its period. */
static size_t first_sentence_bytes(struct tp_str text)
{
    for (size_t i = 1; i + 1 < text.len; i++)
        if (text.ptr[i] == ' ' && text.ptr[i - 1] == '.' && isupper((unsigned char)text.ptr[i + 1]))
            return i - 1;
    return text.len && text.ptr[text.len - 1] == '.' ? text.len - 1 : text.len;
}

/* Writes the headline of a trace without parts: the first sentence of the verdict, and what to record. */
static void put_answer_without_parts(struct answer_words *w)
{
    const struct tp_trace_verdict *v = &w->advice->verdict;
    struct tp_str text = v->headline;
    if (v->headline_id == TP_HEADLINE_FRAGMENT)
        text = TP_STR("This recording has no complete step with work");
    tp_buf_add(&w->text, text.ptr, first_sentence_bytes(text));
    if (v->headline_id == TP_HEADLINE_FRAGMENT) {
        tp_put_instruction(&w->text, NULL, "record more steps");
    } else if (v->headline_id == TP_HEADLINE_DEVICE_MISSING) {
        struct tp_str advice = tp_str_of(tp_device_missing_advice(w->model, w->arena));
        bool is_instruction = tp_str_starts(advice, "Record ");
        tp_put_instruction(&w->text, NULL,
                           is_instruction ? tp_arena_copy(w->arena, advice.ptr, first_sentence_bytes(advice)) : "");
    } else {
        tp_buf_putc(&w->text, '.');
    }
}

void tp_fill_answer_texts(struct tp_advice *advice, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_answer *answer = &advice->answer;
    struct answer_words w = {.answer = answer, .advice = advice, .model = model, .arena = arena};
    bool is_unjudged = advice->verdict.unjudged.reason != TP_UNJUDGED_NOTHING || answer->main == TP_ANSWER_NOT_SHOWN;
    const char *action = NULL, *instruction = NULL;
    answer->mark_count = 0;
    answer->why = TP_STR("");
    tp_buf_init(&w.text, 0);
    if (answer->main == TP_ANSWER_KINDS && !is_unjudged) {
        put_answer_without_parts(&w);
        size_t bytes = w.text.size;
        answer->headline = (struct tp_str){tp_buf_move(&w.text, arena), bytes};
        return;
    }
    w.device = subject_of_device(&advice->verdict, model, arena);
    if (is_unjudged)
        action = put_unjudged(&w);
    else if (answer->main == TP_ANSWER_WORK)
        instruction = put_work(&w);
    else if (answer->has_device && answer->second != TP_ANSWER_KINDS && answer->second != TP_ANSWER_WORK)
        put_two_causes(&w);
    else if (answer->has_device)
        put_cause_on_device(&w);
    else
        put_cause_on_host(&w);
    const struct tp_finding *finding = is_unjudged ? NULL : first_finding(&w);
    tp_put_instruction(&w.text, NULL,
                       action        ? action
                       : finding     ? finding->shown_title
                       : instruction ? instruction
                                     : "");
    size_t size = w.text.size;
    answer->headline = (struct tp_str){tp_buf_move(&w.text, arena), size};
    answer->why = tp_str_of(tp_text_printf(arena, "%s%s", is_unjudged ? "" : rest_text(&w), reservation_text(&w)));
}
