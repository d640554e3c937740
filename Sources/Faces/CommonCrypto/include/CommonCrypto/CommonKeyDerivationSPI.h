/* Keys from keys. CommonCrypto.h does not include this.
 *
 * Parameters point to the caller's bytes, which have to stay there as long as the parameters do. */
#ifndef COMMONCRYPTO_COMMONKEYDERIVATIONSPI_H
#define COMMONCRYPTO_COMMONKEYDERIVATIONSPI_H

#include <stddef.h>
#include <stdint.h>

#include <CommonCrypto/CommonCryptoError.h>
#include <CommonCrypto/CommonCryptor.h>
#include <CommonCrypto/CommonDigestSPI.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CCKDFParameters *CCKDFParametersRef;

/* Each returns kCCSuccess, or kCCParamError for NULL that has a length, and for no rounds. */
extern CCStatus CCKDFParametersCreatePbkdf2(CCKDFParametersRef *params, unsigned rounds, const void *salt,
                                            size_t saltLen);

/* HKDF of RFC 5869. A context of more than 32768 bytes is refused when a key is derived. */
extern CCStatus CCKDFParametersCreateHkdf(CCKDFParametersRef *params, const void *salt, size_t saltLen,
                                          const void *context, size_t contextLen);

/* The counter mode of SP 800-108 with HMAC, over a label and a context, or over fixed bytes. */
extern CCStatus CCKDFParametersCreateCtrHmac(CCKDFParametersRef *params, const void *label, size_t labelLen,
                                             const void *context, size_t contextLen);
extern CCStatus CCKDFParametersCreateCtrHmacFixed(CCKDFParametersRef *params, const void *context, size_t contextLen);

/* The function of ANSI X9.63. */
extern CCStatus CCKDFParametersCreateAnsiX963(CCKDFParametersRef *params, const void *sharedinfo,
                                              size_t sharedinfoLen);

extern void CCKDFParametersDestroy(CCKDFParametersRef params);

/* Derives a key. kCCParamError: NULL, an unknown digest, an empty key to derive from (HKDF accepts one), or more bytes
 * than the function can give. */
extern CCStatus CCDeriveKey(const CCKDFParametersRef params, CCDigestAlgorithm digest, const void *keyDerivationKey,
                            size_t keyDerivationKeyLen, void *derivedKey, size_t derivedKeyLen);

/* The older call for all but ANSI X9.63: creates the parameters, derives, and frees them. `rounds` is
 * for PBKDF2 and `salt` for PBKDF2 and HKDF alone; `iv` is not looked at. kCCUnimplemented for the
 * other numbers. */
enum {
    kCCKDFAlgorithmPBKDF2_HMAC = 0,
    kCCKDFAlgorithmCTR_HMAC,
    kCCKDFAlgorithmCTR_HMAC_FIXED,
    /* Three that are not implemented. */
    kCCKDFAlgorithmFB_HMAC,
    kCCKDFAlgorithmFB_HMAC_FIXED,
    kCCKDFAlgorithmDPIPE_HMAC,
    kCCKDFAlgorithmHKDF,
    /* Only by parameters. */
    kCCKDFAlgorithmAnsiX963
};
typedef uint32_t CCKDFAlgorithm;

extern CCStatus CCKeyDerivationHMac(CCKDFAlgorithm algorithm, CCDigestAlgorithm digest, unsigned rounds,
                                    const void *keyDerivationKey, size_t keyDerivationKeyLen, const void *label,
                                    size_t labelLen, const void *context, size_t contextLen, const void *iv,
                                    size_t ivLen, const void *salt, size_t saltLen, void *derivedKey,
                                    size_t derivedKeyLen);

/* The two halves of HKDF. The key between them is as long as the digest. */
extern CCStatus CCHKDFExtract(const CCKDFParametersRef params, CCDigestAlgorithm digest, const void *keyDerivationKey,
                              size_t keyDerivationKeyLen, void *prk, size_t prkLen);
extern CCStatus CCHKDFExpand(const CCKDFParametersRef params, CCDigestAlgorithm digest, const void *prk,
                             size_t prkLen, void *derivedKey, size_t derivedKeyLen);

#ifdef __cplusplus
}
#endif

#endif
