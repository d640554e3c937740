package import LatchkeyAuditLog
package import LatchkeyKeychainMessages
import LatchkeyPlainText

/// The file into which `SecurityTesting` writes the kinds of its findings, one in a line.
enum FindingFile {
    static let variable = "LATCHKEY_FINDINGS"
}

/// The log of CommonCrypto's findings (Docs/Manual/Misuse.md).
enum CommonCryptoLog {
    static let variable = "LATCHKEY_CRYPTO_FINDINGS"
}

/// A report on a run of a package's programs: calls of the keychain, refusals and findings.
package struct RunReport: Sendable {
    /// Bytes of a file of findings that are read.
    package static let fileByteLimit = 1 << 20

    /// Nil if no program used the device.
    private var calls: Int64?
    private var refusals: [(rule: String, reason: String, count: Int)] = []
    private var findings: [String: Int] = [:]

    package init() {}

    /// Counts the calls in an audit log; the log's records about itself are not calls.
    package mutating func add(calls records: [AuditRecord]) {
        let counted = records.filter { !$0.event.operation.hasPrefix("log-") }.map(\.count)
        calls = counted.reduce(calls ?? 0) { $0.addingReportingOverflow($1).partialValue }
    }

    /// - Parameter records: the newest first, as a device lists them.
    package mutating func add(refusals records: [RefusalRecord]) {
        for record in records.reversed() {
            let rule = record.refusal.ruleName
            if let index = refusals.firstIndex(where: { $0.rule == rule }) {
                refusals[index].count += 1
            } else {
                refusals.append((rule, record.refusal.reason, 1))
            }
        }
    }

    /// - Parameter text: a kind of finding in each line. Lines that are not one are passed over.
    package mutating func add(findings text: String) {
        for line in text.split(separator: "\n") where Self.isKind(line) { findings[String(line), default: 0] += 1 }
    }

    /// - Parameter text: a log of CommonCrypto, whose lines end with the kind in brackets.
    package mutating func add(cryptoFindings text: String) {
        for line in text.split(separator: "\n") {
            guard line.last == "]", let start = line.lastIndex(of: "[") else { continue }
            let kind = line[line.index(after: start)...].dropLast()
            if Self.isKind(kind) { findings[String(kind), default: 0] += 1 }
        }
    }

    /// The programs write the files: nothing else of them is shown.
    private static func isKind(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "-")
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
            }
    }

    /// One line; nil if there is nothing to say.
    package var text: String? {
        guard calls != nil || !findings.isEmpty else { return nil }
        var parts: [String] = []
        if let calls {
            parts = [Self.number(Int(clamping: calls), "call") + " of the keychain", refusalText]
        }
        return (parts + [findingText]).joined(separator: "; ")
    }

    private var refusalText: String {
        guard !refusals.isEmpty else { return "the device refused nothing" }
        let list = refusals.map { "\($0.count) × \($0.rule) (\(PlainText.escaped($0.reason)))" }
        let count = refusals.reduce(0) { $0 + $1.count }
        return "the device refused \(Self.number(count, "call")): " + list.joined(separator: ", ")
    }

    private var findingText: String {
        guard !findings.isEmpty else { return "no findings" }
        let list = findings.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) × \($0.key)" }
        return Self.number(findings.values.reduce(0, +), "finding") + ": " + list.joined(separator: ", ")
    }

    private static func number(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
