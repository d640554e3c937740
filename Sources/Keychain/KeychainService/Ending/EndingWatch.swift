import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeyThreading

/// The watch for acts of the owner that may end items.
final class EndingWatch: Sendable {
    private let enclave: any EnclaveMailbox
    private let endings: ItemEndings
    /// The set of fingers before the enrolment in progress.
    private let formerFingers = ForkMutex<EnrolmentSet?>(nil)

    init(enclave: any EnclaveMailbox, endings: ItemEndings) {
        self.enclave = enclave
        self.endings = endings
    }

    /// Asks something that may end items, and records them as ended. If the device cannot be written now, the next
    /// call that meets such an item records it, or the next start. Only for callers that are authorised, because it
    /// looks for items that ended before, too.
    func recordingEndings<Question: ForwardedQuestion>(
        of question: Question, _ ask: () throws(DeviceRefusal) -> Question.Answer
    ) throws(DeviceRefusal) -> Question.Answer {
        let traits = Question.keychainTraits
        if traits.contains(.setsPasscode) { endings.endLeftPasscodeItems() }
        let former = [.begins, .beginsAndEnds].contains(Question.fingerChange) ? enrolment.set : nil
        let answer = try ask()
        if traits.contains(.removesPasscode) { try? endings.endPasscodeItems() }
        switch Question.fingerChange {
        case .begins: formerFingers.withLock { $0 = former }
        case .ends where Question.changesFingers(answer): fingersMayHaveChanged(from: formerFingers.withLock { $0 })
        case .beginsAndEnds where Question.changesFingers(answer): fingersMayHaveChanged(from: former)
        case .none, .ends, .beginsAndEnds: break
        }
        return answer
    }

    private func fingersMayHaveChanged(from former: EnrolmentSet?) {
        let now = enrolment
        guard let former, now != .unknown, now.set != former else { return }
        try? endings.endItemsOfFormerFingers()
    }

    private var enrolment: Enrolment {
        guard let status = try? enclave.ask(AskBiometry()) else { return .unknown }
        if let set = status.enrolmentSet { return .set(set) }
        return status.survey.obstacle == nil && status.survey.fingers.isEmpty ? .empty : .unknown
    }
}

/// The enrolled fingers, as far as the reader can tell.
private enum Enrolment: Equatable {
    case set(EnrolmentSet)
    case empty
    case unknown

    var set: EnrolmentSet? {
        if case .set(let set) = self { set } else { nil }
    }
}
