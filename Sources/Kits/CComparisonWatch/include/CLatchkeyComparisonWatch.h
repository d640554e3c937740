#ifndef LATCHKEY_COMPARISON_WATCH_H
#define LATCHKEY_COMPARISON_WATCH_H

#include <stdbool.h>
#include <stddef.h>

/* A program that is linked with this has a memcmp and a bcmp of its own. They hand everything to those of the C library,
   and while a watch is on tell it of comparisons of lengths that it expects. */

/* Returns true if they exist: not under a sanitizer, which has its own. */
bool lk_comparison_watch_exists(void);

/* Hears of both operands after they were compared. */
typedef void lk_comparison_listener(const void *one, const void *other, size_t count);

/* Turns the watch on for the rest of the process; the first listener stays. */
void lk_comparison_watch_begin(lk_comparison_listener *listener);

/* Comparisons of that many bytes are worth a look. Lengths beyond 8192 are not. */
void lk_comparison_watch_expect(size_t count);

/* Takes back one call of lk_comparison_watch_expect. */
void lk_comparison_watch_forget(size_t count);

/* While not 0 for this thread, the listener is not called: its own comparisons do not count. Returns the old value. */
int lk_comparison_watch_pause(int depth);

#endif
