import Foundation
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeySyncTransport
import LatchkeyTestSupport
import Testing

/// The process itself, with this one in the daemon's place.
@Suite("latchkey-transport")
struct TransportProgramTests {
    private let directory: TemporaryDirectory
    private let program: String
    private let own: String
    private let device = SampleObjects.device(1)

    init() throws {
        directory = try TemporaryDirectory()
        program = try Program.built("latchkey-transport")
        own = String(decoding: try PeerIdentity.ofThisProcess().executable.path, as: UTF8.self)
        try FileManager.default.createDirectory(atPath: directory.path("folder"), withIntermediateDirectories: false)
    }

    private func start(daemon: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "--store", "folder:" + directory.path("folder"), "--socket", directory.path("socket"),
            "--peer-executable", daemon,
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

    private func store() -> any SyncStore {
        let transport = ServerProgram(
            ProgramAdmission(userID: geteuid(), path: Array(program.utf8)), inspector: PeerInspector())
        return TransportCircles(SocketLink(path: directory.path("socket"), server: transport))
            .store(of: SampleObjects.circle(1), writer: device)
    }

    private func end(_ process: Process) {
        process.terminate()
        process.waitUntilExit()
    }

    @Test("serves its folder to the daemon, confined") func serves() throws {
        let process = try start(daemon: own)
        defer { end(process) }
        let store = store()
        let segment = SampleObjects.segment(1, of: device)
        let head = SampleObjects.object(.head)
        _ = try store.publish([segment: SampleObjects.object(.segment)], head: head, replacing: nil)
        #expect(try store.list(.heads).names == [.head(device)])
        let circles = TransportCircles(SocketLink(path: directory.path("socket"), server: nil))
        #expect(try circles.circles().count == 1)
        #expect(try circles.storeText() == "folder:" + directory.path("folder"))
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"))
    }

    @Test("serves no other program") func others() throws {
        let process = try start(daemon: "/usr/bin/env")
        defer { end(process) }
        #expect(throws: StoreFailure.refused(.permission)) { try store().list(.heads) }
    }

    @Test("is started again when another folder has the path") func replaced() throws {
        let process = try start(daemon: own)
        let folder = directory.path("folder")
        try #require(rename(folder, folder + "-away") == 0)
        #expect(throws: StoreFailure.unreachable(.folderMissing)) { try store().list(.heads) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(throws: StoreFailure.unreachable(.noTransport)) { try store().list(.heads) }
        process.waitUntilExit()
        #expect(process.terminationStatus == EX_TEMPFAIL)
        let next = try start(daemon: own)
        defer { end(next) }
        #expect(try store().list(.heads).names == [])
        try store().create([SampleObjects.segment(1, of: device): SampleObjects.object(.segment)])
    }

    @Test("does not start without its folder, or beside another one") func refusals() throws {
        let process = try start(daemon: own)
        defer { end(process) }
        let folder = directory.path("folder")
        let beside = try Program.run([program, "--store", "folder:" + folder, "--socket", directory.path("socket")])
        #expect(beside.status != 0 && beside.complaints.contains("another latchkey-transport"))
        for store in ["folder:" + directory.path("nothing"), "folder:relative", "nothing:x"] {
            let outcome = try Program.run([program, "--store", store, "--socket", directory.path("other")])
            #expect(outcome.status != 0 && !outcome.complaints.isEmpty)
        }
    }
}
