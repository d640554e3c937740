import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncCore

/// All sets of statements of a bounded kind, each reached by every order of arrival (Docs/Design/027-sync.md).
///
/// A set is extended by each statement that is valid after some of its statements; parents of which one is in the past of another are left
/// out, because the past is the same without it. Sets that differ only in the numbers of devices 1 and 2 count once: device 2 is admitted
/// only where device 1 is. Each author may write anything after any past, so each may fork.
private struct Enumeration {
    let deeds: (Writer) -> [Deed]
    let authors: [Writer]
    let limit: Int

    private(set) var library = StatementLibrary()
    private var views: [[Int32]: MembershipDigest] = [:]
    private var validity: [Int: Bool] = [:]
    private(set) var setsBySize: [Int: Int] = [:]
    private(set) var arrivals = 0
    private(set) var failures: [String] = []

    init(authors: [Writer], limit: Int, deeds: @escaping (Writer) -> [Deed]) {
        self.authors = authors
        self.limit = limit
        self.deeds = deeds
    }

    mutating func run() {
        visit([0], library.graph(), departed: [])
    }

    private mutating func visit(_ set: [Int], _ graph: StatementGraph, departed: Set<DeviceIdentifier>) {
        arrivals += 1
        let state = graph.state()
        let digest = MembershipDigest(state)
        // The set of removed devices only grows.
        if !departed.isSubset(of: state.departed.keys) { fail("removal-is-final", set) }
        let key = set.map(Int32.init)
        if let known = views[key] {
            // Another order of arrival, the same result.
            if known != digest { fail("order", set) }
            return
        }
        views[key] = digest
        setsBySize[set.count, default: 0] += 1
        let violations = state.violations(ReferenceMembership(library: library, set: set))
        if !violations.isEmpty { fail("\(violations)", set) }
        checkRekey(set, graph, state)
        guard set.count < limit else { return }
        for parents in antichains(of: set) {
            for author in authors {
                for deed in deeds(author) where isCanonical(deed, set) {
                    extend(set, graph, Set(state.departed.keys), author, deed, parents)
                }
            }
        }
    }

    private mutating func extend(
        _ set: [Int], _ graph: StatementGraph, _ departed: Set<DeviceIdentifier>, _ author: Writer, _ deed: Deed,
        _ parents: [Int]
    ) {
        let statement = library.add(author, deed, after: parents)
        guard !set.contains(statement), validity[statement] != false else { return }
        var extended = graph
        let isValid = extended.insert(library.entries[statement].verified) == .accepted
        if let known = validity[statement] {
            if known != isValid { fail("validity", set + [statement]) }
        } else {
            validity[statement] = isValid
            let reference = ReferenceMembership(library: library, set: library.entries[statement].past)
            if reference.allows(author, deed) != isValid { fail("rule 1", set + [statement]) }
        }
        if isValid { visit((set + [statement]).sorted(), extended, departed: departed) }
    }

    /// A member that finds no epoch for writing creates one that all members can read and no removed device can.
    private mutating func checkRekey(_ set: [Int], _ graph: StatementGraph, _ state: MembershipState) {
        guard state.needsEpoch, let member = state.members.min() else { return }
        var graph = graph
        guard let place = graph.nextPlace(for: .device(member)),
            let statement = try? Statement(
                circle: place.circle, author: place.author, index: place.index, parents: place.parents, date: 0,
                body: .epoch(SampleParties.epoch(place.epochNumber.rawValue, for: state.epochRecipients))),
            let hash = ObjectHash([UInt8](repeating: 1, count: 32))
        else { return fail("rekey-finishes: no place", set) }
        guard graph.insert(VerifiedStatement(testOnlyUnsigned: statement, hash: hash)) == .accepted else {
            return fail("rekey-finishes: refused", set)
        }
        let after = graph.state()
        if after.writingEpoch?.hash != hash || !after.missingShares.isEmpty
            || after.writingEpoch?.recipients != state.epochRecipients
        {
            fail("rekey-finishes", set)
        }
    }

    private func isCanonical(_ deed: Deed, _ set: [Int]) -> Bool {
        guard deed == .admit(2) else { return true }
        return set.contains { library.entries[$0].deed == .admit(1) }
    }

    private func antichains(of set: [Int]) -> [[Int]] {
        (1..<1 << set.count).compactMap { bits in
            let chosen = set.indices.filter { bits & 1 << $0 != 0 }.map { set[$0] }
            let isAntichain = chosen.allSatisfy { later in
                !chosen.contains { library.entries[later].past.contains($0) }
            }
            return isAntichain ? chosen : nil
        }
    }

    private mutating func fail(_ what: String, _ set: [Int]) {
        guard failures.count < 5 else { return }
        let lines = set.map { number in
            let entry = library.entries[number]
            return "\(number): \(entry.author) \(entry.deed) after \(entry.parents)"
        }
        failures.append(([what] + lines).joined(separator: "\n"))
    }
}

/// A state in a form that is compared quickly.
private struct MembershipDigest: Hashable {
    let view: CircleView
    let epoch: ObjectHash?
    let recovery: RecoveryIdentifier

    init(_ state: MembershipState) {
        view = state.view
        epoch = state.writingEpoch?.hash
        recovery = state.recoveryKeys.identifier
    }
}

@Suite struct MembershipEnumerationTests {
    private func others(than author: Writer, _ deeds: [Deed]) -> [Deed] {
        deeds.filter { deed in
            switch deed {
            case .admit(let device), .remove(let device, _): author != .device(device)
            default: true
            }
        }
    }

    /// `found` and up to five more statements of devices 0, 1 and 2: each may admit 1 or 2, and remove another device.
    @Test("all sets of a few statements of 3 devices: admissions and removals, with their epochs")
    func devicesCampaign() {
        let limit = Campaign.isWhole ? 6 : 5
        var enumeration = Enumeration(authors: (0..<3).map(Writer.device), limit: limit) { author in
            others(than: author, [.admit(1), .admit(2), .remove(0), .remove(1), .remove(2)])
        }
        enumeration.run()
        #expect(enumeration.failures == [])
        let sets = [1: 1, 2: 1, 3: 6, 4: 59, 5: 863, 6: 16_694]
        #expect(enumeration.setsBySize == sets.filter { $0.key <= limit })
        #expect(enumeration.arrivals == (Campaign.isWhole ? 31_893 : 1_412))
    }

    /// As before with epochs of their own and departures, of up to five statements.
    @Test("all sets of up to 5 statements of 3 devices: also epochs and departures") func epochs() {
        var enumeration = Enumeration(authors: (0..<3).map(Writer.device), limit: 5) { author in
            others(than: author, [.admit(1), .admit(2), .remove(0), .remove(1), .remove(2), .epoch, .leave])
        }
        enumeration.run()
        #expect(enumeration.failures == [])
        #expect(enumeration.setsBySize == [1: 1, 2: 3, 3: 16, 4: 199, 5: 4_134])
        #expect(enumeration.arrivals == 6_993)
    }

    /// `found` and up to four more statements of devices 0 and 1, and of the holders of two recovery codes.
    @Test("all sets of a few statements of 2 devices and 2 recovery codes")
    func recoveryCampaign() {
        let limit = Campaign.isWhole ? 5 : 4
        let authors: [Writer] = [.device(0), .device(1), .recovery(0), .recovery(1)]
        var enumeration = Enumeration(authors: authors, limit: limit) { author in
            let deeds: [Deed] = [.admit(1), .remove(0), .remove(1), .remove(1, newKeys: 1)]
            guard case .device = author else { return deeds }
            return others(than: author, deeds + [.recovery(1)])
        }
        enumeration.run()
        #expect(enumeration.failures == [])
        let sets = [1: 1, 2: 4, 3: 32, 4: 405, 5: 6_893]
        #expect(enumeration.setsBySize == sets.filter { $0.key <= limit })
        #expect(enumeration.arrivals == (Campaign.isWhole ? 12_450 : 631))
    }
}
