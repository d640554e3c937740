/* Items of the keychain: the four calls, and the keys and values of their dictionaries. */
#ifndef LATCHKEY_SECURITY_SECITEM_H
#define LATCHKEY_SECURITY_SECITEM_H

#include <CoreFoundation/CFDictionary.h>
#include <Security/SecBase.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/* Adds an item.
   attributes: class, attributes and data of the item, and what to return.
   result: receives the result, to be released; written only on success, NULL if none was asked for. */
OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef _Nullable *_Nullable CF_RETURNS_RETAINED result);

/* Finds items. Parameters as for SecItemAdd. */
OSStatus SecItemCopyMatching(CFDictionaryRef query, CFTypeRef _Nullable *_Nullable CF_RETURNS_RETAINED result);

/* Changes all items that match a query. */
OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate);

/* Deletes all items that match a query. */
OSStatus SecItemDelete(CFDictionaryRef query);

/* Classes of items, and the key that names one. */
extern const CFStringRef kSecClass;
extern const CFStringRef kSecClassGenericPassword;
extern const CFStringRef kSecClassInternetPassword;
extern const CFStringRef kSecClassCertificate;
extern const CFStringRef kSecClassKey;
extern const CFStringRef kSecClassIdentity;

/* Attributes of items. */
extern const CFStringRef kSecAttrAccessible;
extern const CFStringRef kSecAttrAccessControl;
extern const CFStringRef kSecAttrAccessGroup;
extern const CFStringRef kSecAttrCreationDate;
extern const CFStringRef kSecAttrModificationDate;
extern const CFStringRef kSecAttrDescription;
extern const CFStringRef kSecAttrComment;
extern const CFStringRef kSecAttrCreator;
extern const CFStringRef kSecAttrType;
extern const CFStringRef kSecAttrLabel;
extern const CFStringRef kSecAttrIsInvisible;
extern const CFStringRef kSecAttrIsNegative;
extern const CFStringRef kSecAttrAccount;
extern const CFStringRef kSecAttrService;
extern const CFStringRef kSecAttrGeneric;
extern const CFStringRef kSecAttrSecurityDomain;
extern const CFStringRef kSecAttrServer;
extern const CFStringRef kSecAttrProtocol;
extern const CFStringRef kSecAttrAuthenticationType;
extern const CFStringRef kSecAttrPort;
extern const CFStringRef kSecAttrPath;
extern const CFStringRef kSecAttrSubject;
extern const CFStringRef kSecAttrIssuer;
extern const CFStringRef kSecAttrSerialNumber;
extern const CFStringRef kSecAttrSubjectKeyID;
extern const CFStringRef kSecAttrPublicKeyHash;
extern const CFStringRef kSecAttrCertificateType;
extern const CFStringRef kSecAttrCertificateEncoding;
extern const CFStringRef kSecAttrKeyClass;
extern const CFStringRef kSecAttrApplicationLabel;
extern const CFStringRef kSecAttrIsPermanent;
extern const CFStringRef kSecAttrApplicationTag;
extern const CFStringRef kSecAttrKeyType;
extern const CFStringRef kSecAttrKeySizeInBits;
extern const CFStringRef kSecAttrEffectiveKeySize;
extern const CFStringRef kSecAttrIsSensitive;
extern const CFStringRef kSecAttrIsExtractable;
extern const CFStringRef kSecAttrCanEncrypt;
extern const CFStringRef kSecAttrCanDecrypt;
extern const CFStringRef kSecAttrCanDerive;
extern const CFStringRef kSecAttrCanSign;
extern const CFStringRef kSecAttrCanVerify;
extern const CFStringRef kSecAttrCanWrap;
extern const CFStringRef kSecAttrCanUnwrap;
extern const CFStringRef kSecAttrTokenID;
extern const CFStringRef kSecAttrSynchronizable;

/* Values of kSecAttrAccessible: when the data of an item can be read. */
extern const CFStringRef kSecAttrAccessibleWhenUnlocked;
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlock;
extern const CFStringRef kSecAttrAccessibleAlways LK_SECURITY_DEPRECATED;
extern const CFStringRef kSecAttrAccessibleWhenUnlockedThisDeviceOnly;
extern const CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly;
extern const CFStringRef kSecAttrAccessibleAlwaysThisDeviceOnly LK_SECURITY_DEPRECATED;
extern const CFStringRef kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly;

/* Values of kSecAttrProtocol and of kSecAttrAuthenticationType. */
extern const CFStringRef kSecAttrProtocolFTP;
extern const CFStringRef kSecAttrProtocolFTPAccount;
extern const CFStringRef kSecAttrProtocolHTTP;
extern const CFStringRef kSecAttrProtocolIRC;
extern const CFStringRef kSecAttrProtocolNNTP;
extern const CFStringRef kSecAttrProtocolPOP3;
extern const CFStringRef kSecAttrProtocolSMTP;
extern const CFStringRef kSecAttrProtocolSOCKS;
extern const CFStringRef kSecAttrProtocolIMAP;
extern const CFStringRef kSecAttrProtocolLDAP;
extern const CFStringRef kSecAttrProtocolAppleTalk;
extern const CFStringRef kSecAttrProtocolAFP;
extern const CFStringRef kSecAttrProtocolTelnet;
extern const CFStringRef kSecAttrProtocolSSH;
extern const CFStringRef kSecAttrProtocolFTPS;
extern const CFStringRef kSecAttrProtocolHTTPS;
extern const CFStringRef kSecAttrProtocolHTTPProxy;
extern const CFStringRef kSecAttrProtocolHTTPSProxy;
extern const CFStringRef kSecAttrProtocolFTPProxy;
extern const CFStringRef kSecAttrProtocolSMB;
extern const CFStringRef kSecAttrProtocolRTSP;
extern const CFStringRef kSecAttrProtocolRTSPProxy;
extern const CFStringRef kSecAttrProtocolDAAP;
extern const CFStringRef kSecAttrProtocolEPPC;
extern const CFStringRef kSecAttrProtocolIPP;
extern const CFStringRef kSecAttrProtocolNNTPS;
extern const CFStringRef kSecAttrProtocolLDAPS;
extern const CFStringRef kSecAttrProtocolTelnetS;
extern const CFStringRef kSecAttrProtocolIMAPS;
extern const CFStringRef kSecAttrProtocolIRCS;
extern const CFStringRef kSecAttrProtocolPOP3S;
extern const CFStringRef kSecAttrAuthenticationTypeNTLM;
extern const CFStringRef kSecAttrAuthenticationTypeMSN;
extern const CFStringRef kSecAttrAuthenticationTypeDPA;
extern const CFStringRef kSecAttrAuthenticationTypeRPA;
extern const CFStringRef kSecAttrAuthenticationTypeHTTPBasic;
extern const CFStringRef kSecAttrAuthenticationTypeHTTPDigest;
extern const CFStringRef kSecAttrAuthenticationTypeHTMLForm;
extern const CFStringRef kSecAttrAuthenticationTypeDefault;

/* Values of kSecAttrKeyClass, kSecAttrKeyType and kSecAttrKeySizeInBits. */
extern const CFStringRef kSecAttrKeyClassPublic;
extern const CFStringRef kSecAttrKeyClassPrivate;
extern const CFStringRef kSecAttrKeyClassSymmetric;
extern const CFStringRef kSecAttrKeyTypeRSA;
extern const CFStringRef kSecAttrKeyTypeEC;
extern const CFStringRef kSecAttrKeyTypeECSECPrimeRandom;
extern const CFStringRef kSecAttrKeyTypeMLKEM;
extern const CFStringRef kSecAttrKeyTypeMLDSA;
extern const CFStringRef kSecAttrKeySizeMLKEM768;
extern const CFStringRef kSecAttrKeySizeMLKEM1024;
extern const CFStringRef kSecAttrKeySizeMLDSA65;
extern const CFStringRef kSecAttrKeySizeMLDSA87;
extern const CFStringRef kSecAttrKeyTypeDES;
extern const CFStringRef kSecAttrKeyType3DES;
extern const CFStringRef kSecAttrKeyTypeRC2;
extern const CFStringRef kSecAttrKeyTypeRC4;
extern const CFStringRef kSecAttrKeyTypeDSA;
extern const CFStringRef kSecAttrKeyTypeCAST;
extern const CFStringRef kSecAttrKeyTypeECDSA;
extern const CFStringRef kSecAttrKeyTypeAES;

/* Results, values and limits of a query. */
extern const CFStringRef kSecMatchLimit;
extern const CFStringRef kSecMatchLimitOne;
extern const CFStringRef kSecMatchLimitAll;
extern const CFStringRef kSecReturnData;
extern const CFStringRef kSecReturnAttributes;
extern const CFStringRef kSecReturnRef;
extern const CFStringRef kSecReturnPersistentRef;
extern const CFStringRef kSecValueData;
extern const CFStringRef kSecValueRef;
extern const CFStringRef kSecValuePersistentRef;

/* Conditions of a query. */
extern const CFStringRef kSecMatchPolicy;
extern const CFStringRef kSecMatchItemList;
extern const CFStringRef kSecMatchSearchList;
extern const CFStringRef kSecMatchIssuers;
extern const CFStringRef kSecMatchEmailAddressIfPresent;
extern const CFStringRef kSecMatchSubjectContains;
extern const CFStringRef kSecMatchHostOrSubdomainOfHost;
extern const CFStringRef kSecMatchCaseInsensitive;
extern const CFStringRef kSecMatchTrustedOnly;
extern const CFStringRef kSecMatchValidOnDate;
extern const CFStringRef kSecMatchSubjectStartsWith;
extern const CFStringRef kSecMatchSubjectEndsWith;
extern const CFStringRef kSecMatchSubjectWholeString;
extern const CFStringRef kSecMatchDiacriticInsensitive;
extern const CFStringRef kSecMatchWidthInsensitive;

/* Ways of working. */
extern const CFStringRef kSecUseItemList LK_SECURITY_DEPRECATED;
extern const CFStringRef kSecUseOperationPrompt LK_SECURITY_DEPRECATED;
extern const CFStringRef kSecUseNoAuthenticationUI LK_SECURITY_DEPRECATED;
extern const CFStringRef kSecUseAuthenticationUI;
extern const CFStringRef kSecUseDataProtectionKeychain;
extern const CFStringRef kSecUseUserIndependentKeychain;
extern const CFStringRef kSecUseAuthenticationUIAllow LK_SECURITY_DEPRECATED;
extern const CFStringRef kSecUseAuthenticationUIFail LK_SECURITY_DEPRECATED;
extern const CFStringRef kSecUseAuthenticationUISkip;
extern const CFStringRef kSecUseAuthenticationContext;
extern const CFStringRef kSecUseKeychain;
extern const CFStringRef kSecUseKeychainList;

/* Tokens, a reserved access group, and the value that finds synchronizable items and others alike. */
extern const CFStringRef kSecAttrAccessGroupToken;
extern const CFStringRef kSecAttrSynchronizableAny;
extern const CFStringRef kSecAttrTokenIDSecureEnclave;

/* The password in an answer of SecRequestSharedWebCredential. */
extern const CFStringRef kSecSharedPassword;

/* Keys and values that only the file keychain of macOS uses. */
extern const CFStringRef kSecAttrAccess;
extern const CFStringRef kSecAttrPRF;
extern const CFStringRef kSecAttrSalt;
extern const CFStringRef kSecAttrRounds;
extern const CFStringRef kSecAttrPRFHmacAlgSHA1;
extern const CFStringRef kSecAttrPRFHmacAlgSHA224;
extern const CFStringRef kSecAttrPRFHmacAlgSHA256;
extern const CFStringRef kSecAttrPRFHmacAlgSHA384;
extern const CFStringRef kSecAttrPRFHmacAlgSHA512;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
