/* Random numbers, and the older call for random bytes. CommonCrypto.h does not include this. */
#ifndef COMMONCRYPTO_COMMONRANDOMSPI_H
#define COMMONCRYPTO_COMMONRANDOMSPI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <CommonCrypto/CommonCryptor.h>
#include <CommonCrypto/CommonRandom.h>
#include <CommonCrypto/CommonSymmetricKeywrap.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef const void *CCRandomRef;

/* Both are ignored: there is one generator. */
extern const CCRandomRef kCCRandomDefault COMMONCRYPTO_CONSTANT;
extern const CCRandomRef kCCRandomDevRandom COMMONCRYPTO_CONSTANT;

/* CCRandomGenerateBytes. */
extern int CCRandomCopyBytes(CCRandomRef rnd, void *bytes, size_t count);

/* A number below `bound`, each as likely as the others. kCCParamError for a bound of 0, and for NULL. */
extern CCRNGStatus CCRandomUniform(uint64_t bound, uint64_t *rand);

#ifdef __cplusplus
}
#endif

#endif
