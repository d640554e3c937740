// The attributes of items. Several names can stand for one attribute, such as `type` and `crtr`.
//
// All are immutable objects, so sharing them is safe.

public import Foundation
import LatchkeyAccessControl
import LatchkeyItemModel

extension NSString {
    /// The key of an attribute in dictionaries.
    static func name(_ attribute: AttributeName) -> NSString { NSString(string: attribute.rawValue) }

    /// A value of `kSecAttrAccessible`.
    static func name(_ protectionClass: ProtectionClass) -> NSString { NSString(string: protectionClass.rawValue) }
}

nonisolated(unsafe) public let kSecAttrAccessible: CFString = .name(.accessible)
nonisolated(unsafe) public let kSecAttrAccessControl: CFString = .name(.accessControl)
nonisolated(unsafe) public let kSecAttrAccessGroup: CFString = .name(.accessGroup)
nonisolated(unsafe) public let kSecAttrCreationDate: CFString = .name(.creationDate)
nonisolated(unsafe) public let kSecAttrModificationDate: CFString = .name(.modificationDate)
nonisolated(unsafe) public let kSecAttrDescription: CFString = .name(.description)
nonisolated(unsafe) public let kSecAttrComment: CFString = .name(.comment)
nonisolated(unsafe) public let kSecAttrCreator: CFString = .name(.creator)
nonisolated(unsafe) public let kSecAttrType: CFString = .name(.type)
nonisolated(unsafe) public let kSecAttrLabel: CFString = .name(.label)
nonisolated(unsafe) public let kSecAttrIsInvisible: CFString = .name(.isInvisible)
nonisolated(unsafe) public let kSecAttrIsNegative: CFString = .name(.isNegative)
nonisolated(unsafe) public let kSecAttrAccount: CFString = .name(.account)
nonisolated(unsafe) public let kSecAttrService: CFString = .name(.service)
nonisolated(unsafe) public let kSecAttrGeneric: CFString = .name(.generic)
nonisolated(unsafe) public let kSecAttrSecurityDomain: CFString = .name(.securityDomain)
nonisolated(unsafe) public let kSecAttrServer: CFString = .name(.server)
nonisolated(unsafe) public let kSecAttrProtocol: CFString = .name(.protocol)
nonisolated(unsafe) public let kSecAttrAuthenticationType: CFString = .name(.authenticationType)
nonisolated(unsafe) public let kSecAttrPort: CFString = .name(.port)
nonisolated(unsafe) public let kSecAttrPath: CFString = .name(.path)
nonisolated(unsafe) public let kSecAttrVolume: CFString = .name(.volume)
nonisolated(unsafe) public let kSecAttrAddress: CFString = .name(.address)
nonisolated(unsafe) public let kSecAttrAFPServerSignature: CFString = .name(.afpServerSignature)
nonisolated(unsafe) public let kSecAttrAlias: CFString = .name(.alias)
nonisolated(unsafe) public let kSecAttrSubject: CFString = .name(.subject)
nonisolated(unsafe) public let kSecAttrIssuer: CFString = .name(.issuer)
nonisolated(unsafe) public let kSecAttrSerialNumber: CFString = .name(.serialNumber)
nonisolated(unsafe) public let kSecAttrSubjectKeyID: CFString = .name(.subjectKeyID)
nonisolated(unsafe) public let kSecAttrPublicKeyHash: CFString = .name(.publicKeyHash)
nonisolated(unsafe) public let kSecAttrCertificateType: CFString = .name(.certificateType)
nonisolated(unsafe) public let kSecAttrCertificateEncoding: CFString = .name(.certificateEncoding)
nonisolated(unsafe) public let kSecAttrKeyClass: CFString = .name(.keyClass)
nonisolated(unsafe) public let kSecAttrApplicationLabel: CFString = .name(.applicationLabel)
nonisolated(unsafe) public let kSecAttrIsPermanent: CFString = .name(.isPermanent)
nonisolated(unsafe) public let kSecAttrIsPrivate: CFString = .name(.isPrivate)
nonisolated(unsafe) public let kSecAttrIsModifiable: CFString = .name(.isModifiable)
nonisolated(unsafe) public let kSecAttrApplicationTag: CFString = .name(.applicationTag)
nonisolated(unsafe) public let kSecAttrKeyCreator: CFString = .name(.creator)
nonisolated(unsafe) public let kSecAttrKeyType: CFString = .name(.type)
nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = .name(.keySizeInBits)
nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = .name(.effectiveKeySize)
nonisolated(unsafe) public let kSecAttrStartDate: CFString = .name(.startDate)
nonisolated(unsafe) public let kSecAttrEndDate: CFString = .name(.endDate)
nonisolated(unsafe) public let kSecAttrIsSensitive: CFString = .name(.isSensitive)
nonisolated(unsafe) public let kSecAttrWasAlwaysSensitive: CFString = .name(.wasAlwaysSensitive)
nonisolated(unsafe) public let kSecAttrIsExtractable: CFString = .name(.isExtractable)
nonisolated(unsafe) public let kSecAttrWasNeverExtractable: CFString = .name(.wasNeverExtractable)
nonisolated(unsafe) public let kSecAttrCanEncrypt: CFString = .name(.canEncrypt)
nonisolated(unsafe) public let kSecAttrCanDecrypt: CFString = .name(.canDecrypt)
nonisolated(unsafe) public let kSecAttrCanDerive: CFString = .name(.canDerive)
nonisolated(unsafe) public let kSecAttrCanSign: CFString = .name(.canSign)
nonisolated(unsafe) public let kSecAttrCanVerify: CFString = .name(.canVerify)
nonisolated(unsafe) public let kSecAttrCanSignRecover: CFString = .name(.canSignRecover)
nonisolated(unsafe) public let kSecAttrCanVerifyRecover: CFString = .name(.canVerifyRecover)
nonisolated(unsafe) public let kSecAttrCanWrap: CFString = .name(.canWrap)
nonisolated(unsafe) public let kSecAttrCanUnwrap: CFString = .name(.canUnwrap)
nonisolated(unsafe) public let kSecAttrSyncViewHint: CFString = .name(.syncViewHint)
nonisolated(unsafe) public let kSecAttrTokenID: CFString = .name(.tokenID)
nonisolated(unsafe) public let kSecAttrScriptCode: CFString = .name(.scriptCode)
nonisolated(unsafe) public let kSecAttrHasCustomIcon: CFString = .name(.hasCustomIcon)
nonisolated(unsafe) public let kSecAttrCRLType: CFString = .name(.crlType)
nonisolated(unsafe) public let kSecAttrCRLEncoding: CFString = .name(.crlEncoding)
nonisolated(unsafe) public let kSecAttrSynchronizable: CFString = .name(.synchronizable)
nonisolated(unsafe) public let kSecAttrTombstone: CFString = .name(.tombstone)
nonisolated(unsafe) public let kSecAttrMultiUser: CFString = .name(.multiUser)
nonisolated(unsafe) public let kSecAttrNoLegacy: CFString = .name(.noLegacy)
nonisolated(unsafe) public let kSecAttrTokenOID: CFString = .name(.tokenOID)
nonisolated(unsafe) public let kSecAttrUUID: CFString = .name(.uuid)
nonisolated(unsafe) public let kSecAttrPersistantReference: CFString = .name(.persistentReference)
nonisolated(unsafe) public let kSecAttrPersistentReference: CFString = .name(.persistentReference)
nonisolated(unsafe) public let kSecAttrSysBound: CFString = .name(.isSystemBound)
nonisolated(unsafe) public let kSecAttrSHA1: CFString = .name(.digest)
nonisolated(unsafe) public let kSecAttrDeriveSyncIDFromItemAttributes: CFString = .name(.derivesSyncID)
nonisolated(unsafe) public let kSecAttrPCSPlaintextServiceIdentifier: CFString = .name(.pcsServiceIdentifier)
nonisolated(unsafe) public let kSecAttrPCSPlaintextPublicKey: CFString = .name(.pcsPublicKey)
nonisolated(unsafe) public let kSecAttrPCSPlaintextPublicIdentity: CFString = .name(.pcsPublicIdentity)
nonisolated(unsafe) public let kSecDataInetExtraNotes: CFString = .name(.extraNotes)
nonisolated(unsafe) public let kSecDataInetExtraHistory: CFString = .name(.extraHistory)
nonisolated(unsafe) public let kSecDataInetExtraClientDefined0: CFString = .name(.extraClientDefined0)
nonisolated(unsafe) public let kSecDataInetExtraClientDefined1: CFString = .name(.extraClientDefined1)
nonisolated(unsafe) public let kSecDataInetExtraClientDefined2: CFString = .name(.extraClientDefined2)
nonisolated(unsafe) public let kSecDataInetExtraClientDefined3: CFString = .name(.extraClientDefined3)
nonisolated(unsafe) public let kSecAttrSecureEnclaveKeyBlob: CFString = .name(.tokenOID)
nonisolated(unsafe) public let kSecAttrSharingGroup: CFString = .name(.sharingGroup)
nonisolated(unsafe) public let kSecAttrAccess: CFString = .name(.access)
nonisolated(unsafe) public let kSecAttrPRF: CFString = "prf"
nonisolated(unsafe) public let kSecAttrSalt: CFString = "salt"
nonisolated(unsafe) public let kSecAttrRounds: CFString = "rounds"
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA1: CFString = "hsha1"
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA224: CFString = "hsha224"
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA256: CFString = "hsha256"
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA384: CFString = "hsha384"
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA512: CFString = "hsha512"
