import LatchkeyAuditLog
package import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import Synchronization

/// The owner's requests about the device itself.
extension KeychainService {
    /// The report of damaged files; nil if there are none.
    fileprivate func damageReport() -> String? {
        let reports = [store.damageReport, records.audit.report].compactMap { $0 }
        return reports.isEmpty ? nil : reports.joined(separator: "\n")
    }
}

extension DeviceDesk {
    func answer(_ question: DescribeDevice) throws(DeviceRefusal) -> DeviceStatus {
        let enclave = try enclaveAnswer(to: AskStatus())
        let database = service.store.database
        let counts = try? database.read { reader in
            try ItemSchema.all.reduce(into: [String: Int64]()) { counts, schema in
                counts[schema.itemClass.rawValue] = try reader.itemCount(of: schema.itemClass)
            }
        }
        let quarantined = try? database.read { try $0.quarantineCount() }
        let ended = try? database.read { try $0.endedCounts() }
        let removesItems = try? service.apps.removesItems()
        return DeviceStatus(
            enclave: enclave, kind: service.kind, directory: service.directory, itemCounts: counts ?? [:],
            quarantinedRows: quarantined ?? 0, damageReport: service.damageReport(),
            removesItemsOfForgottenApps: removesItems ?? false, requiredLevel: service.teams.requiredLevel,
            callerLevel: caller.level,
            endedItems: (ended ?? []).map {
                EndedItemCount(reason: $0.reason, count: $0.count, lastDate: $0.lastDate)
            })
    }

    /// A program that gets no groups sees only its own refusals: those of other programs would show the user's
    /// activity.
    func answer(_ question: ListRefusals) throws(DeviceRefusal) -> [RefusalRecord] {
        guard caller.refusal != nil, !caller.isRoot else { return service.records.journal.last(question.limit) }
        let own = service.records.journal.last(.max).lazy.filter { $0.caller == caller.name }
        return Array(own.prefix(max(0, question.limit)))
    }

    func answer<Question>(_ question: Forwarded<Question>) throws(DeviceRefusal) -> Question.Answer {
        let answer = try service.recordingEndings(of: question.question) { () throws(DeviceRefusal) in
            // Keys that were locked away must not stay in memory until the next call.
            defer { service.keyChanges.keysMayHaveChanged() }
            return try enclaveAnswer(to: question.question)
        }
        if question.question is EraseDevice { service.erasure.forgetErasedItems() }
        return answer
    }

    private func enclaveAnswer<Question: EnclaveQuestion>(
        to question: Question
    ) throws(DeviceRefusal) -> Question.Answer {
        do throws(EnclaveRefusal) {
            return try service.enclave.ask(question)
        } catch {
            service.erasure.notice(error)
            throw .refused(error)
        }
    }
}

extension KeychainService {
    @discardableResult
    package func ask<Question: ForwardedQuestion>(
        _ question: Question, caller: Caller, session: ServiceSession? = nil
    ) throws(DeviceRefusal) -> Question.Answer {
        try ask(Forwarded(question), caller: caller, session: session)
    }
}
