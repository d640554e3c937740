/* Import of keys and certificates. */
#ifndef LATCHKEY_SECURITY_SECIMPORTEXPORT_H
#define LATCHKEY_SECURITY_SECIMPORTEXPORT_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDictionary.h>
#include <Security/SecBase.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/* Options of an import. */
extern const CFStringRef kSecImportExportPassphrase;
extern const CFStringRef kSecImportToMemoryOnly;

/* Entries of an imported identity. */
extern const CFStringRef kSecImportItemLabel;
extern const CFStringRef kSecImportItemKeyID;
extern const CFStringRef kSecImportItemTrust;
extern const CFStringRef kSecImportItemCertChain;
extern const CFStringRef kSecImportItemIdentity;

/* Reads the identities of a PKCS#12 file.
   items: receives an array of dictionaries, one for each identity, also if it cannot be stored. */
OSStatus SecPKCS12Import(
    CFDataRef pkcs12_data, CFDictionaryRef options, CFArrayRef _Nullable *_Nonnull CF_RETURNS_RETAINED items);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
