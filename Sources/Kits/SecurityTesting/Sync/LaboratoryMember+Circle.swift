import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyKeychainService
import LatchkeySyncCore
import LatchkeySyncIdentity
import LatchkeySyncKeys
import LatchkeySyncService

/// The decisions of a device about its circle.
extension LaboratoryMember {
    func found(_ recovery: RecoveryCode) throws(VirtualDeviceError) {
        try reporting("SyncLaboratory") {
            try withEngine { engine, parts in
                engine = try withPasscodeProved(parts) { context in
                    try SyncEngine.found(parts, recovery: RecoveryKeys(recovery), provedIn: context)
                }
            }
        }
    }

    func join(by member: LaboratoryMember) throws(VirtualDeviceError) {
        try reporting("join") {
            try withEngine { engine, parts in
                guard engine == nil else { throw SyncFailure.alreadyInCircle }
                let record = try EnclaveIdentity.make(by: parts.enclave)
                let statements = try member.admit(record.publicKeys)
                engine = try SyncEngine.enter(parts, as: record, statements.all, founding: statements.founding)
            }
        }
    }

    /// Goes on under a new identity that a member has admitted.
    /// - Returns: the old identity.
    func repair(by member: LaboratoryMember) throws(VirtualDeviceError) -> DeviceIdentifier {
        try reporting("repair") {
            try withEngine { engine, parts in
                guard let old = engine?.device else { throw SyncFailure.notInCircle }
                let record = try EnclaveIdentity.make(by: parts.enclave)
                let statements = try member.admit(record.publicKeys)
                engine = try SyncEngine.renew(parts, as: record, statements.all)
                return old
            }
        }
    }

    private func admit(
        _ keys: DevicePublicKeys
    ) throws -> (all: [SignedStatement], founding: ObjectHash) {
        try withEngine { engine, parts in
            guard let engine else { throw SyncFailure.notInCircle }
            try withPasscodeProved(parts) { try engine.admit(keys, provedIn: $0) }
            return try engine.signedStatements
        }
    }

    func recover(with code: RecoveryCode) throws(VirtualDeviceError) {
        try reporting("recover") {
            try withEngine { engine, parts in
                guard engine == nil else { throw SyncFailure.alreadyInCircle }
                engine = try SyncEngine.recovered(parts, with: RecoveryKeys(code))
                guard engine != nil else { throw SyncFailure.notAdmitted }
            }
        }
    }

    /// - Parameter newCode: made if the other device knows the recovery code.
    /// - Returns: the new recovery code, if one was needed.
    func remove(
        _ other: DeviceIdentifier, newCode: () -> RecoveryCode
    ) throws(VirtualDeviceError) -> RecoveryCode? {
        try reporting("remove") {
            try withEngine { engine, parts in
                guard let engine else { throw SyncFailure.notInCircle }
                let code = engine.membership.needsNewRecoveryKeys(removing: other) ? newCode() : nil
                try withPasscodeProved(parts) { context in
                    try engine.remove(other, newRecovery: code.map { RecoveryKeys($0) }, provedIn: context)
                }
                return code
            }
        }
    }

    /// Leaves the circle, and forgets it.
    func leave() throws(VirtualDeviceError) {
        try reporting("leave") {
            try withEngine { engine, parts in
                guard let running = engine else { throw SyncFailure.notInCircle }
                try withPasscodeProved(parts) { try running.leave(provedIn: $0) }
                guard try running.hasPutOutStatements() else { throw SyncFailure.notInCircle }
                try parts.items.leaveCircle()
                engine = nil
            }
        }
    }

    private func withPasscodeProved<R>(_ parts: SyncParts, _ body: (ContextIdentifier) throws -> R) throws -> R {
        guard case .opened(let context) = try parts.enclave.ask(OpenContext()) else { throw SyncFailure.locked }
        defer { _ = try? parts.enclave.ask(CloseContext(context)) }
        guard let passcode = device.knownPasscode,
            case .known = try parts.enclave.ask(OfferPasscode(passcode, to: context))
        else { throw SyncFailure.locked }
        return try body(context)
    }
}
