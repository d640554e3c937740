import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyThreading

/// The desk for questions about the device, its programs and its owner. It checks whether the caller may ask, has the
/// question answered in the room of its subject, and records the outcome in the audit log if the question is audited.
final class DeviceDesk: Sendable {
    private let rooms: DeviceRooms
    private let owners: OwnersRegistry
    private let authority: OwnersAuthority
    private let records: CallRecords
    /// Held from the check of the passcode to the end of the act that depends on it.
    let ownersTurn = ForkMutex(())

    init(rooms: DeviceRooms, owners: OwnersRegistry, authority: OwnersAuthority, records: CallRecords) {
        self.rooms = rooms
        self.owners = owners
        self.authority = authority
        self.records = records
    }

    func ask<Question: DeviceQuestion>(
        _ question: Question, caller: Caller, session: ServiceSession?
    ) throws(DeviceRefusal) -> Question.Answer {
        let call = DeviceCall(rooms: rooms, caller: owners.withOwnersGroups(caller), session: session)
        do throws(DeviceRefusal) {
            let answer =
                Question.traits.contains(.dependsOnPasscode)
                ? try ownersTurn.withLock { _ throws(DeviceRefusal) in try authorised(question, call) }
                : try authorised(question, call)
            records.put(nil, of: question, by: call.caller)
            return answer
        } catch {
            records.put(error, of: question, by: call.caller)
            throw error
        }
    }

    private func authorised<Question: DeviceQuestion>(
        _ question: Question, _ call: DeviceCall
    ) throws(DeviceRefusal) -> Question.Answer {
        if Question.traits.contains(.ownersAlone),
            let refusal = authority.unprovenRefusal(of: question, call.caller)
        {
            throw .declined(.authFailed, refusal)
        }
        return try question.answer(by: call)
    }
}
