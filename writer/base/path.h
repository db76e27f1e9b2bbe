/* Paths as users write them. Inside, '/' stands between folders on every system. */
#ifndef TP_WRITER_BASE_PATH_H
#define TP_WRITER_BASE_PATH_H

/* Changes in place what the user's system may have between folders to '/'. Returns `path`. */
char *tp_path_of_user(char *path);

#endif
