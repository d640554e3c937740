import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The desk for questions about the keys of protected files. It has each answered by one message to the enclave, and
/// records the outcome. It keeps no key.
struct FileDesk: FileKeyAnswers, Sendable {
    let enclave: any EnclaveMailbox
    let failures: CallFailures

    func ask<Question: FileKeyQuestion>(
        _ question: Question, caller: Caller
    ) throws(FileKeyRefusal) -> Question.Answer {
        do throws(Setback) {
            try AccessGroupChoice.checkCaller(caller)
            let answer = try question.answer(by: self)
            failures.records.put((answer as? OpenedFileKeys)?.refusal, of: question, by: caller)
            return answer
        } catch {
            let refusal = FileKeyRefusal(failures.failure(error))
            failures.records.put(refusal, of: question, by: caller)
            throw refusal
        }
    }

    func answer(_ question: CreateFileKeys) throws(Setback) -> CreatedFileKeys {
        let (protection, identifiers) = (question.protection, question.identifiers)
        switch try enclave.answer(to: MakeFileKeys(protection, for: identifiers)) {
        case .success(let made):
            return CreatedFileKeys(
                try zip(made, identifiers).map { made, identifier throws(Setback) in
                    CreatedFileKeys.Key(made.key, wrapped: try wrapped(made.wrapped, of: identifier, protection))
                })
        case .failure(let refusal):
            throw .call(.fileKey(refusal, protection))
        }
    }

    func answer(_ question: OpenFileKeys) throws(Setback) -> OpenedFileKeys {
        let outcomes = try enclave.unwrap(question.keys.map(\.wrappedKey))
        return OpenedFileKeys(
            zip(question.keys, outcomes).map { key, outcome in
                switch outcome {
                case .key(let opened): .success(opened)
                case .refused(let refusal):
                    .failure(FileKeyRefusal(failures.failure(.call(.fileKey(refusal, key.protection)))))
                }
            })
    }

    func answer(_ question: RewrapFileKey) throws(Setback) -> RewrappedFileKey {
        let (key, protection) = (question.key, question.protection)
        switch try enclave.answer(to: RewrapKey(key, to: protection)) {
        case .success(let rewrapped):
            return RewrappedFileKey(try wrapped(rewrapped.bytes, of: key.identifier, protection))
        case .failure(let refusal):
            throw .call(.fileKey(refusal, CallFailure.locked(of: key.protection, protection)))
        }
    }

    /// Returns a key as the enclave has wrapped it. Both contracts have checked its length.
    private func wrapped(
        _ bytes: [UInt8], of identifier: FileIdentifier, _ protection: FileProtection
    ) throws(Setback) -> WrappedFileKey {
        guard let key = WrappedFileKey(bytes, of: identifier, protection) else { throw .call(.unexpectedKeyReply) }
        return key
    }
}
