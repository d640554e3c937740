import Glibc
import LatchkeyDevice
import LatchkeyPlainText

/// The options on the daemon's command line.
struct DaemonOptions: Sendable {
    let directory: DeviceDirectory
    /// The user whose programs may connect, besides root.
    let owner: UInt32
    /// The group of setgid programs that their users cannot tamper with; nil if there is none.
    let trustedGroup: UInt32?
    /// The socket of an enclave that another program starts; nil if this daemon starts its own.
    let enclaveSocket: String?
    /// The socket of a transport that the system starts; nil if this daemon starts its own.
    let transportSocket: String?
    let acceptsDeclaredCallers: Bool
    /// Passed on to the enclave.
    let passcodeCost: Int?
    /// The socket of a fingerprint reader for tests; passed on to the enclave.
    let testSensor: String?

    init(_ arguments: [String]) throws(ProgramOptions.Failure) {
        let options = try ProgramOptions(
            Array(arguments.dropFirst()),
            values: [
                "--device", "--enclave-socket", "--transport-socket", "--owner", "--trusted-group",
                "--test-only-passcode-cost", "--test-only-sensor",
            ],
            flags: ["--accept-declared-callers"])
        directory = DeviceDirectory(path: Self.absolute(try options.required("--device")))
        enclaveSocket = options.value("--enclave-socket").map(Self.absolute)
        transportSocket = options.value("--transport-socket").map(Self.absolute)
        owner = try options.user("--owner") ?? geteuid()
        trustedGroup = try options.group("--trusted-group") ?? Account.groupID(SystemInstallation.trustedGroup)
        acceptsDeclaredCallers = options.has("--accept-declared-callers")
        passcodeCost = try options.number("--test-only-passcode-cost", in: 1...20)
        testSensor = options.value("--test-only-sensor")
        if enclaveSocket != nil, passcodeCost != nil || testSensor != nil {
            throw ProgramOptions.Failure(
                description: "a --test-only option belongs to the enclave, which this daemon does not start")
        }
        if servesAnotherUser, enclaveSocket == nil {
            throw ProgramOptions.Failure(
                description: "--owner with another user than the daemon's needs --enclave-socket: "
                    + "an enclave of the daemon's own user would protect nothing from it")
        }
    }

    /// True on a system installation: daemon, enclave and owner are different users.
    var servesAnotherUser: Bool { owner != geteuid() }

    /// The path is also passed to processes whose working directory differs.
    private static func absolute(_ path: String) -> String {
        guard !PathText.isAbsolute(path), let current = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(current) }
        return unsafe String(cString: current) + "/" + path
    }
}
