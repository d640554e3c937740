/* Conditions for the use of an item. */
#ifndef LATCHKEY_SECURITY_SECACCESSCONTROL_H
#define LATCHKEY_SECURITY_SECACCESSCONTROL_H

#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/* The conditions of an access control, how they combine, and for what they count. */
typedef CF_OPTIONS(CFOptionFlags, SecAccessControlCreateFlags) {
    kSecAccessControlUserPresence = 1u << 0,
    kSecAccessControlBiometryAny = 1u << 1,
    kSecAccessControlTouchIDAny = 1u << 1,
    kSecAccessControlBiometryCurrentSet = 1u << 3,
    kSecAccessControlTouchIDCurrentSet = 1u << 3,
    kSecAccessControlDevicePasscode = 1u << 4,
    kSecAccessControlCompanion = 1u << 5,
    kSecAccessControlWatch = 1u << 5,
    kSecAccessControlOr = 1u << 14,
    kSecAccessControlAnd = 1u << 15,
    kSecAccessControlPrivateKeyUsage = 1u << 30,
    kSecAccessControlApplicationPassword = 1u << 31,
};

CFTypeID SecAccessControlGetTypeID(void);

/* Makes an access control.
   protection: one of the kSecAttrAccessible constants.
   error: written whenever the result is NULL, and to be released. */
SecAccessControlRef _Nullable SecAccessControlCreateWithFlags(
    CFAllocatorRef _Nullable allocator, CFTypeRef protection, SecAccessControlCreateFlags flags,
    CFErrorRef _Nullable *_Nullable error);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
