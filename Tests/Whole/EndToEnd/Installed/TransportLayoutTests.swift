import Foundation
import Glibc
import LatchkeySyncStore
import LatchkeySyncTransport
import LatchkeyTestSupport
import Testing

/// The transport as the system installation runs it: under a user of its own, with a passed socket. These tests are root, and root is
/// the daemon's user for them.
@Suite("A transport under a user of its own", .needsRoot(to: "run processes as several users"))
struct TransportLayoutTests {
    private let system: SystemLayout
    private let socket: OpenedSocket
    private let folder: String

    init() throws {
        system = try SystemLayout()
        folder = system.root + "/srv/sync"
        try system.directory("/srv/sync", system.transportUser, 0o700)
        socket = try OpenedSocket(system.transportSocket, owner: system.daemonUser)
    }

    private func start(client: UInt32 = 0) throws -> PassedProgram {
        try PassedProgram(
            system.program("latchkey-transport"), ["--store", "folder:" + folder, "--client", String(client)],
            descriptor: socket.descriptor, name: "transport", as: .init(identifier: system.transportUser))
    }

    private var circles: TransportCircles { TransportCircles(SocketLink(path: socket.path, server: nil)) }

    @Test("serves the daemon's user, tells its store, and has given up everything else") func serves() throws {
        let transport = try start()
        #expect(try circles.storeText() == "folder:" + folder)
        #expect(try circles.circles() == [])
        #expect(try transport.field("Seccomp") == ["2"])
        #expect(try transport.field("NoNewPrivs") == ["1"])
        let none = String(repeating: "0", count: 16)
        #expect(try transport.field("CapEff", ofThreads: true).allSatisfy { $0 == none })
        #expect(transport.stop() == 0)
        #expect(FileManager.default.fileExists(atPath: socket.path))
    }

    @Test("serves no other user, not even root") func others() throws {
        let transport = try start(client: system.daemonUser)
        #expect(throws: StoreFailure.refused(.permission)) { try circles.circles() }
        // The file keeps the others out; here it lets them in.
        try #require(chmod(socket.path, 0o666) == 0)
        let ending = try latchkey(
            "status", at: socket.path, as: system.stranger, program: system.program("latchkey"))
        #expect(ending.errors.contains("peer-not-allowed"), "\(ending.errors)")
        #expect(transport.stop() == 0)
    }

    @Test("answers without its folder, and leaves the next question to one that looks again") func missing() throws {
        let circles = circles
        let failure: @Sendable () -> StoreFailure? = {
            do throws(StoreFailure) {
                _ = try circles.circles()
                return nil
            } catch {
                return error
            }
        }
        try #require(rename(folder, folder + "-away") == 0)
        let first = try start()
        #expect(try circles.storeText() == "folder:" + folder)
        // The question waits in the socket for the next process, and the link asks it again.
        let second = Pending { failure() }
        #expect(first.wait() == EX_TEMPFAIL)
        #expect(first.said.contains("there is no folder \(folder)"), "\(first.said)")
        let next = try start()
        #expect(second.value == .unreachable(.folderMissing))
        try #require(rename(folder + "-away", folder) == 0)
        let third = Pending { failure() }
        #expect(next.wait() == EX_TEMPFAIL)
        let last = try start()
        #expect(third.value == nil)
        #expect(try circles.circles() == [])
        #expect(last.stop() == 0)
    }

    @Test("ends for good at options that stay wrong") func wrongOptions() throws {
        let transport = try PassedProgram(
            system.program("latchkey-transport"), ["--store", "nothing", "--client", "0"],
            descriptor: socket.descriptor, name: "transport", as: .init(identifier: system.transportUser))
        #expect(transport.wait() == 1)
        #expect(transport.said.contains("--store is folder:DIR or etcd:"), "\(transport.said)")
    }
}
