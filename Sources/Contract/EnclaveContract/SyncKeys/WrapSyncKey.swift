package import LatchkeyKeybag
package import LatchkeySecretMemory

/// A request to wrap a secret of a circle for storing on this device. ``UnwrapKeys`` unwraps it, with ``KeyUse/sync``.
///
/// The enclave does not make these secrets: most come from other devices, and the binding of one that this device makes
/// has the hash of a statement that depends on the secret.
package struct WrapSyncKey: EnclaveQuestion {
    package static let numbers = [MessageNumber(32)]
    package static let traits: QuestionTraits = []

    /// One of ``KeyUse/syncClasses``.
    package let keyClass: KeyClass
    /// The place of the secret in the circle, of ``EnclaveLimits/syncBindingByteCount`` bytes.
    package let binding: [UInt8]
    /// The secret, of ``EnclaveLimits/keyByteCount`` bytes.
    package let key: SecretBox

    package init(_ key: SecretBox, under keyClass: KeyClass, binding: [UInt8]) {
        self.keyClass = keyClass
        self.binding = binding
        self.key = key
    }

    package func write(to writer: inout MessageWriter) {
        writer.byte(keyClass.rawValue)
        writer.bytes(binding)
        writer.secret(key)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        keyClass = try reader.choice("class", of: KeyClass.self)
        binding = try reader.bytes("binding", limit: EnclaveLimits.syncBindingByteCount)
        key = try reader.key()
    }

    private static let wrappedByteCount = 40

    package func fits(_ answer: Result<RewrappedKey, KeyRefusal>) -> Bool {
        guard case .success(let wrapped) = answer else { return true }
        return wrapped.bytes.count == Self.wrappedByteCount
    }

    /// The key of an answer to this question.
    package func wrappedKey(_ answer: RewrappedKey) -> WrappedKey {
        WrappedKey(keyClass: keyClass, use: .sync, binding: binding, bytes: answer.bytes)
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Result<RewrappedKey, KeyRefusal> {
        try enclave.answer(self)
    }
}
