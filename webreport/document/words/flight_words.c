/* Words the answer from dumps of the Flight Recorder: see flight_words.h. */
#include "webreport/document/words/flight_words.h"

#include <stdarg.h>
#include <stdio.h>

#include "writer/base/limits.h"
#include "writer/base/sort.h"

enum { RANKS_LISTED = 6, RANKS_BEFORE_MORE = 4, CIRCLE_NAMED = 4, VERSION_SHOWN = 20 };

/* ---- parts of sentences ---- */

void tp_flight_say(struct tp_flight_sentence *sentence, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tp_vec_add_text(&sentence->text, tp_str_of(text));
}

void tp_flight_say_text(struct tp_flight_sentence *sentence, struct tp_str text)
{
    tp_vec_add_text(&sentence->text, text);
}

void tp_flight_say_ranks(struct tp_flight_sentence *sentence, struct tp_flight_ranks ranks, bool is_start)
{
    uint64_t listed = ranks.count <= RANKS_LISTED ? ranks.count : RANKS_BEFORE_MORE;
    tp_flight_say(sentence, "%sank%s", is_start ? "R" : "r", ranks.count == 1 ? " " : "s ");
    for (uint64_t i = 0; i < listed; i++)
        tp_flight_say(sentence, "%s%u", i ? ", " : "", ranks.items[i]);
    if (listed < ranks.count)
        tp_flight_say(sentence, " and %llu more", (unsigned long long)(ranks.count - listed));
}

void tp_flight_say_group(struct tp_flight_sentence *sentence, struct tp_str group, struct tp_str description)
{
    bool has_description = description.len && !tp_str_equal(description, TP_STR("undefined"));
    tp_flight_say_text(sentence, has_description ? description : TP_STR("group"));
    tp_flight_say(sentence, has_description ? " (" : " ");
    tp_flight_say_text(sentence, group);
    if (has_description)
        tp_flight_say(sentence, ")");
}

static void say_call(struct tp_flight_sentence *sentence, struct tp_str op, int64_t sequence, struct tp_str group,
                     struct tp_str description)
{
    tp_flight_say_text(sentence, op);
    tp_flight_say(sentence, " #%lld of ", (long long)sequence);
    tp_flight_say_group(sentence, group, description);
}

void tp_flight_say_call(struct tp_flight_sentence *sentence, const struct tp_flight_open *open)
{
    say_call(sentence, open->op, open->sequence, open->group, open->description);
}

static void say_at(struct tp_flight_sentence *sentence, struct tp_str line)
{
    if (!line.len)
        return;
    tp_flight_say(sentence, " at ");
    tp_flight_say_text(sentence, line);
}

/* Ends the first sentence before the full stop that follows. */
static void end_first(struct tp_flight_sentence *sentence)
{
    if (!sentence->first_size)
        sentence->first_size = sentence->text.count;
}

/* Appends "wait" with the ending that the number of ranks needs. */
static const char *wait_of(uint64_t count)
{
    return count == 1 ? "waits" : "wait";
}

/* ---- files ---- */

struct tp_str tp_flight_refusal_text(enum tp_flight_refusal refusal, struct tp_str version, struct tp_arena *arena)
{
    static const char *const texts[] = {
        [TP_FLIGHT_OK] = "",
        [TP_FLIGHT_EMPTY] = "empty",
        [TP_FLIGHT_TRUNCATED] = "truncated",
        [TP_FLIGHT_CODE] = "it asks to run code or to load objects, which a dump never does",
        [TP_FLIGHT_NO_PICKLE] = "not a valid pickle",
        [TP_FLIGHT_NUMBER] = "an integer above 64 bits",
        [TP_FLIGHT_LONG_TEXT] = "a text longer than 1 MiB",
        [TP_FLIGHT_NO_JSON] = "not valid JSON",
        [TP_FLIGHT_NO_DUMP] = "not a Flight Recorder dump",
        [TP_FLIGHT_VERSION] = "version",
        [TP_FLIGHT_LARGE] = "larger than 1 GiB",
        [TP_FLIGHT_MEMORY] = "too many values for its size",
        [TP_FLIGHT_REPEATED] = "too many references to the same values",
        [TP_FLIGHT_RANK] = "rank above 65535",
        [TP_FLIGHT_DAMAGED] = "damaged gzip data",
        [TP_FLIGHT_UNREADABLE] = "cannot be read",
    };
    if (refusal != TP_FLIGHT_VERSION)
        return tp_str_of(texts[refusal]);
    struct tp_flight_sentence sentence = {.text = TP_VEC(arena, char)};
    version.len = version.len < VERSION_SHOWN ? version.len : VERSION_SHOWN;
    tp_flight_say(&sentence, "version ");
    tp_flight_say_text(&sentence, version);
    tp_flight_say(&sentence, " is not known");
    return tp_flight_said(&sentence);
}

/* ---- mismatches ---- */

static void say_side(struct tp_flight_sentence *sentence, const struct tp_flight_side *side)
{
    tp_flight_say_text(sentence, side->op);
    if (side->element_count)
        tp_flight_say(sentence, " of %lld elements", (long long)side->elements[0]);
    for (uint64_t i = 0; i < side->type_count; i++) {
        tp_flight_say(sentence, i ? "/" : " ");
        tp_flight_say_text(sentence, side->types[i]);
    }
    say_at(sentence, side->line);
}

static void word_mismatch(struct tp_flight_sentence *sentence, const struct tp_flight_mismatch *mismatch)
{
    const struct tp_flight_side *common = &mismatch->sides[0], *other = &mismatch->sides[mismatch->side_count - 1];
    tp_flight_say_ranks(sentence, other->ranks, true);
    tp_flight_say(sentence, " called ");
    say_side(sentence, other);
    tp_flight_say(sentence, " where ");
    tp_flight_say_ranks(sentence, common->ranks, false);
    tp_flight_say(sentence, " called ");
    say_side(sentence, common);
    tp_flight_say(sentence, ": call %lld of ", (long long)mismatch->sequence);
    tp_flight_say_group(sentence, mismatch->group, mismatch->description);
    if (mismatch->is_undecided)
        tp_flight_say(sentence, "; which side is wrong cannot be told");
    if (mismatch->shift == TP_FLIGHT_LEFT_OUT)
        tp_flight_say(sentence, "; it seems to have left out one call");
    if (mismatch->shift == TP_FLIGHT_EXTRA)
        tp_flight_say(sentence, "; it seems to have made one call too many");
    end_first(sentence);
    tp_flight_say(sentence, mismatch->is_open ? "." : ". It finished, with wrong data.");
}

/* ---- culprits ---- */

/* The sentence about the first culprit. */
struct wording {
    struct tp_flight_sentence *sentence;
    const struct tp_flight_result *result;
    const struct tp_flight_culprit *culprit;
    const struct tp_flight_open *open; /* the call that ranks wait in */
};

/* Appends the call, or for a send the receive that is missing. */
static void say_missing_call(const struct wording *w)
{
    if (w->open->is_p2p) {
        tp_flight_say(w->sentence, "the other side of ");
        tp_flight_say_text(w->sentence, w->open->op);
        tp_flight_say(w->sentence, " in ");
        tp_flight_say_group(w->sentence, w->culprit->group, w->culprit->description);
    } else {
        say_call(w->sentence, w->open->op, w->culprit->sequence, w->culprit->group, w->culprit->description);
    }
}

static void word_no_dump(const struct wording *w)
{
    tp_flight_say(w->sentence, "Rank %lld left no readable dump, and ", (long long)w->culprit->rank);
    tp_flight_say_ranks(w->sentence, w->result->waiting, false);
    tp_flight_say(w->sentence, " %s for it in ", wait_of(w->result->waiting.count));
    say_missing_call(w);
    end_first(w->sentence);
    tp_flight_say(w->sentence, ". It died or hangs; which, the dumps do not tell. They wait");
}

static void word_cannot_tell(const struct wording *w)
{
    tp_flight_say(w->sentence, "Whether rank %lld entered ", (long long)w->culprit->rank);
    say_missing_call(w);
    tp_flight_say(w->sentence, " cannot be told: %s",
                  w->culprit->is_overwritten ? "its ring has overwritten it" : "its dump leaves its calls out");
}

static void word_gpu_behind(const struct wording *w)
{
    struct tp_vec running = TP_VEC(w->sentence->text.arena, uint32_t);
    for (uint64_t i = 0; i < w->open->waiting.count; i++) {
        uint32_t rank = w->open->waiting.items[i];
        if (!tp_flight_ranks_contain(&w->open->behind, rank))
            *(uint32_t *)tp_vec_push(&running) = rank;
    }
    tp_flight_say(w->sentence, "Rank %lld has queued ", (long long)w->culprit->rank);
    say_missing_call(w);
    tp_flight_say(w->sentence, ", but its GPU has not begun it; ");
    tp_flight_say_ranks(w->sentence, (struct tp_flight_ranks){running.data, running.count}, false);
    tp_flight_say(w->sentence, " run it and wait");
}

static void word_peer(const struct wording *w)
{
    bool is_receive = tp_str_starts(w->open->op, "recv");
    struct tp_str ranks = {w->open->op.ptr + 4, w->open->op.len - 4}; /* behind "send" or "recv" */
    tp_flight_say(w->sentence, "Rank %lld never called %s", (long long)w->culprit->rank, is_receive ? "send" : "recv");
    tp_flight_say_text(w->sentence, ranks);
    tp_flight_say(w->sentence, " of ");
    tp_flight_say_group(w->sentence, w->culprit->group, w->culprit->description);
    tp_flight_say(w->sentence, "; rank %u waits in %s", w->open->waiting.items[0], is_receive ? "recv" : "send");
    if (w->result->waiting.count > 1)
        tp_flight_say(w->sentence, ", %llu ranks in all", (unsigned long long)w->result->waiting.count);
}

static void word_not_joined(const struct wording *w)
{
    tp_flight_say(w->sentence, "Rank %lld never entered ", (long long)w->culprit->rank);
    say_missing_call(w);
    tp_flight_say(w->sentence, "; ");
    tp_flight_say_ranks(w->sentence, w->open->waiting, false);
    tp_flight_say(w->sentence, " %s in it", wait_of(w->open->waiting.count));
    if (w->result->waiting.count > w->open->waiting.count)
        tp_flight_say(w->sentence, ", %llu ranks in all", (unsigned long long)w->result->waiting.count);
}

static void say_last_call(const struct wording *w)
{
    const struct tp_flight_last_call *last = &w->culprit->last_call;
    if (w->culprit->why != TP_FLIGHT_WHY_NOT_JOINED || !w->culprit->has_last_call)
        return;
    tp_flight_say(w->sentence, ". Its last call was ");
    tp_flight_say_text(w->sentence, last->op);
    tp_flight_say(w->sentence, " #%lld (", (long long)last->sequence);
    tp_flight_say_text(w->sentence, last->state);
    tp_flight_say(w->sentence, ")");
    say_at(w->sentence, last->line);
}

static int compare_numbers(const void *x, const void *y, const void *context)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    (void)context;
    return (a > b) - (a < b);
}

/* Names the other culprits, in the order of their numbers. */
static void say_other_culprits(const struct wording *w)
{
    struct tp_vec others = TP_VEC(w->sentence->text.arena, uint32_t);
    const struct tp_flight_ranks *all = &w->result->culprit_ranks;
    for (uint64_t i = 1; i < all->count; i++)
        *(uint32_t *)tp_vec_push(&others) = all->items[i];
    if (!others.count)
        return;
    tp_merge_sort(others.arena, others.data, others.count, sizeof(uint32_t), compare_numbers, NULL);
    tp_flight_say(w->sentence, ". ");
    tp_flight_say_ranks(w->sentence, (struct tp_flight_ranks){others.data, others.count}, true);
    tp_flight_say(w->sentence, " too");
}

/* Returns the first line that is not empty. */
static struct tp_str first_line(const struct tp_flight_open *open)
{
    for (uint64_t i = 0; i < open->line_count; i++)
        if (open->lines[i].len)
            return open->lines[i];
    return (struct tp_str){"", 0};
}

static void word_culprit(struct tp_flight_sentence *sentence, const struct tp_flight_result *result)
{
    const struct tp_flight_culprit *culprit = &result->culprits[0];
    struct wording w = {sentence, result, culprit, culprit->open ? culprit->open : &result->open[0]};
    struct tp_str line = first_line(w.open);
    if (culprit->why == TP_FLIGHT_WHY_NO_DUMP)
        word_no_dump(&w);
    else if (culprit->why == TP_FLIGHT_WHY_UNSURE)
        word_cannot_tell(&w);
    else if (culprit->why == TP_FLIGHT_WHY_GPU_BEHIND)
        word_gpu_behind(&w);
    else if (w.open->is_p2p)
        word_peer(&w);
    else
        word_not_joined(&w);
    if (line.len) {
        tp_flight_say(sentence, ",");
        say_at(sentence, line);
    }
    end_first(sentence);
    say_last_call(&w);
    say_other_culprits(&w);
    tp_flight_say(sentence, ".");
}

/* ---- circles, and calls that all ranks are in ---- */

static void word_circle(struct tp_flight_sentence *sentence, const struct tp_flight_result *result)
{
    uint64_t named = result->circle_total < CIRCLE_NAMED ? result->circle_total : CIRCLE_NAMED;
    tp_flight_say(sentence, "Ranks ");
    for (uint64_t i = 0; i < named; i++)
        tp_flight_say(sentence, "%s%lld", i ? " and " : "", (long long)result->circle[i].rank);
    tp_flight_say(sentence, " wait for each other: ");
    for (uint64_t i = 0; i < named; i++) {
        const struct tp_flight_link *link = &result->circle[i];
        tp_flight_say(sentence, "%srank %lld in ", i ? ", " : "", (long long)link->rank);
        say_call(sentence, link->op, link->sequence, link->group, link->description);
        say_at(sentence, link->line);
    }
    end_first(sentence);
    if (result->likely != TP_NULL_INT)
        tp_flight_say(sentence, ". Rank %lld is likely out of order: it is the one missing where most ranks wait.",
                      (long long)result->likely);
    else
        tp_flight_say(sentence, ". Their calls are in different order; which is wrong cannot be told.");
}

static void word_open(struct tp_flight_sentence *sentence, const struct tp_flight_open *open)
{
    if (open->why == TP_FLIGHT_WHY_STUCK_INSIDE) {
        tp_flight_say(sentence, "Every rank entered ");
        tp_flight_say_call(sentence, open);
        tp_flight_say(sentence, " with fitting sizes and none finished: look at network, GPU or driver; no rank's "
                                "program is behind.");
        return;
    }
    tp_flight_say_ranks(sentence, open->waiting, true);
    if (open->why == TP_FLIGHT_WHY_PARTIAL) {
        tp_flight_say(sentence, " still %s in ", open->waiting.count == 1 ? "is" : "are");
        tp_flight_say_call(sentence, open);
        tp_flight_say(sentence, ", which ");
        tp_flight_say_ranks(sentence, open->done, false);
        tp_flight_say(sentence, " finished.");
        return;
    }
    tp_flight_say(sentence, " %s in ", wait_of(open->waiting.count));
    tp_flight_say_call(sentence, open);
    tp_flight_say(sentence, "; for whom cannot be told: the dumps name no other rank of this group.");
}

/* ---- the headline ---- */

static void word_unknown(struct tp_flight_sentence *sentence, const struct tp_flight_result *result)
{
    if (!result->no_dump.count) {
        tp_flight_say(sentence, "The dumps hold no calls.");
        return;
    }
    tp_flight_say(sentence, "No rank that left a dump waits, but ");
    tp_flight_say_ranks(sentence, result->no_dump, false);
    tp_flight_say(sentence, " left none that can be read.");
}

static void word_late(struct tp_flight_sentence *sentence, const struct tp_flight_late *late)
{
    tp_flight_say(sentence, "Rank %lld comes last in %lld of %lld calls, %.1f ms after the one before it (median%s)",
                  (long long)late->rank, (long long)late->call_count, (long long)late->of_count, late->median_ms,
                  late->is_clock_free ? "" : "; by the hosts' own clocks");
    end_first(sentence);
    tp_flight_say(sentence, ". Nothing hangs.");
}

/* Returns whether the headline is about a mismatch. */
static bool is_about_mismatch(const struct tp_flight_result *result)
{
    if (!result->mismatch_count)
        return false;
    return !result->culprit_count || result->culprits[0].why == TP_FLIGHT_WHY_MISMATCH ||
           result->culprits[0].why >= TP_FLIGHT_WHY_TYPE_MISMATCH || result->verdict == TP_FLIGHT_MISMATCH;
}

/* ---- advice ---- */

static void advise_culprit(struct tp_flight_sentence *sentence, const struct tp_flight_culprit *culprit)
{
    switch ((enum tp_flight_why)culprit->why) {
    case TP_FLIGHT_WHY_NOT_JOINED:
        tp_flight_say(sentence, "Find out what rank %lld does after its last call", (long long)culprit->rank);
        if (culprit->has_last_call && culprit->last_call.line.len) {
            tp_flight_say(sentence, " (");
            tp_flight_say_text(sentence, culprit->last_call.line);
            tp_flight_say(sentence, ")");
        }
        tp_flight_say(sentence, ": look for an exception, slow input, or a branch that the other ranks do not take. "
                                "py-spy dump shows where a running process is.");
        break;
    case TP_FLIGHT_WHY_NO_DUMP:
        tp_flight_say(
            sentence,
            "Read the log of rank %lld: its process ended, or could not write its dump. Then add its file and "
            "run the command again.",
            (long long)culprit->rank);
        break;
    case TP_FLIGHT_WHY_UNSURE:
        tp_flight_say(sentence, "Record more calls next time: TORCH_FR_BUFFER_SIZE=20000.");
        break;
    case TP_FLIGHT_WHY_GPU_BEHIND:
        tp_flight_say(sentence,
                      "Find out what the GPU of rank %lld does before this call: earlier work on its streams has not "
                      "ended.",
                      (long long)culprit->rank);
        break;
    default:
        break;
    }
}

static void advise(struct tp_flight_sentence *sentence, const struct tp_flight_result *result)
{
    if (is_about_mismatch(result))
        tp_flight_say(sentence, "Compare the lines of both sides: all ranks of a group must make the same calls in the "
                                "same order, with the same number and type of elements.");
    else if (result->culprit_count)
        advise_culprit(sentence, &result->culprits[0]);
    else if (result->circle_total)
        tp_flight_say(sentence, "Make the calls of these groups in the same order on all ranks.");
    else if (result->late_count)
        tp_flight_say(sentence, "Find out what rank %lld does before these calls.", (long long)result->late->rank);
}

static void word_hang(struct tp_flight_sentence *sentence, const struct tp_flight_result *result)
{
    if (is_about_mismatch(result))
        word_mismatch(sentence, &result->mismatches[0]);
    else if (result->culprit_count)
        word_culprit(sentence, result);
    else if (result->circle_total)
        word_circle(sentence, result);
    else
        word_open(sentence, result->shown);
}

void tp_fill_flight_texts(struct tp_flight_result *result)
{
    struct tp_flight_sentence sentence = {.text = TP_VEC(result->job->arena, char)};
    switch ((enum tp_flight_verdict)result->verdict) {
    case TP_FLIGHT_NO_DUMPS:
        tp_flight_say(&sentence, "No dump could be read.");
        break;
    case TP_FLIGHT_HEALTHY:
        tp_flight_say(&sentence, "No rank waits: all %lld ranks finished every call that the recorder holds.",
                      (long long)result->read_count);
        break;
    case TP_FLIGHT_UNKNOWN:
        word_unknown(&sentence, result);
        break;
    case TP_FLIGHT_SLOW:
        word_late(&sentence, &result->late[0]);
        break;
    case TP_FLIGHT_HANG:
    case TP_FLIGHT_MISMATCH:
        word_hang(&sentence, result);
        break;
    }
    result->headline = tp_flight_said(&sentence);
    size_t first = sentence.first_size ? sentence.first_size : sentence.text.count - 1;
    result->first_sentence = (struct tp_str){result->headline.ptr, first};
    size_t rest = first + 2 < result->headline.len ? first + 2 : result->headline.len; /* behind the full stop */
    result->other_sentences = (struct tp_str){result->headline.ptr + rest, result->headline.len - rest};
    struct tp_flight_sentence advice = {.text = TP_VEC(result->job->arena, char)};
    advise(&advice, result);
    result->advice = tp_flight_said(&advice);
}
