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

extension EnclaveMessageCodec {
    static func write(_ refusal: EnclaveRefusal, to writer: inout MessageWriter) {
        func kind(_ kind: RefusalKind) { writer.byte(kind.rawValue) }
        switch refusal {
        case .wrongPasscode(let attemptsLeft):
            kind(.wrongPasscode)
            writer.byte(UInt8(clamping: attemptsLeft))
        case .sameWrongPasscode:
            kind(.sameWrongPasscode)
        case .delayed(let seconds):
            kind(.delayed)
            writer.seconds(seconds)
        case .disabled:
            kind(.disabled)
        case .erased:
            kind(.erased)
        case .passcodeNeeded:
            kind(.passcodeNeeded)
        case .passcodeAlreadySet:
            kind(.passcodeAlreadySet)
        case .noPasscodeSet:
            kind(.noPasscodeSet)
        case .badPasscode(let reason):
            kind(.badPasscode)
            writer.text(reason)
        case .storage(let reason):
            kind(.storage)
            writer.text(reason)
        case .malformed(let reason):
            kind(.malformed)
            writer.text(reason)
        }
    }

    static func readRefusal(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> EnclaveRefusal {
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
}
