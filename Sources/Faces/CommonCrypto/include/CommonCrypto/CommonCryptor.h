/* Ciphers with one key for both directions. */
#ifndef COMMONCRYPTO_COMMONCRYPTOR_H
#define COMMONCRYPTO_COMMONCRYPTOR_H

#include <CommonCrypto/CommonCryptoError.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A running cipher. One thread at a time may use it; different ones may be used in parallel. */
typedef struct _CCCryptor *CCCryptorRef;

enum {
    kCCEncrypt = 0,
    kCCDecrypt
};
typedef uint32_t CCOperation;

enum {
    /* The older name of the same: the length of the key selects AES-128, AES-192 or AES-256. */
    kCCAlgorithmAES128 = 0,
    kCCAlgorithmAES = 0,
    kCCAlgorithmDES,
    kCCAlgorithm3DES,
    kCCAlgorithmCAST,
    kCCAlgorithmRC4,
    kCCAlgorithmRC2,
    kCCAlgorithmBlowfish
};
typedef uint32_t CCAlgorithm;

enum {
    kCCOptionPKCS7Padding = 0x0001,
    /* Encrypts each block on its own, so equal blocks stay equal. Without it the mode is CBC. */
    kCCOptionECBMode = 0x0002
};
typedef uint32_t CCOptions;

/* Lengths of keys, in bytes. */
enum {
    kCCKeySizeAES128 = 16,
    kCCKeySizeAES192 = 24,
    kCCKeySizeAES256 = 32,
    kCCKeySizeDES = 8,
    kCCKeySize3DES = 24,
    kCCKeySizeMinCAST = 5,
    kCCKeySizeMaxCAST = 16,
    kCCKeySizeMinRC4 = 1,
    kCCKeySizeMaxRC4 = 512,
    kCCKeySizeMinRC2 = 1,
    kCCKeySizeMaxRC2 = 128,
    kCCKeySizeMinBlowfish = 8,
    kCCKeySizeMaxBlowfish = 56
};

/* Lengths of blocks, in bytes, which are also the lengths of initialization vectors. */
enum {
    kCCBlockSizeAES128 = 16,
    kCCBlockSizeDES = 8,
    kCCBlockSize3DES = 8,
    kCCBlockSizeCAST = 8,
    kCCBlockSizeRC2 = 8,
    kCCBlockSizeBlowfish = 8
};

/* Room that is enough for CCCryptorCreateFromData since the first release. It needs far less now. */
enum {
    kCCContextSizeAES128 = 404,
    kCCContextSizeDES = 240,
    kCCContextSize3DES = 496,
    kCCContextSizeCAST = 240,
    kCCContextSizeRC4 = 1072
};

/*
 * A cipher in CBC, in ECB (an option), or RC4, which has no mode. An iv of NULL is one of zeros; ECB and RC4 read
 * none. On failure *cryptorRef becomes NULL.
 */
CCCryptorStatus CCCryptorCreate(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    CCCryptorRef *cryptorRef);

/*
 * The same in memory that the caller provides for the reference. The cipher's state is elsewhere, so CCCryptorRelease
 * still has to be called. *dataUsed becomes the number of bytes used, or, with kCCBufferTooSmall, the number needed. On
 * failure *cryptorRef does not change.
 */
CCCryptorStatus CCCryptorCreateFromData(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    const void *data, size_t dataLength, CCCryptorRef *cryptorRef, size_t *dataUsed);

/* Wipes and frees everything that the cipher has. */
CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptorRef);

/*
 * Processes the next piece of the message, of any length. Block ciphers keep bytes that do not fill a block and, if a
 * padding is removed, the last block; so the output of one call may be longer or shorter than its input.
 * CCCryptorGetOutputLength says how long. kCCBufferTooSmall changes nothing: the call may be repeated with room.
 * dataOut may be dataIn, or overlap it.
 */
CCCryptorStatus CCCryptorUpdate(
    CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable,
    size_t *dataOutMoved);

/*
 * Ends the message. Only a padding gives output here. kCCAlignmentError: the message was not a whole number of blocks.
 * kCCBufferTooSmall changes nothing: the call may be repeated with room.
 */
CCCryptorStatus CCCryptorFinal(
    CCCryptorRef cryptorRef, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved);

/* The room that CCCryptorUpdate needs for the input or, with final, CCCryptorUpdate and CCCryptorFinal together. */
size_t CCCryptorGetOutputLength(CCCryptorRef cryptorRef, size_t inputLength, bool final);

/*
 * Returns to the beginning of a message, with the same key and a new initialization vector; NULL means zeros. Bytes
 * that were kept are forgotten. For CBC and CTR; kCCUnimplemented otherwise.
 */
CCCryptorStatus CCCryptorReset(CCCryptorRef cryptorRef, const void *iv);

/*
 * Processes a whole message. With kCCBufferTooSmall *dataOutMoved is the room that is needed. dataOut may be dataIn, or
 * overlap it. A wrong padding is not reported: authenticate before decrypting.
 */
CCCryptorStatus CCCrypt(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved);

enum {
    kCCModeECB = 1,
    kCCModeCBC = 2,
    kCCModeCFB = 3,
    kCCModeCTR = 4,
    kCCModeOFB = 7,
    /* For AES alone, and for CCCryptorEncryptDataBlock alone (CommonCryptorSPI.h). Newer SDKs of Apple's have the
     * number only in the private header, older ones here. */
    kCCModeXTS = 8,
    kCCModeRC4 = 9,
    kCCModeCFB8 = 10
};
typedef uint32_t CCMode;

enum {
    ccNoPadding = 0,
    ccPKCS7Padding = 1
};
typedef uint32_t CCPadding;

enum {
    /* Counters are always big-endian, with or without this option. */
    kCCModeOptionCTR_BE = 2
};
typedef uint32_t CCModeOptions;

/*
 * Creates a cipher in any mode. RC4 ignores the mode. The tweak is the second key of XTS, as long as the first, and may
 * be the same (which makes it weak); 16, 24 or 32 bytes. The counter of CTR is the last eight bytes of the block; they
 * wrap around. tweakLength, numRounds and options are ignored.
 */
CCCryptorStatus CCCryptorCreateWithMode(
    CCOperation op, CCMode mode, CCAlgorithm alg, CCPadding padding, const void *iv, const void *key,
    size_t keyLength, const void *tweak, size_t tweakLength, int numRounds, CCModeOptions options,
    CCCryptorRef *cryptorRef);

#ifdef __cplusplus
}
#endif

#endif
