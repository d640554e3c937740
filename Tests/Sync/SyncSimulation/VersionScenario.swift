import LatchkeySyncCore

/// A course of events in which the moment counts at which a version is made: it ends well, and not without one of the rules.
package struct VersionScenario: Sendable {
    package let name: String
    /// The devices are A, B and C, with the numbers 0 to 2.
    package let story: String
    private let devices: Int
    /// It ends badly without any one of them.
    package let rules: [SimulatedRule]
    private let steps: [SimulationStep]

    init(
        _ name: String, _ story: String, devices: Int = 2, without rules: [SimulatedRule],
        _ actions: [(seconds: UInt64, action: SimulationStep.Action)]
    ) {
        self.name = name
        self.story = story
        self.devices = devices
        self.rules = rules
        let begin =
            [SimulationStep(after: 10_000_000, .network(.init(hintsLost: 0)))]
            + (0..<devices).map { SimulationStep(after: 0, .moveClock(device: $0, seconds: 0)) }
        steps = begin + actions.map { SimulationStep(after: $0.seconds * 1_000_000, $0.action) }
    }

    /// Runs the scenario, without a rule if there is one.
    /// - Returns: nil if every invariant held.
    package func run(without rule: SimulatedRule? = nil) -> SimulationFailure.Reason? {
        SimulationRun.run(steps, devices: devices, without: rule).failure
    }

    /// The last events of such a run.
    package func trace(without rule: SimulatedRule? = nil) -> [String] {
        SimulationRun.run(steps, devices: devices, without: rule, isTraced: true).trace ?? []
    }

    /// Lets the devices exchange for some time, tombstones and acknowledgements included.
    private static func exchange(_ seconds: UInt64 = 60) -> (seconds: UInt64, action: SimulationStep.Action) {
        (seconds, .hint(device: 0))
    }

    private static func write(
        _ seconds: UInt64, _ device: Int, _ name: Int = 0, _ zone: ZoneClass = .c, content: Int, isNamed: Bool = true
    ) -> (seconds: UInt64, action: SimulationStep.Action) {
        (seconds, .write(device: device, name: name, zone: zone, content: content, isNamed: isNamed))
    }

    private static func delete(
        _ seconds: UInt64, _ device: Int
    ) -> (seconds: UInt64, action: SimulationStep.Action) {
        (seconds, .delete(device: device, name: 0, tombstone: true))
    }

    private static func away(_ device: Int) -> [(seconds: UInt64, action: SimulationStep.Action)] {
        [(0, .online(device: device, false)), (0, .engine(device: device, .busy))]
    }

    private static func back(_ device: Int) -> [(seconds: UInt64, action: SimulationStep.Action)] {
        [(0, .engine(device: device, .running)), (0, .online(device: device, true))]
    }

    private static let tenYears: Int64 = 315_576_000

    package static let all =
        [paused, lockedRow, zoneA, race, received, epoch, join] + restores + [full, rename, unknown, namedAgain]
        + firstVersions

    private static let paused = VersionScenario(
        "paused", "A is paused and puts k; B puts k; A goes on", without: [.callsMakeVersions],
        [
            (0, .engine(device: 0, .off)), write(10, 0, content: 1), write(10, 1, content: 2), exchange(),
            (0, .engine(device: 0, .running)),
        ])

    private static let lockedRow = VersionScenario(
        "locked row",
        "a program deletes k and puts it while A's daemon is off; B deletes k; A starts locked; all forget the tombstone",
        without: [.waitsForNames],
        [
            write(0, 1, 0, .a, content: 1), exchange(), (0, .engine(device: 0, .off)),
            delete(5, 0), write(5, 0, 0, .a, content: 2, isNamed: false), delete(10, 1), exchange(),
            (0, .engine(device: 0, .running, lock: .locked)), exchange(1_000), exchange(1_000),
            (0, .lock(device: 0, .unlocked)),
        ])

    private static let zoneA = VersionScenario(
        "zone A", "A puts k without a name while B's older k of zone A is about to be applied",
        without: [.zoneAWaitsForNames],
        [write(0, 1, 0, .a, content: 1), (0, .writeBeforeApplying(device: 0, name: 0, content: 2)), exchange()])

    private static let race = VersionScenario(
        "race", "the engine of A has looked for rows without a name; a program puts k; then B's older k is applied",
        without: [.transactionsLookForNames],
        [write(0, 1, content: 1), (0, .writeBeforeApplying(device: 0, name: 0, content: 2)), exchange()])

    private static let received = VersionScenario(
        "received", "B's clock is ten years ahead; A has applied its k, and changes k while it is paused",
        without: [.receivedRaisesClock],
        [
            (0, .moveClock(device: 1, seconds: tenYears)), write(0, 1, content: 1), exchange(),
            (0, .engine(device: 0, .off)), write(10, 0, content: 2), (10, .engine(device: 0, .running)),
        ])

    private static let epoch = VersionScenario(
        "epoch", "C has written an extreme version; A removes C; B learns of it, and puts m while it is paused",
        devices: 3, without: [.epochRaisesClock],
        [
            (0, .moveClock(device: 2, seconds: tenYears)), write(0, 2, content: 1), exchange(),
            (0, .remove(author: 0, victim: 2)), exchange(), (0, .engine(device: 1, .off)),
            write(10, 1, 1, content: 2), (10, .engine(device: 1, .running)),
        ])

    private static let join = VersionScenario(
        "join",
        "A, whose clock is ahead, deletes k; B has applied it, and is off; the others forget the tombstone; J joins with a k",
        devices: 3, without: [.joiningDropsVersions],
        [
            (0, .moveClock(device: 0, seconds: tenYears)), write(0, 0, content: 1), exchange(400),
            (0, .online(device: 2, false)), delete(0, 0), exchange(60), (0, .engine(device: 1, .off)),
            (0, .online(device: 2, true)), exchange(400), exchange(400), (0, .join(author: 0, names: 0)), exchange(400),
            (0, .join(author: 0, names: 1)), exchange(400), (0, .engine(device: 1, .running)),
        ])

    private static let restores = [
        VersionScenario(
            "restore, not met", "A deletes k and restores it from a backup before its engine looks; B's older k comes",
            without: [.restoresLookAtCalls],
            [write(0, 0, content: 1), exchange(), (0, .backUpItems(device: 0))] + away(0)
                + [
                    write(10, 1, content: 2), delete(10, 0),
                    (1, .restoreItems(device: 0, from: 0, replacing: true)),
                ] + back(0)),
        VersionScenario(
            "restore, forgotten", "k is backed up and deleted, and all have forgotten the tombstone; it is restored",
            without: [.restoresLookAtDeletions],
            [
                write(0, 0, content: 1), exchange(), (0, .backUpItems(device: 0)), delete(10, 1), exchange(1_000),
                exchange(1_000), (10, .restoreItems(device: 0, from: 0, replacing: false)),
            ]),
        VersionScenario(
            "restore, dates", "A restores an older k over B's newer one", without: [.restoresHaveNoVersion],
            [
                write(0, 0, content: 1), exchange(), (0, .backUpItems(device: 0)), write(10, 1, content: 2), exchange(),
                (10, .restoreItems(device: 0, from: 0, replacing: true)),
            ]),
    ]

    private static let firstVersions = [true, false].map { isNamed in
        VersionScenario(
            "first version, \(isNamed ? "named" : "nameless")",
            "a group is allowed on A; while its k is sealed, a program puts k as it is",
            without: [isNamed ? .firstVersionsLookForCalls : .transactionsLookForNames],
            [
                (0, .writeBeforeVersion(device: 0, name: 0, isNamed: isNamed)),
                (10, .allowGroup(device: 0, name: 0, content: 1)), exchange(),
            ])
    }

    private static let full = VersionScenario(
        "full", "C has filled the epoch; A changes k", devices: 3, without: [.fullEpochsWait],
        [
            (0, .exhaust(device: 2)), write(1, 2, content: 1), write(1, 2, content: 2), exchange(),
            write(10, 0, content: 3),
        ])

    private static let rename = VersionScenario(
        "rename", "A renames k to m without names, and edits m; B has edited k in between",
        without: [.formerNamesEndAtOnce],
        [
            write(0, 1, content: 1), exchange(), (0, .engine(device: 0, .off)),
            (10, .rename(device: 0, from: 0, to: 1, content: 2, isNamed: false)), write(10, 1, content: 3), exchange(),
            write(10, 0, 1, content: 4, isNamed: false), (0, .engine(device: 0, .running)),
        ])

    private static let namedAgain = VersionScenario(
        "named again",
        "A's clock goes back an hour, and it changes k; all rows of B are named again while it is locked; A deletes k",
        without: [.namedAgainIsStored],
        [
            write(0, 0, 0, .a, content: 1), exchange(), (0, .moveClock(device: 0, seconds: -3600)),
            write(10, 0, 0, .a, content: 2), exchange(), (0, .lock(device: 1, .locked)),
            (0, .nameAgain(device: 1)), delete(10, 0), exchange(), (0, .lock(device: 1, .unlocked)),
        ])

    private static let unknown = VersionScenario(
        "unknown", "A puts k and deletes it, and neither has left the device; B has put k in between",
        without: [.voidDeletionsDoNotCount],
        away(0) + [write(10, 0, content: 1), write(10, 1, content: 2), delete(10, 0)] + back(0))
}
