/// Locks at once, and lets nobody in without the passcode.
package struct LockRemotely: BareQuestion {
    package static let numbers = [MessageNumber.fingerQuestion(8)]
    package static let traits: QuestionTraits = [.repeatable, .changesKeys]

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> FingersDone {
        try enclave.answer(self)
    }
}
