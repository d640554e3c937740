import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// `SecItemCopyMatching` (Reference 6.4).
extension KeychainService {
    func find(_ request: ItemRequest, _ call: GuardedCall) throws(Setback) -> ItemReply {
        let query = try request.query(for: .find, adoptedItems: call.caller.adoptedItems)
        if !query.returns.isEmpty, !request.wantsResult {
            throw .call(
                .param, .noPlaceForResult, "The query asks for a result but gives no place for it.",
                advice: "Pass a result pointer, or leave the kSecReturn… keys out.")
        }
        let groups = try GroupChoice.searched(query, call.caller, writing: false)
        var search = try ItemSearch(self, query, groups, call)
        do throws(Setback) {
            while try !search.isComplete {
                if call.isAbandoned { throw .call(.abandoned) }
                try search.step()
            }
        } catch {
            setAside(search.undecodable)
            throw error
        }
        setAside(search.undecodable)
        guard search.found > 0 else {
            var absence = absence(of: query, groups)
            absence.leftOut = search.leftOut
            throw .call(absence)
        }
        return ItemReply(
            code: .success, result: search.result, secrets: search.secrets, affectedRows: search.leftOut)
    }

    /// Rows as the transaction sees them, or as they were committed.
    func rows(
        matching filter: RowFilter, after last: Int64, limit: Int, withSecret: Bool, in transaction: ItemReader?
    ) throws(Setback) -> [ItemRow] {
        if let transaction {
            return try onDisk(
                transaction.rows(matching: filter, after: last, limit: limit, withSecret: withSecret))
        }
        return try store.rows(matching: filter, after: last, limit: limit, withSecret: withSecret)
    }

    /// Rows that open no more leave their table. If they cannot be moved now, the next search meets them again.
    func setAside(_ rows: some Collection<(row: ItemRow, refusal: KeyRefusal)>) {
        guard !rows.isEmpty else { return }
        let rows = Array(rows)
        try? store.write { [self] writer in
            for (row, refusal) in rows { try setAside(row, refusal, writer) }
        }
    }
}

extension CallFailure {
    /// The program went away in the middle of a search (`errSecUserCanceled`); only the log is told.
    static let abandoned = CallFailure(.userCanceled)
}
