#pragma once
#include <stdint.h>

/* Faults at calls of libc that change files: the next such call has number 1. Writing to pipes and sockets does not
   count. Linked into a program, this comes before libc for all of its code. */

/* Kills this process before a call; 0 lets it live. */
void lkfp_kill_before(uint64_t number);

/* The same, and before that a loss of power: of the pages below a directory that were written and not synchronized, some
   that the seed chooses get what they had, and files their former lengths. */
void lkfp_lose_power_before(uint64_t number, uint64_t seed, const char *below);

/* Lets `count` calls fail with `error`, from a call on; 0 ends that. */
void lkfp_fail_from(uint64_t number, uint64_t count, int error);

/* With 1, every opening of a file counts, and not only those that make or empty one. */
void lkfp_count_openings(int counts);

/* With 1, reading counts, too: of files and directories, attributes, targets of links, and the state of entries. */
void lkfp_count_readings(int counts);

/* The number of calls since one of these functions was called. */
uint64_t lkfp_calls(void);
