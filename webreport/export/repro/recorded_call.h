/* Finds one call of an operator in a trace, with its recorded arguments. */
#ifndef TP_WEBREPORT_EXPORT_REPRO_RECORDED_CALL_H
#define TP_WEBREPORT_EXPORT_REPRO_RECORDED_CALL_H

#include "webreport/export/export_formats.h"

/* A recorded argument. Texts are in the arena of the export. */
struct tp_recorded_argument {
    /* shape, strides: lists of integers, or lists of such lists, as compact JSON; ptr NULL if not recorded */
    struct tp_str shape, strides;
    struct tp_str type;  /* type as recorded, such as "float" or "ScalarList"; empty if not recorded */
    struct tp_str value; /* value as recorded, such as "0.5" or "[1, 1]"; ptr NULL if not recorded */
};

struct tp_recorded_call {
    uint32_t event;     /* event of the call, index in trace->events; event_id in tables */
    int64_t device_ns;  /* time of the device operations of the call and of the operators in it, ns; 0 if none */
    struct tp_str name; /* "namespace::operator": only letters, digits and _ on both sides of the colons */
    struct tp_recorded_argument *arguments;
    uint32_t argument_count;
    bool has_strides, has_values; /* true if the trace records strides and values of arguments of this call */
};

/* Finds the call that export->wanted_operator names: an event_id, or the name of an operator. For a name, finds the
 * call with the most device time, then with the most host time, then the first call. Reads the arguments from the file.
 * Memory is in export->arena, whose guard the caller has set. Returns 0, TP_ENOTFOUND with the reason if the trace
 * lacks the call or the shapes of its arguments, or if the call has no name that a script can call; TP_ELIMIT,
 * TP_ENOMEM, or an error of the file. */
int tp_recorded_call_find(struct tp_recorded_call *call, const struct tp_export *export, struct tp_error *err);

#endif
