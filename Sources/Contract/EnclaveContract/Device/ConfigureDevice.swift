package import LatchkeySecretMemory

/// A request to change settings of the device; nil leaves a setting unchanged. It needs the passcode if one is set.
package struct ConfigureDevice: EnclaveQuestion {
    private static let withoutLocking = MessageNumber(9)
    private static let withLocking = MessageNumber(19)
    package static let numbers = [withoutLocking, withLocking]
    package static let traits: QuestionTraits = .changesKeys

    package let passcode: SecretBox?
    package let eraseAfterTenFailures: Bool?
    package let gracePeriodSeconds: Double?
    /// 0 if the device must not lock by itself.
    package let lockAfterSeconds: Double?

    package init(
        passcode: SecretBox?, eraseAfterTenFailures: Bool? = nil, gracePeriodSeconds: Double? = nil,
        lockAfterSeconds: Double? = nil
    ) {
        self.passcode = passcode
        self.eraseAfterTenFailures = eraseAfterTenFailures
        self.gracePeriodSeconds = gracePeriodSeconds
        self.lockAfterSeconds = lockAfterSeconds
    }

    package var number: MessageNumber { lockAfterSeconds == nil ? Self.withoutLocking : Self.withLocking }

    package func write(to writer: inout MessageWriter) {
        writer.optional(passcode) { $0.secret($1) }
        writer.optional(eraseAfterTenFailures) { $0.flag($1) }
        writer.optional(gracePeriodSeconds) { $0.seconds($1) }
        if let lockAfterSeconds { writer.seconds(lockAfterSeconds) }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        passcode = try reader.optionalPasscode()
        eraseAfterTenFailures = try reader.optional("erase option") { reader throws(EnclaveMessageFailure) in
            try reader.flag("erase option")
        }
        gracePeriodSeconds = try reader.optionalSeconds("grace period")
        lockAfterSeconds = number == Self.withLocking ? try reader.seconds("time until locking") : nil
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Done {
        try enclave.answer(self)
    }
}
