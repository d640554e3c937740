/// A request to end the wait of an ``UnlockWithFinger``.
package struct CancelUnlock: BareQuestion {
    package static let numbers = [MessageNumber.fingerQuestion(7)]
    package static let traits: QuestionTraits = [.repeatable, .changesKeys]

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> FingersDone {
        try enclave.answer(self)
    }
}
