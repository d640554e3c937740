/* Keys and what is done with them. */
#ifndef LATCHKEY_SECURITY_SECKEY_H
#define LATCHKEY_SECURITY_SECKEY_H

#include <stddef.h>
#include <stdint.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>
#include <Security/SecItem.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/* Algorithms: names of what a key does. */
typedef CFStringRef SecKeyAlgorithm CF_STRING_ENUM;

extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureRaw;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureRFC4754 LK_SECURITY_DEPRECATED;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionRaw;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionPKCS1;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandard;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactor;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512;

/* Parameters of SecKeyCopyKeyExchangeResult. */
typedef CFStringRef SecKeyKeyExchangeParameter CF_STRING_ENUM;

extern const SecKeyKeyExchangeParameter kSecKeyKeyExchangeParameterRequestedSize;
extern const SecKeyKeyExchangeParameter kSecKeyKeyExchangeParameterSharedInfo;

typedef CF_ENUM(CFIndex, SecKeyOperationType) {
    kSecKeyOperationTypeSign = 0,
    kSecKeyOperationTypeVerify = 1,
    kSecKeyOperationTypeEncrypt = 2,
    kSecKeyOperationTypeDecrypt = 3,
    kSecKeyOperationTypeKeyExchange = 4,
};

/* Paddings of the older calls. */
typedef CF_OPTIONS(uint32_t, SecPadding) {
    kSecPaddingNone = 0,
    kSecPaddingPKCS1 = 1,
    kSecPaddingOAEP = 2,
    kSecPaddingSigRaw = 0x4000,
    kSecPaddingPKCS1MD2 = 0x8000,
    kSecPaddingPKCS1MD5 = 0x8001,
    kSecPaddingPKCS1SHA1 = 0x8002,
    kSecPaddingPKCS1SHA224 = 0x8003,
    kSecPaddingPKCS1SHA256 = 0x8004,
    kSecPaddingPKCS1SHA384 = 0x8005,
    kSecPaddingPKCS1SHA512 = 0x8006,
};

/* Keys of the parameters that make a pair: the attributes of each half. */
extern const CFStringRef kSecPrivateKeyAttrs;
extern const CFStringRef kSecPublicKeyAttrs;

CFTypeID SecKeyGetTypeID(void);

/* The error of each function below is written whenever it fails, and is to be released. */

/* Makes a key pair and returns its private key; NULL if it cannot be made. */
SecKeyRef _Nullable SecKeyCreateRandomKey(CFDictionaryRef parameters, CFErrorRef _Nullable *_Nullable error);

/* Makes a key from its external representation. */
SecKeyRef _Nullable SecKeyCreateWithData(
    CFDataRef keyData, CFDictionaryRef attributes, CFErrorRef _Nullable *_Nullable error);

/* Returns the key as bytes: RSA in PKCS#1, elliptic curves in X9.63. NULL for private keys of the enclave. */
CFDataRef _Nullable SecKeyCopyExternalRepresentation(SecKeyRef key, CFErrorRef _Nullable *_Nullable error);

/* Returns the attributes of the item that the key is or would be. */
CFDictionaryRef _Nullable SecKeyCopyAttributes(SecKeyRef key);

/* Returns the public half. */
SecKeyRef _Nullable SecKeyCopyPublicKey(SecKeyRef key);

/* Returns the number of bytes of a block: of RSA the modulus, of elliptic curves a coordinate. */
size_t SecKeyGetBlockSize(SecKeyRef key);

/* Returns true if the key supports an operation with an algorithm. Never prompts. */
Boolean SecKeyIsAlgorithmSupported(SecKeyRef key, SecKeyOperationType operation, SecKeyAlgorithm algorithm);

CFDataRef _Nullable SecKeyCreateSignature(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef dataToSign, CFErrorRef _Nullable *_Nullable error);

Boolean SecKeyVerifySignature(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef signedData, CFDataRef signature,
    CFErrorRef _Nullable *_Nullable error);

CFDataRef _Nullable SecKeyCreateEncryptedData(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef plaintext, CFErrorRef _Nullable *_Nullable error);

CFDataRef _Nullable SecKeyCreateDecryptedData(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef ciphertext, CFErrorRef _Nullable *_Nullable error);

CFDataRef _Nullable SecKeyCopyKeyExchangeResult(
    SecKeyRef privateKey, SecKeyAlgorithm algorithm, SecKeyRef publicKey, CFDictionaryRef parameters,
    CFErrorRef _Nullable *_Nullable error);

/* Deprecated: use SecKeyCreateRandomKey and SecKeyCopyPublicKey. */
OSStatus SecKeyGeneratePair(
    CFDictionaryRef parameters, SecKeyRef _Nullable *_Nullable publicKey,
    SecKeyRef _Nullable *_Nullable privateKey) LK_SECURITY_DEPRECATED;

/* Deprecated: use SecKeyCreateSignature and so on. The lengths say how much room there is, and how much was used. */
OSStatus SecKeyRawSign(
    SecKeyRef key, SecPadding padding, const uint8_t *dataToSign, size_t dataToSignLen, uint8_t *sig,
    size_t *sigLen) LK_SECURITY_DEPRECATED;
OSStatus SecKeyRawVerify(
    SecKeyRef key, SecPadding padding, const uint8_t *signedData, size_t signedDataLen, const uint8_t *sig,
    size_t sigLen) LK_SECURITY_DEPRECATED;
OSStatus SecKeyEncrypt(
    SecKeyRef key, SecPadding padding, const uint8_t *plainText, size_t plainTextLen, uint8_t *cipherText,
    size_t *cipherTextLen) LK_SECURITY_DEPRECATED;
OSStatus SecKeyDecrypt(
    SecKeyRef key, SecPadding padding, const uint8_t *cipherText, size_t cipherTextLen, uint8_t *plainText,
    size_t *plainTextLen) LK_SECURITY_DEPRECATED;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
