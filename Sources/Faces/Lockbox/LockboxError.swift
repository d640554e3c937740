public import Foundation
public import Security

/// The reason why a value was not read or not stored.
public enum LockboxError: Error, Sendable, Equatable {
    /// Neither the program nor its bundle names an identifier.
    case noIdentifier
    case emptyKey
    /// The protection is impossible, or the argument of ``Lockbox/Prompt/context(_:)`` is not an `LAContext`.
    case contradiction(reason: String)
    case notEncodable(key: String, reason: String)
    /// The value exists, and has another type than the program asks for.
    case wrongType(key: String, wanted: String, found: String)
    /// The bytes are not what a lockbox wrote.
    case damaged(key: String, reason: String)
    /// The device is locked, and the protection class of the value is closed then.
    case locked
    /// The value requires authentication, and a prompt is not allowed or not possible.
    case personNeeded
    /// The user cancelled the prompt.
    case cancelled
    /// The user did not prove what the value requires, or cannot: no passcode, no finger enrolled.
    case notAuthenticated
    /// The program has no access group, or not the one that the box names.
    case missingEntitlement
    case tooLarge(key: String)
    /// Other programs added and removed the value so often that it could not be stored.
    case contested(key: String)
    /// No device can be reached, its disk is full, or the protection class needs a passcode and there is none.
    case unavailable
    /// Anything else that the keychain answered.
    case failed(status: OSStatus, message: String)

    init(_ status: OSStatus, key: String) {
        switch status {
        case errSecInteractionNotAllowed: self = .locked
        case errSecUserCanceled: self = .cancelled
        case errSecAuthFailed: self = .notAuthenticated
        case errSecMissingEntitlement: self = .missingEntitlement
        case errSecDataTooLarge: self = .tooLarge(key: key)
        case errSecNotAvailable, errSecDiskFull: self = .unavailable
        case errSecDecode: self = .damaged(key: key, reason: "its key does not open")
        default:
            let message = SecCopyErrorMessageString(status, nil) as String?
            self = .failed(status: status, message: message ?? "OSStatus \(status)")
        }
    }
}

extension LockboxError: LocalizedError {
    /// The failure, as a sentence.
    public var errorDescription: String? { words.what }
    /// The advice, as a sentence.
    public var recoverySuggestion: String? { words.advice }

    private var words: (what: String, advice: String) {
        switch self {
        case .noIdentifier:
            (
                "The lockbox has no identifier, and the program's bundle has none either.",
                "Give the app's: Lockbox(identifier: \"com.example.mail\", protection: …)."
            )
        case .emptyKey: ("The key is empty.", "Give the value a name.")
        case .contradiction(Lockbox.Prompt.noContext):
            (Lockbox.Prompt.noContext, "Import LocalAuthentication and give an LAContext, or leave it out.")
        case .contradiction(let reason): (reason, "Choose another protection class, or leave one of the two out.")
        case .notEncodable(let key, let reason):
            ("The value for \"\(key)\" has no form in JSON: \(reason).", "Store Data of a format that can hold it.")
        case .wrongType(let key, let wanted, let found):
            (
                "The value for \"\(key)\" is \(found), and the program asks for \(wanted).",
                "Ask for what was set, or set it anew."
            )
        case .damaged("", let reason):
            (
                "A value of the lockbox is damaged: \(reason).",
                "Read the values one by one to see which, or remove all of them."
            )
        case .damaged(let key, let reason):
            ("The value for \"\(key)\" is damaged: \(reason).", "Remove it and set it anew.")
        case .locked: ("The device is locked.", "Try again after it is unlocked, or choose a class that is open then.")
        case .personNeeded:
            (
                "The value requires authentication, and a prompt is not allowed or not possible.",
                "Leave out Prompt.never; on a machine without a screen, start an authentication agent."
            )
        case .cancelled: ("The user cancelled.", "Ask again when the user wants it.")
        case .notAuthenticated:
            (
                "The user did not prove what the value requires.",
                "Ask again. This needs a passcode or an enrolled finger: offer to set one."
            )
        case .missingEntitlement:
            (
                "The program has no access group, or not the one that the lockbox names.",
                "Sign the program with keychain-access-groups, or leave the access group out."
            )
        case .tooLarge(""):
            (
                "The lockbox has more keys than one answer of the keychain.",
                "Keep the values in several lockboxes, or in fewer and larger values."
            )
        case .tooLarge(let key):
            ("The value for \"\(key)\" is too large.", "Keep the data in a file and the file's key in the lockbox.")
        case .contested(let key):
            ("Others change the value for \"\(key)\" at the same moment.", "Try again.")
        case .unavailable:
            (
                "The device does not answer, its disk is full, or it has no passcode and the protection class needs one.",
                "Set a passcode, or look at latchkey status."
            )
        case .failed(let status, let message):
            ("The keychain answered \(status): \(message)", "latchkey explain says more.")
        }
    }
}

extension LockboxError: CustomStringConvertible {
    public var description: String { "\(words.what) \(words.advice)" }
}
