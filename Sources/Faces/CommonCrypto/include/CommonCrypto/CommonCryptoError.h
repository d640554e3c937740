/* Status codes of all functions that can fail. */
#ifndef COMMONCRYPTO_COMMONCRYPTOERROR_H
#define COMMONCRYPTO_COMMONCRYPTOERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    kCCSuccess = 0,
    /* A value that the function does not accept: a null pointer, an impossible length. */
    kCCParamError = -4300,
    /* The output has no room; functions that report the needed length have done so. */
    kCCBufferTooSmall = -4301,
    kCCMemoryFailure = -4302,
    /* The input is not a whole number of blocks. */
    kCCAlignmentError = -4303,
    /* The input does not decode or decrypt properly. */
    kCCDecodeError = -4304,
    /* Not supported by this library, for this cipher, or in this mode. */
    kCCUnimplemented = -4305,
    kCCOverflow = -4306,
    kCCRNGFailure = -4307,
    kCCUnspecifiedError = -4308,
    /* The calls came in an order that the operation does not allow. */
    kCCCallSequenceError = -4309,
    kCCKeySizeError = -4310,
    kCCInvalidKey = -4311
};
typedef int32_t CCStatus;
typedef int32_t CCCryptorStatus;

#ifdef __cplusplus
}
#endif

#endif
