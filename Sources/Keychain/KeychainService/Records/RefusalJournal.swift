import Foundation
import LatchkeyCodeSignature
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER
import LatchkeyThreading

/// The last refusals of a device, on disk so that they outlive the process. Holds rules, groups and times; no values.
///
/// One DER dictionary per record behind its length. When the file has grown to twice its limit the older half goes.
/// A record cut short by a crash or a full disk harms itself alone: reading goes on at the next whole one.
final class RefusalJournal: Sendable {
    private static let fileByteLimit = 256 << 10
    private static let recordByteLimit = 4096
    private static let lengthByteCount = 4

    private let path: String
    private let lock = ForkMutex(())

    init(path: String) {
        self.path = path
    }

    /// Appends a record. A journal that cannot be written must not fail the call it tells about.
    func append(_ record: RefusalRecord) {
        let encoded = DERWriter.encode(record.propertyValue)
        assert(encoded.count <= Self.recordByteLimit, "the texts of a record are cut so that it fits")
        guard encoded.count <= Self.recordByteLimit else { return }
        let bytes = unsafe withUnsafeBytes(of: UInt32(encoded.count).littleEndian) { unsafe Array($0) } + encoded
        lock.withLock { _ in
            // Other processes may append to the same file: one write, at whatever is the end then.
            let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { return }
            _ = unsafe write(descriptor, bytes, bytes.count)
            let end = lseek(descriptor, 0, SEEK_END)
            close(descriptor)
            if end > 2 * Self.fileByteLimit { shorten() }
        }
    }

    /// The newest records first, at most `limit`.
    func last(_ limit: Int) -> [RefusalRecord] {
        lock.withLock { _ in entries(of: content()) }.suffix(max(0, limit)).reversed().map(\.record)
    }

    private func content() -> [UInt8] {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) } ?? []
    }

    /// Every whole record with the place where it starts.
    private func entries(of bytes: [UInt8]) -> [(record: RefusalRecord, start: Int)] {
        var entries: [(record: RefusalRecord, start: Int)] = []
        var position = 0
        while position + Self.lengthByteCount < bytes.count {
            if let (record, end) = entry(at: position, of: bytes) {
                entries.append((record, position))
                position = end
            } else {
                position += 1
            }
        }
        return entries
    }

    private func entry(at start: Int, of bytes: [UInt8]) -> (record: RefusalRecord, end: Int)? {
        let body = start + Self.lengthByteCount
        let count = (0..<Self.lengthByteCount).reduce(0) { $0 | Int(bytes[start + $1]) << ($1 * 8) }
        guard count <= Self.recordByteLimit, count <= bytes.count - body else { return nil }
        guard let value = try? DERReader.decode(Array(bytes[body..<body + count])), let record = RefusalRecord(value)
        else { return nil }
        return (record, body + count)
    }

    private func shorten() {
        let bytes = content()
        let kept = entries(of: bytes).first { bytes.count - $0.start <= Self.fileByteLimit }?.start ?? bytes.count
        try? Data(bytes[kept...]).write(to: URL(fileURLWithPath: path), options: .atomic)
        unsafe chmod(path, 0o600)
    }
}

extension RefusalRecord {
    /// Paths and groups come from outside, also where a reason quotes them, and a record has a limit: a text that is
    /// too long ends with an ellipsis.
    fileprivate var propertyValue: PropertyValue {
        func text(_ text: String, _ byteLimit: Int) -> PropertyValue { .string(PlainText.cut(text, to: byteLimit)) }
        var fields: [String: PropertyValue] = [
            "time": .date(time.seconds), "caller": text(caller, 1024), "level": .string(level.rawValue),
            "operation": text(operation, 32), "class": text(itemClass, 128), "group": text(accessGroup, 512),
            "state": text(lockState, 32), "code": .integer(Int64(code.rawValue)), "rule": text(refusal.ruleName, 96),
            "reason": text(refusal.reason, 768), "advice": text(refusal.advice, 512),
        ]
        if let application { fields["application"] = text(application, 384) }
        return .dictionary(fields)
    }

    fileprivate init?(_ value: PropertyValue) {
        guard case .dictionary(let fields) = value, case .date(let time)? = fields["time"],
            case .integer(let code)? = fields["code"], let code = Int32(exactly: code)
        else { return nil }
        func text(_ key: String) -> String {
            if case .string(let text)? = fields[key] { text } else { "" }
        }
        let application = text("application")
        self.init(
            time: WallTime(secondsSince2001: time), caller: text("caller"),
            application: application.isEmpty ? nil : application,
            // Records of the time before signatures name no level.
            level: AssuranceLevel(rawValue: text("level")) ?? .c, operation: text("operation"),
            itemClass: text("class"), accessGroup: text("group"), lockState: text("state"),
            code: ResultCode(rawValue: code),
            refusal: Refusal(ruleName: text("rule"), reason: text("reason"), advice: text("advice")))
    }
}
