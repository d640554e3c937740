package import LatchkeyKeybag

/// A request for 1 to ``EnclaveLimits/keysPerBatch`` new keys of files, one for each identifier. ``UnwrapKeys`` unwraps
/// them.
///
/// Keys of the class ``FileProtection/completeUnlessOpen`` can be made in every lock state.
package struct MakeFileKeys: EnclaveQuestion {
    package static let numbers = [MessageNumber(22)]
    package static let traits: QuestionTraits = .repeatable

    package let protection: FileProtection
    package let identifiers: [FileIdentifier]

    package init(_ protection: FileProtection, for identifiers: [FileIdentifier]) {
        self.protection = protection
        self.identifiers = identifiers
    }

    package func write(to writer: inout MessageWriter) {
        writer.fileProtection(protection)
        writer.count(identifiers.count)
        for identifier in identifiers { writer.fileIdentifier(identifier) }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        protection = try reader.fileProtection()
        let count = try reader.count("files", limit: EnclaveLimits.keysPerBatch)
        var identifiers: [FileIdentifier] = []
        identifiers.reserveCapacity(count)
        for _ in 0..<count { identifiers.append(try reader.fileIdentifier()) }
        self.identifiers = identifiers
    }

    package func fits(_ answer: Result<[CreatedKey], KeyRefusal>) -> Bool {
        guard case .success(let keys) = answer else { return true }
        let byteCount = WrappedFileKey.byteCount(protection)
        return keys.count == identifiers.count && keys.allSatisfy { $0.wrapped.count == byteCount }
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal> {
        try enclave.answer(self)
    }
}
