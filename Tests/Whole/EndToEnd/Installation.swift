import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// The programs as they were built, beside the test bundle.
enum Installation {
    static let directory: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (own as NSString).deletingLastPathComponent
    }()

    /// False in the closed home of another user, which root can enter and root in a user namespace cannot.
    static let isInReach: Bool = {
        var path = directory
        while path != "/" {
            var status = stat()
            guard stat(path, &status) == 0, status.st_uid == geteuid() || status.st_mode & 0o001 != 0 else {
                return false
            }
            path = (path as NSString).deletingLastPathComponent
        }
        return true
    }()

    static func program(_ name: String) throws -> URL {
        let path = directory + "/" + name
        try #require(FileManager.default.isExecutableFile(atPath: path), "\(path) was not built")
        return URL(filePath: path)
    }

    static func repositoryFile(_ path: String) -> String {
        PackageFolder.file(path).path
    }
}

/// The end of a program and its output.
struct Ending {
    let status: Int32
    let output: String
    let errors: String

    /// The JSON document on standard output.
    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }
}

/// A pipe that is read by a thread of its own, however much a program writes to others meanwhile.
private final class ReadPipe: @unchecked Sendable {
    // Sendable because the thread has signalled its end before another one looks.
    private let end = DispatchSemaphore(value: 0)
    private var content = Data()

    init(_ pipe: Pipe) {
        Thread.detachNewThread { [self] in
            content = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
            end.signal()
        }
    }

    func wait() -> Data {
        end.wait()
        return content
    }
}

/// Runs a program to its end.
func run(
    _ program: URL, _ arguments: [String], input: Data = Data(), environment: [String: String] = [:]
) throws -> Ending {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
        .filter { $0.key != "LATCHKEY_DEVICE" }.merging(environment) { $1 }
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    // The program may end without reading what it is given.
    signal(SIGPIPE, SIG_IGN)
    try process.run()
    let complaints = ReadPipe(stderr)
    try? stdin.fileHandleForWriting.write(contentsOf: input)
    try? stdin.fileHandleForWriting.close()
    let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
    let errors = complaints.wait()
    process.waitUntilExit()
    let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    return Ending(
        status: status, output: String(decoding: output, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self)
    )
}
