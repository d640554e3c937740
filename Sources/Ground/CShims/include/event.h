#ifndef LK_EVENT_H
#define LK_EVENT_H

/* Makes a descriptor that is readable once lk_event_set was called. Negative: -errno. */
int lk_event_make(void);

void lk_event_set(int descriptor);

#endif
