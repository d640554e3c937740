import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEncoding
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

    init(_ code: ResultCode, _ rule: Rule, _ values: any CustomStringConvertible...) {
        self.init(code, Refusal(filled: rule.text.filled(with: values)))
    }

    init(_ code: ResultCode, as occasion: Rule.Occasion, _ values: any CustomStringConvertible...) {
        self.init(code, Refusal(filled: occasion.text.filled(with: values)))
    }

    init(_ refusal: QueryRefusal) {
        self.init(refusal.code, Refusal(filled: refusal.text))
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
        return CallFailure(.interactionNotAllowed, .classKeyLocked, keyClass.protectionClass?.rawValue ?? "?", when)
    }

    static func classKeyMissing(_ keyClass: KeyClass) -> CallFailure {
        CallFailure(.notAvailable, .classKeyMissing, keyClass.protectionClass?.rawValue ?? "?")
    }

    static let keyDamaged = CallFailure(.decode, .keyDamaged)

    static func foreignGroup(_ group: String) -> CallFailure {
        CallFailure(.missingEntitlement, .foreignAccessGroup, group)
    }

    static let noGroups = CallFailure(.missingEntitlement, .noAccessGroups)

    static let appClipGroups = CallFailure(.restrictedAPI, .appClipGroups)

    static let appClipSynchronizable = CallFailure(.restrictedAPI, .appClipSynchronizable)

    static func enclave(_ refusal: EnclaveRefusal) -> CallFailure {
        CallFailure(.notAvailable, .enclaveRefused, "\(refusal)")
    }

    init(_ failure: ItemDatabaseFailure) {
        switch failure {
        case .full:
            self.init(.notAvailable, .diskFull)
        case .readOnly:
            self.init(.readOnly, .readOnly)
        case .inputOutput(let message):
            self.init(.io, .inputOutput, message)
        case .notOpened(let obstacle):
            self.init(.io, .inputOutput, obstacle.reason)
        case .outOfMemory:
            self.init(ResultCode(rawValue: -108), .outOfMemory)
        case .damaged(let message):
            self.init(.notAvailable, .databaseDamaged, message)
        case .tooNew:
            self.init(.notAvailable, .databaseTooNew)
        case .numberTaken:
            self.init(.notAvailable, .numberTaken)
        case .other(let code, let message):
            self.init(.notAvailable, .databaseError, code, message)
        }
    }
}
