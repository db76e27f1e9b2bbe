/* The kind of program that wrote a trace, such as serving, training or a benchmark, and the name in the trace that
 * shows the kind (docs/definitions.md, section 3). The page shows the kind and chooses its words accordingly. The kind
 * changes no number of the page. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_USE_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_USE_H

#include "webreport/measure/serving/serving_view.h"
#include "webreport/model/facts.h"

enum tp_program_use_kind {
    TP_USE_SERVING,
    TP_USE_DIFFUSION,
    TP_USE_BENCHMARK,
    TP_USE_TRAINING,
    TP_USE_INFERENCE,
    TP_USE_MPI,
    TP_USE_NATIVE, /* C or C++ program, recorded by tracepress */
    TP_USE_CPU,
    TP_USE_DEVICE_ONLY,
    TP_USE_UNKNOWN,
    TP_USE_KINDS
};

struct tp_program_use {
    enum tp_program_use_kind of;
    /* name in the trace that shows the kind; ptr NULL: the kind follows from the absence of other names */
    struct tp_str evidence;
};

/* Returns the kind of program: the first one in the order of the enumeration that fits the trace. May be called on
 * any thread. Texts are borrowed from the model's trace. */
struct tp_program_use tp_program_use_find(const struct tp_model *model, const struct tp_serving_view *serving);

/* Return the name of a kind in JSON ("serving", "training"), and its text for people ("serving engine"). Both are
 * static. */
const char *tp_program_use_text(enum tp_program_use_kind kind);
const char *tp_program_use_title(enum tp_program_use_kind kind);

extern const struct tp_fields tp_program_use_fields;

#endif
