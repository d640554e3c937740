import Glibc
package import LatchkeySecretMemory

/// The number of passcodes of a passcode's length and kinds of characters, in three steps. A device remembers no more
/// of a passcode's form: it tells a thief no more than trying that many passcodes would (`Docs/Threats`).
package enum PasscodeStrength: UInt8, Sendable, Hashable, CaseIterable {
    /// At most 10,000, like four digits.
    case tenThousand = 1
    /// At most 1,000,000, like six digits.
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

    /// The largest number of passcodes of this step; nil without a limit.
    package var countLimit: Double? {
        switch self {
        case .tenThousand: 10_000
        case .million: 1_000_000
        case .more: nil
        }
    }
}

/// The length of a passcode and the kinds of its characters. It never leaves the process that received the passcode.
package struct PasscodeForm: Sendable, Hashable {
    /// Unicode scalars that are visible characters of their own: not an accent, a skin tone, or the rest of a joined
    /// emoji.
    package let characterCount: Int
    /// Decimal digits of any script.
    package let isDigits: Bool
    /// log10 of the number of passcodes of this form. A word or a date is found much earlier than this number suggests.
    package let log10Count: Double

    package init(of passcode: SecretBox) {
        var kinds: Set<Kind> = []
        var count = 0
        unsafe passcode.withBytes { bytes in
            // Decoded one by one: a String would be a copy that is not wiped.
            var decoder = UTF8()
            var rest = unsafe bytes.makeIterator()
            var isJoined = false
            decoding: while true {
                let scalar: Unicode.Scalar
                switch unsafe decoder.decode(&rest) {
                case .scalarValue(let value): scalar = value
                case .error: scalar = "\u{FFFD}"
                case .emptyInput: break decoding
                }
                if !isJoined, !scalar.extendsCharacter {
                    kinds.insert(Kind(scalar))
                    count += 1
                }
                isJoined = scalar == "\u{200D}"
            }
        }
        characterCount = count
        isDigits = kinds == [.digit]
        log10Count = Double(count) * log10(Double(max(1, kinds.map(\.characterCount).reduce(0, +))))
    }

    private enum Kind {
        case digit
        case lowercase
        case uppercase
        case otherASCII
        case beyondASCII

        init(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "a"..."z": self = .lowercase
            case "A"..."Z": self = .uppercase
            case _ where scalar.properties.numericType == .decimal: self = .digit
            case _ where scalar.isASCII: self = .otherASCII
            default: self = .beyondASCII
            }
        }

        var characterCount: Int {
            switch self {
            case .digit: 10
            case .lowercase, .uppercase: 26
            case .otherASCII: 33
            // Every script has a few dozen common characters; scripts with thousands are counted like the others.
            case .beyondASCII: 64
            }
        }
    }
}

extension Unicode.Scalar {
    /// True if the scalar changes the character before it and is not a character of its own.
    fileprivate var extendsCharacter: Bool {
        properties.isGraphemeExtend || properties.isEmojiModifier || properties.isDefaultIgnorableCodePoint
    }
}
