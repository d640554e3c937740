/* System calls that Swift's Glibc module does not offer, one header per subject. */
#include "daemon.h"
#include "event.h"
#include "file.h"
#include "findings.h"
#include "memory.h"
#include "process.h"
#include "sandbox.h"
#include "socket.h"
