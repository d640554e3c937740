/* Random bytes for keys, initial values and salts. */
#ifndef COMMONCRYPTO_COMMONRANDOM_H
#define COMMONCRYPTO_COMMONRANDOM_H

#include <stddef.h>
#include <sys/types.h>

#include <CommonCrypto/CommonCryptoError.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef CCCryptorStatus CCRNGStatus;

/* Fills `count` bytes, any number. Returns kCCSuccess; kCCParamError for NULL with a count; kCCRNGFailure if the system
 * has no randomness to give, and then the bytes must not be used. */
extern CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
