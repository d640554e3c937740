import LatchkeyAccessControl
import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// Hosts that back up and restore without the passcode.
extension EnclaveService {
    package func answer(_ question: MakeEscrow) throws(EnclaveRefusal) -> MadeEscrow {
        var made: MadeEscrow?
        try operation { keybag throws(EnclaveRefusal) in
            guard keybag.hasPasscode else { throw .noPasscodeSet }
            let keys = try open(keybag, with: question.passcode)
            let (escrow, key) = EscrowKeybag.made(of: keys, for: keybag, on: storage.hardwareKey, entropy: entropy)
            guard let classKey = keys[SealedEscrowKey.wrappingClass],
                let bytes = try? KeyWrapping.wrap(
                    key, with: .classKey(classKey), use: .escrow, binding: escrow.binding(in: keybag),
                    entropy: entropy),
                let sealedKey = SealedEscrowKey(bytes)
            else { throw .storage(reason: "the keybag lacks a class key that every keybag has") }
            made = MadeEscrow(keybag: escrow.keybag, sealedKey: sealedKey)
        }
        guard let made else { preconditionFailure("an operation that does not throw has run") }
        return made
    }

    package func answer(_ question: OpenEscrow) throws(EnclaveRefusal) -> OpenedEscrow {
        guard let escrow = EscrowKeybag(parsing: question.keybag, on: storage.hardwareKey) else { return .over }
        let (keys, keybag, moment, isLockedRemotely) = state.withLock {
            ($0.keys, $0.keybag, $0.escrowMoment, $0.isLockedRemotely)
        }
        guard keybag.hasPasscode else { return .over }
        guard !isLockedRemotely, let classKey = keys[SealedEscrowKey.wrappingClass] else { return .passcodeNeeded }
        let wrapped = question.sealedKey.wrapped(binding: escrow.binding(in: keybag))
        var permissions = Permissions(for: .decrypt, of: nil, in: self)
        guard case .granted(let grant) = permissions.permission(for: wrapped),
            case .key(let key) = grant.open(with: classKey), let opened = try? escrow.open(with: key)
        else { return .over }
        guard let context = newContext() else { return .tooMany }
        // Of the moment in which the keys were read: if the device was locked remotely since, the session is over.
        escrows.begin(opened, at: moment, uptime: clock.uptime(), in: context)
        signal.timerChanged()
        return .opened(context)
    }

    /// The class keys that are loaded now, with those that a host has opened for a context.
    func loadedKeys(under context: ContextIdentifier?) -> (keys: ClassKeys, keybag: SystemKeybag) {
        var (keys, keybag, moment) = state.withLock { ($0.keys, $0.keybag, $0.escrowMoment) }
        if let context, let opened = escrows.keys(in: context, at: moment, uptime: clock.uptime()) { keys.add(opened) }
        return (keys, keybag)
    }
}

extension DeviceState {
    fileprivate var escrowMoment: EscrowSessions.Moment {
        EscrowSessions.Moment(era: era, passcodeSalt: keybag.passcodeSalt)
    }
}
