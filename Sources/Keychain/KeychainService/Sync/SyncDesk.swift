import LatchkeyEnclaveContract
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyThreading

/// The part that exchanges items with the circle.
package protocol CirclePart: CircleAnswers {
    /// Handles loaded or removed keys of the enclave, and an erased device. Must not wait.
    func keysChanged()
}

/// The place of the part that exchanges items with the circle. It is empty where there is none: in a keychain without a daemon, and
/// before the daemon has made it.
package final class CirclePlace: Sendable {
    private let circle = ForkMutex<(any CirclePart)?>(nil)

    package func put(_ part: any CirclePart) {
        circle.withLock { $0 = part }
    }

    func taken() throws(Setback) -> any CircleAnswers {
        guard let circle = circle.withLock({ $0 }) else { throw .call(.notAvailable, .syncNeedsDaemon) }
        return circle
    }
}

extension CirclePlace: KeyFollower {
    func keysChanged() { circle.withLock { $0 }?.keysChanged() }
}

/// The desk for questions about the circle.
struct SyncDesk: Sendable {
    let place: CirclePlace
    let authority: OwnersAuthority
    let failures: CallFailures

    func answer<Question: SyncQuestion>(
        _ question: Question, _ caller: Caller
    ) throws(DeviceRefusal) -> Question.Answer {
        try caller.refuseSync()
        let body = { () throws(Setback) in try answered(question) }
        // A question that changes nothing is asked again and again, so its failures are not recorded.
        return Question.traits.contains(.audited)
            ? try failures.journalling(question, by: caller, body) : try failures.declining(caller, body)
    }

    func answer<Question: SyncChange>(
        _ question: Question, _ caller: Caller
    ) throws(DeviceRefusal) -> Question.Answer {
        try caller.refuseSync()
        return try authority.change(question, by: caller) { () throws(Setback) in try answered(question) }
    }

    private func answered<Question: SyncQuestion>(_ question: Question) throws(Setback) -> Question.Answer {
        let circle = try place.taken()
        do throws(CircleFailure) {
            return try question.answered(by: circle)
        } catch {
            throw .call(CallFailure(error.code, error.refusal))
        }
    }
}

extension Caller {
    /// Refuses a program that gets no items of its own: it would learn names, and could let items travel.
    fileprivate func refuseSync() throws(DeviceRefusal) {
        if let refusal, !isRoot { throw .declined(.missingEntitlement, refusal) }
    }
}
