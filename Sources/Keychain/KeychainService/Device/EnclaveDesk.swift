import LatchkeyEnclaveContract
import LatchkeyKeychainMessages

/// The desk for the owner's questions that the enclave answers. Does in the keychain what follows from them.
struct EnclaveDesk: Sendable {
    let enclave: any EnclaveMailbox
    let endings: EndingWatch
    let keys: KeyChanges
    let erasure: EraseWatch

    func answer<Question>(_ question: Forwarded<Question>) throws(DeviceRefusal) -> Question.Answer {
        let answer = try endings.recordingEndings(of: question.question) { () throws(DeviceRefusal) in
            // Keys that were locked away must not stay in memory until the next call.
            defer { keys.keysMayHaveChanged() }
            return try ask(question.question)
        }
        if Question.keychainTraits.contains(.erases) { erasure.forgetErasedItems() }
        return answer
    }

    func ask<Question: EnclaveQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        do throws(EnclaveRefusal) {
            return try enclave.ask(question)
        } catch {
            erasure.notice(error)
            throw .refused(error)
        }
    }
}
