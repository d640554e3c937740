import Foundation
import Glibc
import Testing

/// A program that writes to a file without a pause.
final class ContentWriter {
    private let process = Process()

    private static let program = """
        import os, sys
        file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
        while True:
            os.pwrite(file, b"x" * (1 << 20), 0)
            print(flush=True)
        """

    init(_ path: String) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", Self.program, path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try #require(!output.fileHandleForReading.availableData.isEmpty, "the writer does not write")
        // A full pipe would stop it.
        let reader = output.fileHandleForReading
        reader.readabilityHandler = { if $0.availableData.isEmpty { $0.readabilityHandler = nil } }
    }

    deinit {
        kill()
    }

    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    func hasEnded(within seconds: Int) -> Bool {
        comes(within: seconds) { !process.isRunning }
    }
}
