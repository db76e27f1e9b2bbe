/* The view of a program as JSON: the member program_view of a profile. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_JSON_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_JSON_H

#include "webreport/measure/program/program_view.h"
#include "writer/base/json_out.h"

/* Writes the object; call it only when the view is_present. */
void tp_program_view_json(const struct tp_program_view *view, struct tp_json *json);

#endif
