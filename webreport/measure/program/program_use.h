/* The kind of program that a trace is of: what it serves, trains or measures, and the name in the trace that shows it
 * (docs/definitions.md, section 3). It is shown to the user and selects words; numbers do not depend on it. */
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
    TP_USE_NATIVE, /* C or C++, recorded by tracepress */
    TP_USE_CPU,
    TP_USE_DEVICE_ONLY,
    TP_USE_UNKNOWN,
    TP_USE_KINDS
};

struct tp_program_use {
    enum tp_program_use_kind of;
    struct tp_str evidence; /* a name of the trace; ptr NULL: the absence of other names shows the kind */
};

/* Returns the first kind that is true, in the order of the enumeration. Any thread; borrows texts of the model's
 * trace. */
struct tp_program_use tp_program_use_find(const struct tp_model *model, const struct tp_serving_view *serving);

/* Return the name of a kind in JSON ("serving", "training") and its text for people ("serving engine"). Static. */
const char *tp_program_use_text(enum tp_program_use_kind kind);
const char *tp_program_use_title(enum tp_program_use_kind kind);

extern const struct tp_fields tp_program_use_fields;

#endif
