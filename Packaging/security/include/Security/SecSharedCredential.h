/* Passwords that apps share with web sites. */
#ifndef LATCHKEY_SECURITY_SECSHAREDCREDENTIAL_H
#define LATCHKEY_SECURITY_SECSHAREDCREDENTIAL_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/* Returns a random password of four groups of three letters and digits. */
CFStringRef _Nullable SecCreateSharedWebCredentialPassword(void);

#ifdef __BLOCKS__
/* Call back with errSecUnimplemented: no app is associated with a web site here. */
void SecAddSharedWebCredential(
    CFStringRef fqdn, CFStringRef account, CFStringRef _Nullable password,
    void (^completionHandler)(CFErrorRef _Nullable error));
void SecRequestSharedWebCredential(
    CFStringRef _Nullable fqdn, CFStringRef _Nullable account,
    void (^completionHandler)(CFArrayRef _Nullable credentials, CFErrorRef _Nullable error)) LK_SECURITY_DEPRECATED;
#endif

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
