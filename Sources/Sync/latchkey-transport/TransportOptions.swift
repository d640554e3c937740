import Glibc
import LatchkeyDevice
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeyPlainText

/// The options on the transport's command line.
struct TransportOptions: Sendable {
    /// Where the circles are.
    let store: StoreChoice
    /// The path of the socket to listen on; nil if the socket is passed to the transport.
    let socket: String?
    /// The user whose daemon may connect.
    let client: UInt32
    /// The only program that may connect; nil if the client has a user of its own, which runs nothing else.
    let peerExecutable: [UInt8]?

    /// The process with which the transport ends: the daemon that started it. Nil where the system starts both.
    let parent: Int?

    /// The file name of the keychain daemon, which is installed beside the transport.
    private static let daemonName = "latchkeyd"

    init(_ arguments: [String]) throws(ProgramOptions.Failure) {
        let options = try ProgramOptions(
            Array(arguments.dropFirst()), values: ["--store", "--socket", "--client", "--peer-executable", "--parent"],
            flags: [])
        store = try StoreChoice(try options.required("--store"))
        socket = options.value("--socket")
        parent = try options.number("--parent", in: 2...Int(Int32.max))
        client = try options.user("--client") ?? geteuid()
        let named = options.value("--peer-executable")
        if client != geteuid() {
            guard named == nil else {
                throw ProgramOptions.Failure(
                    description: "--peer-executable is for a client of the transport's own user; "
                        + "a --client of another user is known by that user")
            }
            peerExecutable = nil
        } else {
            if let named {
                peerExecutable = Array(named.utf8)
            } else {
                peerExecutable = try Self.besideThisProgram(Self.daemonName)
            }
        }
    }

    /// Nil if the socket is passed; the transport then does not use the socket's directory.
    var socketDirectory: String? { socket.map { PathText.directory(of: $0) } }

    private static func besideThisProgram(_ name: String) throws(ProgramOptions.Failure) -> [UInt8] {
        do throws(IdentityFailure) {
            return try ProgramAdmission.path(besideThisProgram: name)
        } catch {
            throw ProgramOptions.Failure(description: "the transport cannot tell where it lies: \(error)")
        }
    }
}
