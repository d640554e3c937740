package import LatchkeySecretMemory

/// A request to take over the class keys of a backup, made here or elsewhere, for a restore.
///
/// Refused as `.damaged` for bytes that are not a keybag of a backup.
package struct OpenBackupKeybag: EnclaveQuestion {
    package static let numbers = [MessageNumber(25)]
    package static let traits: QuestionTraits = []

    package let keybag: [UInt8]
    package let passcodeKey: SecretBox
    /// The context with the class keys of an escrow.
    package let context: ContextIdentifier?

    package init(_ keybag: [UInt8], passcodeKey: SecretBox, context: ContextIdentifier? = nil) {
        self.keybag = keybag
        self.passcodeKey = passcodeKey
        self.context = context
    }

    package func under(_ context: ContextIdentifier) -> Self {
        Self(keybag, passcodeKey: passcodeKey, context: context)
    }

    package func write(to writer: inout MessageWriter) {
        writer.bytes(keybag)
        writer.secret(passcodeKey)
        writer.optional(context) { $0.context($1) }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        keybag = try reader.bytes("keybag", limit: EnclaveLimits.keybagByteCount)
        passcodeKey = try reader.key()
        context = try reader.optionalContext()
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> OpenedBackupKeybag {
        try enclave.answer(self)
    }
}

package enum OpenedBackupKeybag: Sendable, Hashable {
    case keys(SealedBackupKeys)
    /// The key is not that of the keybag's password.
    case wrongPassword
    case refused(KeyRefusal)
}

extension OpenedBackupKeybag: EnclaveAnswer {
    private static let keysNumber = MessageNumber(16)
    private static let wrongPasswordNumber = MessageNumber(18)
    private static let refusedNumber = MessageNumber(4)

    package var number: MessageNumber {
        switch self {
        case .keys: Self.keysNumber
        case .wrongPassword: Self.wrongPasswordNumber
        case .refused: Self.refusedNumber
        }
    }

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .keys(let keys): writer.backupKeys(keys)
        case .wrongPassword: break
        case .refused(let refusal): writer.byte(refusal.rawValue)
        }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch number {
        case Self.keysNumber: self = .keys(try reader.backupKeys())
        case Self.wrongPasswordNumber: self = .wrongPassword
        case Self.refusedNumber: self = .refused(try reader.keyRefusal())
        default: return nil
        }
    }
}
