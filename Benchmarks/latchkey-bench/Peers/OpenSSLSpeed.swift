import Foundation

/// The speed of this machine in one thread, by the command `openssl speed`.
enum OpenSSLSpeed {
    /// Bytes a second over buffers of one size.
    /// - Parameter algorithm: the words that name it, as `-evp aes-256-cbc`.
    static func bytesPerSecond(_ algorithm: [String], byteCount: Int, processor: String?) throws -> Double {
        let process = Process()
        let output = Pipe()
        Worker.configure(
            process, program: try Programs.path(of: "openssl"),
            arguments: ["speed", "-elapsed", "-mr", "-seconds", "1", "-bytes", String(byteCount)] + algorithm,
            processor: processor)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // +F:number:name:bytes a second
        let fields = text.split(separator: "\n").last { $0.hasPrefix("+F:") }?.split(separator: ":")
        guard process.terminationStatus == 0, let speed = fields?.last.flatMap({ Double($0) }) else {
            throw Failure("openssl speed \(algorithm.joined(separator: " ")) said: \(text)")
        }
        return speed
    }
}
