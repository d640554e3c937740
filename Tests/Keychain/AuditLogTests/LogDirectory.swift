import Foundation
import LatchkeyAuditLog
import LatchkeyCodeSignature
import LatchkeyEncoding
import Synchronization

/// A directory for a log that is gone after the test, with clocks that move only when they are told to.
final class LogDirectory: Sendable {
    let path: String
    private let times = Mutex((now: 800_000_000.0, uptime: 100.0))

    init() throws {
        var name = Array("/tmp/latchkey-audit-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw POSIXError(.EIO) }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var now: Double { times.withLock { $0.now } }

    func advance(by seconds: Double) {
        times.withLock {
            $0.now += seconds
            $0.uptime += seconds
        }
    }

    func log(fileByteLimit: Int = AuditLog.fileByteLimit) -> AuditLog {
        AuditLog(
            directory: path, fileByteLimit: fileByteLimit, now: { WallTime(secondsSince2001: self.now) },
            uptime: { Uptime(seconds: self.times.withLock { $0.uptime }) })
    }

    /// Writes events in the groups and closes the log.
    func write(_ groups: [String], fileByteLimit: Int = AuditLog.fileByteLimit) {
        let log = log(fileByteLimit: fileByteLimit)
        for group in groups { log.record(event(group), atOnce: true) }
        log.close()
    }

    var reader: AuditReader { AuditReader(directory: path) }

    /// All records, the oldest first.
    func records() throws -> [AuditRecord] { try reader.tail(.max).reversed() }

    func fault() throws -> AuditFault.Kind? { try reader.verify().fault?.kind }

    func url(_ name: String = "audit") -> URL { URL(fileURLWithPath: path + "/" + name) }

    func bytes(_ name: String = "audit") throws -> [UInt8] { [UInt8](try Data(contentsOf: url(name))) }

    func put(_ bytes: some Sequence<UInt8>, in name: String = "audit") throws {
        try Data(bytes).write(to: url(name))
    }

    /// The records of a file as they stand in its bytes.
    func frames(_ name: String = "audit") throws -> [[UInt8]] {
        var rest = try bytes(name)[...]
        var frames: [[UInt8]] = []
        while !rest.isEmpty {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            frames.append(Array(rest.prefix(4 + length + 32)))
            rest = rest.dropFirst(4 + length + 32)
        }
        return frames
    }

    var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: path)) }
    }
}

func event(
    _ group: String = "g", operation: String = "find", code: Int32 = 0, rule: String = "", program: String = "/bin/app"
) -> AuditEvent {
    AuditEvent(
        program: program, team: nil, level: .c, processID: 7, userID: 1000, executableDigest: [1, 2, 3],
        operation: operation, itemClass: "genp", accessGroup: group, code: code, rule: rule)
}
