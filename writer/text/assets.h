/* Gives access to the files of templates/, which are built into the program. A file of the same name in a folder
 * (--templates) replaces each. */
#ifndef TP_WRITER_TEXT_ASSETS_H
#define TP_WRITER_TEXT_ASSETS_H

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_assets {
    struct tp_arena *arena; /* for texts read from the folder */
    const char *folder;     /* NULL: built-in texts only */
};

/* Initializes *assets. folder: borrowed, may be NULL. */
void tp_assets_init(struct tp_assets *assets, struct tp_arena *arena, const char *folder);

/* Gets the text of the file `name` ("report.css", "help/report.txt") from the folder if it exists there, otherwise the
 * built-in one. Valid as long as the arena. Returns 0, TP_ENOTFOUND, TP_EIO if an existing file cannot be read, or
 * TP_ELIMIT above 1 MiB. */
int tp_assets_get(const struct tp_assets *assets, struct tp_str name, struct tp_str *text, struct tp_error *err);

/* Does the same as a tp_template_load: {{> overview}} is "overview.html" without indentation. assets: const struct
 * tp_assets *. */
int tp_assets_load(void *assets, struct tp_str name, struct tp_str *text, struct tp_error *err);

/* Returns the name of the built-in file number `index`, in byte order of names; ptr NULL after the last. */
struct tp_str tp_assets_name(size_t index);

#endif
