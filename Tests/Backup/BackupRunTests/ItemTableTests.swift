import Foundation
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

/// Reference 13.2: which items a backup takes, and on which devices they come back. Each row is backed up and restored, with a
/// password, a password of the web, a certificate, a key and an identity.
@Suite("Which items come back where")
struct ItemTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        enum Backup: String, Sendable { case encrypted, clear }
        enum Device: String, Sendable { case same, other }

        /// A value of `kSecAttrAccessible`.
        let accessible: String
        let backup: Backup
        let device: Device
        let comes: Bool

        init(_ accessible: String, _ backup: Backup, _ device: Device, comes: Bool) {
            (self.accessible, self.backup, self.device, self.comes) = (accessible, backup, device, comes)
        }

        var testDescription: String { "\(accessible), \(backup), \(device) device" }
    }

    static let rows: [Row] = [
        // 13.2: rewrapped under the same class of the backup's keybag, restored on any device; without a password the keybag
        // is bound to the device.
        Row("ak", .encrypted, .same, comes: true), Row("ak", .encrypted, .other, comes: true),
        Row("ak", .clear, .same, comes: true), Row("ak", .clear, .other, comes: false),
        Row("ck", .encrypted, .same, comes: true), Row("ck", .encrypted, .other, comes: true),
        Row("ck", .clear, .same, comes: true), Row("ck", .clear, .other, comes: false),
        Row("dk", .encrypted, .same, comes: true), Row("dk", .encrypted, .other, comes: true),
        Row("dk", .clear, .same, comes: true), Row("dk", .clear, .other, comes: false),
        // 13.2: the keys of these classes are bound to the device in every backup.
        Row("aku", .encrypted, .same, comes: true), Row("aku", .encrypted, .other, comes: false),
        Row("aku", .clear, .same, comes: true), Row("aku", .clear, .other, comes: false),
        Row("cku", .encrypted, .same, comes: true), Row("cku", .encrypted, .other, comes: false),
        Row("cku", .clear, .same, comes: true), Row("cku", .clear, .other, comes: false),
        Row("dku", .encrypted, .same, comes: true), Row("dku", .encrypted, .other, comes: false),
        Row("dku", .clear, .same, comes: true), Row("dku", .clear, .other, comes: false),
        // 13.2: never.
        Row("akpu", .encrypted, .same, comes: false), Row("akpu", .encrypted, .other, comes: false),
        Row("akpu", .clear, .same, comes: false), Row("akpu", .clear, .other, comes: false),
    ]

    @Test("by accessibility, kind of backup, device and passcode", arguments: rows, [true, false])
    func row(_ row: Row, hasPasscode: Bool) throws {
        let subjects = try ItemSubjects.made.get()
        let machine = try Machine(hasPasscode: hasPasscode)
        // 13.4: without a passcode there is no item of its class.
        let exists = row.accessible != "akpu" || hasPasscode
        for (kind, status) in machine.device.run({ subjects.add(row.accessible) }) {
            #expect(status == (exists ? errSecSuccess : errSecNotAvailable), "\(kind)")
        }
        try machine.setPassword()
        let report = try machine.backUp(encrypted: row.backup == .encrypted)
        let isInBackup = row.accessible != "akpu"
        #expect(report.items == (isInBackup ? ItemSubjects.rowCount : 0))
        #expect(report.leftOutItems == (exists && !isInBackup ? ["passcodeSet": Int64(ItemSubjects.rowCount)] : [:]))

        let backup = try machine.opened()
        let target = row.device == .same ? machine : try Machine(hasPasscode: hasPasscode)
        target.device.run { ItemSubjects.deleteAll() }
        #expect(target.device.run { subjects.found(row.accessible) }.isEmpty)
        let restored = try target.restore(backup, to: target.path + "/restored")
        #expect(restored.items == (isInBackup ? [row.comes ? .restored : .otherDevice: ItemSubjects.rowCount] : [:]))
        #expect(
            target.device.run { subjects.found(row.accessible) } == (row.comes ? Set(ItemSubjects.Kind.allCases) : []))
    }

    @Test("the table has each accessibility with each kind of backup and device")
    func complete() {
        #expect(Set(Self.rows.map(\.testDescription)).count == Self.rows.count)
        #expect(Self.rows.count == 7 * 2 * 2)
    }

    @Test("synchronizable items are in a backup, and stay synchronizable", arguments: [true, false])
    func synchronizable(isEncrypted: Bool) throws {
        let machine = try Machine()
        #expect(machine.add("both", kSecAttrAccessibleWhenUnlocked, "here alone") == errSecSuccess)
        #expect(machine.add("both", kSecAttrAccessibleWhenUnlocked, "everywhere", sync: true) == errSecSuccess)
        try machine.setPassword()
        #expect(try machine.backUp(encrypted: isEncrypted).items == 2)
        let backup = try machine.opened()
        machine.deleteItems()
        let target = isEncrypted ? try Machine() : machine
        #expect(try target.restore(backup, to: target.path + "/restored").items == [.restored: 2])
        for (isSynchronizable, secret) in [(true, "everywhere"), (false, "here alone")] {
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "both",
                kSecAttrSynchronizable as String: isSynchronizable, kSecReturnData as String: true,
            ]
            var found: CFTypeRef?
            #expect(target.device.run { SecItemCopyMatching(query as CFDictionary, &found) } == errSecSuccess)
            #expect(found as? Data == Data(secret.utf8))
        }
    }

    @Test("items that ended on purpose are not in a backup, and come back on no device")
    func ended() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        func add(_ account: String, _ accessible: CFString) -> OSStatus {
            SecItemAdd(
                [
                    kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                    kSecAttrAccessible as String: accessible, kSecValueData as String: Data(account.utf8),
                ] as CFDictionary, nil)
        }
        func has(_ account: String) -> Bool {
            SecItemCopyMatching(
                [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account] as CFDictionary,
                nil) == errSecSuccess
        }
        device.run {
            #expect(add("ends", kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly) == errSecSuccess)
            #expect(add("stays", kSecAttrAccessibleWhenUnlocked) == errSecSuccess)
        }
        #expect(try device.backup().leftOutItems == ["passcodeSet": 1])
        try device.removePasscode("1234")
        device.run { #expect(!has("ends") && has("stays")) }
        // Neither in it nor left out: the item has ended.
        let backup = try device.backup()
        #expect(backup.itemCount == 1 && backup.leftOutItems.isEmpty)
        try device.setPasscode("1234")
        try device.restore(backup)
        device.run { #expect(!has("ends") && has("stays")) }
    }
}

/// An item of each kind, with what tells it again.
struct ItemSubjects: Sendable {
    enum Kind: String, CaseIterable, Sendable { case generic, internet, certificate, key, identity }

    /// An identity is a certificate and a key.
    static let rowCount = 6
    static let made = Result { try ItemSubjects() }

    private let certificate: SecCertificate
    private let key: SecKey
    private let identity: SecIdentity
    private let identityCertificate: Data

    private init() throws {
        let authority = try CertificateAuthority()
        let root = try authority.root("root", subject: "/CN=Root")
        let issued = try authority.issue("leaf", subject: "/CN=Leaf", by: root)
        certificate = try #require(SecCertificateCreateWithData(nil, root.certificate as CFData))
        identityCertificate = issued.certificate
        var items: CFArray?
        let file = try authority.pkcs12(issued, passphrase: "word")
        #expect(
            SecPKCS12Import(file as CFData, [kSecImportExportPassphrase: "word"] as CFDictionary, &items)
                == errSecSuccess)
        let first = try #require((items as? [[String: Any]])?.first)
        identity = try #require(first[kSecImportItemIdentity as String] as? SecIdentity)
        key = try #require(
            SecKeyCreateRandomKey(
                [
                    kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
                ] as CFDictionary, nil))
    }

    private func attributes(_ kind: Kind) -> [String: Any] {
        switch kind {
        case .generic:
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "account",
                kSecAttrService as String: "service", kSecAttrGeneric as String: Data([1, 2]),
            ]
        case .internet:
            [
                kSecClass as String: kSecClassInternetPassword, kSecAttrAccount as String: "account",
                kSecAttrServer as String: "example.org", kSecAttrPort as String: 443,
                kSecAttrProtocol as String: kSecAttrProtocolHTTPS, kSecAttrPath as String: "/login",
            ]
        case .certificate: [kSecClass as String: kSecClassCertificate]
        case .key: [kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: Data("tag".utf8)]
        case .identity: [kSecClass as String: kSecClassIdentity]
        }
    }

    func add(_ accessible: String) -> [Kind: OSStatus] {
        var statuses: [Kind: OSStatus] = [:]
        for kind in Kind.allCases {
            var query = attributes(kind)
            query[kSecAttrAccessible as String] = accessible
            switch kind {
            case .generic, .internet: query[kSecValueData as String] = Data("secret of \(kind)".utf8)
            case .certificate: query[kSecValueRef as String] = certificate
            case .key: query[kSecValueRef as String] = key
            case .identity:
                query[kSecClass as String] = nil
                query[kSecValueRef as String] = identity
            }
            statuses[kind] = SecItemAdd(query as CFDictionary, nil)
        }
        return statuses
    }

    /// The kinds that are there with their content, their attributes and the class that they had.
    func found(_ accessible: String) -> Set<Kind> {
        Set(Kind.allCases.filter { isThere($0, accessible) })
    }

    private func isThere(_ kind: Kind, _ accessible: String) -> Bool {
        var query = attributes(kind)
        query[kSecAttrAccessible as String] = accessible
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        let isPassword = kind == .generic || kind == .internet
        query[(isPassword ? kSecReturnData : kSecReturnRef) as String] = true
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess, let found = result as? [Any] else {
            return false
        }
        switch kind {
        case .generic, .internet: return found.contains { $0 as? Data == Data("secret of \(kind)".utf8) }
        case .certificate:
            let wanted = SecCertificateCopyData(certificate) as Data
            return found.contains { ($0 as? SecCertificate).map { SecCertificateCopyData($0) as Data } == wanted }
        case .key:
            return found.contains { ($0 as? SecKey).flatMap(Self.bytes) == Self.bytes(key) }
        case .identity:
            return found.contains { ($0 as? SecIdentity).map(isOurs) == true }
        }
    }

    private func isOurs(_ identity: SecIdentity) -> Bool {
        var (certificate, one, other): (SecCertificate?, SecKey?, SecKey?) = (nil, nil, nil)
        guard SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess,
            SecIdentityCopyPrivateKey(identity, &one) == errSecSuccess,
            SecIdentityCopyPrivateKey(self.identity, &other) == errSecSuccess,
            let certificate, let one, let other
        else { return false }
        return SecCertificateCopyData(certificate) as Data == identityCertificate
            && Self.bytes(one) == Self.bytes(other)
    }

    private static func bytes(_ key: SecKey) -> Data? { SecKeyCopyExternalRepresentation(key, nil) as Data? }

    static func deleteAll() {
        for itemClass in [
            kSecClassIdentity, kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey,
        ] {
            _ = SecItemDelete([kSecClass as String: itemClass] as CFDictionary)
        }
    }
}
