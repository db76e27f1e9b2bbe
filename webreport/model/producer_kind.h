/* The producers of traces, which decide on the words of texts. */
#ifndef TP_WEBREPORT_MODEL_PRODUCER_KIND_H
#define TP_WEBREPORT_MODEL_PRODUCER_KIND_H

#include <stdbool.h>

/* Producers of traces. The wording of findings depends on the producer (docs/definitions.md, section 15). */
enum tp_producer {
    TP_PRODUCER_TORCH,      /* PyTorch's profiler, or a recording with Python frames */
    TP_PRODUCER_TRACEPRESS, /* tracepress's own recorder in a C or C++ program */
    TP_PRODUCER_MPI,        /* tracepress's own recorder in a C or C++ program with MPI collectives */
    TP_PRODUCER_OTHER, /* another producer, recognized by data that neither PyTorch nor tracepress's recorder writes */
    TP_PRODUCER_COUNT
};

/* Returns whether the program uses PyTorch. Only then do texts use PyTorch's words. */
static inline bool tp_uses_torch_words(enum tp_producer producer)
{
    return producer == TP_PRODUCER_TORCH;
}

#endif
