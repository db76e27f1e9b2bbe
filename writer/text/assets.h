/* The files of templates/: built into the program, each replaceable by a file of the same name in a folder
 * (--templates). */
#ifndef TP_WRITER_TEXT_ASSETS_H
#define TP_WRITER_TEXT_ASSETS_H

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_assets {
    struct tp_arena *arena; /* for texts read from the folder */
    const char *folder;     /* NULL: built-in texts only */
};

/* folder: borrowed, may be NULL. */
void tp_assets_init(struct tp_assets *assets, struct tp_arena *arena, const char *folder);

/* Text of the file `name` ("report.css", "help/report.txt"), from the folder when it has one, else as built in. Lives
 * as long as the arena. Returns 0; TP_ENOTFOUND; TP_EIO for a file that is there and cannot be read; TP_ELIMIT beyond 1
 * MiB. */
int tp_assets_get(const struct tp_assets *assets, struct tp_str name, struct tp_str *text, struct tp_error *err);

/* The same as a tp_template_load: {{> overview}} is "overview.html", its lines without their indentation. assets: const struct tp_assets *. */
int tp_assets_load(void *assets, struct tp_str name, struct tp_str *text, struct tp_error *err);

/* Name of the built-in file number `index`, in byte order of names; ptr NULL behind the last. */
struct tp_str tp_assets_name(size_t index);

#endif
