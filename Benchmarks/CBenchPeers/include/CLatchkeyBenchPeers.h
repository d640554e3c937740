/* The limits of rows: libcrypto, called as a program in C calls it, and a file system in C. */
#ifndef CBENCHPEERS_H
#define CBENCHPEERS_H

#include <stddef.h>
#include <stdint.h>

/* Encrypts the same message as often as told, each time from the beginning: AES-256-CBC with padding, the cipher fetched
   once. The output has room for a block more than the input. The last message's length, or a negative number. */
int lkb_encrypt_messages(const uint8_t key[32], const uint8_t iv[16], const uint8_t *input, size_t count,
                         uint8_t *output, size_t times);

/* AES-256-CBC over the whole, then HMAC-SHA256 over the ciphertext: one running cipher and one running code. */
struct lkb_sealer;
struct lkb_sealer *lkb_sealer_new(const uint8_t key[32], const uint8_t mac_key[32], const uint8_t iv[16],
                                  int encrypting);
/* 1, or 0 if libcrypto refused. */
int lkb_sealer_run(struct lkb_sealer *sealer, const uint8_t *input, size_t count, uint8_t *output);
void lkb_sealer_free(struct lkb_sealer *sealer);

/* Seals or opens a file of so many pieces of 128 KiB, each block of 4 KiB by itself: AES-256-GCM under one key schedule, a
   nonce for each block, the tags in memory, one write or read of the system for each piece. 0, or a negative number. */
int lkb_file_run(const char *path, const uint8_t key[32], uint8_t *piece, size_t pieces, uint8_t *tags, int sealing);

/* Copies a file in pieces of 128 KiB through AES-256-CBC with padding, to a new file. 0, or a negative number. */
int lkb_copy_cbc(const char *from, const char *to, const uint8_t key[32], int encrypting);

/* Serves the files of one directory in another one by FUSE, without cryptography, until it is unmounted: the low-level
   interface, one read or write of the system for each request, no splicing. 0, or a negative number. */
int lkb_passthrough_run(const char *store, const char *folder);

#endif
