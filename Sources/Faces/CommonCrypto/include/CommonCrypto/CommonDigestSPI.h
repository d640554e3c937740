/* Digests chosen by number. Apple keeps these functions private; programs declare them for themselves.
 * CommonCrypto.h does not include this. */
#ifndef COMMONCRYPTO_COMMONDIGESTSPI_H
#define COMMONCRYPTO_COMMONDIGESTSPI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <CommonCrypto/CommonCryptoError.h>
#include <CommonCrypto/CommonDigest.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MD2, which needs another library (CommonDigest.h), and SHA-3, whose state has no place in a context that may be
 * copied, have only numbers: kCCUnimplemented. */
enum {
    kCCDigestNone = 0,
    kCCDigestMD2 = 1,
    kCCDigestMD4 = 2,
    kCCDigestMD5 = 3,
    kCCDigestRMD160 = 5,
    kCCDigestSHA1 = 8,
    kCCDigestSHA224 = 9,
    kCCDigestSHA256 = 10,
    kCCDigestSHA384 = 11,
    kCCDigestSHA512 = 12,
    kCCDigestSHA3_224 = 13,
    kCCDigestSHA3_256 = 14,
    kCCDigestSHA3_384 = 15,
    kCCDigestSHA3_512 = 16,
    kCCDigestMax
};
typedef uint32_t CCDigestAlgorithm;
#define CCDigestAlg CCDigestAlgorithm

/* A running digest, which contains all of its state. */
#define CC_DIGEST_SIZE 1032
typedef struct CCDigestCtx_t {
    uint8_t context[CC_DIGEST_SIZE];
} CCDigestCtx, *CCDigestRef;

/* Each returns 0, kCCParamError for a NULL that is not allowed, or kCCUnimplemented. A reference that was not
 * initialised, or is finished, is kCCUnimplemented; CCDigestReset starts a finished one again. */
extern int CCDigest(CCDigestAlgorithm algorithm, const uint8_t *data, size_t length, uint8_t *output);
extern int CCDigestInit(CCDigestAlgorithm algorithm, CCDigestRef ctx);
extern int CCDigestUpdate(CCDigestRef ctx, const void *data, size_t length);
extern int CCDigestFinal(CCDigestRef ctx, uint8_t *output);

/* A context on the heap, NULL if there is no such digest, and the function that wipes and frees it. */
extern CCDigestRef CCDigestCreate(CCDigestAlgorithm alg);
extern void CCDigestDestroy(CCDigestRef ctx);

/* Starts the same digest again, also after its end. */
extern void CCDigestReset(CCDigestRef ctx);

/* In bytes. For an unknown digest (size_t)kCCUnimplemented, as in Apple's library. */
extern size_t CCDigestGetBlockSize(CCDigestAlgorithm algorithm);
extern size_t CCDigestGetOutputSize(CCDigestAlgorithm algorithm);
extern size_t CCDigestGetBlockSizeFromRef(CCDigestRef ctx);
extern size_t CCDigestGetOutputSizeFromRef(CCDigestRef ctx);
extern size_t CCDigestBlockSize(CCDigestRef ctx);
extern size_t CCDigestOutputSize(CCDigestRef ctx);

#ifdef __cplusplus
}
#endif

#endif
