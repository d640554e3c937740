import LatchkeyKeybag

extension EnclaveMessageCodec {
    /// Lock states by their number in a message.
    private static let lockStates: [LockState] = [.noPasscode, .beforeFirstUnlock, .unlocked, .locked]

    static func write(_ status: EnclaveStatus, to writer: inout MessageWriter) {
        writer.byte(UInt8(lockStates.firstIndex(of: status.lockState) ?? 0))
        writer.flag(status.hasPasscode)
        writer.byte(UInt8(clamping: status.failedAttempts))
        writer.seconds(status.secondsUntilNextAttempt)
        writer.flag(status.isDisabled)
        writer.flag(status.eraseAfterTenFailures)
        writer.seconds(status.gracePeriodSeconds)
        writer.optional(status.graceSecondsLeft) { $0.seconds($1) }
        writer.number(status.keyEpoch)
        writer.text(status.rootOfTrust)
        writer.bytes(status.keybagUUID)
        writer.optional(status.lockAfterSeconds) { $0.seconds($1) }
        writer.optional(status.passcodeStrength) { $0.byte($1.rawValue) }
        writer.optional(status.secondsPerTry) { $0.seconds($1) }
    }

    /// - Parameter isShort: as enclaves sent it that are older than the last three fields.
    static func readStatus(
        _ reader: inout MessageReader, isShort: Bool
    ) throws(EnclaveMessageFailure) -> EnclaveStatus {
        let state = try reader.byte()
        guard lockStates.indices.contains(Int(state)) else {
            throw .badValue(field: "lock state", found: UInt64(state))
        }
        var status = EnclaveStatus(
            lockState: lockStates[Int(state)],
            hasPasscode: try reader.flag("has passcode"),
            failedAttempts: Int(try reader.byte()),
            secondsUntilNextAttempt: try reader.seconds("delay"),
            isDisabled: try reader.flag("disabled"),
            eraseAfterTenFailures: try reader.flag("erase option"),
            gracePeriodSeconds: try reader.seconds("grace period"),
            graceSecondsLeft: try reader.optional("grace left") { reader throws(EnclaveMessageFailure) in
                try reader.seconds("grace left")
            },
            keyEpoch: try reader.number(),
            rootOfTrust: try reader.text("root of trust"),
            keybagUUID: try reader.bytes("keybag UUID", limit: 16))
        guard !isShort else { return status }
        status.lockAfterSeconds = try reader.optional("time until locking") { reader throws(EnclaveMessageFailure) in
            try reader.seconds("time until locking")
        }
        status.passcodeStrength = try reader.optional("strength") { reader throws(EnclaveMessageFailure) in
            try reader.choice("strength", of: PasscodeStrength.self)
        }
        status.secondsPerTry = try reader.optional("seconds of a try") { reader throws(EnclaveMessageFailure) in
            try reader.seconds("seconds of a try")
        }
        return status
    }
}
