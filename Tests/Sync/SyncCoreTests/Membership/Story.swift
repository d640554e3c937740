@testable import LatchkeySyncCore

/// A circle that a test tells statement by statement. Each statement goes to a graph at once.
struct Story {
    private(set) var library = StatementLibrary()
    private(set) var graph: StatementGraph
    /// The accepted statements.
    private(set) var set = [0]
    private(set) var results: [StatementInsertion] = []

    init(_ rules: MembershipRules = MembershipRules()) {
        graph = library.graph(rules)
    }

    /// Writes a statement after the given ones, or after all newest ones, and returns its number.
    @discardableResult
    mutating func write(
        _ author: Writer, _ deed: Deed, after parents: [Int]? = nil, index: Int? = nil, recipients: [Int]? = nil
    ) -> Int {
        let number = library.add(author, deed, after: parents ?? heads, index: index, recipients: recipients)
        let result = graph.insert(library.entries[number].verified)
        results.append(result)
        if result == .accepted { set = (set + [number]).sorted() }
        return number
    }

    var heads: [Int] {
        self.set.filter { earlier in !set.contains { library.entries[$0].past.contains(earlier) } }
    }

    var state: MembershipState { graph.state() }

    var members: [Int] { numbers(of: state.members) }

    var departed: [Int] { numbers(of: Set(state.departed.keys)) }

    var recoveryKeys: Int? { SampleParties.recoveries.firstIndex(of: state.recoveryKeys) }

    /// The statement of the epoch for writing.
    var writingEpoch: Int? {
        guard let hash = state.writingEpoch?.hash else { return nil }
        return set.first { library.entries[$0].verified.hash == hash }
    }

    var reference: ReferenceMembership { ReferenceMembership(library: library, set: set) }

    func hash(_ number: Int) -> ObjectHash { library.entries[number].verified.hash }

    private func numbers(of devices: Set<DeviceIdentifier>) -> [Int] {
        SampleParties.devices.indices.filter { devices.contains(SampleParties.device($0)) }
    }
}
