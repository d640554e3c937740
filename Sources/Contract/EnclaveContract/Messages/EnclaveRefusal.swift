/// The reason why the enclave did not carry out a request.
package enum EnclaveRefusal: Error, Sendable, Equatable {
    case wrongPasscode(attemptsLeft: Int)
    /// The passcode is the same wrong one as before; it was not counted again.
    case sameWrongPasscode
    case delayed(seconds: Double)
    /// Ten tries have failed; the device can only be erased.
    case disabled
    /// The tenth failure erased the device, because the erase option is set.
    case erased
    case passcodeNeeded
    case passcodeAlreadySet
    case noPasscodeSet
    case badPasscode(reason: String)
    /// The state on disk cannot be written or read; `reason` names the file and the error.
    case storage(reason: String)
    case malformed(reason: String)
}

/// The first byte of a refusal.
private enum RefusalKind: UInt8 {
    case wrongPasscode = 1
    case sameWrongPasscode = 2
    case delayed = 3
    case disabled = 4
    case erased = 5
    case passcodeNeeded = 6
    case passcodeAlreadySet = 7
    case noPasscodeSet = 8
    case badPasscode = 9
    case storage = 10
    case malformed = 11
}

extension EnclaveRefusal {
    func write(to writer: inout MessageWriter) {
        writer.byte(kind.rawValue)
        switch self {
        case .wrongPasscode(let attemptsLeft): writer.byte(UInt8(clamping: attemptsLeft))
        case .delayed(let seconds): writer.seconds(seconds)
        case .badPasscode(let reason), .storage(let reason), .malformed(let reason): writer.text(reason)
        case .sameWrongPasscode, .disabled, .erased, .passcodeNeeded, .passcodeAlreadySet, .noPasscodeSet: break
        }
    }

    init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self =
            switch try reader.choice("refusal", of: RefusalKind.self) {
            case .wrongPasscode: .wrongPasscode(attemptsLeft: Int(try reader.byte()))
            case .sameWrongPasscode: .sameWrongPasscode
            case .delayed: .delayed(seconds: try reader.seconds("delay"))
            case .disabled: .disabled
            case .erased: .erased
            case .passcodeNeeded: .passcodeNeeded
            case .passcodeAlreadySet: .passcodeAlreadySet
            case .noPasscodeSet: .noPasscodeSet
            case .badPasscode: .badPasscode(reason: try reader.text("reason"))
            case .storage: .storage(reason: try reader.text("reason"))
            case .malformed: .malformed(reason: try reader.text("reason"))
            }
    }

    private var kind: RefusalKind {
        switch self {
        case .wrongPasscode: .wrongPasscode
        case .sameWrongPasscode: .sameWrongPasscode
        case .delayed: .delayed
        case .disabled: .disabled
        case .erased: .erased
        case .passcodeNeeded: .passcodeNeeded
        case .passcodeAlreadySet: .passcodeAlreadySet
        case .noPasscodeSet: .noPasscodeSet
        case .badPasscode: .badPasscode
        case .storage: .storage
        case .malformed: .malformed
        }
    }
}
