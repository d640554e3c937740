import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncCore

/// One run: honest devices that exchange statements, and a malicious one that writes anything after any past (Docs/Design/027-sync.md).
private struct RandomRun {
    private static let deviceLimit = 8
    private static let recoveryLimit = 6

    private let seed: UInt64
    private var random: SplitMix
    private var library = StatementLibrary()
    /// A graph of all valid statements.
    private var everything: StatementGraph
    private var set = [0]
    private let malicious: Int
    private var graphs: [Int: StatementGraph] = [:]
    private var known: [Int: [Int]] = [:]
    private var departedBefore: [Int: Set<DeviceIdentifier>] = [:]
    private var nextDevice = 4
    private var nextKeys = 1
    private(set) var failures: [String] = []

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix(seed: seed)
        everything = library.graph()
        malicious = Int.random(in: 0..<4, using: &random)
        for device in 0..<Self.deviceLimit {
            graphs[device] = library.graph()
            known[device] = [0]
        }
    }

    mutating func run() {
        for device in 1..<4 { publish(.device(0), .admit(device), after: heads(of: set)) }
        publish(.device(0), .epoch, after: heads(of: set))
        for device in 0..<4 { deliver(set, to: device) }
        for _ in 0..<Int.random(in: 4...12, using: &random) {
            if Int.random(in: 0..<3, using: &random) == 0 {
                attack()
            } else {
                honestStep()
            }
        }
        settle()
    }

    private mutating func honestStep() {
        let device = Int.random(in: 0..<Self.deviceLimit, using: &random)
        guard device != malicious, let number = set.randomElement(using: &random) else { return }
        deliver(library.entries[number].past + [number], to: device)
        guard let graph = graphs[device], let own = known[device] else { return }
        let state = graph.state()
        check(state, own, device)
        guard state.members.contains(SampleParties.device(device)) else { return }
        guard !state.needsEpoch else { return write(device, .epoch) }
        let others = (0..<Self.deviceLimit).filter {
            $0 != device && state.members.contains(SampleParties.device($0))
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3:
            guard let new = newDevice(state) else { return }
            write(device, .admit(new))
        case 3..<6:
            guard let other = others.randomElement(using: &random) else { return }
            let needsKeys = state.needsNewRecoveryKeys(removing: SampleParties.device(other))
            let keys = needsKeys ? newKeys() : nil
            guard !needsKeys || keys != nil else { return }
            write(device, .remove(other, newKeys: keys))
        case 6:
            write(device, .leave)
        case 7:
            guard let keys = newKeys() else { return }
            write(device, .recovery(keys))
        case 8:
            // The code is typed on another device.
            guard let new = newDevice(state), let keys = SampleParties.recoveries.firstIndex(of: state.recoveryKeys)
            else {
                return
            }
            publish(.recovery(keys), .admit(new), after: heads(of: own))
        default:
            write(device, .epoch)
        }
    }

    /// Any statement after any past, signed with the device's keys or with recovery keys that it has set.
    private mutating func attack() {
        let count = Int.random(in: 1...3, using: &random)
        let parents = heads(of: Set((0..<count).compactMap { _ in set.randomElement(using: &random) }).sorted())
        var authors = [Writer.device(malicious)]
        authors += set.compactMap { number in
            let entry = library.entries[number]
            return entry.author == .device(malicious) ? entry.newKeys.map(Writer.recovery) : nil
        }
        guard let author = authors.randomElement(using: &random) else { return }
        let target = Int.random(in: 0..<Self.deviceLimit, using: &random)
        var deeds: [Deed] = [.admit(target), .remove(target), .remove(target), .admit(nextDevice % Self.deviceLimit)]
        if case .device = author {
            deeds += [.leave, .epoch, .settings(Int64(target + 1))]
            if let keys = newKeys() { deeds.append(.recovery(keys)) }
            if let epoch = set.filter({ library.entries[$0].hasEpoch }).randomElement(using: &random) {
                deeds.append(.share(of: epoch, to: target))
            }
        }
        guard let deed = deeds.randomElement(using: &random) else { return }
        let recipients = Bool.random(using: &random) ? nil : (0..<4).filter { $0 != malicious }
        publish(author, deed, after: parents, recipients: recipients, mayBeRefused: true)
    }

    /// The malicious device may have admitted and removed it already.
    private mutating func newDevice(_ state: MembershipState) -> Int? {
        guard nextDevice < Self.deviceLimit else { return nil }
        nextDevice += 1
        let isDeparted = state.departed.keys.contains(SampleParties.device(nextDevice - 1))
        return isDeparted ? nil : nextDevice - 1
    }

    private mutating func newKeys() -> Int? {
        guard nextKeys < Self.recoveryLimit else { return nil }
        nextKeys += 1
        return nextKeys - 1
    }

    private mutating func write(_ device: Int, _ deed: Deed) {
        guard let own = known[device] else { return }
        let number = publish(.device(device), deed, after: heads(of: own))
        guard let place = graphs[device]?.nextPlace(for: .device(SampleParties.device(device))) else {
            return fail("no place for \(device)")
        }
        let entry = library.entries[number]
        if place.index != entry.index || place.parents != Set(entry.parents.map { library.entries[$0].verified.hash }) {
            fail("another place for \(device)")
        }
        deliver([number], to: device)
    }

    @discardableResult
    private mutating func publish(
        _ author: Writer, _ deed: Deed, after parents: [Int], recipients: [Int]? = nil, mayBeRefused: Bool = false
    ) -> Int {
        let number = library.add(author, deed, after: parents, recipients: recipients)
        guard !set.contains(number) else { return number }
        let past = ReferenceMembership(library: library, set: library.entries[number].past)
        let result = everything.insert(library.entries[number].verified)
        if past.allows(author, deed) != (result == .accepted) { fail("rule 1 of \(number): \(result)") }
        if result == .accepted {
            set.append(number)
        } else if !mayBeRefused {
            fail("an honest statement was refused: \(result)")
        }
        return number
    }

    private mutating func deliver(_ statements: [Int], to device: Int) {
        guard var graph = graphs[device], var own = known[device] else { return }
        for number in statements.sorted() where !own.contains(number) {
            guard graph.insert(library.entries[number].verified) == .accepted else {
                fail("validity of \(number) depends on the order")
                continue
            }
            own.append(number)
        }
        (graphs[device], known[device]) = (graph, own)
    }

    private mutating func check(_ state: MembershipState, _ own: [Int], _ device: Int) {
        let departed = Set(state.departed.keys)
        if !departedBefore[device, default: []].isSubset(of: departed) { fail("removal-is-final on \(device)") }
        departedBefore[device] = departed
        let readers = Set(state.writingEpoch?.recipients.compactMap(\.device) ?? [])
        if !readers.isDisjoint(with: departed) { fail("removed-learns-nothing on \(device)") }
        let violations = state.violations(ReferenceMembership(library: library, set: own.sorted()))
        if !violations.isEmpty { fail("\(violations) on \(device)") }
    }

    /// Delivers all statements to all devices, in different orders.
    private mutating func settle() {
        let all = set.sorted()
        var view: CircleView?
        for device in 0..<Self.deviceLimit where device < 4 {
            deliver(all, to: device)
            guard let graph = graphs[device] else { continue }
            let state = graph.state()
            check(state, all, device)
            if let view, view != state.view { fail("order: \(device) differs") }
            view = state.view
        }
        let state = everything.state()
        if view != state.view { fail("order") }
        check(state, all, malicious)
        guard state.needsEpoch, let member = state.members.min(),
            let number = SampleParties.devices.firstIndex(where: { $0.identifier == member })
        else { return }
        let epoch = publish(.device(number), .epoch, after: heads(of: all))
        let after = everything.state()
        if after.writingEpoch?.hash != library.entries[epoch].verified.hash || !after.missingShares.isEmpty {
            fail("rekey-finishes")
        }
    }

    private func heads(of statements: [Int]) -> [Int] {
        statements.filter { earlier in !statements.contains { library.entries[$0].past.contains(earlier) } }
    }

    private mutating func fail(_ what: String) {
        failures.append("seed \(seed): \(what)")
    }
}

@Suite struct MembershipRandomTests {
    @Test("runs with one malicious device, 500 for each part", arguments: 0..<(Campaign.isWhole ? 6 : 1))
    func maliciousCampaign(part: UInt64) {
        for seed in part * 500..<(part + 1) * 500 {
            var run = RandomRun(seed: seed)
            run.run()
            #expect(run.failures == [])
        }
    }
}
