/* The part of libsystemd that Sensor calls: sd-bus. */
#include <systemd/sd-bus.h>
