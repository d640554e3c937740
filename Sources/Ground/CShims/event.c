#include "include/event.h"

#include <errno.h>
#include <sys/eventfd.h>

int lk_event_make(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

void lk_event_set(int descriptor) {
    eventfd_write(descriptor, 1);
}
