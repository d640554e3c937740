import Foundation
import LatchkeyEtcdStore
import LatchkeyEtcdTesting
import LatchkeyPlainText
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// Servers that forget, go back, and are full.
@Suite("A store in etcd whose server")
struct EtcdHistoryTests {
    private func wait(_ store: any SyncStore, _ seconds: Double? = nil) throws -> StoreHint {
        try store.waitForHint(until: Cancellation(seconds: seconds))
    }

    @Test("has compacted what was not reported: the heads are looked at") func compacted() throws {
        let stage = EtcdStage(try EtcdCluster())
        let (reader, writer) = (try stage.store(stage.other), try stage.store())
        #expect(try wait(reader, 0) == .changed)
        var mark: HeadMark?
        func publish(_ numbers: ClosedRange<UInt64>) throws {
            for number in numbers {
                mark = try writer.publish([:], head: SampleObjects.object(.head, seed: number), replacing: mark)
            }
        }
        try publish(1...5)
        try stage.cluster.control("compact", "5")
        #expect(try wait(reader) == .changed)
        #expect(try wait(reader, 0) == .none)
        // Compacted, and nothing new: the watch goes on behind it.
        let pending = Pending { try? reader.waitForHint(until: Cancellation()) }
        try stage.cluster.control("put", "elsewhere", "x")
        try stage.cluster.control("compact", "7")
        try publish(6...6)
        #expect(pending.value == .changed)
    }

    @Test("was restored from an older copy: that is news, and later changes are noticed") func restored() throws {
        let stage = EtcdStage(try EtcdCluster())
        let server = stage.cluster.servers[0]
        let (reader, writer) = (try stage.store(stage.other), try stage.store())
        let heads = (1...9).map { SampleObjects.object(.head, seed: $0) }
        let first = try writer.publish([:], head: heads[0], replacing: nil)
        let copy = server.directory.path("copy")
        try stage.cluster.control("snapshot", "save", copy)
        var mark = first
        for head in heads[1...7] { mark = try writer.publish([:], head: head, replacing: mark) }
        #expect(try wait(reader, 0) == .changed)
        #expect(try wait(reader, 0) == .none)
        let pending = Pending {
            EtcdStage.persistently { () throws(StoreFailure) in try reader.waitForHint(until: Cancellation()) }
        }
        try stage.cluster.restore(server, from: copy)
        #expect(pending.value == .changed)
        let found = try reader.read([.head(stage.one)]).objects[.head(stage.one)]
        #expect(found.map { HeadMark(of: $0) } == first)
        // The writer sees that its head is not the one it wrote last.
        #expect(throws: StoreFailure.headReplaced) { try writer.publish([:], head: heads[8], replacing: mark) }
        let again = Pending { try? reader.waitForHint(until: Cancellation()) }
        _ = try writer.publish([:], head: heads[8], replacing: first)
        #expect(again.value == .changed)
    }

    @Test("is full: reading and removing go on, and writing after it was tidied up") func full() throws {
        let stage = EtcdStage(try EtcdCluster("--quota-backend-bytes", "16777216"))
        let store = try stage.store()
        let large = SampleObjects.object(.segment, bodyByteCount: 1 << 20)
        var count: UInt64 = 0
        var failure: StoreFailure?
        while failure == nil, count < 40 {
            count += 1
            failure = EtcdStage.failure { () throws(StoreFailure) in try store.create([stage.segment(count): large]) }
        }
        // The number that fits depends on how the file of the server grows.
        #expect(failure == .refused(.quota) && count > 1)
        #expect(stage.log.contains { $0.contains("space exceeded") })
        // The one that was refused may have been written.
        let names = (1...count).map { stage.segment($0) }
        let listed = try store.list(.segments(StreamIdentifier(stage.one, .c))).names
        #expect(listed == names || listed == names.dropLast())
        #expect(try store.read([names[0]]).objects.count == 1)
        try store.remove(names)
        #expect(try store.list(.segments(StreamIdentifier(stage.one, .c))).names == [])
        let answer = try stage.cluster.control("endpoint", "status", "-w", "json")
        let revision = try #require(answer.firstMatch(of: /"revision":(\d+)/)).output.1
        try stage.cluster.control("compact", String(revision))
        try stage.cluster.control("defrag")
        try stage.cluster.control("alarm", "disarm")
        try store.create([stage.segment(count): large])
    }

    @Test("is away, or has a name that is not known, is reported as away") func others() throws {
        let host = EtcdServer.newHost()
        let circles = EtcdCircles(at: try EtcdAddress("etcd:http://\(host):2379"))
        #expect(throws: StoreFailure.unreachable(.noAnswer)) { try circles.circles() }
        let unknown = EtcdCircles(at: try EtcdAddress("etcd:https://name.invalid"))
        #expect(throws: StoreFailure.unreachable(.noAnswer)) { try unknown.circles() }
        let store = circles.store(of: EtcdStage.circle, writer: SampleObjects.device(1))
        #expect(throws: StoreFailure.unreachable(.noAnswer)) {
            try store.waitForHint(until: Cancellation(seconds: 0))
        }
    }
}
