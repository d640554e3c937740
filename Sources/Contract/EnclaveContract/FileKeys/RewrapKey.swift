package import LatchkeyKeybag

/// A request to wrap the key of a file under another class, when the file's protection changes. The key itself is not
/// given out.
///
/// Refused as `.locked` if the key cannot be unwrapped now, or cannot be wrapped under the other class now.
package struct RewrapKey: EnclaveQuestion {
    package static let numbers = [MessageNumber(23)]
    package static let traits: QuestionTraits = .repeatable

    package let key: WrappedFileKey
    package let protection: FileProtection

    package init(_ key: WrappedFileKey, to protection: FileProtection) {
        self.key = key
        self.protection = protection
    }

    package func write(to writer: inout MessageWriter) {
        writer.fileProtection(key.protection)
        writer.fileIdentifier(key.identifier)
        writer.bytes(key.bytes)
        writer.fileProtection(protection)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        key = try reader.wrappedFileKey()
        protection = try reader.fileProtection()
    }

    package func fits(_ answer: Result<RewrappedKey, KeyRefusal>) -> Bool {
        guard case .success(let rewrapped) = answer else { return true }
        return rewrapped.bytes.count == WrappedFileKey.byteCount(protection)
    }

    /// The key of an answer to this question.
    package func wrappedKey(_ answer: RewrappedKey) -> WrappedFileKey {
        WrappedFileKey(fitting: answer.bytes, of: key.identifier, protection)
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Result<RewrappedKey, KeyRefusal> {
        try enclave.answer(self)
    }
}

/// The key of a file, wrapped under its new class, or a secret of a circle.
package struct RewrappedKey: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension RewrappedKey: MadeOfKeys {
    package static let madeNumber = MessageNumber(15)

    package func write(to writer: inout MessageWriter) {
        writer.bytes(bytes)
    }

    package init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        bytes = try reader.bytes("wrapped key", limit: WrappedKey.byteLimit)
    }
}
