/// Why bytes are no keybag.
package enum KeybagFailure: Error, Sendable, Equatable {
    case tooLarge(found: Int, limit: Int)
    case tooManyRecords(limit: Int)
    case tooManyClassKeys(limit: Int)
    /// A record says it is longer than what is left.
    case truncated(offset: Int)
    case badLength(KeybagTag, expected: [Int], found: Int)
    case missingRecord(KeybagTag)
    case duplicateRecord(KeybagTag)
    case duplicateClass(UInt32)
    case outOfRange(KeybagTag, found: UInt32)
}

/// Why a keybag was not unlocked.
package enum KeybagUnlockFailure: Error, Sendable, Equatable {
    /// The check value of a class key does not fit the passcode or password.
    case wrongPasscode
    /// The check value of a class key does not fit although no passcode is involved: the device key is another one.
    case wrongDevice
    /// The keybag does not hold what this way of unlocking needs.
    case missingRecord(KeybagTag)
    /// A class key is wrapped in a way that this keybag's kind does not have.
    case unknownWrapping(UInt32)
    /// The parameters of the passcode key are beyond what this implementation computes.
    case unusableParameters
}
