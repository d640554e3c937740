import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// Stores the result of an import: each identity, and the certificates of its chain (`SecImportExport.c`).
struct ImportStore {
    /// Options of the import itself, which are not attributes of items.
    private static let ofImport = ["passphrase", "keychain", "access", "memory"]

    private let attributes: KeyDictionary

    /// Nil if the options do not ask for items.
    init?(_ options: KeyDictionary) {
        guard Self.isTrue(options[.noLegacy]), !Self.isTrue(options["memory"]) else { return nil }
        attributes = options.without(Self.ofImport)
    }

    /// Stores all identities. Skips items that exist already; reports other failures at the end.
    func store(_ identities: [ImportedIdentity]) -> OSStatus {
        var code = errSecSuccess
        for identity in identities {
            for object in [identity.identity] + identity.chain as [AnyObject] {
                let status = store(object)
                if code == errSecSuccess { code = status }
            }
        }
        return code
    }

    private func store(_ object: AnyObject) -> OSStatus {
        do throws(KeyCallFailure) {
            try attributes.checkText()
            let reply = try ItemCall(operation: .add, query: attributes.with("v_Ref", object).object).reply()
            return reply.code == .duplicateItem ? errSecSuccess : reply.code.rawValue
        } catch {
            return error.code
        }
    }

    private static func isTrue(_ value: AnyObject?) -> Bool {
        (value as? NSNumber)?.boolValue ?? false
    }
}
