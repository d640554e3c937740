/// A request to end an enrolment in progress.
package struct CancelEnrolment: BareQuestion {
    package static let numbers = [MessageNumber.fingerQuestion(4)]
    package static let traits: QuestionTraits = .changesKeys

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> FingersDone {
        try enclave.answer(self)
    }
}
