import LatchkeyDevice
import LatchkeyPlainText

/// The public facts in `/proc` about a process of a device.
struct ProcessFacts: Sendable {
    let identifier: Int32
    private let status: [String: String]

    init?(_ identifier: Int32) {
        guard let text = BoundedFile.text("/proc/\(identifier)/status", limit: 8192) else { return nil }
        self.identifier = identifier
        status = text.split(separator: "\n").reduce(into: [:]) { fields, line in
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
                fields[String(parts[0])] = parts[1].trimmingPrefix { $0 == "\t" || $0 == " " }.description
            }
        }
    }

    /// The effective user.
    var user: UInt32? {
        status["Uid"]?.split(separator: "\t").dropFirst().first.flatMap { UInt32($0) }
    }

    var filtersSystemCalls: Bool { status["Seccomp"] == "2" }
    var refusesNewPrivileges: Bool { status["NoNewPrivs"] == "1" }
    /// Those of the main thread.
    var capabilities: UInt64? { status["CapEff"].flatMap { UInt64($0, radix: 16) } }

    /// True if other processes of the same user cannot look into it or dump it. Files in `/proc` of a process that
    /// refuses belong to root; of a process of root they always do, so there the answer is nil.
    var refusesInspection: Bool? {
        guard let user, user != 0 else { return nil }
        return FileFacts("/proc/\(identifier)/status").map { $0.owner == 0 }
    }

    /// In bytes; nil if it is unlimited or cannot be read.
    var lockedMemoryLimit: UInt64? {
        let lines = BoundedFile.text("/proc/\(identifier)/limits", limit: 8192)?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("Max locked memory") }?.split(separator: " ").dropFirst(3).first
            .flatMap { UInt64($0) }
    }

    /// The process of a device whose program has this name and whose arguments have this value behind this option.
    static func find(_ name: String, option: String, value: String) -> ProcessFacts? {
        for entry in (try? DirectoryTree.names(in: "/proc")) ?? [] {
            guard let identifier = Int32(entry),
                let line = BoundedFile.text("/proc/\(identifier)/cmdline", limit: 1 << 14)
            else { continue }
            let words = line.utf8.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            guard words.first.map({ PathText.name(of: $0) }) == name,
                let place = words.firstIndex(of: option), words.indices.contains(place + 1), words[place + 1] == value
            else { continue }
            return ProcessFacts(identifier)
        }
        return nil
    }
}
