/* Keys from passwords: PBKDF2 of RFC 8018. */
#ifndef COMMONCRYPTO_COMMONKEYDERIVATION_H
#define COMMONCRYPTO_COMMONKEYDERIVATION_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <CommonCrypto/CommonCryptoError.h>
#include <CommonCrypto/CommonDigest.h>
#include <CommonCrypto/CommonHMAC.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCPBKDF2 = 2
};
typedef uint32_t CCPBKDFAlgorithm;

enum {
    kCCPRFHmacAlgSHA1 = 1,
    kCCPRFHmacAlgSHA224 = 2,
    kCCPRFHmacAlgSHA256 = 3,
    kCCPRFHmacAlgSHA384 = 4,
    kCCPRFHmacAlgSHA512 = 5
};
typedef uint32_t CCPseudoRandomAlgorithm;

/* Derives `derivedKeyLen` bytes from a password. The password is used byte by byte, without its end mark:
 * the same key needs the same encoding and normalisation. It may have no bytes, but not be NULL; the salt may
 * be NULL if it has none.
 *
 * Returns kCCSuccess, or kCCParamError for another algorithm or function than those above, for NULL where bytes are
 * needed, and for no rounds or no key to derive. */
extern int CCKeyDerivationPBKDF(CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen,
                                const uint8_t *salt, size_t saltLen, CCPseudoRandomAlgorithm prf, unsigned rounds,
                                uint8_t *derivedKey, size_t derivedKeyLen);

/* The number of rounds that take about `msec` milliseconds on this machine for a key of this length: measured, and
 * never below 10000. Returns (unsigned)-1 for an unknown algorithm or function, for no key to derive, and for a salt
 * above 132 bytes. */
extern unsigned CCCalibratePBKDF(CCPBKDFAlgorithm algorithm, size_t passwordLen, size_t saltLen,
                                 CCPseudoRandomAlgorithm prf, size_t derivedKeyLen, uint32_t msec);

#ifdef __cplusplus
}
#endif

#endif
