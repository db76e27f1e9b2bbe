/* Converts byte order; macOS is always little-endian: see README.md. */
#ifndef TP_WRITER_MACOS_ENDIAN_H
#define TP_WRITER_MACOS_ENDIAN_H

#define htole16(x) (x)
#define htole32(x) (x)
#define htole64(x) (x)
#define le16toh(x) (x)
#define le32toh(x) (x)
#define le64toh(x) (x)

#endif
