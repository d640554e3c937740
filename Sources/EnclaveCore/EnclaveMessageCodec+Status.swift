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
    }

    static func readStatus(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> EnclaveStatus {
        let state = try reader.byte()
        guard lockStates.indices.contains(Int(state)) else {
            throw .badValue(field: "lock state", found: UInt64(state))
        }
        return EnclaveStatus(
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
    }
}
