import Glibc
import LatchkeyPlainText
import LatchkeyVolume

/// The result of `latchkey volume check`, for people and for programs.
struct VolumeCheckReport {
    let directory: String
    let result: VolumeCheck.Result

    var report: Report {
        Report(lines.joined(separator: "\n"), json: json, status: status)
    }

    private var damageCount: Int { result.findings.count { $0.kind.isDamage } }
    private var remnantCount: Int { result.findings.count { $0.kind == .remnant(isRemoved: false) } }

    private var status: ExitReason {
        if damageCount > 0 { return .fileDamaged }
        return result.isCancelled ? .interrupted : .success
    }

    private var lines: [String] {
        var lines = result.findings.map { "\(Self.text($0.path)): \(Self.words(for: $0.kind))" }
        var counts = [
            ItemCount.text(result.files, "file"), ItemCount.text(result.directories, "directory", "directories"),
            ItemCount.text(result.links, "link"),
        ]
        if result.others > 0 { counts.append(ItemCount.text(result.others, "pipe, socket or device", "others")) }
        let name = PlainText.escaped(directory)
        lines.append(
            "\(name): \(counts.joined(separator: ", ")); \(FileSize.text(Int(clamping: result.bytes))) verified.")
        if result.lockedFiles > 0 {
            lines.append(
                "The content of \(ItemCount.text(result.lockedFiles, "file")) was not verified: the device is locked for "
                    + "their class. Unlock it and check again.")
        }
        if damageCount > 0 {
            lines.append(
                "\(ItemCount.text(damageCount, "damage", "damages")) found. Damaged content comes back from a backup "
                    + "alone; what is intact can be read.")
        }
        if remnantCount > 0 {
            lines.append(
                "\(ItemCount.text(remnantCount, "remnant")) of operations that were cut off: "
                    + "--repair removes what is harmless.")
        }
        if result.isCancelled {
            lines.append("The check was interrupted: what follows behind the last file was not looked at.")
        } else if result.findings.isEmpty {
            lines.append("Nothing is damaged.")
        }
        return lines
    }

    private var json: JSONValue {
        .object([
            ("directory", .string(directory)), ("complete", .boolean(!result.isCancelled)),
            ("files", .integer(Int64(result.files))), ("directories", .integer(Int64(result.directories))),
            ("links", .integer(Int64(result.links))), ("others", .integer(Int64(result.others))),
            ("bytes", .integer(Int64(clamping: result.bytes))),
            ("notVerified", .integer(Int64(result.lockedFiles))), ("damaged", .integer(Int64(damageCount))),
            ("findings", .array(result.findings.map(Self.json))),
        ])
    }

    private static func json(_ finding: VolumeFinding) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("path", .string(text(finding.path, isEscaped: false))),
            ("stored", .string(text(finding.stored, isEscaped: false))),
            ("kind", .string(name(of: finding.kind))), ("isDamage", .boolean(finding.kind.isDamage)),
            ("why", .string(words(for: finding.kind))),
        ]
        switch finding.kind {
        case .damagedContent(let ranges):
            let ranges = ranges.map { range in
                JSONValue.object([
                    ("from", .integer(Int64(clamping: range.lowerBound))),
                    ("to", .integer(Int64(clamping: range.upperBound))),
                ])
            }
            members.append(("ranges", .array(ranges)))
        case .damagedHeaderCopy(let isRepaired): members.append(("repaired", .boolean(isRepaired)))
        case .remnant(let isRemoved): members.append(("repaired", .boolean(isRemoved)))
        default: break
        }
        return .object(members)
    }

    private static func text(_ path: [[UInt8]], isEscaped: Bool = true) -> String {
        let text =
            path.isEmpty ? "/" : String(decoding: Array(path.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
        return isEscaped ? PlainText.escaped(text) : text
    }

    /// A word that stays, for programs.
    private static func name(of kind: VolumeFinding.Kind) -> String {
        switch kind {
        case .damagedContent: "damagedContent"
        case .damagedHeader: "damagedHeader"
        case .damagedHeaderCopy: "damagedHeaderCopy"
        case .noKey: "noKey"
        case .newerVersion: "newerVersion"
        case .notProtected: "notProtected"
        case .damagedAttribute: "damagedAttribute"
        case .damagedTarget: "damagedTarget"
        case .noIdentifier: "noIdentifier"
        case .repeatedIdentifier: "repeatedIdentifier"
        case .foreignName: "foreignName"
        case .foreign: "foreign"
        case .remnant: "remnant"
        case .unreadable: "unreadable"
        }
    }

    private static func words(for kind: VolumeFinding.Kind) -> String {
        switch kind {
        case .damagedContent(let ranges):
            "damaged, "
                + ranges.prefix(rangeLimit).map { "bytes \($0.lowerBound) to \($0.upperBound - 1)" }
                .joined(separator: ", ") + (ranges.count > rangeLimit ? " and \(ranges.count - rangeLimit) more" : "")
        case .damagedHeader: "damaged, neither of its headers is authentic: it cannot be opened"
        case .damagedHeaderCopy(false): "one of its two headers is damaged; the content is intact. --repair replaces it"
        case .damagedHeaderCopy(true): "one of its two headers was damaged, and was replaced"
        case .noKey: "the device has no key for it: its header was altered, or it is a file of another device"
        case .newerVersion(let version): "has format \(version), which needs a later version of Latchkey"
        case .notProtected: "not a protected file: it was put there, or altered, in the storing directory"
        case .damagedAttribute: "an extended attribute is altered, or of another file"
        case .damagedTarget: "the target of the link is altered"
        case .noIdentifier: "the directory has lost its identifier: no name in it can be read"
        case .repeatedIdentifier: "a copy of another file or directory, made in the storing directory"
        case .foreignName: "a name of another directory, or an altered one: programs do not see the entry"
        case .foreign: "no volume makes such an entry: programs do not see it"
        case .remnant(false): "left behind by an operation that was cut off"
        case .remnant(true): "left behind by an operation that was cut off; removed"
        case .unreadable(let number): "not readable: \(SystemError.text(number))"
        }
    }

    private static let rangeLimit = 8
}
