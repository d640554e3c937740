import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The keys of files, which the device makes and opens as its lock state allows.
struct DeviceKeys: Sendable {
    private let keychain: any Keychain

    init(_ keychain: any Keychain) {
        self.keychain = keychain
    }

    /// Makes a new key. For "complete unless open" this works while the device is locked, too.
    func make(_ protection: FileProtection) throws(AccessFailure) -> NewFileKey {
        guard let made = try make(protection, count: 1).first else { throw .refused(.keyNotHere) }
        return made
    }

    /// Makes up to ``EnclaveLimits/keysPerBatch`` keys.
    func make(_ protection: FileProtection, count: Int) throws(AccessFailure) -> [NewFileKey] {
        let identifiers = (0..<count).map { _ in FileIdentifier.random() }
        let made = try answer(to: CreateFileKeys(protection, for: identifiers)).keys
        return zip(identifiers, made).map { identifier, made in
            NewFileKey(
                protection: protection, identifier: identifier, key: made.key, wrapped: made.wrapped.bytes)
        }
    }

    func open(
        _ wrapped: [UInt8], of protection: FileProtection, for identifier: [UInt8]
    ) throws(AccessFailure) -> SecretBox {
        let key = try key(wrapped, protection, identifier)
        switch try answer(to: OpenFileKeys([key])).results.first {
        case .success(let opened)?: return opened
        case .failure(let refusal)?: throw .refused(refusal)
        case nil: throw .refused(.keyNotHere)
        }
    }

    /// Wraps a key for another class, without giving it out.
    func rewrap(
        _ wrapped: [UInt8], from old: FileProtection, to new: FileProtection, for identifier: [UInt8]
    ) throws(AccessFailure) -> [UInt8] {
        try answer(to: RewrapFileKey(key(wrapped, old, identifier), to: new)).wrapped.bytes
    }

    /// A header's wrapped key; one with a form that no device makes does not open.
    private func key(
        _ wrapped: [UInt8], _ protection: FileProtection, _ identifier: [UInt8]
    ) throws(AccessFailure) -> WrappedFileKey {
        guard let identifier = FileIdentifier(identifier),
            let key = WrappedFileKey(wrapped, of: identifier, protection)
        else { throw .refused(.keyNotHere) }
        return key
    }

    private func answer<Question: FileKeyQuestion>(to question: Question) throws(AccessFailure) -> Question.Answer {
        do throws(FileKeyRefusal) {
            return try keychain.ask(question)
        } catch {
            throw .refused(error)
        }
    }
}

extension FileIdentifier {
    fileprivate static func random() -> FileIdentifier {
        guard let identifier = FileIdentifier(SystemEntropy().bytes(byteCount)) else {
            preconditionFailure("an identifier has its length")
        }
        return identifier
    }
}
