import Foundation
import LatchkeyEtcdStore
import LatchkeyEtcdTesting
import LatchkeyPlainText
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import Synchronization

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
