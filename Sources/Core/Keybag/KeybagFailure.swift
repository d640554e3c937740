/// A reason for rejecting bytes as a keybag.
package enum KeybagFailure: Error, Sendable, Equatable {
    case tooLarge(found: Int, limit: Int)
    case tooManyRecords(limit: Int)
    case tooManyClassKeys(limit: Int)
    /// A record claims to be longer than the rest.
    case truncated(offset: Int)
    case badLength(KeybagTag, expected: [Int], found: Int)
    case missingRecord(KeybagTag)
    case duplicateRecord(KeybagTag)
    case duplicateClass(UInt32)
    case outOfRange(KeybagTag, found: UInt32)
}

/// A reason for which a keybag was not unlocked.
package enum KeybagUnlockFailure: Error, Sendable, Equatable {
    /// The check value of a class key does not match the passcode or password.
    case wrongPasscode
    /// The check value of a class key does not match although no passcode is involved: another device key.
    case wrongDevice
    /// The keybag lacks a record that this kind of unlocking needs.
    case missingRecord(KeybagTag)
    /// A class key is wrapped in a way that this kind of keybag does not have.
    case unknownWrapping(UInt32)
    /// The parameters of the passcode key are beyond the limits of this implementation.
    case unusableParameters
}
