import LatchkeyKeybag

/// A request for a context in which the class keys of an escrow are loaded, also while the device is locked. They serve
/// the questions that name the context, and go when it is closed, is not used for ten minutes, or the device restarts,
/// is locked remotely or gets another passcode.
package struct OpenEscrow: EnclaveQuestion {
    package static let numbers = [MessageNumber(29)]
    package static let traits: QuestionTraits = []

    /// The host's half.
    package let keybag: [UInt8]
    package let sealedKey: SealedEscrowKey

    package init(_ keybag: [UInt8], _ sealedKey: SealedEscrowKey) {
        self.keybag = keybag
        self.sealedKey = sealedKey
    }

    package func write(to writer: inout MessageWriter) {
        writer.bytes(keybag)
        writer.bytes(sealedKey.bytes)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        keybag = try reader.bytes("keybag", limit: EscrowKeybag.byteLimit)
        sealedKey = try reader.sealedEscrowKey()
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> OpenedEscrow {
        try enclave.answer(self)
    }
}

package enum OpenedEscrow: Sendable, Hashable {
    case opened(ContextIdentifier)
    /// The halves do not belong together, or to the passcode that is set.
    case over
    /// The passcode has not been given since the device started, or since it was locked remotely.
    case passcodeNeeded
    /// ``EnclaveLimits/contexts`` contexts are open already.
    case tooMany
}

extension OpenedEscrow: EnclaveAnswer {
    private static let openedNumber = MessageNumber(20)
    private static let refusedNumber = MessageNumber(21)

    package var number: MessageNumber {
        if case .opened = self { Self.openedNumber } else { Self.refusedNumber }
    }

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .opened(let context): writer.context(context)
        case .over: writer.byte(1)
        case .passcodeNeeded: writer.byte(2)
        case .tooMany: writer.byte(3)
        }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch number {
        case Self.openedNumber:
            self = .opened(try reader.context())
        case Self.refusedNumber:
            let reason = try reader.byte()
            switch reason {
            case 1: self = .over
            case 2: self = .passcodeNeeded
            case 3: self = .tooMany
            default: throw .badValue(field: "escrow", found: UInt64(reason))
            }
        default: return nil
        }
    }
}
