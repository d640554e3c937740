import LatchkeyEtcdStore
import LatchkeyEtcdTesting
import LatchkeyPlainText
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// A member, and the clients beside it, are cut off from the others: what is sent is lost, and no connection ends.
@Suite(
    "A cluster of which a member is cut off", .serialized,
    .enabled(if: NetworkSpace.arePossible, "\(NetworkSpace.need)"))
struct EtcdPartitionTests {
    private let cluster: PartitionedCluster
    private let one = SampleObjects.device(1)
    private let other = SampleObjects.device(2)

    init() throws { cluster = try PartitionedCluster() }

    private func store(
        _ device: DeviceIdentifier, _ address: String, _ options: EtcdOptions = EtcdOptions()
    ) throws -> any SyncStore {
        EtcdCircles(at: try EtcdAddress(address), options: options).store(of: EtcdStage.circle, writer: device)
    }

    private func leader() throws -> Int {
        var leader = try cluster.leader()
        while leader == nil { leader = try cluster.leader() }
        return try #require(leader)
    }

    /// The member that leads, or another one.
    private func member(leading leads: Bool) throws -> Int {
        let leader = try leader()
        return leads ? leader : (leader + 1) % cluster.servers.count
    }

    private func names(_ numbers: some Sequence<UInt64>, of device: DeviceIdentifier) -> [StoreObjectName] {
        numbers.map { SampleObjects.segment($0, of: device) }
    }

    private func listed(_ store: any SyncStore, of device: DeviceIdentifier) throws(StoreFailure) -> [StoreObjectName] {
        try store.list(.segments(StreamIdentifier(device, .c))).names
    }

    private func wait(_ store: any SyncStore, _ seconds: Double? = nil) throws(StoreFailure) -> StoreHint {
        try store.waitForHint(until: Cancellation(seconds: seconds))
    }

    @Test("ends the watch beside it, whose device hears of everything afterwards") func watches() throws {
        let place = try member(leading: true)
        var options = EtcdOptions()
        // Neither age nor silence ends the watch.
        (options.watchSeconds, options.checkSeconds, options.times.stallSeconds) = (86_400, 86_400, 1)
        let reader = try store(other, cluster.store(ofMemberAlone: place), options)
        let outside = try store(one, cluster.store(beside: (place + 1) % cluster.servers.count))
        #expect(EtcdStage.persistently { () throws(StoreFailure) in try wait(reader, 0) } == .changed)
        let pending = Pending { EtcdStage.failure { () throws(StoreFailure) in _ = try wait(reader) } }
        eventually { (try? cluster.watchers(at: place)) == 2 }
        try cluster.cut(place)
        #expect(pending.value == .unreachable(.noAnswer))
        var writer = SegmentWriter(outside, one)
        for _ in 1...3 { writer.publishPersistently() }
        // The device is shown what its member had, and is not told that this is all.
        #expect(try listed(reader, of: one) == [])
        #expect(EtcdStage.failure { () throws(StoreFailure) in _ = try wait(reader) } == .unreachable(.noAnswer))
        try cluster.heal(place)
        #expect(EtcdStage.persistently { () throws(StoreFailure) in try wait(reader) } == .changed)
        // The first of the changes that its member has caught up with may be the one that wakes it.
        eventually { (try? writer.isWhole(in: reader)) ?? false }
    }

    @Test("refuses what is written beside it, and has all that was acknowledged when it is back") func writes() throws {
        var options = EtcdOptions()
        options.times.stallSeconds = 1
        var (inside, outside) = (SegmentWriter(other), SegmentWriter(one))
        for place in [try member(leading: true), try member(leading: false)] {
            inside.store = try store(other, cluster.store(beside: place), options)
            outside.store = try store(one, cluster.store(beside: (place + 1) % cluster.servers.count))
            for _ in 0..<2 {
                inside.publishPersistently()
                outside.publishPersistently()
            }
            let reader = try store(other, cluster.store(ofMemberAlone: place))
            let known = outside.written
            eventually { (try? listed(reader, of: one)) == names(known, of: one) }
            try cluster.cut(place)
            for _ in 0..<2 {
                outside.publishPersistently()
                #expect(inside.publish() == .unreachable(.noAnswer))
            }
            #expect(try listed(reader, of: one) == names(known, of: one), "its member still shows these")
            try cluster.heal(place)
            // The refused segment may have been written meanwhile.
            inside.publishPersistently()
        }
        for place in cluster.servers.indices {
            let reader = try store(other, cluster.store(ofMemberAlone: place))
            for writer in [inside, outside] {
                eventually { (try? listed(reader, of: writer.device)) == names(writer.written, of: writer.device) }
                #expect(try writer.isWhole(in: reader))
            }
        }
    }
}
