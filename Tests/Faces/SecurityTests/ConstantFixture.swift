import Security

/// Every string constant with the value that stored items and other programs rely on.
enum ConstantFixture {
    struct Row {
        let name: String
        let constant: CFString
        let value: String

        init(_ name: String, _ constant: CFString, _ value: String) {
            self.name = name
            self.constant = constant
            self.value = value
        }
    }

    @available(*, deprecated)
    static var all: [Row] {
        classes + results + matching
            + ways + accessibility + keyClasses + keyTypes
            + protocols + authenticationTypes + tokens + attributes
            + generation + views + importing
    }

    private static var classes: [Row] {
        [
            Row("kSecClass", kSecClass, "class"),
            Row("kSecClassGenericPassword", kSecClassGenericPassword, "genp"),
            Row("kSecClassInternetPassword", kSecClassInternetPassword, "inet"),
            Row("kSecClassAppleSharePassword", kSecClassAppleSharePassword, "apls"),
            Row("kSecClassCertificate", kSecClassCertificate, "cert"),
            Row("kSecClassKey", kSecClassKey, "keys"),
            Row("kSecClassIdentity", kSecClassIdentity, "idnt"),
        ]
    }

    private static var results: [Row] {
        [
            Row("kSecMatchLimit", kSecMatchLimit, "m_Limit"),
            Row("kSecMatchLimitOne", kSecMatchLimitOne, "m_LimitOne"),
            Row("kSecMatchLimitAll", kSecMatchLimitAll, "m_LimitAll"),
            Row("kSecReturnData", kSecReturnData, "r_Data"),
            Row("kSecReturnAttributes", kSecReturnAttributes, "r_Attributes"),
            Row("kSecReturnRef", kSecReturnRef, "r_Ref"),
            Row("kSecReturnPersistentRef", kSecReturnPersistentRef, "r_PersistentRef"),
            Row("kSecValueData", kSecValueData, "v_Data"),
            Row("kSecValueRef", kSecValueRef, "v_Ref"),
            Row("kSecValuePersistentRef", kSecValuePersistentRef, "v_PersistentRef"),
        ]
    }

    private static var matching: [Row] {
        [
            Row("kSecMatchPolicy", kSecMatchPolicy, "m_Policy"),
            Row("kSecMatchItemList", kSecMatchItemList, "m_ItemList"),
            Row("kSecMatchSearchList", kSecMatchSearchList, "m_SearchList"),
            Row("kSecMatchIssuers", kSecMatchIssuers, "m_Issuers"),
            Row("kSecMatchEmailAddressIfPresent", kSecMatchEmailAddressIfPresent, "m_EmailAddressIfPresent"),
            Row("kSecMatchSubjectContains", kSecMatchSubjectContains, "m_SubjectContains"),
            Row("kSecMatchHostOrSubdomainOfHost", kSecMatchHostOrSubdomainOfHost, "m_HostOrSubdomainOfHost"),
            Row("kSecMatchCaseInsensitive", kSecMatchCaseInsensitive, "m_CaseInsensitive"),
            Row("kSecMatchTrustedOnly", kSecMatchTrustedOnly, "m_TrustedOnly"),
            Row("kSecMatchValidOnDate", kSecMatchValidOnDate, "m_ValidOnDate"),
            Row("kSecMatchSubjectStartsWith", kSecMatchSubjectStartsWith, "m_SubjectStartsWith"),
            Row("kSecMatchSubjectEndsWith", kSecMatchSubjectEndsWith, "m_SubjectEndsWith"),
            Row("kSecMatchSubjectWholeString", kSecMatchSubjectWholeString, "m_SubjectWholeString"),
            Row("kSecMatchDiacriticInsensitive", kSecMatchDiacriticInsensitive, "m_DiacriticInsensitive"),
            Row("kSecMatchWidthInsensitive", kSecMatchWidthInsensitive, "m_WidthInsensitive"),
        ]
    }

    @available(*, deprecated)
    private static var ways: [Row] {
        [
            Row("kSecUseItemList", kSecUseItemList, "u_ItemList"),
            Row("kSecUseTombstones", kSecUseTombstones, "u_Tomb"),
            Row("kSecUseCredentialReference", kSecUseCredentialReference, "u_CredRef"),
            Row("kSecUseOperationPrompt", kSecUseOperationPrompt, "u_OpPrompt"),
            Row("kSecUseNoAuthenticationUI", kSecUseNoAuthenticationUI, "u_NoAuthUI"),
            Row("kSecUseAuthenticationUI", kSecUseAuthenticationUI, "u_AuthUI"),
            Row("kSecUseSystemKeychainAlways", kSecUseSystemKeychainAlways, "u_SystemKeychainAlways"),
            Row(
                "kSecUseSystemKeychainAlwaysDarwinOSOnlyUnavailableOnMacOS",
                kSecUseSystemKeychainAlwaysDarwinOSOnlyUnavailableOnMacOS,
                "u_SystemKeychainAlways"),
            Row("kSecUseSystemKeychain", kSecUseSystemKeychain, "u_SystemKeychain"),
            Row("kSecUseSyncBubbleKeychain", kSecUseSyncBubbleKeychain, "u_SyncBubbleKeychain"),
            Row("kSecUseCallerName", kSecUseCallerName, "u_CallerName"),
            Row("kSecUseTokenRawItems", kSecUseTokenRawItems, "u_TokenRawItems"),
            Row("kSecUseCertificatesWithMatchIssuers", kSecUseCertificatesWithMatchIssuers, "u_CertWithIssuers"),
            Row("kSecUseDataProtectionKeychain", kSecUseDataProtectionKeychain, "nleg"),
            Row("kSecUseUserIndependentKeychain", kSecUseUserIndependentKeychain, "u_UserIndependentKeychain"),
            Row("kSecUseAuthenticationUIAllow", kSecUseAuthenticationUIAllow, "u_AuthUIA"),
            Row("kSecUseAuthenticationUIFail", kSecUseAuthenticationUIFail, "u_AuthUIF"),
            Row("kSecUseAuthenticationUISkip", kSecUseAuthenticationUISkip, "u_AuthUIS"),
            Row("kSecUseAuthenticationContext", kSecUseAuthenticationContext, "u_AuthCtx"),
            Row("kSecUseKeychain", kSecUseKeychain, "u_Keychain"),
            Row("kSecUseKeychainList", kSecUseKeychainList, "u_KeychainList"),
        ]
    }

    @available(*, deprecated)
    private static var accessibility: [Row] {
        [
            Row("kSecAttrAccessibleWhenUnlocked", kSecAttrAccessibleWhenUnlocked, "ak"),
            Row("kSecAttrAccessibleAfterFirstUnlock", kSecAttrAccessibleAfterFirstUnlock, "ck"),
            Row("kSecAttrAccessibleAlways", kSecAttrAccessibleAlways, "dk"),
            Row("kSecAttrAccessibleWhenUnlockedThisDeviceOnly", kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku"),
            Row(
                "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly", kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                "cku"),
            Row("kSecAttrAccessibleAlwaysThisDeviceOnly", kSecAttrAccessibleAlwaysThisDeviceOnly, "dku"),
            Row(
                "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly", kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                "akpu"),
            Row("kSecAttrAccessibleAlwaysPrivate", kSecAttrAccessibleAlwaysPrivate, "dk"),
            Row("kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate", kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate, "dku"),
            Row("kSecAttrAccessibleUntilReboot", kSecAttrAccessibleUntilReboot, "f"),
        ]
    }

    private static var keyClasses: [Row] {
        [
            Row("kSecAttrKeyClassPublic", kSecAttrKeyClassPublic, "0"),
            Row("kSecAttrKeyClassPrivate", kSecAttrKeyClassPrivate, "1"),
            Row("kSecAttrKeyClassSymmetric", kSecAttrKeyClassSymmetric, "2"),
        ]
    }

    private static var keyTypes: [Row] {
        [
            Row("kSecAttrKeyTypeRSA", kSecAttrKeyTypeRSA, "42"),
            Row("kSecAttrKeyTypeEC", kSecAttrKeyTypeEC, "73"),
            Row("kSecAttrKeyTypeECSECPrimeRandom", kSecAttrKeyTypeECSECPrimeRandom, "73"),
            Row("kSecAttrKeyTypeECSECPrimeRandomPKA", kSecAttrKeyTypeECSECPrimeRandomPKA, "2147483678"),
            Row("kSecAttrKeyTypeSecureEnclaveAttestation", kSecAttrKeyTypeSecureEnclaveAttestation, "2147483679"),
            Row(
                "kSecAttrKeyTypeSecureEnclaveAnonymousAttestation", kSecAttrKeyTypeSecureEnclaveAnonymousAttestation,
                "2147483680"),
            Row("kSecAttrKeyTypeEd25519", kSecAttrKeyTypeEd25519, "105"),
            Row("kSecAttrKeyTypeX25519", kSecAttrKeyTypeX25519, "106"),
            Row("kSecAttrKeyTypeEd448", kSecAttrKeyTypeEd448, "107"),
            Row("kSecAttrKeyTypeX448", kSecAttrKeyTypeX448, "108"),
            Row("kSecAttrKeyTypeKyber", kSecAttrKeyTypeKyber, "109"),
            Row("kSecAttrKeyTypeMLKEM", kSecAttrKeyTypeMLKEM, "110"),
            Row("kSecAttrKeyTypeMLDSA", kSecAttrKeyTypeMLDSA, "111"),
            Row("kSecAttrKeySizeKyber768", kSecAttrKeySizeKyber768, "768"),
            Row("kSecAttrKeySizeKyber1024", kSecAttrKeySizeKyber1024, "1024"),
            Row("kSecAttrKeySizeMLKEM768", kSecAttrKeySizeMLKEM768, "768"),
            Row("kSecAttrKeySizeMLKEM1024", kSecAttrKeySizeMLKEM1024, "1024"),
            Row("kSecAttrKeySizeMLDSA65", kSecAttrKeySizeMLDSA65, "65"),
            Row("kSecAttrKeySizeMLDSA87", kSecAttrKeySizeMLDSA87, "87"),
            Row("kSecAttrKeyTypeDES", kSecAttrKeyTypeDES, "14"),
            Row("kSecAttrKeyType3DES", kSecAttrKeyType3DES, "17"),
            Row("kSecAttrKeyTypeRC2", kSecAttrKeyTypeRC2, "23"),
            Row("kSecAttrKeyTypeRC4", kSecAttrKeyTypeRC4, "25"),
            Row("kSecAttrKeyTypeDSA", kSecAttrKeyTypeDSA, "43"),
            Row("kSecAttrKeyTypeCAST", kSecAttrKeyTypeCAST, "56"),
            Row("kSecAttrKeyTypeECDSA", kSecAttrKeyTypeECDSA, "73"),
            Row("kSecAttrKeyTypeAES", kSecAttrKeyTypeAES, "2147483649"),
        ]
    }

    private static var protocols: [Row] {
        [
            Row("kSecAttrProtocolFTP", kSecAttrProtocolFTP, "ftp "),
            Row("kSecAttrProtocolFTPAccount", kSecAttrProtocolFTPAccount, "ftpa"),
            Row("kSecAttrProtocolHTTP", kSecAttrProtocolHTTP, "http"),
            Row("kSecAttrProtocolIRC", kSecAttrProtocolIRC, "irc "),
            Row("kSecAttrProtocolNNTP", kSecAttrProtocolNNTP, "nntp"),
            Row("kSecAttrProtocolPOP3", kSecAttrProtocolPOP3, "pop3"),
            Row("kSecAttrProtocolSMTP", kSecAttrProtocolSMTP, "smtp"),
            Row("kSecAttrProtocolSOCKS", kSecAttrProtocolSOCKS, "sox "),
            Row("kSecAttrProtocolIMAP", kSecAttrProtocolIMAP, "imap"),
            Row("kSecAttrProtocolLDAP", kSecAttrProtocolLDAP, "ldap"),
            Row("kSecAttrProtocolAppleTalk", kSecAttrProtocolAppleTalk, "atlk"),
            Row("kSecAttrProtocolAFP", kSecAttrProtocolAFP, "afp "),
            Row("kSecAttrProtocolTelnet", kSecAttrProtocolTelnet, "teln"),
            Row("kSecAttrProtocolSSH", kSecAttrProtocolSSH, "ssh "),
            Row("kSecAttrProtocolFTPS", kSecAttrProtocolFTPS, "ftps"),
            Row("kSecAttrProtocolHTTPS", kSecAttrProtocolHTTPS, "htps"),
            Row("kSecAttrProtocolHTTPProxy", kSecAttrProtocolHTTPProxy, "htpx"),
            Row("kSecAttrProtocolHTTPSProxy", kSecAttrProtocolHTTPSProxy, "htsx"),
            Row("kSecAttrProtocolFTPProxy", kSecAttrProtocolFTPProxy, "ftpx"),
            Row("kSecAttrProtocolSMB", kSecAttrProtocolSMB, "smb "),
            Row("kSecAttrProtocolRTSP", kSecAttrProtocolRTSP, "rtsp"),
            Row("kSecAttrProtocolRTSPProxy", kSecAttrProtocolRTSPProxy, "rtsx"),
            Row("kSecAttrProtocolDAAP", kSecAttrProtocolDAAP, "daap"),
            Row("kSecAttrProtocolEPPC", kSecAttrProtocolEPPC, "eppc"),
            Row("kSecAttrProtocolIPP", kSecAttrProtocolIPP, "ipp "),
            Row("kSecAttrProtocolNNTPS", kSecAttrProtocolNNTPS, "ntps"),
            Row("kSecAttrProtocolLDAPS", kSecAttrProtocolLDAPS, "ldps"),
            Row("kSecAttrProtocolTelnetS", kSecAttrProtocolTelnetS, "tels"),
            Row("kSecAttrProtocolIMAPS", kSecAttrProtocolIMAPS, "imps"),
            Row("kSecAttrProtocolIRCS", kSecAttrProtocolIRCS, "ircs"),
            Row("kSecAttrProtocolPOP3S", kSecAttrProtocolPOP3S, "pops"),
        ]
    }

    private static var authenticationTypes: [Row] {
        [
            Row("kSecAttrAuthenticationTypeNTLM", kSecAttrAuthenticationTypeNTLM, "ntlm"),
            Row("kSecAttrAuthenticationTypeMSN", kSecAttrAuthenticationTypeMSN, "msna"),
            Row("kSecAttrAuthenticationTypeDPA", kSecAttrAuthenticationTypeDPA, "dpaa"),
            Row("kSecAttrAuthenticationTypeRPA", kSecAttrAuthenticationTypeRPA, "rpaa"),
            Row("kSecAttrAuthenticationTypeHTTPBasic", kSecAttrAuthenticationTypeHTTPBasic, "http"),
            Row("kSecAttrAuthenticationTypeHTTPDigest", kSecAttrAuthenticationTypeHTTPDigest, "httd"),
            Row("kSecAttrAuthenticationTypeHTMLForm", kSecAttrAuthenticationTypeHTMLForm, "form"),
            Row("kSecAttrAuthenticationTypeDefault", kSecAttrAuthenticationTypeDefault, "dflt"),
        ]
    }

    private static var tokens: [Row] {
        [
            Row("kSecAttrAccessGroupToken", kSecAttrAccessGroupToken, "com.apple.token"),
            Row("kSecAttrSynchronizableAny", kSecAttrSynchronizableAny, "syna"),
            Row("kSecAttrTokenIDSecureEnclave", kSecAttrTokenIDSecureEnclave, "com.apple.setoken"),
            Row("kSecAttrTokenIDAppleKeyStore", kSecAttrTokenIDAppleKeyStore, "com.apple.setoken:aks"),
            Row("kSecAttrTokenIDSecureElement", kSecAttrTokenIDSecureElement, "com.apple.secelemtoken"),
            Row("kSOSInternalAccessGroup", kSOSInternalAccessGroup, "com.apple.security.sos"),
            Row("kSecAttrSharingGroupNone", kSecAttrSharingGroupNone, ""),
        ]
    }

    private static var attributes: [Row] {
        [
            Row("kSecAttrAccessible", kSecAttrAccessible, "pdmn"),
            Row("kSecAttrAccessControl", kSecAttrAccessControl, "accc"),
            Row("kSecAttrAccessGroup", kSecAttrAccessGroup, "agrp"),
            Row("kSecAttrCreationDate", kSecAttrCreationDate, "cdat"),
            Row("kSecAttrModificationDate", kSecAttrModificationDate, "mdat"),
            Row("kSecAttrDescription", kSecAttrDescription, "desc"),
            Row("kSecAttrComment", kSecAttrComment, "icmt"),
            Row("kSecAttrCreator", kSecAttrCreator, "crtr"),
            Row("kSecAttrType", kSecAttrType, "type"),
            Row("kSecAttrLabel", kSecAttrLabel, "labl"),
            Row("kSecAttrIsInvisible", kSecAttrIsInvisible, "invi"),
            Row("kSecAttrIsNegative", kSecAttrIsNegative, "nega"),
            Row("kSecAttrAccount", kSecAttrAccount, "acct"),
            Row("kSecAttrService", kSecAttrService, "svce"),
            Row("kSecAttrGeneric", kSecAttrGeneric, "gena"),
            Row("kSecAttrSecurityDomain", kSecAttrSecurityDomain, "sdmn"),
            Row("kSecAttrServer", kSecAttrServer, "srvr"),
            Row("kSecAttrProtocol", kSecAttrProtocol, "ptcl"),
            Row("kSecAttrAuthenticationType", kSecAttrAuthenticationType, "atyp"),
            Row("kSecAttrPort", kSecAttrPort, "port"),
            Row("kSecAttrPath", kSecAttrPath, "path"),
            Row("kSecAttrVolume", kSecAttrVolume, "volm"),
            Row("kSecAttrAddress", kSecAttrAddress, "addr"),
            Row("kSecAttrAFPServerSignature", kSecAttrAFPServerSignature, "afps"),
            Row("kSecAttrAlias", kSecAttrAlias, "alis"),
            Row("kSecAttrSubject", kSecAttrSubject, "subj"),
            Row("kSecAttrIssuer", kSecAttrIssuer, "issr"),
            Row("kSecAttrSerialNumber", kSecAttrSerialNumber, "slnr"),
            Row("kSecAttrSubjectKeyID", kSecAttrSubjectKeyID, "skid"),
            Row("kSecAttrPublicKeyHash", kSecAttrPublicKeyHash, "pkhh"),
            Row("kSecAttrCertificateType", kSecAttrCertificateType, "ctyp"),
            Row("kSecAttrCertificateEncoding", kSecAttrCertificateEncoding, "cenc"),
            Row("kSecAttrKeyClass", kSecAttrKeyClass, "kcls"),
            Row("kSecAttrApplicationLabel", kSecAttrApplicationLabel, "klbl"),
            Row("kSecAttrIsPermanent", kSecAttrIsPermanent, "perm"),
            Row("kSecAttrIsPrivate", kSecAttrIsPrivate, "priv"),
            Row("kSecAttrIsModifiable", kSecAttrIsModifiable, "modi"),
            Row("kSecAttrApplicationTag", kSecAttrApplicationTag, "atag"),
            Row("kSecAttrKeyCreator", kSecAttrKeyCreator, "crtr"),
            Row("kSecAttrKeyType", kSecAttrKeyType, "type"),
            Row("kSecAttrKeySizeInBits", kSecAttrKeySizeInBits, "bsiz"),
            Row("kSecAttrEffectiveKeySize", kSecAttrEffectiveKeySize, "esiz"),
            Row("kSecAttrStartDate", kSecAttrStartDate, "sdat"),
            Row("kSecAttrEndDate", kSecAttrEndDate, "edat"),
            Row("kSecAttrIsSensitive", kSecAttrIsSensitive, "sens"),
            Row("kSecAttrWasAlwaysSensitive", kSecAttrWasAlwaysSensitive, "asen"),
            Row("kSecAttrIsExtractable", kSecAttrIsExtractable, "extr"),
            Row("kSecAttrWasNeverExtractable", kSecAttrWasNeverExtractable, "next"),
            Row("kSecAttrCanEncrypt", kSecAttrCanEncrypt, "encr"),
            Row("kSecAttrCanDecrypt", kSecAttrCanDecrypt, "decr"),
            Row("kSecAttrCanDerive", kSecAttrCanDerive, "drve"),
            Row("kSecAttrCanSign", kSecAttrCanSign, "sign"),
            Row("kSecAttrCanVerify", kSecAttrCanVerify, "vrfy"),
            Row("kSecAttrCanSignRecover", kSecAttrCanSignRecover, "snrc"),
            Row("kSecAttrCanVerifyRecover", kSecAttrCanVerifyRecover, "vyrc"),
            Row("kSecAttrCanWrap", kSecAttrCanWrap, "wrap"),
            Row("kSecAttrCanUnwrap", kSecAttrCanUnwrap, "unwp"),
            Row("kSecAttrSyncViewHint", kSecAttrSyncViewHint, "vwht"),
            Row("kSecAttrTokenID", kSecAttrTokenID, "tkid"),
            Row("kSecAttrScriptCode", kSecAttrScriptCode, "scrp"),
            Row("kSecAttrHasCustomIcon", kSecAttrHasCustomIcon, "cusi"),
            Row("kSecAttrCRLType", kSecAttrCRLType, "crlt"),
            Row("kSecAttrCRLEncoding", kSecAttrCRLEncoding, "crle"),
            Row("kSecAttrSynchronizable", kSecAttrSynchronizable, "sync"),
            Row("kSecAttrTombstone", kSecAttrTombstone, "tomb"),
            Row("kSecAttrMultiUser", kSecAttrMultiUser, "musr"),
            Row("kSecAttrNoLegacy", kSecAttrNoLegacy, "nleg"),
            Row("kSecAttrTokenOID", kSecAttrTokenOID, "toid"),
            Row("kSecAttrUUID", kSecAttrUUID, "UUID"),
            Row("kSecAttrPersistantReference", kSecAttrPersistantReference, "persistref"),
            Row("kSecAttrPersistentReference", kSecAttrPersistentReference, "persistref"),
            Row("kSecAttrSysBound", kSecAttrSysBound, "sysb"),
            Row("kSecAttrSHA1", kSecAttrSHA1, "sha1"),
            Row("kSecAttrDeriveSyncIDFromItemAttributes", kSecAttrDeriveSyncIDFromItemAttributes, "dspk"),
            Row("kSecAttrPCSPlaintextServiceIdentifier", kSecAttrPCSPlaintextServiceIdentifier, "pcss"),
            Row("kSecAttrPCSPlaintextPublicKey", kSecAttrPCSPlaintextPublicKey, "pcsk"),
            Row("kSecAttrPCSPlaintextPublicIdentity", kSecAttrPCSPlaintextPublicIdentity, "pcsi"),
            Row("kSecDataInetExtraNotes", kSecDataInetExtraNotes, "binn"),
            Row("kSecDataInetExtraHistory", kSecDataInetExtraHistory, "bini"),
            Row("kSecDataInetExtraClientDefined0", kSecDataInetExtraClientDefined0, "bin0"),
            Row("kSecDataInetExtraClientDefined1", kSecDataInetExtraClientDefined1, "bin1"),
            Row("kSecDataInetExtraClientDefined2", kSecDataInetExtraClientDefined2, "bin2"),
            Row("kSecDataInetExtraClientDefined3", kSecDataInetExtraClientDefined3, "bin3"),
            Row("kSecAttrSecureEnclaveKeyBlob", kSecAttrSecureEnclaveKeyBlob, "toid"),
            Row("kSecAttrSharingGroup", kSecAttrSharingGroup, "ggrp"),
            Row("kSecAttrAccess", kSecAttrAccess, "acls"),
            Row("kSecAttrPRF", kSecAttrPRF, "prf"),
            Row("kSecAttrSalt", kSecAttrSalt, "salt"),
            Row("kSecAttrRounds", kSecAttrRounds, "rounds"),
            Row("kSecAttrPRFHmacAlgSHA1", kSecAttrPRFHmacAlgSHA1, "hsha1"),
            Row("kSecAttrPRFHmacAlgSHA224", kSecAttrPRFHmacAlgSHA224, "hsha224"),
            Row("kSecAttrPRFHmacAlgSHA256", kSecAttrPRFHmacAlgSHA256, "hsha256"),
            Row("kSecAttrPRFHmacAlgSHA384", kSecAttrPRFHmacAlgSHA384, "hsha384"),
            Row("kSecAttrPRFHmacAlgSHA512", kSecAttrPRFHmacAlgSHA512, "hsha512"),
        ]
    }

    private static var generation: [Row] {
        [
            Row("kSecPrivateKeyAttrs", kSecPrivateKeyAttrs, "private"),
            Row("kSecPublicKeyAttrs", kSecPublicKeyAttrs, "public"),
            Row("kSecKeyApplePayEnabled", kSecKeyApplePayEnabled, "applepay"),
            Row("kSecKeyOSBound", kSecKeyOSBound, "osbound"),
            Row("kSecKeySealedHashesBound", kSecKeySealedHashesBound, "sealedhashesbound"),
            Row("kSecPasswordMaxLength", kSecPasswordMaxLength, "PasswordMaxLength"),
            Row("kSecPasswordMinLength", kSecPasswordMinLength, "PasswordMinLength"),
            Row("kSecPasswordAllowedCharacters", kSecPasswordAllowedCharacters, "PasswordAllowedCharacters"),
            Row("kSecPasswordRequiredCharacters", kSecPasswordRequiredCharacters, "PasswordRequiredCharacters"),
            Row("kSecSharedPassword", kSecSharedPassword, "spwd"),
            Row("kSecSymmetricKeyAttrs", kSecSymmetricKeyAttrs, "symmetric"),
        ]
    }

    private static var views: [Row] {
        [
            Row("kSecAttrViewHintWiFi", kSecAttrViewHintWiFi, "WiFi"),
            Row("kSecAttrViewHintAutofillPasswords", kSecAttrViewHintAutofillPasswords, "Passwords"),
            Row("kSecAttrViewHintSafariCreditCards", kSecAttrViewHintSafariCreditCards, "CreditCards"),
            Row("kSecAttrViewHintiCloudIdentity", kSecAttrViewHintiCloudIdentity, "iCloudIdentity"),
            Row("kSecAttrViewHintBackupBagV0", kSecAttrViewHintBackupBagV0, "BackupBagV0"),
            Row("kSecAttrViewHintOtherSyncable", kSecAttrViewHintOtherSyncable, "OtherSyncable"),
            Row("kSecAttrViewHintContinuityUnlock", kSecAttrViewHintContinuityUnlock, "ContinuityUnlock"),
            Row("kSecAttrViewHintAppleTV", kSecAttrViewHintAppleTV, "AppleTV"),
            Row("kSecAttrViewHintHomeKit", kSecAttrViewHintHomeKit, "HomeKit"),
            Row("kSecAttrViewHintAccessoryPairing", kSecAttrViewHintAccessoryPairing, "AccessoryPairing"),
            Row("kSecAttrViewHintPCSCloudKit", kSecAttrViewHintPCSCloudKit, "PCS-CloudKit"),
            Row("kSecAttrViewHintPCSEscrow", kSecAttrViewHintPCSEscrow, "PCS-Escrow"),
            Row("kSecAttrViewHintPCSFDE", kSecAttrViewHintPCSFDE, "PCS-FDE"),
            Row("kSecAttrViewHintPCSFeldspar", kSecAttrViewHintPCSFeldspar, "PCS-Feldspar"),
            Row("kSecAttrViewHintPCSMailDrop", kSecAttrViewHintPCSMailDrop, "PCS-Maildrop"),
            Row("kSecAttrViewHintPCSMasterKey", kSecAttrViewHintPCSMasterKey, "PCS-MasterKey"),
            Row("kSecAttrViewHintPCSNotes", kSecAttrViewHintPCSNotes, "PCS-Notes"),
            Row("kSecAttrViewHintPCSPhotos", kSecAttrViewHintPCSPhotos, "PCS-Photos"),
            Row("kSecAttrViewHintPCSSharing", kSecAttrViewHintPCSSharing, "PCS-Sharing"),
            Row("kSecAttrViewHintPCSiCloudBackup", kSecAttrViewHintPCSiCloudBackup, "PCS-Backup"),
            Row("kSecAttrViewHintPCSiCloudDrive", kSecAttrViewHintPCSiCloudDrive, "PCS-iCloudDrive"),
            Row("kSecAttrViewHintPCSiMessage", kSecAttrViewHintPCSiMessage, "PCS-iMessage"),
            Row("kSecAttrViewHintNanoRegistry", kSecAttrViewHintNanoRegistry, "NanoRegistry"),
            Row("kSecAttrViewHintWatchMigration", kSecAttrViewHintWatchMigration, "WatchMigration"),
            Row("kSecAttrViewHintEngram", kSecAttrViewHintEngram, "Engram"),
            Row("kSecAttrViewHintManatee", kSecAttrViewHintManatee, "Manatee"),
            Row("kSecAttrViewHintAutoUnlock", kSecAttrViewHintAutoUnlock, "AutoUnlock"),
            Row("kSecAttrViewHintHealth", kSecAttrViewHintHealth, "Health"),
            Row("kSecAttrViewHintApplePay", kSecAttrViewHintApplePay, "ApplePay"),
            Row("kSecAttrViewHintHome", kSecAttrViewHintHome, "Home"),
            Row("kSecAttrViewHintLimitedPeersAllowed", kSecAttrViewHintLimitedPeersAllowed, "LimitedPeersAllowed"),
            Row("kSecAttrViewHintMFi", kSecAttrViewHintMFi, "MFi"),
            Row("kSecAttrViewHintMail", kSecAttrViewHintMail, "Mail"),
            Row("kSecAttrViewHintContacts", kSecAttrViewHintContacts, "Contacts"),
            Row("kSecAttrViewHintPhotos", kSecAttrViewHintPhotos, "Photos"),
            Row("kSecAttrViewHintGroups", kSecAttrViewHintGroups, "Groups"),
            Row("kSecAttrViewHintFindMy", kSecAttrViewHintFindMy, "FindMy"),
        ]
    }

    private static var importing: [Row] {
        [
            Row("kSecImportExportPassphrase", kSecImportExportPassphrase, "passphrase"),
            Row("kSecImportToMemoryOnly", kSecImportToMemoryOnly, "memory"),
            Row("kSecImportItemLabel", kSecImportItemLabel, "label"),
            Row("kSecImportItemKeyID", kSecImportItemKeyID, "keyid"),
            Row("kSecImportItemTrust", kSecImportItemTrust, "trust"),
            Row("kSecImportItemCertChain", kSecImportItemCertChain, "chain"),
            Row("kSecImportItemIdentity", kSecImportItemIdentity, "identity"),
        ]
    }
}
