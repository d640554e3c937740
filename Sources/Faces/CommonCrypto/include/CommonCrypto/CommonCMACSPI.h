/* AES-CMAC of RFC 4493. CommonCrypto.h does not include this. */
#ifndef COMMONCRYPTO_COMMONCMACSPI_H
#define COMMONCRYPTO_COMMONCMACSPI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CC_CMACAES_DIGEST_LENGTH 16
#define CC_CMACAES_OUTPUT_LENGTH 16

/* The code of data under a key of 16 bytes. Writes nothing if something is NULL that has a length. */
extern void CCAESCmac(const void *key, const uint8_t *data, size_t dataLength, void *macOut);

typedef struct CCCmacContext *CCCmacContextPtr;

/* A code in pieces, under a key of 16, 24 or 32 bytes; NULL for another length. */
extern CCCmacContextPtr CCAESCmacCreate(const void *key, size_t keyLength);
extern void CCAESCmacUpdate(CCCmacContextPtr ctx, const void *data, size_t dataLength);
extern void CCAESCmacFinal(CCCmacContextPtr ctx, void *macOut);
extern void CCAESCmacDestroy(CCCmacContextPtr ctx);
extern size_t CCAESCmacOutputSizeFromContext(CCCmacContextPtr ctx);

#ifdef __cplusplus
}
#endif

#endif
