package import LatchkeySecretMemory

/// The kinds of characters in a passcode; they decide the keyboard of the prompt.
package enum PasscodeKind: String, Sendable, CaseIterable {
    case fourDigits
    case sixDigits
    case digits
    case alphanumeric

    /// Determines the kind of a passcode that ``PasscodeRule`` accepts.
    package init(of passcode: SecretBox) {
        let isDigits = unsafe passcode.withBytes { bytes in
            unsafe bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        self =
            switch (isDigits, passcode.count) {
            case (true, 4): .fourDigits
            case (true, 6): .sixDigits
            case (true, _): .digits
            case (false, _): .alphanumeric
            }
    }
}

/// The rule for passcodes that can be set.
package enum PasscodeRule {
    package static let byteCountRange = 1...1024

    package enum Verdict: Sendable, Equatable {
        case accepted
        case empty
        case tooLong(found: Int)
    }

    package static func verdict(on passcode: SecretBox) -> Verdict {
        switch passcode.count {
        case byteCountRange: .accepted
        case 0: .empty
        default: .tooLong(found: passcode.count)
        }
    }
}
