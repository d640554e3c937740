import AccessControl
import EnclaveCore
import ItemDatabase
import ItemModel
import Keybag
import KeychainMessages
import PropertyListDER
import SecretMemory

/// `SecItemCopyMatching` (secitem-semantics 6.4).
extension KeychainService {
    /// An item that a search found, with its row while the secret is still sealed.
    private struct Hit {
        let row: ItemRow
        let item: StoredItem
    }

    func find(_ request: ItemRequest, _ call: ItemCall) throws -> ItemReply {
        let query = try request.query(for: .find)
        if !query.returns.isEmpty, !request.wantsResult {
            throw CallFailure(
                .param, "no-place-for-result", "The query asks for a result but gives no place for it.",
                advice: "Pass a result pointer, or leave the kSecReturn… keys out.")
        }
        let groups = try GroupChoice.searched(query, call.caller, writing: false)
        guard let filter = RowSearch.filter(query, groups: groups, searchKey: try keys.searchKey()) else {
            throw CallFailure.notFound
        }
        let shape = ResultShape(returns: query.returns, limit: query.limit)
        var search = Search(query: query, filter: filter, shape: shape)
        while try !search.isComplete { try step(&search, call) }
        quarantine(search.undecodable)
        guard search.found > 0 else { throw CallFailure.notFound }
        return ItemReply(code: .success, result: shape.result(of: search.entries), secrets: search.secrets)
    }

    /// A search under way: pages of rows, one mailbox message for all secrets of a page.
    private struct Search {
        /// As many rows as the enclave opens keys in one message.
        static let pageSize = EnclaveLimits.keysPerBatch
        /// What an answer may weigh; beyond, the caller has to narrow its query.
        static let answerByteLimit = 48 << 20

        let query: ItemQuery
        let filter: RowFilter
        let shape: ResultShape
        let wanted: Int64
        var lastRow: Int64 = 0
        var isAtEnd = false
        var found: Int64 = 0
        var entries: [PropertyValue?] = []
        var secrets: [SecretBox] = []
        var weight = 0
        var undecodable: [(ItemRow, KeyRefusal)] = []

        init(query: ItemQuery, filter: RowFilter, shape: ResultShape) {
            self.query = query
            self.filter = filter
            self.shape = shape
            switch query.limit {
            case nil, .one?: wanted = 1
            case .all?: wanted = .max
            case .count(let count)?: wanted = count
            }
        }

        var isComplete: Bool {
            get throws {
                guard weight <= Self.answerByteLimit else {
                    throw CallFailure(
                        .dataTooLarge, "answer-too-large", "The answer would be larger than 48 MiB.",
                        advice: "Ask for fewer items: narrow the query or give kSecMatchLimit a number.")
                }
                return isAtEnd || found >= wanted
            }
        }
    }

    private func step(_ search: inout Search, _ call: ItemCall) throws {
        let size = Int(min(search.wanted - search.found, Int64(Search.pageSize)))
        let (filter, last, needsData) = (search.filter, search.lastRow, search.shape.needsData)
        let rows = try store.database.rows(matching: filter, after: last, limit: size, withSecret: needsData)
        search.isAtEnd = rows.count < size
        search.lastRow = rows.last?.rowID ?? last
        let hits = try rows.compactMap { try hit($0, &search) }
        let keys = try itemKeys(of: hits, needsData: needsData, call)
        for hit in hits { try take(hit, key: keys[hit.row.rowID], &search, call) }
    }

    /// Opens a row's attributes; nil if it does not belong to the answer. A locked row fails the whole call.
    private func hit(_ row: ItemRow, _ search: inout Search) throws -> Hit? {
        do {
            let item = try sealing.item(of: row)
            guard RowSearch.fits(item, search.query) else { throw KeyRefusal.damaged }
            if let host = search.query.hostOrSubdomain, !HostMatch.fits(item.attributes["srvr"], host) { return nil }
            return Hit(row: row, item: item)
        } catch KeyRefusal.locked {
            throw CallFailure.locked(KeyClass(rawValue: row.keyClass) ?? .whenUnlocked)
        } catch let refusal as KeyRefusal {
            search.undecodable.append((row, refusal))
            return nil
        }
    }

    /// One mailbox message for the secrets of a page. Items with conditions are asked about even where only their
    /// attributes are wanted: those too are for whoever fulfils the conditions (secitem-semantics 7.3).
    private func itemKeys(of hits: [Hit], needsData: Bool, _ call: ItemCall) throws -> [Int64: KeyOutcome] {
        let sealed = hits.filter { hit in
            hit.row.wrappedItemKey != nil && (needsData || ItemProtection.hasConditions(hit.item.accessControl))
        }
        guard !sealed.isEmpty else { return [:] }
        let questions = sealed.map { hit in
            WrappedKey(
                keyClass: KeyClass(rawValue: hit.row.keyClass) ?? .whenUnlocked, use: .item,
                binding: hit.item.accessControl, bytes: hit.row.wrappedItemKey ?? [])
        }
        switch enclave.perform(.unwrapKeys(questions, context: call.context.opened)) {
        case .keys(let outcomes) where outcomes.count == sealed.count:
            return Dictionary(uniqueKeysWithValues: zip(sealed.map(\.row.rowID), outcomes))
        case .refused(let refusal): throw CallFailure.enclave(refusal)
        default: throw CallFailure.enclave(.malformed(reason: "another answer than keys"))
        }
    }

    private func take(_ hit: Hit, key: KeyOutcome?, _ search: inout Search, _ call: ItemCall) throws {
        var data: PropertyValue?
        switch key {
        case nil where hit.row.sealedSecret != nil || ItemProtection.hasConditions(hit.item.accessControl):
            // An item with a secret or with conditions always has a key: somebody took it away.
            search.undecodable.append((hit.row, .damaged))
            return
        case nil:
            break
        case .refused(.locked)?:
            throw CallFailure.locked(KeyClass(rawValue: hit.row.keyClass) ?? .whenUnlocked)
        case .refused(let refusal)?:
            if let need = call.need(refusal, toOpen: hit.item, .decrypt, for: search.query) {
                // Left out, and the search goes on with the next row.
                if search.query.authenticationUI == .skip { return }
                throw need
            }
            search.undecodable.append((hit.row, refusal))
            return
        case .key(let itemKey)? where search.shape.needsData && hit.row.sealedSecret != nil:
            do {
                let secret = try sealing.secret(of: hit.row, hit.item, itemKey: itemKey)
                data = .secret(search.secrets.count)
                search.weight += secret.count
                search.secrets.append(secret)
            } catch let refusal as KeyRefusal {
                search.undecodable.append((hit.row, refusal))
                return
            }
        case .key?:
            break
        }
        search.weight += hit.row.sealedAttributes.count
        search.found += 1
        search.entries.append(search.shape.entry(for: hit.item, data: data, toFind: true))
    }

    /// Rows that can no longer be decoded leave their table, but are kept. If they cannot be moved now, the next
    /// search meets them again.
    func quarantine(_ rows: [(ItemRow, KeyRefusal)]) {
        guard !rows.isEmpty else { return }
        let now = nowMicroseconds()
        try? store.database.write { writer in
            for (row, refusal) in rows {
                try writer.quarantine(row, reason: Self.quarantineReason(refusal), at: now)
            }
        }
    }
}

/// `kSecMatchHostOrSubdomainOfHost`: the server is the host, or ends with a dot and the host. Case counts.
enum HostMatch {
    static func fits(_ server: PropertyValue?, _ host: String) -> Bool {
        guard let server else { return false }
        let name = String(decoding: AttributeKind.canonicalBytes(of: server), as: UTF8.self)
        return name == host || name.hasSuffix("." + host)
    }
}
