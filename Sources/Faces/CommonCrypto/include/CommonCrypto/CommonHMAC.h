/* HMAC of RFC 2104: proof that the maker of a message knows the key.
 *
 * Compare codes in constant time; memcmp tells an attacker how many bytes were right.
 *
 * The functions cannot report errors. With an unknown algorithm, with a NULL key or NULL data that has a length, or
 * with a context that was not initialised, they write nothing to the output, whatever else is done with that context
 * until the next CCHmacInit.
 */
#ifndef COMMONCRYPTO_COMMONHMAC_H
#define COMMONCRYPTO_COMMONHMAC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <CommonCrypto/CommonDigest.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCHmacAlgSHA1,
    kCCHmacAlgMD5,
    kCCHmacAlgSHA256,
    kCCHmacAlgSHA384,
    kCCHmacAlgSHA512,
    kCCHmacAlgSHA224
};
typedef uint32_t CCHmacAlgorithm;

/* A running code with all of its state: it may be copied by assignment, and abandoned without CCHmacFinal. */
#define CC_HMAC_CONTEXT_SIZE 96
typedef struct {
    uint32_t ctx[CC_HMAC_CONTEXT_SIZE];
} CCHmacContext;

/* Starts a code under a key of any length, 0 included. */
extern void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength);

/* Adds data. */
extern void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength);

/* Writes the code, as long as the algorithm's digest, to `macOut`, and wipes the context. */
extern void CCHmacFinal(CCHmacContext *ctx, void *macOut);

/* Computes a code in one call. */
extern void CCHmac(CCHmacAlgorithm algorithm, const void *key, size_t keyLength, const void *data, size_t dataLength,
                   void *macOut);

#ifdef __cplusplus
}
#endif

#endif
