import LatchkeyEtcdStore
import LatchkeyEtcdTesting
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// Members that are killed, hang, or are too few.
@Suite("A cluster of three", .serialized)
struct EtcdClusterTests {
    private let stage: EtcdStage

    init() throws { stage = EtcdStage(try EtcdCluster(members: 3)) }

    private func write(_ numbers: ClosedRange<UInt64>, _ store: any SyncStore) {
        for number in numbers {
            EtcdStage.persistently { () throws(StoreFailure) in
                try store.create([stage.segment(number): SampleObjects.object(.segment, seed: number)])
            }
        }
    }

    private func count(_ store: any SyncStore) throws(StoreFailure) -> Int {
        try store.list(.segments(StreamIdentifier(stage.one, .c))).names.count
    }

    private func expectAll(_ numbers: ClosedRange<UInt64>, _ store: any SyncStore) throws {
        let names = numbers.map { stage.segment($0) }
        #expect(try store.list(.segments(StreamIdentifier(stage.one, .c))).names == names)
        let reading = try store.readAll(names)
        let isSame = numbers.allSatisfy {
            reading.objects[stage.segment($0)] == SampleObjects.object(.segment, seed: $0)
        }
        #expect(isSame)
    }

    @Test("goes on without any one of its members, and loses nothing") func killed() throws {
        let store = try stage.store()
        var next: UInt64 = 1
        for server in stage.cluster.servers {
            write(next...(next + 4), store)
            server.kill()
            write((next + 5)...(next + 9), store)
            try expectAll(1...(next + 9), store)
            try stage.cluster.restart(server)
            next += 10
        }
        // Each member has everything after a while.
        for server in stage.cluster.servers {
            let alone = try stage.store(stage.other, at: "etcd:" + server.clientURL)
            eventually { (try? count(alone)) == Int(next - 1) }
            try expectAll(1...(next - 1), alone)
        }
    }

    @Test("goes on while a member hangs, and while the leader does") func frozen() throws {
        let store = try stage.store()
        var next: UInt64 = 1
        for server in [stage.cluster.servers[0], try #require(try stage.cluster.leader())] {
            write(next...(next + 1), store)
            server.freeze()
            write((next + 2)...(next + 3), store)
            try expectAll(1...(next + 3), store)
            server.thaw()
            next += 4
        }
        #expect(stage.log.contains { $0.contains(stage.cluster.servers[0].clientURL) })
    }

    @Test("is unreachable for writers without a majority, and still shows what was written") func minority() throws {
        let store = try stage.store()
        write(1...3, store)
        let last = stage.cluster.servers[2]
        let alone = try stage.store(stage.other, at: "etcd:" + last.clientURL)
        eventually { (try? count(alone)) == 3 }
        for server in stage.cluster.servers.dropLast() { server.kill() }
        let failure = EtcdStage.failure { () throws(StoreFailure) in
            try store.create([stage.segment(4): SampleObjects.object(.segment, seed: 4)])
        }
        // The member may carry it out when it has a majority again.
        #expect(failure == .unreachable(.noAnswer))
        let reader = try stage.store(stage.other)
        #expect(try count(reader) == 3)
        for server in stage.cluster.servers.dropLast() { try server.begin(stage.cluster.servers) }
        for server in stage.cluster.servers { try server.awaitReady() }
        write(4...4, store)
        last.kill()
        #expect(try store.read([stage.segment(4)]).objects.count == 1)
    }

    @Test("wakes a device whose member is killed or hangs", arguments: [true, false])
    func watches(_ isKilled: Bool) throws {
        var options = EtcdOptions()
        options.checkSeconds = 1
        options.pauseSeconds = 0.1
        let reader = try stage.store(stage.other, EtcdAccess(), options)
        #expect(try reader.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        let wait = Pending {
            EtcdStage.persistently { () throws(StoreFailure) in try reader.waitForHint(until: Cancellation()) }
        }
        let first = stage.cluster.servers[0]
        isKilled ? first.kill() : first.freeze()
        let others = "etcd:" + stage.cluster.urls.dropFirst().joined(separator: ",")
        let writer = try stage.store(at: others)
        EtcdStage.persistently { () throws(StoreFailure) in
            _ = try writer.publish([:], head: SampleObjects.object(.head), replacing: nil)
        }
        #expect(wait.value == .changed)
        #expect(
            EtcdStage.persistently { () throws(StoreFailure) in try reader.list(.heads).names } == [.head(stage.one)])
    }

    @Test("a reader sees what it was told of, by whichever member it asks") func fresh() throws {
        let servers = stage.cluster.servers
        let writer = try stage.store(at: "etcd:" + servers[0].clientURL)
        let reader = try stage.store(
            stage.other, at: "etcd:" + [servers[1], servers[2]].map(\.clientURL).joined(separator: ","))
        #expect(try reader.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        var mark: HeadMark?
        for number in UInt64(1)...30 {
            let segment = [stage.segment(number): SampleObjects.object(.segment, seed: number)]
            mark = try writer.publish(segment, head: SampleObjects.object(.head, seed: number), replacing: mark)
            #expect(try reader.waitForHint(until: Cancellation()) == .changed)
            let reading = try reader.read([.head(stage.one), stage.segment(number)])
            #expect(reading.objects.count == 2)
        }
    }
}
