import Foundation
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeySecretMemory
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeySyncTransport
import LatchkeyTestSupport
import LatchkeyThreading
import Synchronization
import Testing

/// Daemon and transport over a socket, both in this process.
@Suite("The transport behind a socket")
final class SocketLinkTests: Sendable {
    private let directory: TemporaryDirectory
    private let own: [UInt8]
    private let device = SampleObjects.device(1)
    private let log = Mutex<[String]>([])

    init() throws {
        directory = try TemporaryDirectory()
        own = try PeerIdentity.ofThisProcess().executable.path
        try FileManager.default.createDirectory(atPath: directory.path("folder"), withIntermediateDirectories: false)
    }

    private var path: String { directory.path("transport.sock") }

    private func server(daemon: [UInt8]? = nil) throws -> TransportServer {
        let server = TransportServer(
            TransportStores(FolderCircles(in: directory.path("folder")), text: "folder:x"),
            listener: try Listener(path: path),
            daemon: ProgramAdmission(userID: geteuid(), path: daemon ?? own),
            log: { line in self.log.withLock { $0.append(line) } })
        try server.start()
        return server
    }

    private func store(transport: [UInt8]? = nil) -> any SyncStore {
        let program = ServerProgram(
            ProgramAdmission(userID: geteuid(), path: transport ?? own), inspector: PeerInspector())
        return TransportCircles(SocketLink(path: path, server: program))
            .store(of: SampleObjects.circle(1), writer: device)
    }

    @Test("is a store, for objects of any size") func calls() throws {
        let server = try server()
        defer { server.stop() }
        let store = store()
        var objects: [StoreObjectName: [UInt8]] = [:]
        for number in UInt64(1)...5 {
            objects[SampleObjects.segment(number, of: device)] = SampleObjects.object(
                .segment, seed: number, bodyByteCount: 1 << 20)
        }
        _ = try store.publish(objects, head: SampleObjects.object(.head), replacing: nil)
        let isRead = try store.readAll(objects.keys.sorted()).objects == objects
        #expect(isRead)
        #expect(try store.list(.heads).names == [.head(device)])
    }

    @Test("waits for other devices, and no longer than it is to") func waits() throws {
        let server = try server()
        defer { server.stop() }
        let store = store()
        #expect(try store.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        #expect(try store.waitForHint(until: Cancellation(seconds: 0)) == .none)
        let wait = Cancellation()
        let waiting = Pending { try? store.waitForHint(until: wait) }
        #expect(!waiting.isThere)
        wait.cancel()
        #expect(waiting.value == StoreHint.none)
        let other = FolderStore(
            in: directory.path("folder"), circle: SampleObjects.circle(1), writer: SampleObjects.device(2))
        let changed = Pending { try? store.waitForHint(until: Cancellation()) }
        _ = try other.publish([:], head: SampleObjects.object(.head), replacing: nil)
        #expect(changed.value == .changed)
    }

    @Test("serves the daemon alone") func otherDaemon() throws {
        let server = try server(daemon: Array("/usr/bin/env".utf8))
        defer { server.stop() }
        #expect(throws: StoreFailure.refused(.permission)) { try self.store().list(.heads) }
    }

    @Test("must be the expected program") func otherTransport() throws {
        let server = try server()
        defer { server.stop() }
        let store = store(transport: Array("/usr/bin/env".utf8))
        #expect(throws: StoreFailure.refused(.permission)) { try store.list(.heads) }
        #expect(throws: StoreFailure.refused(.permission)) { try store.waitForHint(until: Cancellation()) }
    }

    @Test("may be away, and come back") func restarts() throws {
        let store = store()
        #expect(throws: StoreFailure.unreachable(.noTransport)) { try store.list(.heads) }
        let first = try server()
        #expect(try store.list(.heads).names == [])
        first.stop()
        #expect(throws: StoreFailure.unreachable(.noTransport)) { try store.list(.heads) }
        let second = try server()
        defer { second.stop() }
        #expect(try store.list(.heads).names == [])
    }

    @Test(
        "ends the connection at a message that it cannot read",
        arguments: [[], [1, 2, 3], [UInt8](repeating: 0, count: 9)])
    func malformed(_ body: [UInt8]) throws {
        let server = try server()
        defer { server.stop() }
        let connection = try ClientConnection(connectingTo: path)
        #expect(throws: TransportFailure.refused(.malformed)) { try connection.call(WireMessage(body: body)) }
        #expect(!connection.isOpen)
    }
}
