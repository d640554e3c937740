import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Synchronization

/// Requests of the owner around items that end.
extension KeychainService {
    /// Performs a request that may end items, and records them as ended. If the device cannot be written now, the next
    /// call that meets such an item records it, or the next start. Only for callers that
    /// are authorised, because it looks for items that ended before, too.
    func performWithEndings(_ request: DeviceRequest, _ body: () -> DeviceReply) -> DeviceReply {
        switch request {
        case .setPasscode:
            endings.endLeftPasscodeItems()
            return body()
        case .removePasscode:
            let reply = body()
            if case .done = reply { try? endings.endPasscodeItems() }
            return reply
        case .biometry(.beginEnrolment):
            let former = enrolment.set
            let reply = body()
            if case .biometry(.done) = reply { formerFingers.withLock { $0 = former } }
            return reply
        case .biometry(.continueEnrolment):
            let reply = body()
            guard case .biometry(.enrolment(let event)) = reply, event == .completed else { return reply }
            fingersMayHaveChanged(from: formerFingers.withLock { $0 })
            return reply
        case .biometry(.removeFinger):
            let former = enrolment.set
            let reply = body()
            if case .biometry(.done) = reply { fingersMayHaveChanged(from: former) }
            return reply
        default: return body()
        }
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

extension DeviceDesk {
    func answer(_ question: PreviewEndings) throws(DeviceRefusal) -> EndingPreview {
        try declining {
            try service.endings.preview(of: question.cause, isAbandoned: session?.isAbandoned ?? false)
        }
    }

    func answer(_ question: ListEndedItems) throws(DeviceRefusal) -> [EndedItem] {
        try declining { try service.ended.list(limit: question.limit) }
    }

    /// A program that gets no groups learns nothing of the items of others.
    private func declining<Answer>(_ body: () throws -> Answer) throws(DeviceRefusal) -> Answer {
        if let refusal = caller.refusal, !caller.isRoot { throw .declined(.missingEntitlement, refusal) }
        do {
            return try body()
        } catch {
            throw service.failure(error).declined
        }
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
