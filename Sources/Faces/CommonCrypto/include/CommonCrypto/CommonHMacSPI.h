/* HMAC over a digest of CommonDigestSPI.h, in a context on the heap. CCHmacUpdate and CCHmacFinal also accept it.
 * CommonCrypto.h does not include this. */
#ifndef COMMONCRYPTO_COMMONHMACSPI_H
#define COMMONCRYPTO_COMMONHMACSPI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <CommonCrypto/CommonDigest.h>
#include <CommonCrypto/CommonDigestSPI.h>
#include <CommonCrypto/CommonHMAC.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef CCHmacContext *CCHmacContextRef;

/* NULL for an unknown digest, or for a NULL key with a length. */
extern CCHmacContextRef CCHmacCreate(CCDigestAlg alg, const void *key, size_t keyLength);

/* Another context in the same state. */
extern CCHmacContextRef CCHmacClone(CCHmacContextRef ctx);

/* Wipes and frees the context. */
extern void CCHmacDestroy(CCHmacContextRef ctx);

/* In bytes; 0 for a context that is finished. */
extern size_t CCHmacOutputSizeFromRef(CCHmacContextRef ctx);

/* CCDigestGetOutputSize. */
extern size_t CCHmacOutputSize(CCDigestAlg alg);

/* CCHmac, over a digest. */
extern void CCHmacOneShot(CCDigestAlg alg, const void *key, size_t keyLength, const void *data, size_t dataLength,
                          void *macOut);

#ifdef __cplusplus
}
#endif

#endif
