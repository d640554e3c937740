/*
 * Functions that Apple's public headers lack, under the names that programs declare for themselves: authenticated
 * encryption, and the ciphers of disks. CommonCrypto.h does not include this header.
 */
#ifndef COMMONCRYPTO_COMMONCRYPTORSPI_H
#define COMMONCRYPTO_COMMONCRYPTORSPI_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <CommonCrypto/CommonCryptoError.h>
#include <CommonCrypto/CommonCryptor.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCModeGCM = 11,
    /* Named, but no cipher has it here: kCCUnimplemented. */
    kCCModeCCM = 12
};

enum {
    /* The last two blocks are swapped and the end is cut, so that the length stays. CBC alone. */
    ccCBCCTS3 = 12
};

enum {
    /* Both directions by CCCryptorEncryptDataBlock and CCCryptorDecryptDataBlock. ECB, CBC and XTS. */
    kCCBoth = 3
};

/* CCCryptorCreateWithMode in memory that the caller provides; see CCCryptorCreateFromData. */
CCCryptorStatus CCCryptorCreateFromDataWithMode(
    CCOperation op, CCMode mode, CCAlgorithm alg, CCPadding padding, const void *iv, const void *key,
    size_t keyLength, const void *tweak, size_t tweakLength, int numRounds, CCModeOptions options, const void *data,
    size_t dataLength, CCCryptorRef *cryptorRef, size_t *dataUsed);

/*
 * Processes one unit of a disk: with XTS, iv is the unit's tweak and the data is at least a block and at most 16 MiB
 * (kCCParamError for other lengths). With ECB and CBC iv has to be NULL, and the data whole blocks. A cryptor of these
 * three modes goes both ways, whichever one it was made for; with CBC each way chains its own blocks, from the IV it
 * was made with.
 */
CCCryptorStatus CCCryptorEncryptDataBlock(
    CCCryptorRef cryptorRef, const void *iv, const void *dataIn, size_t dataInLength, void *dataOut);
CCCryptorStatus CCCryptorDecryptDataBlock(
    CCCryptorRef cryptorRef, const void *iv, const void *dataIn, size_t dataInLength, void *dataOut);

/* CCCryptorReset for legacy programs: modes that cannot restart report success. */
CCCryptorStatus CCCryptorReset_binary_compatibility(CCCryptorRef cryptorRef, const void *iv);

/* The vector that CBC would chain to the next block. */
CCCryptorStatus CCCryptorGetIV(CCCryptorRef cryptorRef, void *iv);

/*
 * AES-GCM in steps: create with kCCModeGCM, then one IV, associated data in any number of pieces, text in any number
 * of pieces, and the tag. Steps in another order are kCCUnspecifiedError.
 */

/* CCCryptorGCMSetIV takes 12 bytes or more, CCCryptorGCMAddIV any number, including none. */
CCCryptorStatus CCCryptorGCMSetIV(CCCryptorRef cryptorRef, const void *iv, size_t ivLen);
CCCryptorStatus CCCryptorGCMAddIV(CCCryptorRef cryptorRef, const void *iv, size_t ivLen);

/* One function under its three historical names. */
CCCryptorStatus CCCryptorGCMAddAAD(CCCryptorRef cryptorRef, const void *aData, size_t aDataLen);
CCCryptorStatus CCCryptorGCMaddAAD(CCCryptorRef cryptorRef, const void *aData, size_t aDataLen);
CCCryptorStatus CCCryptorGCMAddADD(CCCryptorRef cryptorRef, const void *aData, size_t aDataLen);

CCCryptorStatus CCCryptorGCMEncrypt(
    CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut);
CCCryptorStatus CCCryptorGCMDecrypt(
    CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut);

/* Returns the tag, also when decrypting: compare it with CRYPTO_memcmp or timingsafe_bcmp. */
CCCryptorStatus CCCryptorGCMFinal(CCCryptorRef cryptorRef, void *tagOut, size_t *tagLength);

/* Encryption returns the tag, of 8 to 16 bytes; decryption compares it: kCCUnspecifiedError if it differs. */
CCCryptorStatus CCCryptorGCMFinalize(CCCryptorRef cryptorRef, void *tag, size_t tagLength);

/* Returns to the step where an IV is expected, with the same key. */
CCCryptorStatus CCCryptorGCMReset(CCCryptorRef cryptorRef);

/* A whole message. The tag is returned in both directions and compared in neither. */
CCCryptorStatus CCCryptorGCM(
    CCOperation op, CCAlgorithm alg, const void *key, size_t keyLength, const void *iv, size_t ivLen,
    const void *aData, size_t aDataLen, const void *dataIn, size_t dataInLength, void *dataOut, void *tagOut,
    size_t *tagLength);

/* A whole message. An IV has 12 bytes or more, a tag 8 to 16. A failed decryption leaves zeros in dataOut. */
CCCryptorStatus CCCryptorGCMOneshotEncrypt(
    CCAlgorithm alg, const void *key, size_t keyLength, const void *iv, size_t ivLength, const void *aData,
    size_t aDataLength, const void *dataIn, size_t dataInLength, void *cipherOut, void *tagOut, size_t tagLength);
CCCryptorStatus CCCryptorGCMOneshotDecrypt(
    CCAlgorithm alg, const void *key, size_t keyLength, const void *iv, size_t ivLength, const void *aData,
    size_t aDataLength, const void *dataIn, size_t dataInLength, void *dataOut, const void *tagIn,
    size_t tagLength);

enum {
    kCCParameterIV,
    kCCParameterAuthData,
    kCCMacSize,
    kCCDataSize,
    kCCParameterAuthTag
};
typedef uint32_t CCParameter;

/* The IV and the associated data of GCM; the text goes through CCCryptorUpdate. */
CCCryptorStatus CCCryptorAddParameter(
    CCCryptorRef cryptorRef, CCParameter parameter, const void *data, size_t dataSize);

/* kCCUnimplemented: the tag of GCM comes from CCCryptorGCMFinal or CCCryptorGCMFinalize. */
CCCryptorStatus CCCryptorGetParameter(
    CCCryptorRef cryptorRef, CCParameter parameter, void *data, size_t *dataSize);

#ifdef __cplusplus
}
#endif

#endif
