import LatchkeyEnclaveContract

/// An answer that says whether something was done.
protocol AnswerToAct: EnclaveAnswer {
    var isDone: Bool { get }
}

extension AnswerToAct where Self: BareAnswer {
    var isDone: Bool { true }
}

extension Done: AnswerToAct {}
extension FingersDone: AnswerToAct {}
extension KeysDeleted: AnswerToAct {}

extension FingerRemoval: AnswerToAct {
    var isDone: Bool { self == .removed }
}

extension ContextAnswer: AnswerToAct where Value == Done {
    var isDone: Bool { if case .known = self { true } else { false } }
}
