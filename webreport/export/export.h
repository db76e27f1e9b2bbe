/* The table of export formats: files of other tools, made of one analysed profile.
 *
 * A format is one file in a room of webreport/export, one row in export.c, one declaration in export_formats.h and a
 * paragraph in templates/help/export.txt. */
#ifndef TP_WEBREPORT_EXPORT_EXPORT_H
#define TP_WEBREPORT_EXPORT_EXPORT_H

#include "webreport/export/export_formats.h"

/* All formats; a NULL name ends the table. */
extern const struct tp_export_format tp_export_formats[];

/* Returns the format of that name, or NULL. name: not NULL. */
const struct tp_export_format *tp_export_find(const char *name);

#endif
