import Foundation
import LatchkeyEtcdTesting
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeySyncTransport
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// The process in front of Debian's etcd, with this one in the daemon's place.
@Suite("latchkey-transport with etcd")
struct EtcdTransportTests {
    private let directory: TemporaryDirectory
    private let program: String
    private let own: String
    private let device = SampleObjects.device(1)

    init() throws {
        directory = try TemporaryDirectory()
        program = try Program.built("latchkey-transport")
        own = String(decoding: try PeerIdentity.ofThisProcess().executable.path, as: UTF8.self)
    }

    private func start(_ store: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--store", store, "--socket", directory.path("socket"), "--peer-executable", own]
        // Neither a proxy nor a list of authorities of the environment counts.
        process.environment = [
            "http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1", "PATH": "/usr/bin",
        ]
        try directory.file("log", [])
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.path("log")))
        try process.run()
        eventually { log.contains("ready") || !process.isRunning }
        return process
    }

    private var log: String {
        String(decoding: FileManager.default.contents(atPath: directory.path("log")) ?? Data(), as: UTF8.self)
    }

    private var circles: TransportCircles {
        let transport = ServerProgram(
            ProgramAdmission(userID: geteuid(), path: Array(program.utf8)), inspector: PeerInspector())
        return TransportCircles(SocketLink(path: directory.path("socket"), server: transport))
    }

    private func store() -> any SyncStore { circles.store(of: SampleObjects.circle(1), writer: device) }

    private func end(_ process: Process) {
        process.terminate()
        process.waitUntilExit()
    }

    @Test("serves its servers to the daemon, confined") func serves() throws {
        let cluster = try EtcdCluster()
        let process = try start(cluster.store)
        defer { end(process) }
        let segment = SampleObjects.segment(1, of: device)
        _ = try store().publish(
            [segment: SampleObjects.object(.segment)], head: SampleObjects.object(.head), replacing: nil)
        #expect(try store().list(.heads).names == [.head(device)])
        #expect(try store().waitForHint(until: .init(seconds: 1)) == .changed)
        #expect(try circles.circles() == [SampleObjects.circle(1)])
        #expect(try circles.storeText() == cluster.store)
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"))
        cluster.servers[0].kill()
        #expect(throws: StoreFailure.unreachable(.noAnswer)) { try store().list(.heads) }
        #expect(log.contains(cluster.servers[0].host), "\(log)")
    }

    @Test("ends when one of its files is replaced, to be started again") func replaced() throws {
        let cluster = try EtcdCluster()
        let password = try directory.file("password", Array("one".utf8))
        try #require(chmod(password, 0o600) == 0)
        let address = cluster.store + ";user=anna;password-file=" + password
        let process = try start(address)
        #expect(try circles.storeText() == cluster.store, "the paths are not told")
        #expect(try store().list(.heads).names == [])
        try directory.file("next", Array("two".utf8))
        try #require(chmod(directory.path("next"), 0o600) == 0 && rename(directory.path("next"), password) == 0)
        #expect(throws: StoreFailure.unreachable(.noTransport)) { try store().list(.heads) }
        process.waitUntilExit()
        #expect(process.terminationStatus == EX_TEMPFAIL)
        let next = try start(address)
        defer { end(next) }
        #expect(try store().list(.heads).names == [])
    }

    @Test("refuses addresses and files that it cannot use, and says why") func refusals() throws {
        let open = try directory.file("open", Array("one".utf8))
        try #require(chmod(open, 0o644) == 0)
        let host = "etcd:https://host"
        for (store, words) in [
            ("etcd:host", "not a server"), ("etcd:http://192.0.2.1", "not a server"), (host + ";x=1", "not a part"),
            (host + ";ca=/none/ca.pem", "/none/ca.pem cannot be read"),
            (host + ";user=anna;password-file=" + open, "can be read by every user"),
            (host + ";ca=" + directory.path, "is not a file"),
        ] {
            let outcome = try Program.run([program, "--store", store, "--socket", directory.path("other")])
            #expect(outcome.status == 1 && outcome.complaints.contains(words), "\(store): \(outcome.complaints)")
        }
    }
}
