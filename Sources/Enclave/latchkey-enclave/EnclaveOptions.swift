import Glibc
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeyPlainText

/// The options on the enclave's command line.
struct EnclaveOptions: Sendable {
    let storage: String
    /// The path of the socket to listen on; nil if the socket is passed to the enclave.
    let socket: String?
    /// The user whose daemon may connect.
    let client: UInt32
    /// The only program that may connect; nil if the client has a user of its own, which runs nothing else.
    let peerExecutable: [UInt8]?
    let passcodeCost: PasscodeCost
    let sensor: SensorOptions

    /// The file name of the keychain daemon, which is installed beside the enclave.
    private static let daemonName = "latchkeyd"

    init(_ arguments: [String]) throws(ProgramOptions.Failure) {
        let options = try ProgramOptions(
            Array(arguments.dropFirst()),
            values: SensorOptions.names.union([
                "--storage", "--socket", "--client", "--peer-executable", "--test-only-passcode-cost",
            ]), flags: [])
        storage = try options.required("--storage")
        socket = options.value("--socket")
        if let cost = try options.number("--test-only-passcode-cost", in: 1...20) {
            passcodeCost = .fixed(log2Cost: cost)
        } else {
            passcodeCost = .calibrated
        }
        client = try options.user("--client") ?? geteuid()
        sensor = try SensorOptions(options, isOwnersProcess: client == geteuid())
        if client != geteuid() {
            // Inspecting the program of another user's process needs a capability that a process with keys should not
            // have.
            guard options.value("--peer-executable") == nil else {
                throw ProgramOptions.Failure(
                    description: "--peer-executable is for a client of the enclave's own user; "
                        + "a --client of another user is known by that user")
            }
            peerExecutable = nil
        } else if let named = options.value("--peer-executable") {
            peerExecutable = Array(named.utf8)
        } else {
            peerExecutable = try Self.besideThisProgram(Self.daemonName)
        }
    }

    /// Nil if the socket is passed; the enclave then does not use the socket's directory.
    var socketDirectory: String? { socket.map { PathText.directory(of: $0) } }

    var processFile: String? { socketDirectory.map { $0 + "/latchkey-enclave.pid" } }

    private static func besideThisProgram(_ name: String) throws(ProgramOptions.Failure) -> [UInt8] {
        do throws(IdentityFailure) {
            return try ProgramAdmission.path(besideThisProgram: name)
        } catch {
            throw ProgramOptions.Failure(description: "the enclave cannot tell where it lies: \(error)")
        }
    }
}
