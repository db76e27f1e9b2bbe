/* Reads the facts that a serving engine records about a step in the name of the step's range: phase, requests, tokens
 * (docs/definitions.md, section 21). Pure functions for any thread. */
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
    TP_SERVING_CAPTURE,   /* captures a graph */
    TP_SERVING_DIFFUSION, /* generates images */
    TP_SERVING_VERIFY,    /* verifies drafted tokens */
    TP_SERVING_DRAFT,
    TP_SERVING_PHASES
};

/* Returns the name of a phase in JSON and tables, such as "prefill" or "decode". Static. */
const char *tp_serving_phase_text(enum tp_serving_phase phase);

/* Numbers that a mark may contain; TP_NULL_INT: the mark lacks the number. */
enum tp_serving_number {
    TP_SERVING_REQUESTS,
    TP_SERVING_PREFILL_REQUESTS,
    TP_SERVING_DECODE_REQUESTS,
    TP_SERVING_TOKENS,
    TP_SERVING_PREFILL_TOKENS,
    TP_SERVING_DECODE_TOKENS,
    TP_SERVING_KEYS_READ, /* keys in the caches that decoding requests attend to */
    TP_SERVING_NUMBERS
};

struct tp_serving_mark {
    enum tp_serving_phase phase;
    int64_t numbers[TP_SERVING_NUMBERS];
};

/* Reads the name of a range of vLLM, SGLang, TensorRT-LLM or xDiT. Returns false for any other name. */
bool tp_serving_mark_read(struct tp_serving_mark *mark, struct tp_str name);

#endif
