import CLatchkeyShims
import Foundation
import Glibc
import Testing

@Suite("Daemons on passed sockets")
struct ActivationTests {
    private func directory() throws -> String {
        var template = Array("/tmp/latchkey-activation.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func program(_ name: String) throws -> String { try Installation.program(name).path }

    @Test("both serve what was passed, to clients that came before them, and leave the sockets to their opener")
    func both() throws {
        let directory = try directory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let keychain = try OpenedSocket(directory + "/keychain.sock")
        let enclave = try OpenedSocket(directory + "/enclave.sock")
        // No transport is there: the daemon serves all the same.
        let arguments = [
            "--device", directory + "/device", "--enclave-socket", enclave.path, "--transport-socket",
            directory + "/transport.sock",
        ]
        let storage = ["--storage", directory + "/enclave", "--test-only-passcode-cost", "4"]
        // The daemon asks before its enclave is there.
        var daemon = try PassedProgram(
            try program("latchkeyd"), arguments, descriptor: keychain.descriptor, name: "keychain")
        let second = try PassedProgram(
            try program("latchkey-enclave"), storage, descriptor: enclave.descriptor, name: "enclave")
        #expect(try latchkey("add-generic-password -s s", at: keychain.path, input: "secret").status == 0)
        #expect(try latchkey("passcode set", at: keychain.path, input: "246810\n").status == 0)
        #expect(daemon.stop() == 0)
        #expect(FileManager.default.fileExists(atPath: keychain.path))
        #expect(!FileManager.default.fileExists(atPath: directory + "/device/enclave"))
        // A client that connects while no process serves waits for the daemon; the enclave kept the device unlocked.
        let early = lk_socket_connect(keychain.path)
        #expect(early >= 0)
        daemon = try PassedProgram(
            try program("latchkeyd"), arguments, descriptor: keychain.descriptor, name: "keychain")
        #expect(try latchkey("find-generic-password -s s -w", at: keychain.path).output == "secret\n")
        close(early)
        #expect(daemon.stop() == 0)
        #expect(second.stop() == 0)
        #expect(FileManager.default.fileExists(atPath: enclave.path))
    }

    @Test("a daemon with a passed socket still starts its own enclave if it is told of no other")
    func ownEnclave() throws {
        let device = try ThrowawayDevice()
        let keychain = try OpenedSocket(device.directory + "/passed.sock")
        let daemon = try PassedProgram(
            try program("latchkeyd"), ["--device", device.directory], descriptor: keychain.descriptor)
        #expect(try latchkey("status --json", at: keychain.path).json()["kind"] as? String == "daemon")
        #expect(!FileManager.default.fileExists(atPath: device.directory + "/run/keychain.sock"))
        #expect(daemon.stop() == 0)
    }

    @Test("a socket that was passed to another process is left alone")
    func anotherProcess() throws {
        let device = try ThrowawayDevice()
        let other = try OpenedSocket(device.directory + "/other.sock")
        let daemon = try PassedProgram(
            try program("latchkeyd"), ["--device", device.directory], descriptor: other.descriptor, processID: "1")
        let own = device.directory + "/run/keychain.sock"
        while !FileManager.default.fileExists(atPath: own), kill(daemon.identifier, 0) == 0 { usleep(1_000) }
        #expect(try latchkey("status", at: own).status == 0)
        #expect(daemon.stop() == 0)
    }

    enum Wrong: String, CaseIterable {
        case closed = "is not open"
        case file = "is not a socket"
        case stream = "another type than SOCK_SEQPACKET"
        case silent = "does not listen"
        case name = "is called \"other\""
        case two = "2 sockets were passed"
        case count = "LISTEN_FDS is \"x\""
    }

    @Test(
        "what cannot be served ends a daemon with the reason", arguments: Wrong.allCases,
        ["latchkeyd", "latchkey-enclave", "latchkey-transport"])
    func wrong(_ wrong: Wrong, _ name: String) throws {
        let directory = try directory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let arguments =
            switch name {
            case "latchkeyd": ["--device", directory + "/device"]
            case "latchkey-enclave": ["--storage", directory + "/enclave"]
            default: ["--store", "folder:" + directory]
            }
        let listening = try OpenedSocket(directory + "/s.sock")
        let descriptor =
            switch wrong {
            case .closed: Int32(-1)
            case .file: open("/dev/null", O_RDWR | O_CLOEXEC)
            case .stream: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            case .silent: socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            case .name, .two, .count: dup(listening.descriptor)
            }
        defer { if descriptor >= 0 { close(descriptor) } }
        let daemon = try PassedProgram(
            try program(name), arguments, descriptor: descriptor,
            count: wrong == .two ? "2" : wrong == .count ? "x" : "1", name: wrong == .name ? "other" : nil)
        #expect(daemon.wait() == 1)
        #expect(daemon.said.contains(wrong.rawValue), "\(daemon.said)")
    }

    @Test(
        "options that contradict each other are refused with the reason",
        arguments: [
            (["--owner", "61003"], "needs --enclave-socket"),
            (["--owner", "unknown-user"], "whom this machine does not know"),
            (["--trusted-group", "no-such-group"], "groupadd --system no-such-group"),
            (["--enclave-socket", "/x", "--test-only-passcode-cost", "4"], "belongs to the enclave"),
            (["--owner", "61003", "--enclave-socket", "/x"], "No socket was passed"),
        ])
    func options(_ options: [String], _ reason: String) throws {
        let directory = try directory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let ending = try run(try Installation.program("latchkeyd"), ["--device", directory] + options)
        #expect(ending.status == 1)
        #expect(ending.errors.contains(reason), "\(ending.errors)")
    }
}
