// The constants of keys.

#include "ConstantString.h"

// Kinds of keys

CONSTANT(kSecAttrKeyClassPublic, "0")
CONSTANT(kSecAttrKeyClassPrivate, "1")
CONSTANT(kSecAttrKeyClassSymmetric, "2")
CONSTANT(kSecAttrKeyTypeRSA, "42")
CONSTANT(kSecAttrKeyTypeEC, "73")
CONSTANT(kSecAttrKeyTypeECSECPrimeRandom, "73")
CONSTANT(kSecAttrKeyTypeECSECPrimeRandomPKA, "2147483678")
CONSTANT(kSecAttrKeyTypeSecureEnclaveAttestation, "2147483679")
CONSTANT(kSecAttrKeyTypeSecureEnclaveAnonymousAttestation, "2147483680")
CONSTANT(kSecAttrKeyTypeEd25519, "105")
CONSTANT(kSecAttrKeyTypeX25519, "106")
CONSTANT(kSecAttrKeyTypeEd448, "107")
CONSTANT(kSecAttrKeyTypeX448, "108")
CONSTANT(kSecAttrKeyTypeKyber, "109")
CONSTANT(kSecAttrKeyTypeMLKEM, "110")
CONSTANT(kSecAttrKeyTypeMLDSA, "111")
CONSTANT(kSecAttrKeySizeKyber768, "768")
CONSTANT(kSecAttrKeySizeKyber1024, "1024")
CONSTANT(kSecAttrKeySizeMLKEM768, "768")
CONSTANT(kSecAttrKeySizeMLKEM1024, "1024")
CONSTANT(kSecAttrKeySizeMLDSA65, "65")
CONSTANT(kSecAttrKeySizeMLDSA87, "87")
CONSTANT(kSecAttrKeyTypeDES, "14")
CONSTANT(kSecAttrKeyType3DES, "17")
CONSTANT(kSecAttrKeyTypeRC2, "23")
CONSTANT(kSecAttrKeyTypeRC4, "25")
CONSTANT(kSecAttrKeyTypeDSA, "43")
CONSTANT(kSecAttrKeyTypeCAST, "56")
CONSTANT(kSecAttrKeyTypeECDSA, "73")
CONSTANT(kSecAttrKeyTypeAES, "2147483649")

// Making keys and passwords

CONSTANT(kSecPrivateKeyAttrs, "private")
CONSTANT(kSecPublicKeyAttrs, "public")
CONSTANT(kSecKeyApplePayEnabled, "applepay")
CONSTANT(kSecKeyOSBound, "osbound")
CONSTANT(kSecKeySealedHashesBound, "sealedhashesbound")
CONSTANT(kSecPasswordMaxLength, "PasswordMaxLength")
CONSTANT(kSecPasswordMinLength, "PasswordMinLength")
CONSTANT(kSecPasswordAllowedCharacters, "PasswordAllowedCharacters")
CONSTANT(kSecPasswordRequiredCharacters, "PasswordRequiredCharacters")
CONSTANT(kSecSharedPassword, "spwd")
CONSTANT(kSecSymmetricKeyAttrs, "symmetric")

// Algorithms

CONSTANT(kSecKeyAlgorithmRSASignatureRaw, "algid:sign:RSA:raw")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw, "algid:sign:RSA:digest-PKCS1v15")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1, "algid:sign:RSA:digest-PKCS1v15:SHA1")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224, "algid:sign:RSA:digest-PKCS1v15:SHA224")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256, "algid:sign:RSA:digest-PKCS1v15:SHA256")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384, "algid:sign:RSA:digest-PKCS1v15:SHA384")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512, "algid:sign:RSA:digest-PKCS1v15:SHA512")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPSSSHA1, "algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPSSSHA224, "algid:sign:RSA:digest-PSS:SHA224:SHA224:24")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPSSSHA256, "algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPSSSHA384, "algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
CONSTANT(kSecKeyAlgorithmRSASignatureDigestPSSSHA512, "algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1, "algid:sign:RSA:message-PKCS1v15:SHA1")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224, "algid:sign:RSA:message-PKCS1v15:SHA224")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256, "algid:sign:RSA:message-PKCS1v15:SHA256")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384, "algid:sign:RSA:message-PKCS1v15:SHA384")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512, "algid:sign:RSA:message-PKCS1v15:SHA512")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePSSSHA1, "algid:sign:RSA:message-PSS:SHA1:SHA1:20")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePSSSHA224, "algid:sign:RSA:message-PSS:SHA224:SHA224:24")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePSSSHA256, "algid:sign:RSA:message-PSS:SHA256:SHA256:32")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePSSSHA384, "algid:sign:RSA:message-PSS:SHA384:SHA384:48")
CONSTANT(kSecKeyAlgorithmRSASignatureMessagePSSSHA512, "algid:sign:RSA:message-PSS:SHA512:SHA512:64")
CONSTANT(kSecKeyAlgorithmECDSASignatureRFC4754, "algid:sign:ECDSA:RFC4754")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestRFC4754, "algid:sign:ECDSA:digest-RFC4754")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1, "algid:sign:ECDSA:digest-RFC4754:SHA1")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224, "algid:sign:ECDSA:digest-RFC4754:SHA224")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256, "algid:sign:ECDSA:digest-RFC4754:SHA256")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384, "algid:sign:ECDSA:digest-RFC4754:SHA384")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512, "algid:sign:ECDSA:digest-RFC4754:SHA512")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1, "algid:sign:ECDSA:message-RFC4754:SHA1")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224, "algid:sign:ECDSA:message-RFC4754:SHA224")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256, "algid:sign:ECDSA:message-RFC4754:SHA256")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384, "algid:sign:ECDSA:message-RFC4754:SHA384")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512, "algid:sign:ECDSA:message-RFC4754:SHA512")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestX962, "algid:sign:ECDSA:digest-X962")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestX962SHA1, "algid:sign:ECDSA:digest-X962:SHA1")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestX962SHA224, "algid:sign:ECDSA:digest-X962:SHA224")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestX962SHA256, "algid:sign:ECDSA:digest-X962:SHA256")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestX962SHA384, "algid:sign:ECDSA:digest-X962:SHA384")
CONSTANT(kSecKeyAlgorithmECDSASignatureDigestX962SHA512, "algid:sign:ECDSA:digest-X962:SHA512")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageX962SHA1, "algid:sign:ECDSA:message-X962:SHA1")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageX962SHA224, "algid:sign:ECDSA:message-X962:SHA224")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageX962SHA256, "algid:sign:ECDSA:message-X962:SHA256")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageX962SHA384, "algid:sign:ECDSA:message-X962:SHA384")
CONSTANT(kSecKeyAlgorithmECDSASignatureMessageX962SHA512, "algid:sign:ECDSA:message-X962:SHA512")
CONSTANT(kSecKeyAlgorithmRSAEncryptionRaw, "algid:encrypt:RSA:raw")
CONSTANT(kSecKeyAlgorithmRSAEncryptionPKCS1, "algid:encrypt:RSA:PKCS1")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA1, "algid:encrypt:RSA:OAEP:SHA1")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA224, "algid:encrypt:RSA:OAEP:SHA224")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA256, "algid:encrypt:RSA:OAEP:SHA256")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA384, "algid:encrypt:RSA:OAEP:SHA384")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA512, "algid:encrypt:RSA:OAEP:SHA512")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM, "algid:encrypt:RSA:OAEP:SHA1:AESGCM")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM, "algid:encrypt:RSA:OAEP:SHA224:AESGCM")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM, "algid:encrypt:RSA:OAEP:SHA256:AESGCM")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM, "algid:encrypt:RSA:OAEP:SHA384:AESGCM")
CONSTANT(kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM, "algid:encrypt:RSA:OAEP:SHA512:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV")
CONSTANT(
    kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeStandard, "algid:keyexchange:ECDH")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1, "algid:keyexchange:ECDH:KDFX963:SHA1")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224, "algid:keyexchange:ECDH:KDFX963:SHA224")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256, "algid:keyexchange:ECDH:KDFX963:SHA256")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384, "algid:keyexchange:ECDH:KDFX963:SHA384")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512, "algid:keyexchange:ECDH:KDFX963:SHA512")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeCofactor, "algid:keyexchange:ECDHC")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1, "algid:keyexchange:ECDHC:KDFX963:SHA1")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224, "algid:keyexchange:ECDHC:KDFX963:SHA224")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256, "algid:keyexchange:ECDHC:KDFX963:SHA256")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384, "algid:keyexchange:ECDHC:KDFX963:SHA384")
CONSTANT(kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512, "algid:keyexchange:ECDHC:KDFX963:SHA512")

// Parameters of a key exchange

CONSTANT(kSecKeyKeyExchangeParameterRequestedSize, "requestedSize")
CONSTANT(kSecKeyKeyExchangeParameterSharedInfo, "sharedInfo")

// The only source of random bytes has no object.

extern const void *const kSecRandomDefault;
const void *const kSecRandomDefault = 0;
