import Foundation
import Glibc
import LatchkeyKeychainMessages

/// Item sync between two devices over a folder.
enum SyncRows {
    private static let batch = 400
    /// The items, one at a time, of which a latency is the mean.
    static let itemsOfMean = 20

    private static func folder(_ session: Session) throws -> StoreAddress {
        let path = session.scratch + "/store-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard let address = StoreAddress(folder: path) else { throw Failure("\(path) is too long for a store") }
        return address
    }

    private static func withPair<R>(
        _ session: Session, items: Int = 0, _ body: (SyncedPair) throws -> R
    ) throws -> R {
        let pair = try SyncedPair(session, store: try folder(session), items: items)
        defer { pair.stop() }
        return try body(pair)
    }

    /// From the return of `SecItemAdd` on one device until the item is found on the other.
    static func item(_ session: Session) throws -> Finding {
        try withPair(session) { pair in
            try pair.join()
            let exchange = try FolderExchange(in: session.scratch)
            defer { exchange.stop() }
            try session.profile { _ = try pair.itemMilliseconds(itemsOfMean) }
            let pairs = try session.pairs(
                value: { try pair.itemMilliseconds(itemsOfMean) }, limit: { try exchange.milliseconds(itemsOfMean) })
            return Finding(
                name: "sync-item-folder", pairs: pairs, unit: "ms",
                against: "a file of 1 KiB written durably in a folder until another thread has read it",
                demand: .figure)
        }
    }

    /// Durable adds of items that are shared, against those of a device in no circle.
    static func localAdd(_ session: Session) throws -> Finding {
        try withPair(session) { pair in
            let pairs = try session.pairs(
                value: { Double(batch) / (try pair.first.client.seconds("add-shared \(batch) 1")) },
                limit: { Double(batch) / (try pair.second.client.seconds("add-shared \(batch) 1")) })
            return Finding(
                name: "sync-cost-of-local-add", pairs: pairs, unit: "adds/s",
                against: "adds/s of such items on a device in no circle", demand: .atLeast(0.9))
        }
    }

    /// The records that a device applies after a pause, against durable adds of eight threads.
    static func receive(_ session: Session) throws -> Finding {
        let count = 2_000
        let bare = try SyncedDevice("bare", session)
        defer { bare.stop() }
        return try withPair(session) { pair in
            try pair.join()
            let pairs = try session.pairs(
                value: {
                    try pair.second.pause(true)
                    _ = try pair.first.client.seconds("add-shared \(count) 8")
                    let total = try pair.first.itemCount()
                    try pair.first.awaitItems(total)
                    let time = try nanoseconds {
                        try pair.second.pause(false)
                        try pair.second.awaitItems(total)
                    }
                    return Double(count) / (Double(time) / 1e9)
                },
                limit: { Double(count) / (try bare.client.seconds("add-shared \(count) 8")) })
            return Finding(
                name: "sync-receive", pairs: pairs, unit: "records/s", against: "durable adds/s of eight threads",
                demand: .atLeast(0.8), notes: ["from the end of a pause until nothing waits"])
        }
    }

    static func first10k(_ session: Session) throws -> Finding { try first(session, 10_000, "sync-first-10k") }
    static func first100k(_ session: Session) throws -> Finding { try first(session, 100_000, "sync-first-100k") }

    /// A new member without items takes over those of the circle, against adding them.
    private static func first(_ session: Session, _ count: Int, _ name: String) throws -> Finding {
        try withPair(session, items: count) { pair in
            let bare = try SyncedDevice("bare", session)
            defer { bare.stop() }
            let joined = Double(try nanoseconds { try pair.join() }) / 1e9
            let added = try bare.client.seconds("add-shared \(count) 16")
            return Finding(
                name: name, pairs: [(Double(count) / joined, Double(count) / added)], unit: "items/s",
                against: "adds/s of the same items by 16 threads", demand: .atLeast(0.6))
        }
    }

    /// Joining, on both sides, without the person's time.
    static func join(_ session: Session) throws -> Finding {
        try withPair(session, items: 10_000) { pair in
            let time = Double(try nanoseconds { try pair.join() }) / 1e9
            return Finding(
                name: "sync-join", pairs: [(time, 5)], unit: "s", against: "5 s, with 10,000 items",
                demand: .atMost(1))
        }
    }

    /// The wake-ups of daemon and transport in a minute in which nothing happens.
    static func idle(_ session: Session) throws -> Finding {
        try withPair(session, items: 100) { pair in
            try pair.join()
            sleep(20)
            let before = try pair.first.sleeps()
            sleep(60)
            let wakes = Double(try pair.first.sleeps() - before)
            return Finding(
                name: "sync-idle", pairs: [(wakes, 2)], unit: "wake-ups/min",
                against: "2 wake-ups of daemon and transport in 60 s", demand: .atMost(1))
        }
    }

    /// The memory of a device that has written and loaded a snapshot of many items, against one in no circle.
    static func memory(_ session: Session) throws -> Finding {
        let count = 100_000
        return try withPair(session, items: count) { pair in
            let bare = try SyncedDevice("bare", session)
            defer { bare.stop() }
            _ = try bare.client.seconds("add-shared \(count) 16")
            try pair.join()
            let plain = try bare.residentMebibytes()
            let more = try [pair.first, pair.second].map { try $0.residentMebibytes() - plain }
            return Finding(
                name: "sync-memory", pairs: [(more.max() ?? 0, 32)], unit: "MiB",
                against: "32 MiB more than daemon and enclave in no circle", demand: .atMost(1),
                notes: [
                    "in no circle \(Report.number(plain)), writer of the snapshot \(Report.number(plain + more[0])), "
                        + "reader \(Report.number(plain + more[1])) MiB; the transport counts"
                ])
        }
    }
}
