import Glibc
package import LatchkeySecretMemory

/// How many passcodes there are of a passcode's length and kinds of characters, in three steps. It is all that a device
/// remembers of a passcode's form: it tells a thief no more than trying that many passcodes would (`Docs/Threats`).
package enum PasscodeStrength: UInt8, Sendable, Hashable, CaseIterable {
    /// At most 10,000, as with four digits.
    case tenThousand = 1
    /// At most 1,000,000, as with six digits.
    case million = 2
    case more = 3

    package init(of passcode: SecretBox) {
        self.init(PasscodeForm(of: passcode))
    }

    package init(_ form: PasscodeForm) {
        // Powers of ten as floating-point numbers may be off by a little.
        switch form.log10Count {
        case ...4.000_001: self = .tenThousand
        case ...6.000_001: self = .million
        default: self = .more
        }
    }

    /// The largest number of passcodes that the step stands for; nil without one.
    package var countLimit: Double? {
        switch self {
        case .tenThousand: 10_000
        case .million: 1_000_000
        case .more: nil
        }
    }
}

/// The length of a passcode and the kinds of its characters. It never leaves the process that was given the passcode.
package struct PasscodeForm: Sendable, Hashable {
    package let byteCount: Int
    package let isDigits: Bool
    /// log10 of the number of passcodes of this form. A word or a date is found much earlier than this says.
    package let log10Count: Double

    package init(of passcode: SecretBox) {
        let (kinds, count) = unsafe passcode.withBytes { bytes in
            (unsafe bytes.reduce(into: Set<Kind>()) { $0.insert(Kind($1)) }, bytes.count)
        }
        byteCount = count
        isDigits = kinds == [.digit]
        log10Count = Double(count) * log10(Double(max(1, kinds.map(\.characterCount).reduce(0, +))))
    }

    private enum Kind {
        case digit
        case lowercase
        case uppercase
        case otherASCII
        case beyondASCII

        init(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
            case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .lowercase
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .uppercase
            case 0..<0x80: self = .otherASCII
            default: self = .beyondASCII
            }
        }

        var characterCount: Int {
            switch self {
            case .digit: 10
            case .lowercase, .uppercase: 26
            case .otherASCII: 33
            // A few dozen values follow each other in the bytes of one script.
            case .beyondASCII: 64
            }
        }
    }
}
