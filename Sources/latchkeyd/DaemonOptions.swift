import Device
import Glibc

/// What the daemon was told on its command line.
struct DaemonOptions: Sendable {
    let directory: DeviceDirectory
    let acceptsDeclaredCallers: Bool
    /// Handed to the enclave.
    let passcodeCost: Int?

    init(_ arguments: [String]) throws(ProgramOptions.Failure) {
        let options = try ProgramOptions(
            Array(arguments.dropFirst()), values: ["--device", "--test-only-passcode-cost"],
            flags: ["--accept-declared-callers"])
        directory = DeviceDirectory(path: Self.absolute(try options.required("--device")))
        acceptsDeclaredCallers = options.has("--accept-declared-callers")
        passcodeCost = try options.number("--test-only-passcode-cost", in: 1...20)
    }

    /// Other processes get the path too, and have directories of their own.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(current) }
        return unsafe String(cString: current) + "/" + path
    }
}
