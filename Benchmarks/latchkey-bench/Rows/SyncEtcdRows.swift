import Foundation
import LatchkeyKeychainMessages

/// Item sync over a cluster of three members of etcd on this machine.
enum SyncEtcdRows {
    private static func withNodes<R>(_ session: Session, _ body: (EtcdNodes) throws -> R) throws -> R {
        let nodes = try EtcdNodes(in: session.scratch)
        defer { nodes.stop() }
        return try body(nodes)
    }

    /// The cluster as a device names it that asks this member first.
    private static func address(_ nodes: EtcdNodes, first: Int) throws -> StoreAddress {
        let text = nodes.store(first: first)
        guard let address = StoreAddress(text) else { throw Failure("\(text) is not the address of a store") }
        return address
    }

    /// From the return of `SecItemAdd` on one device until the item is found on the other, which asks another member.
    static func item(_ session: Session) throws -> Finding {
        try withNodes(session) { nodes in
            let pair = try SyncedPair(
                session, store: try address(nodes, first: 0), secondStore: try address(nodes, first: 1))
            defer { pair.stop() }
            try pair.join()
            let exchange = try EtcdExchange(nodes)
            let count = SyncRows.itemsOfMean
            try session.profile { _ = try pair.itemMilliseconds(count) }
            let pairs = try session.pairs(
                value: { try pair.itemMilliseconds(count) }, limit: { try exchange.milliseconds(count) })
            return Finding(
                name: "sync-item-etcd", pairs: pairs, unit: "ms",
                against: "a put of 1 KiB through one member until a watch at another one has reported it",
                demand: .figure)
        }
    }

    /// The changes that one device with eight writers has published, per second, against bare transactions with segments of the same
    /// number of records.
    static func publish(_ session: Session) throws -> Finding {
        let count = 4_000
        return try withNodes(session) { nodes in
            let device = try SyncedDevice("first", session)
            defer { device.stop() }
            try device.found(in: try address(nodes, first: 0))
            let heads = try EtcdHeads(nodes)
            let stream = try SegmentStream(nodes)
            var notes: [String] = []
            var segment = (records: 1.0, byteCount: 1_024)
            let pairs = try session.pairs(
                value: {
                    let total = try device.itemCount() + Int64(count)
                    let before = try stream.last()
                    var added = 0.0
                    let time = try nanoseconds {
                        added = try device.client.seconds("add-shared \(count) 8")
                        try device.awaitItems(total)
                    }
                    let after = try stream.last()
                    segment = (Double(count) / Double(after.number - before.number), after.byteCount)
                    notes = [
                        "\(Report.number(segment.records)) records in a segment of \(segment.byteCount) bytes; adds alone "
                            + "\(Report.number(Double(count) / added))/s, in the last round"
                    ]
                    return Double(count) / (Double(time) / 1e9)
                },
                limit: {
                    try heads.transactionsPerSecond(50, segmentByteCount: segment.byteCount) * segment.records
                })
            return Finding(
                name: "sync-publish-etcd", pairs: pairs, unit: "changes/s",
                against: "bare transactions/s with a segment and a head, times the records of a segment",
                demand: .figure, notes: notes)
        }
    }
}

/// The segments of the only device in a cluster.
private struct SegmentStream {
    private let conversation: EtcdConversation

    init(_ nodes: EtcdNodes) throws {
        conversation = try nodes.conversation(with: 1)
    }

    /// The number of the last segment and its size. The items of the benchmark are in one stream.
    func last() throws -> (number: UInt64, byteCount: Int) {
        let circle = try conversation.greatest("/latchkey/")?.key.split(separator: "/").dropFirst().first
        guard let circle else { throw Failure("the cluster has no circle") }
        guard let last = try conversation.greatest("/latchkey/\(circle)/a/") else { return (0, 0) }
        guard let number = last.key.split(separator: "/").last.flatMap({ UInt64($0, radix: 16) }) else {
            throw Failure("\(last.key) is not a segment")
        }
        return (number, last.value.count)
    }
}
