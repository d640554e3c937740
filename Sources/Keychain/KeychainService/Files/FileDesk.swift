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
        let making = MakeFileKeys(question.protection, for: question.identifiers)
        switch try enclave.answer(to: making) {
        case .success(let made):
            return CreatedFileKeys(
                zip(made, making.wrappedKeys(made)).map { CreatedFileKeys.Key($0.key, wrapped: $1) })
        case .failure(let refusal):
            throw .call(.fileKey(refusal, question.protection))
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
        let rewrapping = RewrapKey(key, to: protection)
        switch try enclave.answer(to: rewrapping) {
        case .success(let rewrapped):
            return RewrappedFileKey(rewrapping.wrappedKey(rewrapped))
        case .failure(let refusal):
            throw .call(.fileKey(refusal, CallFailure.locked(of: key.protection, protection)))
        }
    }
}
