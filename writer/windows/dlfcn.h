/* Finds libraries by name: see README.md. Only the C++ runtime can be found, because it is linked in. */
#ifndef TP_WRITER_WINDOWS_DLFCN_H
#define TP_WRITER_WINDOWS_DLFCN_H

#define RTLD_LOCAL 0
#define RTLD_NOW 2

void *dlopen(const char *name, int how);
void *dlsym(void *library, const char *name);

#endif
