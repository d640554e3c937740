import Foundation
import LatchkeyEtcdStore
import LatchkeyEtcdTesting
import LatchkeyPlainText
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeySyncTransport
import LatchkeyTestSupport

/// The kinds of stores that all pass the same tests.
enum StoreKind: CaseIterable, Sendable {
    case memory
    case adversarial
    case folder
    /// The same, by the polling timer alone.
    case polledFolder
    /// The same behind the messages of the transport.
    case transport
    case etcd
}

/// A new store, and a way to disturb it.
final class StoreWorld {
    static let circle = SampleObjects.circle(0xCC)
    let one = SampleObjects.device(1)
    let other = SampleObjects.device(2)

    private let content = MemoryStore.Content()
    private let adversary: StoreAdversary
    private let kind: StoreKind
    let directory: TemporaryDirectory
    private let cluster: EtcdCluster?

    init(_ kind: StoreKind) throws {
        self.kind = kind
        adversary = StoreAdversary(content, generator: SplitMix(seed: 1))
        directory = try TemporaryDirectory()
        cluster = kind == .etcd ? try EtcdCluster() : nil
    }

    func store(_ device: DeviceIdentifier) -> any SyncStore {
        switch kind {
        case .memory: return MemoryStore(content, writer: device)
        case .adversarial: return adversary.store(for: device)
        case .folder: return FolderStore(in: directory.path, circle: Self.circle, writer: device)
        case .polledFolder:
            var options = FolderOptions()
            options.localPollSeconds = 0.01
            options.usesInotify = false
            return FolderStore(in: directory.path, circle: Self.circle, writer: device, options: options)
        case .transport:
            let link = LoopLink(FolderCircles(in: directory.path))
            return TransportCircles(link).store(of: Self.circle, writer: device)
        case .etcd:
            guard let address = try? EtcdAddress(cluster?.store ?? "") else { preconditionFailure("it is one") }
            return EtcdCircles(at: address).store(of: Self.circle, writer: device)
        }
    }

    /// Puts any bytes in the place of an object.
    func put(_ bytes: [UInt8], as name: StoreObjectName) throws {
        switch kind {
        case .memory, .adversarial: content.objects[name] = bytes
        case .folder, .polledFolder, .transport:
            try Data(bytes).write(to: URL(fileURLWithPath: FolderPath.path(of: name, in: directory.path)))
        case .etcd: try cluster?.put(bytes, at: "/latchkey/\(Self.circle)/\(name)")
        }
    }
}

/// Where the format says that an object is, written down a second time.
enum FolderPath {
    static func path(of name: StoreObjectName, in directory: String, circle: CircleIdentifier = StoreWorld.circle)
        -> String
    {
        var parts = name.description.split(separator: "/").map(String.init)
        switch name {
        case .statement: parts.insert(String(parts[1].prefix(1)), at: 1)
        case .segment: parts.insert(String(parts[2].prefix(14)), at: 2)
        default: break
        }
        return ([directory, "latchkey-sync", "\(circle)"] + parts).joined(separator: "/")
    }
}

/// Returns true if these objects are read, and nothing else. As a function: a test that fails prints no megabytes.
func holds(_ store: some SyncStore, _ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) -> Bool {
    try store.read(objects.keys.sorted()) == StoreReading(objects: objects)
}
