import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
package import LatchkeyItemModel
import LatchkeyKeybag
package import LatchkeyKeychainMessages

/// The failure of a call: the code for the program, and the rule for people.
package struct CallFailure: Error, Sendable {
    package let code: ResultCode
    /// Nil if the code says everything: nothing found, or a duplicate.
    package let refusal: Refusal?
    /// The number of items that a find without a result left out because they require authentication.
    var leftOut = 0

    package init(_ code: ResultCode, _ refusal: Refusal? = nil) {
        self.code = code
        self.refusal = refusal
    }

    init(_ code: ResultCode, _ rule: Rule, _ reason: String, advice: String) {
        self.init(code, Refusal(rule: rule, reason: reason, advice: advice))
    }

    init(_ refusal: QueryRefusal) {
        self.init(refusal.code, refusal.rule, refusal.reason, advice: refusal.advice)
    }

    /// The refusal of a question about the device; its reason is empty if this failure has no refusal.
    var declined: DeviceRefusal { .declined(code, refusal ?? .withoutRule(reason: "")) }

    static let unlocking = "(latchkey unlock)"

    /// The same failure for a keychain without a daemon, where one command cannot unlock the device for another one.
    var withoutDaemon: CallFailure {
        guard let refusal, refusal.advice.contains(Self.unlocking) else { return self }
        let advice = refusal.advice.replacing(Self.unlocking, with: "(latchkey start, then latchkey unlock)")
        return CallFailure(code, refusal.advising(advice))
    }

    static let notFound = CallFailure(.itemNotFound)
    static let duplicate = CallFailure(.duplicateItem)

    static func locked(_ keyClass: KeyClass) -> CallFailure {
        let when =
            keyClass.availability == .fromFirstUnlock
            ? "before the first unlock after a start" : "while the device is locked"
        return CallFailure(
            .interactionNotAllowed, .classKeyLocked,
            "Items of protection class \(keyClass.protectionClass?.rawValue ?? "?") cannot be opened \(when).",
            advice: "Unlock the device \(unlocking), or store the item in a class that is open in this state.")
    }

    static func classKeyMissing(_ keyClass: KeyClass) -> CallFailure {
        CallFailure(
            .notAvailable, .classKeyMissing,
            "The key of protection class \(keyClass.protectionClass?.rawValue ?? "?") does not exist while no passcode is set.",
            advice: "Set a passcode (latchkey passcode set), or use another protection class.")
    }

    static let keyDamaged = CallFailure(
        .decode, .keyDamaged, "A key of the device does not open.",
        advice: "Restore the device from a backup; see the chapter on damage in the manual.")

    static func foreignGroup(_ group: String) -> CallFailure {
        CallFailure(
            .missingEntitlement, .foreignAccessGroup, "The program does not own the access group \(group).",
            advice: "Name a group of the program's own entitlements, or none.")
    }

    static let noGroups = CallFailure(
        .missingEntitlement, .noAccessGroups, "The program has no access group.",
        advice: "Give it an application identifier or keychain-access-groups.")

    static let appClipGroups = CallFailure(
        .restrictedAPI, .appClipGroups, "An app clip has the group of its application identifier and no other.",
        advice: "Remove keychain-access-groups from its entitlements.")

    static let appClipSynchronizable = CallFailure(
        .restrictedAPI, .appClipSynchronizable, "An app clip cannot store items that synchronize.",
        advice: "Store the item without kSecAttrSynchronizable.")

    static func enclave(_ refusal: EnclaveRefusal) -> CallFailure {
        CallFailure(
            .notAvailable, .enclaveRefused, "The enclave did not answer as expected: \(refusal).",
            advice: "Look at latchkey status.")
    }

    init(_ failure: ItemDatabaseFailure) {
        switch failure {
        case .full:
            self.init(
                .notAvailable, .diskFull, "The disk is full; nothing was stored and nothing is lost.",
                advice: "Free space on the file system of the device directory.")
        case .readOnly:
            self.init(
                .readOnly, .readOnly, "The keychain's files cannot be written.",
                advice: "Make the device directory writable for its owner (chmod u+w).")
        case .inputOutput(let message):
            self.init(
                .io, .inputOutput, "The keychain's files cannot be read or written: \(message).",
                advice: "Check the disk and the file system.")
        case .outOfMemory:
            self.init(ResultCode(rawValue: -108), .outOfMemory, "No memory left.", advice: "Close programs.")
        case .damaged(let message):
            self.init(
                .notAvailable, .databaseDamaged, "The keychain's database is damaged: \(message).",
                advice: "See latchkey status: the file is set aside at the next start, never deleted.")
        case .tooNew:
            self.init(
                .notAvailable, .databaseTooNew, "The database was written by a newer version.",
                advice: "Install the newer version again.")
        case .numberTaken:
            self.init(
                .notAvailable, .numberTaken, "Another process stores items at the same moment.", advice: "Try again.")
        case .other(let code, let message):
            self.init(
                .notAvailable, .databaseError, "The database answered \(code): \(message).",
                advice: "Try again; if it stays, look at latchkey status.")
        }
    }
}
