/* Reads the name of a serving engine's step. The engine writes facts about the step into this name: phase, requests,
 * tokens (docs/definitions.md, section 21). All functions are pure and may run on any thread. */
#ifndef TP_WEBREPORT_MEASURE_SERVING_SERVING_MARKS_H
#define TP_WEBREPORT_MEASURE_SERVING_SERVING_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

enum tp_serving_phase {
    TP_SERVING_PREFILL,
    TP_SERVING_DECODE,
    TP_SERVING_MIXED,
    TP_SERVING_IDLE,
    TP_SERVING_CAPTURE,   /* the step captures a device graph */
    TP_SERVING_DIFFUSION, /* the step generates images */
    TP_SERVING_VERIFY,    /* the step verifies drafted tokens */
    TP_SERVING_DRAFT,
    TP_SERVING_PHASES
};

/* Returns the name of a phase in JSON and tables, such as "prefill" or "decode". Static. */
const char *tp_serving_phase_text(enum tp_serving_phase phase);

/* numbers in a mark; TP_NULL_INT if the mark lacks the number */
enum tp_serving_number {
    TP_SERVING_REQUESTS,
    TP_SERVING_PREFILL_REQUESTS,
    TP_SERVING_DECODE_REQUESTS,
    TP_SERVING_TOKENS,
    TP_SERVING_PREFILL_TOKENS,
    TP_SERVING_DECODE_TOKENS,
    TP_SERVING_KEYS_READ, /* number of cached keys that the decoding requests read */
    TP_SERVING_NUMBERS
};

struct tp_serving_mark {
    enum tp_serving_phase phase;
    int64_t numbers[TP_SERVING_NUMBERS];
};

/* Reads the name of a step of vLLM, SGLang, TensorRT-LLM or xDiT. Returns false if the name is no mark of these
 * engines. */
bool tp_serving_mark_read(struct tp_serving_mark *mark, struct tp_str name);

#endif
