/// A request that is answered when the key epoch differs from the given one, that is, when keys were loaded or removed.
/// After less than a minute without a change the answer has the same epoch. It needs a connection of its own.
package struct AwaitKeyChange: EnclaveQuestion {
    package static let numbers = [MessageNumber(12)]
    package static let traits: QuestionTraits = .repeatable

    package let epoch: UInt64

    package init(after epoch: UInt64) {
        self.epoch = epoch
    }

    package func write(to writer: inout MessageWriter) {
        writer.number(epoch)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init(after: try reader.number())
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> KeyEpoch {
        try enclave.answer(self)
    }
}

/// A number that changes whenever class keys are loaded or removed.
package struct KeyEpoch: EnclaveAnswer, Hashable {
    private static let number = MessageNumber(6)

    package let value: UInt64

    package init(_ value: UInt64) {
        self.value = value
    }

    package var number: MessageNumber { Self.number }

    package func write(to writer: inout MessageWriter) {
        writer.number(value)
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Self.number else { return nil }
        self.init(try reader.number())
    }

    package func translatingEpoch(_ translate: (UInt64) -> UInt64) -> Self { Self(translate(value)) }
}
