/* A certificate together with its private key. */
#ifndef LATCHKEY_SECURITY_SECIDENTITY_H
#define LATCHKEY_SECURITY_SECIDENTITY_H

#include <Security/SecBase.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

CFTypeID SecIdentityGetTypeID(void);

OSStatus SecIdentityCopyCertificate(
    SecIdentityRef identityRef, SecCertificateRef _Nullable *_Nonnull CF_RETURNS_RETAINED certificateRef);

OSStatus SecIdentityCopyPrivateKey(
    SecIdentityRef identityRef, SecKeyRef _Nullable *_Nonnull CF_RETURNS_RETAINED privateKeyRef);

/* Finds the private key of a certificate in the keychain, as on macOS. */
OSStatus SecIdentityCreateWithCertificate(
    CFTypeRef _Nullable keychainOrArray, SecCertificateRef certificateRef,
    SecIdentityRef _Nullable *_Nonnull CF_RETURNS_RETAINED identityRef);

/* Makes an identity; NULL if the key is not the certificate's private one. */
SecIdentityRef _Nullable SecIdentityCreate(
    CFAllocatorRef _Nullable allocator, SecCertificateRef certificate, SecKeyRef privateKey);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
