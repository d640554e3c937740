import Device
import EnclaveCore
import PeerIdentity

/// What the enclave was told on its command line.
struct EnclaveOptions: Sendable {
    let storage: String
    let socket: String
    /// The one program that is served.
    let peerExecutable: [UInt8]
    let passcodeCost: PasscodeCost

    /// The keychain daemon lies beside the enclave.
    private static let daemonName = "latchkeyd"

    init(_ arguments: [String]) throws(ProgramOptions.Failure) {
        let options = try ProgramOptions(
            Array(arguments.dropFirst()),
            values: ["--storage", "--socket", "--peer-executable", "--test-only-passcode-cost"], flags: [])
        storage = try options.required("--storage")
        socket = try options.required("--socket")
        if let cost = try options.number("--test-only-passcode-cost", in: 1...20) {
            passcodeCost = .fixed(log2Cost: cost)
        } else {
            passcodeCost = .calibrated
        }
        if let named = options.value("--peer-executable") {
            peerExecutable = Array(named.utf8)
        } else {
            peerExecutable = try Self.besideThisProgram(Self.daemonName)
        }
    }

    var socketDirectory: String {
        guard let slash = socket.lastIndex(of: "/") else { return "." }
        return slash == socket.startIndex ? "/" : String(socket[..<slash])
    }

    var processFile: String { socketDirectory + "/latchkey-enclave.pid" }

    private static func besideThisProgram(_ name: String) throws(ProgramOptions.Failure) -> [UInt8] {
        do throws(IdentityFailure) {
            let own = try PeerIdentity.ofThisProcess().executable.path
            return own.prefix(own.count - (own.split(separator: UInt8(ascii: "/")).last?.count ?? 0)) + Array(name.utf8)
        } catch {
            throw ProgramOptions.Failure(description: "the enclave cannot tell where it lies: \(error)")
        }
    }
}
