import LatchkeyKeybag

/// A request for the state of the device.
package struct AskStatus: BareQuestion {
    package static let numbers = [MessageNumber(1)]
    package static let traits: QuestionTraits = .repeatable

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> EnclaveStatus {
        try enclave.answer(self)
    }
}

extension EnclaveStatus: EnclaveAnswer {
    /// A former version without the last three fields, sent by an enclave that has been running since before an update.
    /// It is read but never written.
    private static let short = MessageNumber(2)
    private static let full = MessageNumber(12)
    /// Lock states by their number in a message.
    private static let lockStates: [LockState] = [.noPasscode, .beforeFirstUnlock, .unlocked, .locked]

    package var number: MessageNumber { Self.full }

    package func write(to writer: inout MessageWriter) {
        writer.byte(UInt8(Self.lockStates.firstIndex(of: lockState) ?? 0))
        writer.flag(hasPasscode)
        writer.byte(UInt8(clamping: failedAttempts))
        writer.seconds(secondsUntilNextAttempt)
        writer.flag(isDisabled)
        writer.flag(eraseAfterTenFailures)
        writer.seconds(gracePeriodSeconds)
        writer.optional(graceSecondsLeft) { $0.seconds($1) }
        writer.number(keyEpoch)
        writer.text(rootOfTrust)
        writer.bytes(keybagUUID)
        writer.optional(lockAfterSeconds) { $0.seconds($1) }
        writer.optional(passcodeStrength) { $0.byte($1.rawValue) }
        writer.optional(secondsPerTry) { $0.seconds($1) }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Self.full || number == Self.short else { return nil }
        let state = try reader.byte()
        guard Self.lockStates.indices.contains(Int(state)) else {
            throw .badValue(field: "lock state", found: UInt64(state))
        }
        self.init(
            lockState: Self.lockStates[Int(state)],
            hasPasscode: try reader.flag("has passcode"),
            failedAttempts: Int(try reader.byte()),
            secondsUntilNextAttempt: try reader.seconds("delay"),
            isDisabled: try reader.flag("disabled"),
            eraseAfterTenFailures: try reader.flag("erase option"),
            gracePeriodSeconds: try reader.seconds("grace period"),
            graceSecondsLeft: try reader.optionalSeconds("grace left"),
            keyEpoch: try reader.number(),
            rootOfTrust: try reader.text("root of trust"),
            keybagUUID: try reader.bytes("keybag UUID", limit: 16))
        guard number == Self.full else { return }
        lockAfterSeconds = try reader.optionalSeconds("time until locking")
        passcodeStrength = try reader.optional("strength") { reader throws(EnclaveMessageFailure) in
            try reader.choice("strength", of: PasscodeStrength.self)
        }
        secondsPerTry = try reader.optionalSeconds("seconds of a try")
    }

    package func translatingEpoch(_ translate: (UInt64) -> UInt64) -> Self {
        var status = self
        status.keyEpoch = translate(keyEpoch)
        return status
    }
}
