import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// Opens sessions for hosts that present their keybags.
struct HostSessions: Sendable {
    let enclave: any EnclaveMailbox
    let escrows: EscrowRegistry
    /// Makes the parts that find and store items, for the enclave of a host.
    let items: @Sendable (any EnclaveMailbox) -> ItemParts

    /// Returns the right of a host.
    func session(of host: HostKeybag) throws(Setback) -> HostSession {
        let identifier = (try? Keybag(parsing: host.bytes))?.header.uuid ?? []
        guard let sealedKey = try escrows.sealedKey(of: identifier) else { throw .call(.escrowOver) }
        switch try enclave.answer(to: OpenEscrow(host.bytes, sealedKey)) {
        case .opened(let context):
            return HostSession(escrow: identifier, context: context, enclave: enclave, items: items)
        case .over:
            throw .call(.escrowOver)
        case .passcodeNeeded:
            throw .call(.interactionNotAllowed, .escrowNeedsPasscode)
        case .tooMany:
            throw .authentication(.tooManyContexts)
        }
    }
}

extension CallFailure {
    fileprivate static let escrowOver = CallFailure(.authFailed, .escrowOver)
}
