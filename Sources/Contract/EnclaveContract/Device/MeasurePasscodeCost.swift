/// A request for the cost of one try of a new passcode on this machine. It is measured once, which takes a few tenths
/// of a second.
package struct MeasurePasscodeCost: BareQuestion {
    package static let numbers = [MessageNumber(20)]
    package static let traits: QuestionTraits = .repeatable

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> PasscodeTryCost {
        try enclave.answer(self)
    }
}

/// The cost of one try of a passcode.
package struct PasscodeTryCost: EnclaveAnswer, Hashable {
    private static let number = MessageNumber(13)

    /// The processor time on this machine.
    package let seconds: Double

    package init(seconds: Double) {
        self.seconds = seconds
    }

    package var number: MessageNumber { Self.number }

    package func write(to writer: inout MessageWriter) {
        writer.seconds(seconds)
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Self.number else { return nil }
        self.init(seconds: try reader.seconds("seconds of a try"))
    }
}
