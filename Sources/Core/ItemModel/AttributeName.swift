package import LatchkeyPropertyListDER

/// The name of an attribute of keychain items. Its raw value is the key in dictionaries and the column of the database.
///
/// Only this type and ``ItemSchema`` contain these texts. The constants of `Security`, the attribute names of the
/// command line and the statements of the database are derived from them.
package enum AttributeName: String, Sendable, Hashable, CaseIterable {
    case accessible = "pdmn"
    case accessControl = "accc"
    case accessGroup = "agrp"
    case creationDate = "cdat"
    case modificationDate = "mdat"
    case description = "desc"
    case comment = "icmt"
    case creator = "crtr"
    case type = "type"
    case label = "labl"
    case isInvisible = "invi"
    case isNegative = "nega"
    case account = "acct"
    case service = "svce"
    case generic = "gena"
    case securityDomain = "sdmn"
    case server = "srvr"
    case `protocol` = "ptcl"
    case authenticationType = "atyp"
    case port = "port"
    case path = "path"
    case volume = "volm"
    case address = "addr"
    case afpServerSignature = "afps"
    case alias = "alis"
    /// Apple's column of a class that was never published. It is kept because programs may name it.
    case protected = "prot"
    case subject = "subj"
    case issuer = "issr"
    case serialNumber = "slnr"
    case subjectKeyID = "skid"
    case publicKeyHash = "pkhh"
    case certificateType = "ctyp"
    case certificateEncoding = "cenc"
    case keyClass = "kcls"
    case applicationLabel = "klbl"
    case isPermanent = "perm"
    case isPrivate = "priv"
    case isModifiable = "modi"
    case applicationTag = "atag"
    case keySizeInBits = "bsiz"
    case effectiveKeySize = "esiz"
    case startDate = "sdat"
    case endDate = "edat"
    case isSensitive = "sens"
    case wasAlwaysSensitive = "asen"
    case isExtractable = "extr"
    case wasNeverExtractable = "next"
    case canEncrypt = "encr"
    case canDecrypt = "decr"
    case canDerive = "drve"
    case canSign = "sign"
    case canVerify = "vrfy"
    case canSignRecover = "snrc"
    case canVerifyRecover = "vyrc"
    case canWrap = "wrap"
    case canUnwrap = "unwp"
    case syncViewHint = "vwht"
    case tokenID = "tkid"
    case scriptCode = "scrp"
    case hasCustomIcon = "cusi"
    case crlType = "crlt"
    case crlEncoding = "crle"
    case synchronizable = "sync"
    case tombstone = "tomb"
    /// Set by the keychain. Queries may name it without effect.
    case multiUser = "musr"
    /// Selects this keychain on systems that have another one. It has no effect here.
    case noLegacy = "nleg"
    case tokenOID = "toid"
    case uuid = "UUID"
    case persistentReference = "persistref"
    case isSystemBound = "sysb"
    case digest = "sha1"
    case derivesSyncID = "dspk"
    case pcsServiceIdentifier = "pcss"
    case pcsPublicKey = "pcsk"
    case pcsPublicIdentity = "pcsi"
    case extraNotes = "binn"
    case extraHistory = "bini"
    case extraClientDefined0 = "bin0"
    case extraClientDefined1 = "bin1"
    case extraClientDefined2 = "bin2"
    case extraClientDefined3 = "bin3"
    case sharingGroup = "ggrp"
    /// Used by the file keychain of macOS only.
    case access = "acls"
    /// Marks the items of an app clip. Queries must not name it.
    case clip
    /// The token of an identity's certificate; ``tokenID`` is that of its key. Occurs in results only.
    case certificateTokenID = "certtkid"
}

extension AttributeName: CustomStringConvertible, Comparable {
    package var description: String { rawValue }

    /// Alphabetical order of the raw values.
    package static func < (left: AttributeName, right: AttributeName) -> Bool { left.rawValue < right.rawValue }

    /// Returns nil if no attribute has this name.
    package init?(column: some StringProtocol) {
        if let code = FourBytes(column) {
            guard let name = Self.byFourBytes[code] else { return nil }
            self = name
        } else {
            guard let name = Self.byColumn[String(column)] else { return nil }
            self = name
        }
    }

    // The raw value is a text. To hash and compare the case itself takes a tenth of the time, and each call does it often.
    package func hash(into hasher: inout Hasher) { hasher.combine(ordinal) }

    package static func == (left: AttributeName, right: AttributeName) -> Bool { left.ordinal == right.ordinal }

    private var ordinal: UInt8 { unsafe unsafeBitCast(self, to: UInt8.self) }

    /// The attributes whose values are stored as secrets.
    package static let secrets: [AttributeName] = [
        .extraNotes, .extraHistory, .extraClientDefined0, .extraClientDefined1, .extraClientDefined2,
        .extraClientDefined3,
    ]

    private static let byColumn = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let byFourBytes = Dictionary(
        uniqueKeysWithValues: allCases.compactMap { name in FourBytes(name.rawValue).map { ($0, name) } })
}

/// A name of four bytes, as most attributes have: cheaper to look up than a text.
private struct FourBytes: Hashable {
    private let code: UInt32

    init?(_ text: some StringProtocol) {
        var text = String(text)
        let code = text.withUTF8 { bytes in
            unsafe bytes.count == 4 ? UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt32.self) : nil
        }
        guard let code else { return nil }
        self.code = code
    }
}

extension [AttributeName: PropertyValue] {
    /// Decodes a dictionary in DER. Each key must be the name of an attribute, and must not stand there twice.
    package init(der bytes: UnsafeRawBufferPointer) throws(DERFailure) {
        // Most rows have fewer attributes.
        var attributes = [AttributeName: PropertyValue](minimumCapacity: 12)
        try unsafe DERReader.decodeDictionary(bytes) { column, value throws(DERFailure) in
            guard let name = AttributeName(column: column) else { throw .unknownKey }
            guard attributes.updateValue(value, forKey: name) == nil else { throw .duplicateKey }
        }
        self = attributes
    }

    /// The dictionary in the form that messages, rows and programs use.
    package var byColumn: [String: PropertyValue] {
        var byColumn: [String: PropertyValue] = [:]
        // Room for the attributes that a row also has in clear.
        byColumn.reserveCapacity(count + 8)
        for (name, value) in self { byColumn[name.rawValue] = value }
        return byColumn
    }
}

extension [String: PropertyValue] {
    package subscript(name: AttributeName) -> PropertyValue? {
        get { self[name.rawValue] }
        set { self[name.rawValue] = newValue }
    }
}

extension AttributeName {
    /// The SDK's constants for attributes, in the order of its headers. Some attributes have two constants.
    package static let constants: [(constant: String, name: AttributeName)] = [
        ("kSecAttrAccessible", .accessible),
        ("kSecAttrAccessControl", .accessControl),
        ("kSecAttrAccessGroup", .accessGroup),
        ("kSecAttrCreationDate", .creationDate),
        ("kSecAttrModificationDate", .modificationDate),
        ("kSecAttrDescription", .description),
        ("kSecAttrComment", .comment),
        ("kSecAttrCreator", .creator),
        ("kSecAttrType", .type),
        ("kSecAttrLabel", .label),
        ("kSecAttrIsInvisible", .isInvisible),
        ("kSecAttrIsNegative", .isNegative),
        ("kSecAttrAccount", .account),
        ("kSecAttrService", .service),
        ("kSecAttrGeneric", .generic),
        ("kSecAttrSecurityDomain", .securityDomain),
        ("kSecAttrServer", .server),
        ("kSecAttrProtocol", .protocol),
        ("kSecAttrAuthenticationType", .authenticationType),
        ("kSecAttrPort", .port),
        ("kSecAttrPath", .path),
        ("kSecAttrVolume", .volume),
        ("kSecAttrAddress", .address),
        ("kSecAttrAFPServerSignature", .afpServerSignature),
        ("kSecAttrAlias", .alias),
        ("kSecAttrSubject", .subject),
        ("kSecAttrIssuer", .issuer),
        ("kSecAttrSerialNumber", .serialNumber),
        ("kSecAttrSubjectKeyID", .subjectKeyID),
        ("kSecAttrPublicKeyHash", .publicKeyHash),
        ("kSecAttrCertificateType", .certificateType),
        ("kSecAttrCertificateEncoding", .certificateEncoding),
        ("kSecAttrKeyClass", .keyClass),
        ("kSecAttrApplicationLabel", .applicationLabel),
        ("kSecAttrIsPermanent", .isPermanent),
        ("kSecAttrIsPrivate", .isPrivate),
        ("kSecAttrIsModifiable", .isModifiable),
        ("kSecAttrApplicationTag", .applicationTag),
        ("kSecAttrKeyCreator", .creator),
        ("kSecAttrKeyType", .type),
        ("kSecAttrKeySizeInBits", .keySizeInBits),
        ("kSecAttrEffectiveKeySize", .effectiveKeySize),
        ("kSecAttrStartDate", .startDate),
        ("kSecAttrEndDate", .endDate),
        ("kSecAttrIsSensitive", .isSensitive),
        ("kSecAttrWasAlwaysSensitive", .wasAlwaysSensitive),
        ("kSecAttrIsExtractable", .isExtractable),
        ("kSecAttrWasNeverExtractable", .wasNeverExtractable),
        ("kSecAttrCanEncrypt", .canEncrypt),
        ("kSecAttrCanDecrypt", .canDecrypt),
        ("kSecAttrCanDerive", .canDerive),
        ("kSecAttrCanSign", .canSign),
        ("kSecAttrCanVerify", .canVerify),
        ("kSecAttrCanSignRecover", .canSignRecover),
        ("kSecAttrCanVerifyRecover", .canVerifyRecover),
        ("kSecAttrCanWrap", .canWrap),
        ("kSecAttrCanUnwrap", .canUnwrap),
        ("kSecAttrSyncViewHint", .syncViewHint),
        ("kSecAttrTokenID", .tokenID),
        ("kSecAttrScriptCode", .scriptCode),
        ("kSecAttrHasCustomIcon", .hasCustomIcon),
        ("kSecAttrCRLType", .crlType),
        ("kSecAttrCRLEncoding", .crlEncoding),
        ("kSecAttrSynchronizable", .synchronizable),
        ("kSecAttrTombstone", .tombstone),
        ("kSecAttrMultiUser", .multiUser),
        ("kSecAttrNoLegacy", .noLegacy),
        ("kSecAttrTokenOID", .tokenOID),
        ("kSecAttrUUID", .uuid),
        ("kSecAttrPersistantReference", .persistentReference),
        ("kSecAttrPersistentReference", .persistentReference),
        ("kSecAttrSysBound", .isSystemBound),
        ("kSecAttrSHA1", .digest),
        ("kSecAttrDeriveSyncIDFromItemAttributes", .derivesSyncID),
        ("kSecAttrPCSPlaintextServiceIdentifier", .pcsServiceIdentifier),
        ("kSecAttrPCSPlaintextPublicKey", .pcsPublicKey),
        ("kSecAttrPCSPlaintextPublicIdentity", .pcsPublicIdentity),
        ("kSecDataInetExtraNotes", .extraNotes),
        ("kSecDataInetExtraHistory", .extraHistory),
        ("kSecDataInetExtraClientDefined0", .extraClientDefined0),
        ("kSecDataInetExtraClientDefined1", .extraClientDefined1),
        ("kSecDataInetExtraClientDefined2", .extraClientDefined2),
        ("kSecDataInetExtraClientDefined3", .extraClientDefined3),
        ("kSecAttrSecureEnclaveKeyBlob", .tokenOID),
        ("kSecAttrSharingGroup", .sharingGroup),
        ("kSecAttrAccess", .access),
    ]
}
