import Foundation
import Glibc
import LatchkeyPlainText

/// The place of messages: standard error. If that is a stream of the journal, each line has the prefix by which the
/// journal knows its priority.
struct LogOutput: Sendable {
    /// The name of the least important type that is written, or `off`. Without it messages of `debug` and `info` are left
    /// out: on Apple platforms they are not stored either.
    static let variable = "LATCHKEY_LOG"

    static let standard = LogOutput(environment: ProcessInfo.processInfo.environment)

    private let leastRank: Int
    private let isJournal: Bool

    init(environment: [String: String]) {
        let name = environment[Self.variable]
        let named = OSLogType.names.first { $0.name == name }?.type.rank
        leastRank = name == "off" ? .max : named ?? OSLogType.default.rank
        isJournal = Self.isStream(environment["JOURNAL_STREAM"])
    }

    func writes(_ type: OSLogType) -> Bool { type.rank >= leastRank }

    /// Writes a message. Those of other threads do not get into it.
    func write(_ text: String, type: OSLogType, subsystem: String, category: String) {
        let source = subsystem.isEmpty && category.isEmpty ? "" : "[\(subsystem):\(category)] "
        // A line of a message must not look like another message, nor move the cursor of a terminal.
        let lines = (source + text).split(separator: "\n", omittingEmptySubsequences: false).map {
            PlainText.escaped(String($0))
        }
        let message =
            isJournal
            ? lines.flatMap(Self.pieces).map { "<\(type.priority)>\($0)\n" }.joined()
            : Self.heading(type) + lines.joined(separator: "\n\t") + "\n"
        StandardError.write(message)
    }

    /// The pieces of a line for the journal. It cuts a line that is longer than its `LineMax` (48 KiB), and would take a
    /// prefix at the beginning of the rest, which can come from a value, for ours.
    private static func pieces(_ line: String) -> [String] {
        let limit = 8192
        var (rest, pieces) = (Array(line.utf8)[...], [String]())
        while rest.count > limit {
            var end = rest.startIndex + limit
            // A byte within a character.
            while rest[end] & 0xC0 == 0x80 { end -= 1 }
            pieces.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[end...]
        }
        return pieces + [String(decoding: rest, as: UTF8.self)]
    }

    /// The time, the program and the type.
    private static func heading(_ type: OSLogType) -> String {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        var parts = unsafe tm()
        unsafe localtime_r(&now.tv_sec, &parts)
        let (year, month, date) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
        let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(year)-\(two(month))-\(two(date))"
        let fraction = String("\(1_000_000 + now.tv_nsec / 1_000)".dropFirst())
        let time = "\(two(hour)):\(two(minute)):\(two(second)).\(fraction)"
        let name = OSLogType.names[type.rank].name
        return "\(day) \(time) \(ProcessInfo.processInfo.processName)[\(getpid())] \(name): "
    }

    /// Returns true if standard error is the stream that systemd has named, by its device and its number
    /// (`systemd.exec(5)`): a program may have been given another one since.
    private static func isStream(_ name: String?) -> Bool {
        guard let name else { return false }
        var status = stat()
        return unsafe fstat(STDERR_FILENO, &status) == 0 && name == "\(status.st_dev):\(status.st_ino)"
    }
}
