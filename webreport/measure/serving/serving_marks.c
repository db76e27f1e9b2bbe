/* Implements serving_marks.h: reads the names of steps of serving engines. */
#include "webreport/measure/serving/serving_marks.h"

#include <string.h>

#include "writer/base/saturate.h"
#include "writer/base/table.h"

const char *tp_serving_phase_text(enum tp_serving_phase phase)
{
    static const char *const texts[TP_SERVING_PHASES] = {
        [TP_SERVING_PREFILL] = "prefill", [TP_SERVING_DECODE] = "decode",   [TP_SERVING_MIXED] = "mixed",
        [TP_SERVING_IDLE] = "idle",       [TP_SERVING_CAPTURE] = "capture", [TP_SERVING_DIFFUSION] = "diffusion",
        [TP_SERVING_VERIFY] = "verify",   [TP_SERVING_DRAFT] = "draft"};
    return texts[phase];
}

/* part of a name that has not been read yet */
struct unread {
    const char *at, *end;
};

static bool skip_text_if_present(struct unread *unread, const char *text)
{
    size_t size = strlen(text);
    if ((size_t)(unread->end - unread->at) < size || memcmp(unread->at, text, size) != 0)
        return false;
    unread->at += size;
    return true;
}

/* Reads a number. Limits the number to INT64_MAX / 10, which no real number reaches. */
static bool parse_number(struct unread *unread, int64_t *number)
{
    const char *begin = unread->at;
    *number = 0;
    for (; unread->at < unread->end && tp_is_digit(*unread->at); unread->at++)
        *number = *number < INT64_MAX / 10 - 1 ? *number * 10 + (*unread->at - '0') : INT64_MAX / 10;
    return unread->at > begin;
}

static bool is_at_end(const struct unread *unread)
{
    return unread->at == unread->end;
}

static void begin(struct tp_serving_mark *mark)
{
    mark->phase = TP_SERVING_IDLE;
    for (unsigned i = 0; i < TP_SERVING_NUMBERS; i++)
        mark->numbers[i] = TP_NULL_INT;
}

/* Fills the phase and the numbers of a mark from the numbers of prefill and decode requests. Unknown numbers of tokens
 * are TP_NULL_INT. */
static bool set_requests(struct tp_serving_mark *mark, int64_t prefill, int64_t decode, int64_t prefill_tokens,
                         int64_t decode_tokens)
{
    mark->phase = prefill && decode ? TP_SERVING_MIXED
                  : prefill         ? TP_SERVING_PREFILL
                  : decode          ? TP_SERVING_DECODE
                                    : TP_SERVING_IDLE;
    mark->numbers[TP_SERVING_REQUESTS] = tp_sat_add(prefill, decode);
    mark->numbers[TP_SERVING_PREFILL_REQUESTS] = prefill;
    mark->numbers[TP_SERVING_DECODE_REQUESTS] = decode;
    mark->numbers[TP_SERVING_PREFILL_TOKENS] = prefill ? prefill_tokens : 0;
    mark->numbers[TP_SERVING_DECODE_TOKENS] = decode ? decode_tokens : 0;
    if (prefill_tokens != TP_NULL_INT || decode_tokens != TP_NULL_INT)
        mark->numbers[TP_SERVING_TOKENS] = tp_sat_add(prefill_tokens == TP_NULL_INT ? 0 : prefill_tokens,
                                                      decode_tokens == TP_NULL_INT ? 0 : decode_tokens);
    return true;
}

/* Reads "(sq32sk55086sqsq32sqsk55086)": sum of query lengths, sum of key lengths, and sums of their products. */
static bool parse_sums(struct unread *unread, int64_t *queries, int64_t *keys)
{
    int64_t squares, products;
    return skip_text_if_present(unread, "(sq") && parse_number(unread, queries) && skip_text_if_present(unread, "sk") &&
           parse_number(unread, keys) && skip_text_if_present(unread, "sqsq") && parse_number(unread, &squares) &&
           skip_text_if_present(unread, "sqsk") && parse_number(unread, &products) && skip_text_if_present(unread, ")");
}

/* Reads a mark of vLLM: execute_32_context_0(sq..)_generation_32(sq..) */
static bool read_vllm_sums(struct tp_serving_mark *mark, struct unread unread)
{
    int64_t tokens, prefill, decode, prefill_queries, prefill_keys, decode_queries, decode_keys;
    if (!skip_text_if_present(&unread, "execute_") || !parse_number(&unread, &tokens) ||
        !skip_text_if_present(&unread, "_context_") || !parse_number(&unread, &prefill) ||
        !parse_sums(&unread, &prefill_queries, &prefill_keys) || !skip_text_if_present(&unread, "_generation_") ||
        !parse_number(&unread, &decode) || !parse_sums(&unread, &decode_queries, &decode_keys) || !is_at_end(&unread))
        return false;
    set_requests(mark, prefill, decode, prefill_queries, decode_queries);
    mark->numbers[TP_SERVING_TOKENS] = tokens;
    mark->numbers[TP_SERVING_KEYS_READ] = decode_keys;
    return true;
}

/* Reads a mark of vLLM: execute_context_2(512)_generation_30(30), also (512_4096) */
static bool read_vllm(struct tp_serving_mark *mark, struct unread unread)
{
    int64_t prefill, decode, prefill_tokens, decode_tokens, unused;
    if (!skip_text_if_present(&unread, "execute_context_") || !parse_number(&unread, &prefill) ||
        !skip_text_if_present(&unread, "(") || !parse_number(&unread, &prefill_tokens) ||
        (skip_text_if_present(&unread, "_") && !parse_number(&unread, &unused)) ||
        !skip_text_if_present(&unread, ")_generation_") || !parse_number(&unread, &decode) ||
        !skip_text_if_present(&unread, "(") || !parse_number(&unread, &decode_tokens) ||
        (skip_text_if_present(&unread, "_") && !parse_number(&unread, &unused)) ||
        !skip_text_if_present(&unread, ")") || !is_at_end(&unread))
        return false;
    return set_requests(mark, prefill, decode, prefill_tokens, decode_tokens);
}

/* Reads a mark of an old version of vLLM: execute_new_2_cached_30 */
static bool read_vllm_old(struct tp_serving_mark *mark, struct unread unread)
{
    int64_t prefill, decode;
    if (!skip_text_if_present(&unread, "execute_new_") || !parse_number(&unread, &prefill) ||
        !skip_text_if_present(&unread, "_cached_") || !parse_number(&unread, &decode) || !is_at_end(&unread))
        return false;
    return set_requests(mark, prefill, decode, TP_NULL_INT, TP_NULL_INT);
}

/* Reads a mark of SGLang: step[EXTEND bs=15 toks=15360] */
static bool read_sglang(struct tp_serving_mark *mark, struct unread unread)
{
    static const struct {
        const char *word;
        enum tp_serving_phase phase;
    } modes[] = {{"EXTEND", TP_SERVING_PREFILL},    {"PREFILL", TP_SERVING_PREFILL},
                 {"DECODE", TP_SERVING_DECODE},     {"MIXED", TP_SERVING_MIXED},
                 {"IDLE", TP_SERVING_IDLE},         {"TARGET_VERIFY", TP_SERVING_VERIFY},
                 {"DRAFT_EXTEND", TP_SERVING_DRAFT}};
    int64_t *numbers = mark->numbers;
    size_t mode = 0;
    if (!skip_text_if_present(&unread, "step[") || unread.end[-1] != ']')
        return false;
    while (mode < sizeof modes / sizeof *modes && !skip_text_if_present(&unread, modes[mode].word))
        mode++;
    if (mode == sizeof modes / sizeof *modes || (unread.at[0] != ' ' && unread.at[0] != ']') ||
        memchr(unread.at, ']', (size_t)(unread.end - unread.at)) != unread.end - 1)
        return false;
    mark->phase = modes[mode].phase;
    if (skip_text_if_present(&unread, " bs=") && !parse_number(&unread, &numbers[TP_SERVING_REQUESTS]))
        numbers[TP_SERVING_REQUESTS] = TP_NULL_INT;
    if (skip_text_if_present(&unread, " toks=") && !parse_number(&unread, &numbers[TP_SERVING_TOKENS]))
        numbers[TP_SERVING_TOKENS] = TP_NULL_INT;
    if (mark->phase == TP_SERVING_PREFILL)
        numbers[TP_SERVING_PREFILL_TOKENS] = numbers[TP_SERVING_TOKENS];
    if (mark->phase == TP_SERVING_DECODE) {
        numbers[TP_SERVING_DECODE_TOKENS] = numbers[TP_SERVING_REQUESTS];
        if (numbers[TP_SERVING_TOKENS] == TP_NULL_INT)
            numbers[TP_SERVING_TOKENS] = numbers[TP_SERVING_REQUESTS];
    }
    return true;
}

/* Reads a mark of TensorRT-LLM: [Executor] _forward_step 7: 2 ctx reqs, 512 ctx tokens, 30 gen reqs */
static bool read_tensorrt(struct tp_serving_mark *mark, struct unread unread)
{
    int64_t step, prefill, decode, tokens = TP_NULL_INT;
    if (!skip_text_if_present(&unread, "[Executor] _forward_step ") || !parse_number(&unread, &step) ||
        !skip_text_if_present(&unread, ": ") || !parse_number(&unread, &prefill) ||
        !skip_text_if_present(&unread, " ctx reqs, ") || !parse_number(&unread, &decode))
        return false;
    if (skip_text_if_present(&unread, " ctx tokens, ")) {
        tokens = decode;
        if (!parse_number(&unread, &decode))
            return false;
    }
    return skip_text_if_present(&unread, " gen reqs") && is_at_end(&unread) &&
           set_requests(mark, prefill, decode, tokens, decode);
}

/* Reads a mark of vLLM, such as capture_16_FULL */
static bool read_vllm_capture(struct tp_serving_mark *mark, struct unread unread)
{
    mark->phase = TP_SERVING_CAPTURE;
    return skip_text_if_present(&unread, "capture_") && parse_number(&unread, &mark->numbers[TP_SERVING_REQUESTS]) &&
           skip_text_if_present(&unread, "_") &&
           (skip_text_if_present(&unread, "FULL") || skip_text_if_present(&unread, "PIECEWISE"));
}

/* Reads a mark of xDiT: execute_diffusion_4_1024x1024 */
static bool read_diffusion(struct tp_serving_mark *mark, struct unread unread)
{
    int64_t height, width;
    mark->phase = TP_SERVING_DIFFUSION;
    return skip_text_if_present(&unread, "execute_diffusion_") &&
           parse_number(&unread, &mark->numbers[TP_SERVING_REQUESTS]) && skip_text_if_present(&unread, "_") &&
           parse_number(&unread, &height) && skip_text_if_present(&unread, "x") && parse_number(&unread, &width) &&
           is_at_end(&unread);
}

bool tp_serving_mark_read(struct tp_serving_mark *mark, struct tp_str name)
{
    static bool (*const readers[])(struct tp_serving_mark *, struct unread) = {
        read_vllm_sums, read_vllm, read_vllm_old, read_sglang, read_tensorrt, read_vllm_capture, read_diffusion};
    for (size_t i = 0; name.len && i < sizeof readers / sizeof *readers; i++) {
        begin(mark);
        if (readers[i](mark, (struct unread){name.ptr, name.ptr + name.len}))
            return true;
    }
    return false;
}
