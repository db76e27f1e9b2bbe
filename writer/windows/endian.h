/* Converts byte order; Windows is little-endian: see README.md. */
#ifndef TP_WRITER_WINDOWS_ENDIAN_H
#define TP_WRITER_WINDOWS_ENDIAN_H

#define htole64(x) (x)
#define le64toh(x) (x)
#define htole32(x) (x)
#define le32toh(x) (x)

#endif
