/* A key encrypted under another key: AES key wrap of RFC 3394. */
#ifndef COMMONCRYPTO_COMMONSYMMETRICKEYWRAP_H
#define COMMONCRYPTO_COMMONSYMMETRICKEYWRAP_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <CommonCrypto/CommonCryptoError.h>

/* Swift: never written to, so any thread may read it. */
#if defined(__has_attribute)
#if __has_attribute(swift_attr)
#define COMMONCRYPTO_CONSTANT __attribute__((swift_attr("nonisolated(unsafe)")))
#endif
#endif
#ifndef COMMONCRYPTO_CONSTANT
#define COMMONCRYPTO_CONSTANT
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCWRAPAES = 1
};
typedef uint32_t CCWrappingAlgorithm;

/* The initial value of RFC 3394: eight bytes A6. */
extern const uint8_t *const CCrfc3394_iv COMMONCRYPTO_CONSTANT;
extern const size_t CCrfc3394_ivLen;

/* Wraps a key of at least 16 bytes, a multiple of 8, under an AES key of 16, 24 or 32 bytes. `iv` is the first 8 of
 * `ivLen` bytes, or NULL for that of the RFC. `wrappedKeyLen` says how much room `wrappedKey` has, and afterwards how
 * much was written: 8 bytes more than the key. The buffers may overlap.
 *
 * Returns kCCSuccess, or kCCParamError for every error, too little room included; then the output is wiped
 * and its length 0. The algorithm is ignored: there is only one. */
extern int CCSymmetricKeyWrap(CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek,
                              size_t kekLen, const uint8_t *rawKey, size_t rawKeyLen, uint8_t *wrappedKey,
                              size_t *wrappedKeyLen);

/* Unwraps the output of CCSymmetricKeyWrap, with `iv` or else with the initial value of the RFC. The buffers may
 * overlap.
 *
 * Returns kCCSuccess; kCCParamError as above, which leaves the output alone; kCCDecodeError for a wrapped key of an
 * impossible length, and for one that was altered or wrapped under another key or initial value, which wipes it. Its
 * length is 0 after each error. */
extern int CCSymmetricKeyUnwrap(CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen,
                                const uint8_t *kek, size_t kekLen, const uint8_t *wrappedKey, size_t wrappedKeyLen,
                                uint8_t *rawKey, size_t *rawKeyLen);

/* 8 bytes more than the key. */
extern size_t CCSymmetricWrappedSize(CCWrappingAlgorithm algorithm, size_t rawKeyLen);

/* 8 bytes less than the wrapped key; 0 if it is shorter than that. */
extern size_t CCSymmetricUnwrappedSize(CCWrappingAlgorithm algorithm, size_t wrappedKeyLen);

#ifdef __cplusplus
}
#endif

#endif
