/* Refuses a dump: see flight_value.h. */
#include <stdarg.h>
#include <stdio.h>

#include "webreport/trace/flight/flight_value.h"

int tp_flight_refuse(struct tp_flight_dump *dump, enum tp_flight_refusal why, int code, struct tp_error *err,
                     const char *format, ...)
{
    char text[sizeof err->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dump->refusal = why;
    return tp_error_set(err, code, err ? err->offset : 0, "%s", text);
}
