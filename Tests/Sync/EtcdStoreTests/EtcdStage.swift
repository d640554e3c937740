import Foundation
import LatchkeyEtcdStore
import LatchkeyEtcdTesting
import LatchkeyPlainText
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Synchronization
import Testing

/// A cluster, and stores of one circle in it.
final class EtcdStage: Sendable {
    static let circle = SampleObjects.circle(0xCC)
    let cluster: EtcdCluster
    let one = SampleObjects.device(1)
    let other = SampleObjects.device(2)
    private let complaints = Mutex<[String]>([])

    init(_ cluster: EtcdCluster) {
        self.cluster = cluster
    }

    /// The lines for the log.
    var log: [String] { complaints.withLock { $0 } }

    func circles(
        _ access: EtcdAccess = EtcdAccess(), _ options: EtcdOptions = EtcdOptions(), at store: String? = nil
    ) throws -> EtcdCircles {
        EtcdCircles(at: try EtcdAddress(store ?? cluster.store), access: access, options: options) { line in
            self.complaints.withLock { $0.append(line) }
        }
    }

    func store(
        _ device: DeviceIdentifier? = nil, _ access: EtcdAccess = EtcdAccess(), _ options: EtcdOptions = EtcdOptions(),
        at store: String? = nil
    ) throws -> any SyncStore {
        try circles(access, options, at: store).store(of: Self.circle, writer: device ?? one)
    }

    func key(_ name: StoreObjectName) -> String { "/latchkey/\(Self.circle)/\(name)" }

    func segment(_ number: UInt64) -> StoreObjectName { SampleObjects.segment(number, of: one) }

    /// Sets the one server back to a snapshot, and expects that stores which signed in before go on.
    ///
    /// - Parameters:
    ///   - access: with a name.
    ///   - administrator: options of etcdctl.
    func restore(_ copy: String, _ access: EtcdAccess, _ administrator: [String]) throws {
        // A token names the entry of the log that it was made with: those here are ahead of the restored server.
        for number in 1...40 { try cluster.control(administrator + ["put", "elsewhere/\(number)", "x"]) }
        let (store, reader) = (try self.store(nil, access), try self.store(other, access))
        try store.create([segment(1): SampleObjects.object(.segment)])
        #expect(try reader.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        let watcher = try self.store(other, access)
        #expect(try watcher.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        try cluster.restore(cluster.servers[0], from: copy)
        #expect(try store.list(.segments(StreamIdentifier(one, .c))).names.isEmpty)
        try store.create([segment(2): SampleObjects.object(.segment)])
        // One looks first, the other one watches: both see that the store went back.
        #expect(try reader.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        #expect(try watcher.waitForHint(until: Cancellation()) == .changed)
        let wait = Pending { try? reader.waitForHint(until: Cancellation()) }
        _ = try store.publish([:], head: SampleObjects.object(.head), replacing: nil)
        #expect(wait.value == .changed)
    }

    /// The failure of a call; nil if it succeeds.
    static func failure(_ body: () throws(StoreFailure) -> Void) -> StoreFailure? {
        do throws(StoreFailure) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// Repeats a call until it succeeds: after the loss of a leader, for instance.
    static func persistently<R>(_ body: () throws(StoreFailure) -> R) -> R {
        while true {
            if let answer = try? body() { return answer }
        }
    }
}
