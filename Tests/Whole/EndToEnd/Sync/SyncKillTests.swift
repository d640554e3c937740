import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// Processes that end at any moment.
@Suite("latchkey sync: killed daemons and transports")
struct SyncKillTests {
    private let stage: SyncStage

    init() throws { stage = try SyncStage() }

    @Test("the transport ends with its daemon, and the next daemon has another one") func transport() throws {
        let (laptop, _) = try stage.founder()
        let first = try #require(try Self.transports(of: laptop).first)
        try laptop.device.kill("latchkeyd")
        eventually { kill(first, 0) != 0 }
        #expect(try laptop.device("start").status == 0)
        try laptop.add("bob", "secret")
        try laptop.settle()
        let second = try Self.transports(of: laptop)
        #expect(second.count == 1 && second.first != first)
        #expect(try laptop.device("stop").status == 0)
        eventually { (try? Self.transports(of: laptop).isEmpty) ?? true }
        #expect(try laptop.device.processes().isEmpty)
    }

    @Test("a killed transport is started again, and nothing is reported as trouble") func revived() throws {
        let (laptop, desktop) = try stage.pair()
        for round in 0..<3 {
            for transport in try Self.transports(of: laptop) { try #require(kill(transport, SIGKILL) == 0) }
            try laptop.add("n\(round)", "secret")
            try [laptop, desktop].settle()
            #expect(try desktop.secret(of: "n\(round)") == "secret")
            #expect(try laptop.report()["storeTrouble"] is NSNull)
        }
    }

    @Test("20 kills at changing moments lose no change that was acknowledged", .timeLimit(.minutes(20)))
    func kills() throws {
        let (laptop, desktop) = try stage.pair()
        let devices = [laptop, desktop]
        var random = SplitMix(seed: 20)
        var expected: [String: String] = [:]
        for round in 0..<20 {
            let writer = devices[Int(random.next() % 2)]
            let victim = devices[Int(random.next() % 2)]
            let isTransport = random.next() % 3 == 0
            let transports = try Self.transports(of: victim)
            let daemon = try victim.device.processIdentifier("latchkeyd")
            // The moment is one of the writes below: a thread counts the files of the store, and kills at one of them.
            let count = Int(random.next() % 8)
            let store = stage.folder
            let start = Self.fileCount(store)
            let isDone = Flag()
            let killer = Pending {
                while Self.fileCount(store) < start + count, !isDone.isSet {}
                for process in isTransport ? transports : [daemon] { _ = kill(process, SIGKILL) }
                return true
            }
            for number in 0..<3 {
                let (account, secret) = ("n\(random.next() % 8)", "\(round)-\(number)")
                // A command that failed may have made its change or not: it is made again.
                if try !writer.tryUpdate(account, secret) {
                    try Self.revive(writer)
                    try writer.update(account, secret)
                }
                expected[account] = secret
            }
            isDone.set()
            #expect(killer.value)
            for device in devices { try Self.revive(device) }
            try devices.settle()
            for (account, secret) in expected {
                for device in devices {
                    let found = try device.secret(of: account)
                    #expect(found == secret, "round \(round), \(account) on \(device.name)")
                }
            }
        }
        for device in devices {
            #expect((try device.report()["alarms"] as? [Any])?.isEmpty == true)
            #expect(try device.number("sharedItems") == expected.count)
        }
    }

    /// Starts a daemon that was killed. The enclave has stayed, with its lock state.
    private static func revive(_ device: SyncDevice) throws {
        let started = try device.device("start")
        try #require(started.status == 0, "\(started.errors)")
    }

    private static func transports(of device: SyncDevice) throws -> [Int32] {
        let socket = device.device.directory + "/run/"
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { process in
            guard let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else { return false }
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.first?.hasSuffix("/latchkey-transport") == true && words.contains { $0.hasPrefix(socket) }
        }
    }

    private static func fileCount(_ folder: String) -> Int {
        FileManager.default.enumerator(atPath: folder)?.reduce(0) { count, _ in count + 1 } ?? 0
    }
}

/// A flag between two threads.
private final class Flag: @unchecked Sendable {
    // Sendable because the value is used under the lock alone.
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
