/// A request for the revision of the enclave's program, which may run since before an upgrade: a restart would lock the
/// device. Enclaves of the first revision do not know the request.
package struct AskRevision: BareQuestion {
    package static let numbers = [MessageNumber(33)]
    package static let traits: QuestionTraits = .repeatable
    package static let answerOfFormerEnclave: EnclaveRevision? = .first

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> EnclaveRevision {
        try enclave.answer(self)
    }
}

/// The revision of an enclave's program.
package struct EnclaveRevision: EnclaveAnswer, Hashable {
    private static let number = MessageNumber(22)

    /// The enclaves that do not know ``AskRevision``.
    package static let first = EnclaveRevision(1, isReplaced: false)
    /// The number of this program. Raised by every change that a daemon has only after the enclave was restarted: a
    /// message, or a form of one.
    package static let presentNumber: UInt16 = 2

    package let value: UInt16
    /// True if the file of the running program was replaced or removed.
    package let isReplaced: Bool

    package init(_ value: UInt16 = presentNumber, isReplaced: Bool) {
        self.value = value
        self.isReplaced = isReplaced
    }

    /// True if the enclave is older than this program and lacks something that this program may ask it for.
    package var isFormer: Bool { value < Self.presentNumber }

    /// True if a restart of the enclave makes it another program.
    package var needsRestart: Bool { isFormer || isReplaced }

    /// The commands that restart an enclave, for the user.
    package static let restartAdvice =
        "`latchkey stop`, then `latchkey start`; on a system installation `sudo systemctl restart "
        + "'latchkey-enclave@*.service'`. A device with a passcode is locked then."
    /// The reason why a request of this program has no answer.
    package static let requestIsUnknown =
        "The enclave runs since before an upgrade and does not know this request. Restart it to finish the upgrade: "
        + restartAdvice

    package var number: MessageNumber { Self.number }

    package func write(to writer: inout MessageWriter) {
        writer.number(UInt64(value), byteCount: 2)
        writer.flag(isReplaced)
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Self.number else { return nil }
        value = UInt16(truncatingIfNeeded: try reader.number(byteCount: 2))
        isReplaced = try reader.flag("replaced")
    }
}
