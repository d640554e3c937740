import Foundation
import LatchkeyTestSupport
import Testing

/// Processes that are killed where it matters: between two steps of one exchange.
@Suite("latchkey sync: daemons and transports killed at named points")
struct SyncPointTests {
    /// More with `LATCHKEY_KILLS` (`Scripts/crash sync`).
    private static let kills = Campaign.count(100, inTests: 20)
    /// Another one with `LATCHKEY_SEED`.
    private static let seed = Campaign.seed(1)

    @Test(
        "kills at named points of changes, joins and removals lose no change that was acknowledged, and no decision",
        .timeLimit(.minutes(40)))
    func pointsCampaign() throws {
        let stage = try PointStage(seed: Self.seed)
        var rounds = 0
        while stage.killed.count < Self.kills {
            rounds += 1
            // Not every round comes to its point.
            try #require(rounds < 20 * Self.kills, "points that are never reached: \(stage.missed)")
            try stage.round(rounds)
        }
        try stage.checkEverything()
        let points = Dictionary(grouping: stage.killed) { $0 }.mapValues(\.count)
        for (point, count) in points.sorted(by: { $0.key < $1.key }) { print("\(count) × \(point)") }
        print("\(stage.killed.count) kills at \(points.count) points in \(rounds) rounds, seed \(Self.seed)")
        #expect(points.count >= min(Self.kills / 3, 20))
    }
}

/// Two devices that stay in a circle, and one that comes and goes.
private final class PointStage {
    private enum Act: String, CaseIterable {
        case change, join, removal

        /// Program and point, for those that the act comes to.
        var points: [(String, String)] {
            let questions = ["create", "publish", "read"]
            let names = ["segment", "head"] + (self == .change ? [] : ["statement", "exchange", "snapshot"])
            var points = ["before", "after"].map { ("latchkeyd", "\($0) commit database") }
            for question in questions + (self == .join ? ["remove"] : []) {
                points += ["before question", "after question", "after answer"].map {
                    ("latchkeyd", "\($0) \(question)")
                }
            }
            for name in names { points += ["before", "after"].map { ("latchkey-transport", "\($0) name \(name)") } }
            if self == .join { points += ["before", "after"].map { ("latchkey-transport", "\($0) remove exchange") } }
            return points
        }
    }

    private(set) var killed: [String] = []
    private(set) var missed: Set<String> = []

    private let stage: SyncStage
    private let devices: [SyncDevice]
    private let points: [KillPoint]
    private var random: SplitMix
    private var expected: [String: String] = [:]
    private var isTabletMember = false

    init(seed: UInt64) throws {
        stage = try SyncStage()
        let stage = stage
        points = try (0..<3).map { _ in try KillPoint() }
        devices = try zip(["laptop", "desktop", "tablet"], points).map {
            try SyncDevice($0, stage.folder, environment: $1.environment())
        }
        random = SplitMix(seed: seed)
        let made = try laptop.sync("create \(laptop.place) --owners-items no --json", SyncDevice.passcode)
        try #require(made.status == 0, "\(made.errors)")
        try desktop.ask(laptop)
        try laptop.approve()
        try [laptop, desktop].settle()
    }

    private var laptop: SyncDevice { devices[0] }
    private var desktop: SyncDevice { devices[1] }
    private var tablet: SyncDevice { devices[2] }

    private var members: [SyncDevice] { isTabletMember ? devices : [laptop, desktop] }

    func round(_ number: Int) throws {
        let act = try #require(
            [Act.change, .change, isTabletMember ? .removal : .join].randomElement(using: &random))
        let (program, point) = try #require(act.points.randomElement(using: &random))
        let victim = Int.random(in: 0..<(act == .change ? members.count : 3), using: &random)
        let time = Int.random(in: 1...(point.hasSuffix("database") ? 6 : 2), using: &random)
        let text = "\(act.rawValue): \(program) \(point)"
        let place = "round \(number), \(text) on \(devices[victim].name), time \(time)"
        do {
            try points[victim].arm(program, at: point, number: time)
            let touched: Set<String>
            switch act {
            case .change: touched = try change(number)
            case .join:
                try join()
                touched = Set(expected.keys)
            case .removal:
                try remove()
                touched = []
            }
            for device in members { _ = try device.sync("wait --until-settled --timeout 10") }
            if try points[victim].hasKilled() { killed.append(text) } else { missed.insert(text) }
            try points[victim].disarm()
            try settle()
            try check(touched, place)
        } catch {
            Issue.record("\(place): \(error)")
            throw error
        }
    }

    /// Everything that was acknowledged is on every device.
    func checkEverything() throws {
        try check(Set(expected.keys), "at the end")
    }

    private func check(_ accounts: Set<String>, _ place: String) throws {
        let names = Set(members.map(\.name))
        for device in members {
            let report = try report(of: device)
            #expect(Self.members(in: report) == names, "\(place): \(device.name)")
            let alarms = report["alarms"] as? [Any]
            #expect(alarms?.isEmpty == true, "\(place): \(device.name) \(alarms ?? [])")
            #expect(report["sharedItems"] as? Int == expected.count, "\(place): \(device.name)")
            for account in accounts {
                let found = try device.secret(of: account)
                #expect(found == expected[account], "\(place): \(account) on \(device.name)")
            }
        }
    }

    /// Starts daemons that were killed. The enclaves have stayed, with their lock states.
    private func revive() throws {
        for device in devices {
            let started = try device.device("start")
            try #require(started.status == 0, "\(started.errors)")
        }
    }

    /// Returns when every member has what the others wrote, and has said so.
    private func settle() throws {
        for device in members + members {
            var triesLeft = 3
            while try device.sync("wait --until-settled --timeout 60").status != 0 {
                triesLeft -= 1
                guard triesLeft > 0 else {
                    throw Failure(description: "\(device.name) does not settle: \(try device.sync("status").output)")
                }
                try revive()
            }
        }
    }

    /// The status of a device, whose daemon may be killed meanwhile.
    private func report(of device: SyncDevice) throws -> [String: Any] {
        for _ in 0..<3 {
            let ending = try device.sync("status --json")
            if ending.status == 0 { return try ending.json() }
            try revive()
        }
        throw Failure(description: "\(device.name) has no status")
    }

    private static func members(in report: [String: Any]) -> Set<String> {
        let devices = report["devices"] as? [[String: Any]] ?? []
        return Set(devices.filter { $0["member"] as? Bool == true }.compactMap { $0["name"] as? String })
    }

    private func membership() throws -> String? { try report(of: tablet)["membership"] as? String }

    /// Returns the accounts.
    private func change(_ round: Int) throws -> Set<String> {
        let writer = try #require(members.randomElement(using: &random))
        var accounts: Set<String> = []
        for number in 0..<2 {
            let (account, secret) = ("n\(Int.random(in: 0..<5, using: &random))", "\(round)-\(number)")
            // A command that failed may have made its change or not: it is made again.
            if try !writer.tryUpdate(account, secret) {
                try revive()
                try writer.update(account, secret)
            }
            expected[account] = secret
            accounts.insert(account)
        }
        return accounts
    }

    /// Each step may have failed, may have happened without an answer, and may be taken back by the end of a daemon.
    private func join() throws {
        for _ in 0..<6 {
            if try membership() == "waiting" {
                _ = try tablet.sync("wait --until-settled --timeout 5")
                try revive()
                if try membership() == "waiting" { try forget() }
            }
            if try membership() == "member" {
                isTabletMember = true
                return
            }
            if try membership() != "none" { try forget() }
            let invited = try laptop.sync("invite --json", SyncDevice.passcode)
            if invited.status == 0,
                let code = try invited.json()["code"] as? String,
                try tablet.sync("join \(tablet.place) --no-wait", SyncDevice.passcode, code).status == 0,
                try laptop.sync("approve --yes", SyncDevice.passcode).status == 0
            {
                _ = try tablet.sync("wait --until-settled --timeout 10")
            }
            try revive()
        }
        throw Failure(description: "the tablet does not come into the circle: \(try tablet.sync("status").output)")
    }

    private func remove() throws {
        let identifier = try #require(try report(of: tablet)["device"] as? String)
        for _ in 0..<4 {
            if try !knowsTablet() { break }
            _ = try laptop.sync("remove \(identifier) --yes", SyncDevice.passcode)
            try revive()
        }
        try #require(try !knowsTablet())
        isTabletMember = false
        try forget()
    }

    private func knowsTablet() throws -> Bool { Self.members(in: try report(of: laptop)).contains("tablet") }

    /// Leaves, or gives up a request.
    private func forget() throws {
        for _ in 0..<4 {
            _ = try tablet.sync("leave --force", SyncDevice.passcode)
            try revive()
            if try membership() == "none" { return }
        }
        throw Failure(description: "the tablet does not leave: \(try tablet.sync("status").output)")
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
