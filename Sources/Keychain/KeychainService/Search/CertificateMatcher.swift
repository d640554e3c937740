import LatchkeyAccessControl
import LatchkeyCertificates
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The match keys that inspect certificates (Reference 6.4). Data that is not a valid certificate matches none of them.
struct CertificateMatcher {
    /// The maximum number of levels of issuers that are followed through stored certificates.
    private static let depthLimit = 10
    /// The maximum number of certificates of one name that are read, and of intermediates for one evaluation.
    private static let authorityLimit = 32

    /// The maximum number of issuer names that are followed above one certificate.
    private static let nameLimit = 256

    /// A stored certificate that continues a chain.
    private struct Authority {
        let row: DecryptedRow
        /// Nil if the issuer is not known.
        let issuer: [UInt8]?
    }

    private let store: ItemStore
    private let reader: (any RowReading)?
    private let enclaveKeys: EnclaveKeyVault
    private let call: GuardedCall
    private let filter: RowFilter
    private let tokens: SearchTokens
    /// Normalised names, of which equal ones have equal bytes. Nil: any issuer.
    private let issuers: Set<[UInt8]>?
    private let emailAddress: String?
    /// If empty, no policy has to be fulfilled.
    private let policies: [TrustEvaluation.Policy]
    private let isForDate: Bool
    private let date: WallTime
    private var authorities: [[UInt8]: [Authority]] = [:]
    private var opened: [DecryptedRow.Name: Certificate?] = [:]

    init(
        _ store: ItemStore, _ enclaveKeys: EnclaveKeyVault, _ query: ItemQuery, _ searchKey: SecretBox,
        _ call: GuardedCall, from reader: (any RowReading)? = nil
    ) throws(Setback) {
        self.store = store
        self.reader = reader
        self.enclaveKeys = enclaveKeys
        self.call = call
        tokens = SearchTokens(key: searchKey, itemClass: .certificate)
        var filter = RowFilter(itemClass: .certificate)
        // A chain may lead through groups that the query does not name.
        filter.accessGroups = try AccessGroupChoice.searched(
            ItemQuery(itemClass: .certificate), call.caller, writing: false)
        filter.adoptedItems = call.caller.adoptedItems
        self.filter = filter
        issuers = query.issuers.isEmpty ? nil : Set(query.issuers.compactMap { Certificate.normalised(name: $0) })
        emailAddress = query.emailAddress?.lowercased()
        var policies: [TrustEvaluation.Policy] = []
        if let bytes = query.policy {
            guard let policy = PolicyReference.policy(bytes) else { throw .call(.badPolicy) }
            policies.append(policy)
        }
        if query.isTrustedOnly, !policies.contains(.basicX509) { policies.append(.basicX509) }
        self.policies = policies
        switch query.validOn {
        case .date(let seconds)?: date = WallTime(secondsSince2001: seconds)
        case .now?, nil: date = store.clock.wallTime()
        }
        isForDate = query.validOn != nil
    }

    /// Returns true if the certificate has everything that the query asks for. Cheap tests come first.
    mutating func fits(_ data: SecretBox) throws(Setback) -> Bool {
        // A certificate is public: it may be in memory that is not wiped.
        let der = unsafe data.withBytes { unsafe Array($0) }
        guard let certificate = try? Certificate(der: der) else { return false }
        if let emailAddress, !certificate.emailAddresses.contains(where: { $0.lowercased() == emailAddress }) {
            return false
        }
        if isForDate, date.seconds < certificate.notValidBefore || date.seconds > certificate.notValidAfter {
            return false
        }
        if issuers != nil, try !isIssued(by: certificate.normalisedIssuer) { return false }
        if policies.isEmpty { return true }
        return try isTrusted(certificate)
    }

    /// Returns true if the name, or one above it, is among the wanted issuers. Searches level by level, so that the
    /// depth limit applies to the shortest path to a name.
    private mutating func isIssued(by name: [UInt8]) throws(Setback) -> Bool {
        var names = [name]
        var seen: Set<[UInt8]> = [name]
        for depth in 0...Self.depthLimit {
            if let issuers, names.contains(where: { issuers.contains($0) }) { return true }
            if depth == Self.depthLimit { break }
            var next: [[UInt8]] = []
            for name in names {
                for issuer in try authorities(named: name).compactMap(\.issuer)
                where seen.count < Self.nameLimit && seen.insert(issuer).inserted {
                    next.append(issuer)
                }
            }
            names = next
        }
        return false
    }

    private mutating func isTrusted(_ certificate: Certificate) throws(Setback) -> Bool {
        var evaluation = TrustEvaluation(leaf: certificate, date: date)
        evaluation.policies = policies
        var names = [certificate.normalisedIssuer]
        var seen: Set<[UInt8]> = []
        for _ in 0..<Self.depthLimit {
            var next: [[UInt8]] = []
            for name in names where seen.insert(name).inserted {
                let found = try authorities(named: name)
                for issuer in try certificates(of: found) where evaluation.intermediates.count < Self.authorityLimit {
                    evaluation.intermediates.append(issuer)
                    next.append(issuer.normalisedIssuer)
                }
            }
            names = next
        }
        if case .trusted = evaluation.outcome() { return true }
        return false
    }

    /// Returns the stored certificates of a subject that the caller may see now. Certificates that are locked, damaged
    /// or require authentication are left out.
    private mutating func authorities(named name: [UInt8]) throws(Setback) -> [Authority] {
        if let known = authorities[name] { return known }
        var filter = filter
        filter.tokens = [tokens.condition(.subject, is: .data(name))]
        let rows = try store.rows(
            matching: filter, limit: Self.authorityLimit, withSecret: !policies.isEmpty, from: reader)
        let found = rows.compactMap { row -> Authority? in
            guard let item = try? enclaveKeys.sealing.item(of: row), item.attributes[.subject] == .data(name),
                !item.accessControl.isConstrained
            else { return nil }
            let issuer: [UInt8]? = if case .data(let issuer)? = item.attributes[.issuer] { issuer } else { nil }
            return Authority(row: DecryptedRow(row: row, item: item), issuer: issuer)
        }
        authorities[name] = found
        return found
    }

    private mutating func certificates(of authorities: [Authority]) throws(Setback) -> [Certificate] {
        let sealed = authorities.map(\.row).filter { opened[$0.name] == nil }
        let opening = RowOpening(enclaveKeys, ItemQuery(itemClass: .certificate), call)
        for (name, outcome) in try opening.outcomes(of: sealed, needsData: true) {
            guard case .secret(let data?) = outcome else {
                opened[name] = .some(nil)
                continue
            }
            opened[name] = try? Certificate(der: unsafe data.withBytes { unsafe Array($0) })
        }
        return authorities.compactMap { opened[$0.row.name] ?? nil }
    }
}

extension CallFailure {
    fileprivate static let badPolicy = CallFailure(.param, as: .policyKind)
}
