#include "file.h"

#include <errno.h>
#include <sys/xattr.h>

int lk_file_copy_attribute(int from, int to, const char *name) {
    /* More than any file capability or access control list has. */
    char value[16 * 1024];
    ssize_t count = fgetxattr(from, name, value, sizeof value);
    if (count < 0) return errno == ENODATA || errno == EOPNOTSUPP ? 0 : -errno;
    return fsetxattr(to, name, value, (size_t)count, 0) == 0 ? 0 : -errno;
}
