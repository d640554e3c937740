/// The four ASCII bytes that name a record of a keybag.
package struct KeybagTag: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ name: StaticString) {
        precondition(name.utf8CodeUnitCount == 4, "a keybag tag has four characters")
        rawValue = name.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// The four characters; bytes that are not printable ASCII appear as dots.
    package var description: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
        return String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }

    package static let version = KeybagTag("VERS")
    package static let type = KeybagTag("TYPE")
    package static let uuid = KeybagTag("UUID")
    package static let authenticationKey = KeybagTag("HMCK")
    package static let wrapping = KeybagTag("WRAP")
    package static let salt = KeybagTag("SALT")
    package static let iterations = KeybagTag("ITER")
    package static let firstRoundType = KeybagTag("DPWT")
    package static let firstRoundIterations = KeybagTag("DPIC")
    package static let firstRoundSalt = KeybagTag("DPSL")
    package static let keyClass = KeybagTag("CLAS")
    package static let keyType = KeybagTag("KTYP")
    package static let wrappedKey = KeybagTag("WPKY")
    package static let publicKey = KeybagTag("PBKY")

    // Latchkey's own, in the header of system keybags only (`Docs/Formats/keybag.md`).

    /// log2 of scrypt's cost N.
    package static let scryptCost = KeybagTag("SCRN")
    /// scrypt's block size r.
    package static let scryptBlockSize = KeybagTag("SCRR")
    /// scrypt's parallelisation p.
    package static let scryptLanes = KeybagTag("SCRP")
    /// 1 if ten failed tries erase the device.
    package static let eraseOption = KeybagTag("ERAS")
    /// Milliseconds between locking and the end of the keys.
    package static let gracePeriod = KeybagTag("GRAC")
    /// Milliseconds without use after which the device locks.
    package static let lockAfter = KeybagTag("IDLE")
    /// The number of passcodes of the passcode's form in steps: 1, 2 or 3, as in ``PasscodeStrength``.
    package static let strength = KeybagTag("STRN")
    /// The microseconds that one try of the passcode took on this machine when it was set.
    package static let tryDuration = KeybagTag("SCRT")
}
