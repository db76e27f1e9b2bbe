/* What kind of program a trace is of: what it serves, trains or measures, and the name in the trace that says so
 * (docs/definitions.md, section 3). It is told, and decides on words; numbers do not depend on it. */
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
    TP_USE_NATIVE, /* of C or C++, recorded by ourselves */
    TP_USE_CPU,
    TP_USE_DEVICE_ONLY,
    TP_USE_UNKNOWN,
    TP_USE_KINDS
};

struct tp_program_use {
    enum tp_program_use_kind of;
    struct tp_str evidence; /* a name of the trace; ptr NULL: what is not in it says so */
};

/* The first kind that holds, in the order of the enumeration. Any thread; borrows texts of the model's trace. */
struct tp_program_use tp_program_use_find(const struct tp_model *model, const struct tp_serving_view *serving);

/* "serving", "training" .. as JSON has them; the same for people: "serving engine". Static. */
const char *tp_program_use_text(enum tp_program_use_kind kind);
const char *tp_program_use_title(enum tp_program_use_kind kind);

extern const struct tp_fields tp_program_use_fields;

#endif
