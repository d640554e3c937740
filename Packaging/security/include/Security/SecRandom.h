/* Random bytes. */
#ifndef LATCHKEY_SECURITY_SECRANDOM_H
#define LATCHKEY_SECURITY_SECRANDOM_H

#include <stddef.h>
#include <Security/SecBase.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

typedef const struct __SecRandom *SecRandomRef;

/* NULL: the only source, the kernel's. */
extern const SecRandomRef _Nullable kSecRandomDefault;

/* Fills bytes with count random bytes. Returns errSecSuccess, and errSecParam for a NULL pointer with a count. */
int SecRandomCopyBytes(SecRandomRef _Nullable rnd, size_t count, void *bytes) __attribute__((warn_unused_result));

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
