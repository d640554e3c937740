/* The low-level interface of libfuse 3. */
/* Without _FILE_OFFSET_BITS, which examples define: the module of glibc has its types without it. */
#define FUSE_USE_VERSION 314
#include <fuse3/fuse_lowlevel.h>
