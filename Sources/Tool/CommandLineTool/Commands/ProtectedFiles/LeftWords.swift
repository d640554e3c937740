import LatchkeyFileAccess

/// Reasons for which entries of a tree are left as they are, in words.
enum LeftWords {
    /// The name of the reason for programs.
    static func name(_ reason: LeftReason) -> String {
        switch reason {
        case .link: "link"
        case .special: "special"
        case .otherFileSystem: "otherFileSystem"
        case .device: "device"
        case .otherNames: "otherNames"
        case .programRights: "programRights"
        case .otherOwner: "otherOwner"
        case .openForWriting: "openForWriting"
        case .temporary: "temporary"
        case .leftover: "leftover"
        case .damagedHeader: "damagedHeader"
        case .unreadable: "unreadable"
        }
    }

    static func text(_ reason: LeftReason) -> String {
        switch reason {
        case .link: "symbolic links are not followed"
        case .special: "sockets, pipes and devices have no content"
        case .otherFileSystem: "another file system is mounted there"
        case .device: "the directory of a device, which has the keys, or one that stores a volume"
        case .otherNames: "it has other hard links, which would keep the former content"
        case .programRights:
            "it is a program with the rights of its owner or group (setuid, setgid), or has the sticky bit"
        case .otherOwner: "it belongs to another user or group, and would become yours; its owner, or root, can do this"
        case .openForWriting: "another program has it open for writing"
        case .temporary: "a temporary file of Latchkey"
        case .leftover:
            "a copy, maybe in clear, that a command left behind when it was killed; `protect` and `unprotect` remove "
                + "one whose content another file has: compare it with the files beside it, then rename or remove it"
        case .damagedHeader: "a protected file whose header is damaged, or of a later version"
        case .unreadable(let number): SystemError.text(number)
        }
    }

    /// True if a file with content is not what the command was to make of it.
    static func isShortfall(_ reason: LeftReason) -> Bool {
        switch reason {
        case .link, .special, .otherFileSystem, .device, .temporary: false
        case .otherNames, .programRights, .otherOwner, .openForWriting, .leftover, .damagedHeader, .unreadable: true
        }
    }

    static func json(_ left: [LeftReason: TreePlan.Left]) -> JSONValue {
        .array(
            sorted(left).map { reason, left in
                .object([
                    ("reason", .string(name(reason))), ("why", .string(text(reason))),
                    ("count", .integer(Int64(left.count))),
                    ("examples", .array(left.examples.map(JSONValue.string))),
                ])
            })
    }

    /// One line for each reason.
    static func lines(_ left: [LeftReason: TreePlan.Left]) -> [String] {
        sorted(left).map { reason, left in
            let more = left.count > left.examples.count ? ", …" : ""
            return "  \(left.count): \(text(reason)) (\(left.examples.joined(separator: ", "))\(more))"
        }
    }

    private static func sorted(
        _ left: [LeftReason: TreePlan.Left]
    ) -> [(key: LeftReason, value: TreePlan.Left)] {
        left.sorted { (text($0.key), $0.value.count) < (text($1.key), $1.value.count) }
    }
}
