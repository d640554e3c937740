/// A request to lock the device at once; only the passcode unlocks it then.
package struct LockRemotely: BareQuestion {
    package static let numbers = [MessageNumber.fingerQuestion(8)]
    package static let traits: QuestionTraits = [.repeatable, .changesKeys]

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> FingersDone {
        try enclave.answer(self)
    }
}
