import LatchkeyEnclaveContract

/// The collaborators of a grant: the enclave, and the ways of items out of and into the keychain.
struct BackupRoom: Sendable {
    let enclave: any EnclaveMailbox
    let exporter: ItemExport
    let importer: ItemImport

    init(_ items: ItemParts, enclave: any EnclaveMailbox) {
        self.enclave = enclave
        exporter = ItemExport(store: items.store, sealing: items.enclaveKeys.sealing, enclave: enclave)
        importer = ItemImport(
            store: items.store, sealer: items.vault.sealer, itemKeys: items.itemKeys, ended: items.ended,
            enclave: enclave)
    }
}

/// The right of a host that has presented its keybag: a room whose enclave has the class keys of the escrow loaded, also
/// while the device is locked. They go with the last owner of this object.
final class HostSession: Sendable {
    /// Of the host's keybag.
    let escrow: [UInt8]
    let room: BackupRoom
    private let context: ContextIdentifier
    private let enclave: any EnclaveMailbox

    /// - Parameter items: makes the parts that find and store items, for an enclave.
    init(
        escrow: [UInt8], context: ContextIdentifier, enclave: any EnclaveMailbox,
        items: (any EnclaveMailbox) -> ItemParts
    ) {
        self.escrow = escrow
        self.context = context
        self.enclave = enclave
        let mailbox = HostMailbox(enclave: enclave, context: context)
        room = BackupRoom(items(mailbox), enclave: mailbox)
    }

    deinit {
        _ = try? enclave.ask(CloseContext(context))
    }
}

/// The enclave as a host uses it: each question that can name a context names that of the host.
private struct HostMailbox: EnclaveMailbox {
    let enclave: any EnclaveMailbox
    let context: ContextIdentifier

    func ask<Question: EnclaveQuestion>(_ question: Question) throws(EnclaveRefusal) -> Question.Answer {
        try enclave.ask(question.under(context))
    }

    var keyEpoch: UInt64 { enclave.keyEpoch }
}
