import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// A flaw of a call, without its place.
struct Flaw: Sendable, Hashable {
    let kind: Finding.Kind
    let call: Finding.Call
    let reason: String
    let advice: String

    /// The same about the function that the app really called; nil: the one that it names.
    func named(_ function: String?) -> Flaw {
        guard let function else { return self }
        return Flaw(kind: kind, of: Finding.Call(rawValue: function), reason: reason, advice: advice)
    }

    init(kind: Finding.Kind, call: KeychainCall, reason: String, advice: String) {
        self.init(kind: kind, of: Finding.Call(call), reason: reason, advice: advice)
    }

    init(kind: Finding.Kind, of call: Finding.Call, reason: String, advice: String) {
        self.kind = kind
        self.call = call
        self.reason = reason
        self.advice = advice
    }
}

/// The rules of the review.
enum Review {
    /// Passwords, tokens and private keys stay below it (an RSA-4096 key takes 2.4 KiB, browsers cut cookies at 4 KiB);
    /// what is longer is a document, and a search that meets it decrypts all of it.
    static let secretByteLimit = 4096

    static func flaws(of request: ItemRequest, _ reply: ItemReply) -> [Flaw] {
        guard reply.code != .param, reply.code != .noSuchAttr, reply.code != .missingEntitlement else { return [] }
        let call = KeychainCall(request.operation)
        let written: [QueryPair]
        switch request.operation {
        case .add: written = request.query
        case .update: written = request.changes
        case .find: return []
        case .delete: return [severalItems(request, call, reply), limitInDelete(request, call)].compactMap(\.self)
        }
        let severalItems = request.operation == .update ? severalItems(request, call, reply) : nil
        let sync = synchronizable(request, call, reply)
        if isNoSecret(request.query) { return [sync, severalItems].compactMap(\.self) }
        let protection = Protection(of: written)
        return [
            request.operation == .add && protection == nil
                ? (request.isForSynchronizable ? synchronizableWithoutClass : noClass(call)) : nil,
            deviceIdentifier(written, of: request, call, reply),
            protection.flatMap { alwaysReadable($0, call) },
            oversizedSecret(in: written, of: request, call),
            protection.flatMap { missingClass($0, call, reply) },
            protection?.control.flatMap { anyBiometry($0, call) },
            sync, severalItems,
        ].compactMap(\.self)
    }

    /// Certificates and public keys are for everybody; a key of the enclave is guarded by its own access control.
    private static func isNoSecret(_ query: [QueryPair]) -> Bool {
        query.contains { pair in
            switch (pair.name, pair.value) {
            case (.tokenID?, _), (.keyClass?, .integer(0)), (.keyClass?, .string("0")): true
            default: pair == QueryPair("class", .string(ItemClass.certificate.rawValue))
            }
        }
    }

    /// The query of an update says what the items were, as far as it says it; its changes win.
    private static func synchronizable(_ request: ItemRequest, _ call: KeychainCall, _ reply: ItemReply) -> Flaw? {
        let written = request.operation == .update ? request.changes : request.query
        let known = written + request.query
        guard reply.code == .success, written.contains(where: { $0.isSynchronizability || $0.isProtection }),
            known.first(where: \.isSynchronizability)?.isTrue ?? false,
            let protection = Protection(of: written) ?? Protection(of: request.query),
            protection.protectionClass.isThisDeviceOnly
        else { return nil }
        return Flaw(
            kind: .synchronizableThisDeviceOnly, call: call,
            reason:
                "The item is synchronizable and of a ThisDeviceOnly class: it never leaves the device, and a search "
                + "without kSecAttrSynchronizable does not find it.",
            advice: "Choose a class without ThisDeviceOnly for what other devices need; else leave "
                + "kSecAttrSynchronizable out.")
    }

    private static func limitInDelete(_ request: ItemRequest, _ call: KeychainCall) -> Flaw? {
        guard request.query.contains(where: { $0.key == .string("m_Limit") }) else { return nil }
        return Flaw(
            kind: .limitInDelete, call: call,
            reason: "A delete has kSecMatchLimitAll. It changes nothing here and on macOS; iOS answers -50.",
            advice: "Leave kSecMatchLimit out: a delete always acts on every item that fits.")
    }

    private static func noClass(_ call: KeychainCall) -> Flaw {
        Flaw(
            kind: .noProtectionClass, call: call,
            reason: "The item does not say when it may be read, so it gets kSecAttrAccessibleWhenUnlocked, "
                + "which also restores it to other devices.",
            advice: "Write kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly, or "
                + "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly if the app needs it in the background.")
    }

    private static func alwaysReadable(_ protection: Protection, _ call: KeychainCall) -> Flaw? {
        guard protection.protectionClass.isAlwaysReadable else { return nil }
        return Flaw(
            kind: .alwaysReadable, call: call,
            reason:
                "Items of kSecAttrAccessibleAlways and kSecAttrAccessibleAlwaysThisDeviceOnly are readable on a locked "
                + "device, also before its first unlock.",
            advice: "Write kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, which background work can read too.")
    }

    private static func oversizedSecret(in pairs: [QueryPair], of request: ItemRequest, _ call: KeychainCall) -> Flaw? {
        let counts = pairs.compactMap { pair -> Int? in
            guard case .secret(let index) = pair.value, request.secrets.indices.contains(index) else { return nil }
            return request.secrets[index].count
        }
        guard let longest = counts.max(), longest > secretByteLimit else { return nil }
        return Flaw(
            kind: .oversizedSecret, call: call,
            reason: "The secret has \(longest) bytes; a keychain item should have \(secretByteLimit) at most.",
            advice:
                "Store a random key in the keychain, and the document in a file: encrypted with it, or protected by "
                + "a class of its own.")
    }

    private static func missingClass(_ protection: Protection, _ call: KeychainCall, _ reply: ItemReply) -> Flaw? {
        guard protection.protectionClass == .whenPasscodeSetThisDeviceOnly, reply.code == .notAvailable else {
            return nil
        }
        return Flaw(
            kind: .classDoesNotExist, call: call,
            reason: "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly does not exist on a device without a passcode "
                + "(-25291).",
            advice: "Ask the user to set a passcode when the status is errSecNotAvailable, or store the item as "
                + "kSecAttrAccessibleWhenUnlockedThisDeviceOnly.")
    }

    private static func severalItems(_ request: ItemRequest, _ call: KeychainCall, _ reply: ItemReply) -> Flaw? {
        guard reply.code == .success, reply.affectedRows > meantRows(request.query) else { return nil }
        return Flaw(
            kind: .severalItemsChanged, call: call,
            reason: "The query matched \(reply.affectedRows) items, and all of them were changed.",
            advice: "Name the whole primary key in the query (account and service; account, server, protocol, port "
                + "and path; class, label and tag of a key), or use the item's reference.")
    }

    /// The number of rows that a program means by one item: an identity is two, and so are the halves of a key. A query
    /// that names a creator means all of its items.
    private static func meantRows(_ query: [QueryPair]) -> Int {
        let names = query.map(\.name)
        if query.contains(QueryPair("class", .string(ItemClass.identity.rawValue))) { return 2 }
        if names.contains(.creator) { return .max }
        return names.contains(.applicationTag) || names.contains(.applicationLabel) ? 2 : 1
    }

    /// The flaws in the access control of a new enclave key.
    /// - Parameter code: the result of the call that creates the key.
    static func flaws(ofNewKey control: AccessControl, _ code: ResultCode, _ call: KeychainCall) -> [Flaw] {
        let protection = Protection(control)
        return [
            alwaysReadable(protection, call), missingClass(protection, call, ItemReply(code: code)),
            anyBiometry(control, call),
        ].compactMap(\.self)
    }
}

extension QueryPair {
    var isSynchronizability: Bool { name == .synchronizable }
    fileprivate var isProtection: Bool { name == .accessible || name == .accessControl }
    var isTrue: Bool { value == .boolean(true) || value == .integer(1) }
}

extension Review {
    /// The protection class that a dictionary names, directly or by an access control.
    private struct Protection {
        let protectionClass: ProtectionClass
        /// Nil where the class is named alone.
        let control: AccessControl?

        init(_ control: AccessControl) {
            protectionClass = control.protection
            self.control = control
        }

        init?(of pairs: [QueryPair]) {
            for pair in pairs {
                switch (pair.name, pair.value) {
                case (.accessible?, .string(let name)):
                    guard let protectionClass = ProtectionClass(rawValue: name) else { return nil }
                    self.protectionClass = protectionClass
                    self.control = Self.control(in: pairs)
                    return
                case (.accessControl?, .reference):
                    guard let control = AccessControl(pair.value) else { return nil }
                    self.protectionClass = control.protection
                    self.control = control
                    return
                default:
                    continue
                }
            }
            return nil
        }

        private static func control(in pairs: [QueryPair]) -> AccessControl? {
            pairs.first { $0.name == .accessControl }.flatMap { AccessControl($0.value) }
        }
    }
}
