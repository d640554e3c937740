import LatchkeyAuditLog
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// A device, and how it is served.
struct ServedDevice: Sendable {
    /// "daemon" or "embedded".
    let kind: String
    let directory: String
}

/// The report on the device for its owner: its state, and the last refusals.
struct DeviceReport: Sendable {
    let device: ServedDevice
    let enclave: EnclaveDesk
    let store: ItemStore
    let programs: ProgramRegistry
    let records: CallRecords

    func answer(_ question: DescribeDevice, _ caller: Caller) throws(DeviceRefusal) -> DeviceStatus {
        let enclave = try enclave.ask(AskStatus())
        let counts = try? store.read { reader in
            try ItemSchema.all.reduce(into: [String: Int64]()) { counts, schema in
                counts[schema.itemClass.rawValue] = try reader.itemCount(of: schema.itemClass)
            }
        }
        let quarantined = try? store.read { try $0.quarantineCount() }
        let ended = try? store.read { try $0.endedCounts() }
        let removesItems = try? programs.apps.removesItems()
        return DeviceStatus(
            enclave: enclave, kind: device.kind, directory: device.directory, itemCounts: counts ?? [:],
            quarantinedRows: quarantined ?? 0, damageReport: damageReport,
            removesItemsOfForgottenApps: removesItems ?? false, requiredLevel: programs.teams.requiredLevel,
            callerLevel: caller.level,
            endedItems: (ended ?? []).map {
                EndedItemCount(reason: $0.reason, count: $0.count, lastDate: $0.lastDate)
            })
    }

    /// A program that gets no groups sees only its own refusals: those of other programs would show the user's
    /// activity.
    func answer(_ question: ListRefusals, _ caller: Caller) throws(DeviceRefusal) -> [RefusalRecord] {
        guard caller.refusal != nil, !caller.isRoot else { return records.journal.last(question.limit) }
        let own = records.journal.last(.max).lazy.filter { $0.caller == caller.name }
        return Array(own.prefix(max(0, question.limit)))
    }

    /// The report of damaged files; nil if there are none.
    private var damageReport: String? {
        let reports = [store.damageReport, records.audit.report].compactMap { $0 }
        return reports.isEmpty ? nil : reports.joined(separator: "\n")
    }
}
