internal import LatchkeyPlainText
package import LatchkeySyncCore

/// Where objects are in the folder of a circle. A folder of the layout holds about as many files as honest devices write into one: 256
/// segments, 1,000 parts, a sixteenth of the statements.
enum FolderLayout {
    /// The folder of all circles, in the folder that the user names.
    static let top = "latchkey-sync"
    static let temporary = "tmp"

    /// The folders from that of the circle on.
    static func folders(of name: StoreObjectName) -> [String] {
        let folders = folders(of: name.prefix)
        guard let group = group(of: name) else { return folders }
        return folders + [group]
    }

    static func file(of name: StoreObjectName) -> String {
        PathText.name(of: name.description)
    }

    /// The folders from that of the circle on to the one that has the objects of a prefix, or folders of them.
    static func folders(of prefix: ObjectPrefix) -> [String] {
        PathText.parts(of: prefix.text)
    }

    /// The folder between the one of the prefix and the file.
    private static func group(of name: StoreObjectName) -> String? {
        switch name {
        case .statement: String(file(of: name).prefix(1))
        case .segment: String(file(of: name).prefix(groupDigits))
        case .snapshotPart(_, let number, _): FixedHexadecimal.text(number, digits: 16)
        case .head, .headCopy, .exchange, .evidence: nil
        }
    }

    /// The number of digits in the names of the folders below the one of a prefix. Nil if the files are in that one.
    static func groupDigits(of prefix: ObjectPrefix) -> Int? {
        switch prefix {
        case .statements: 1
        case .segments: groupDigits
        case .snapshots: 16
        case .heads, .exchanges, .evidence: nil
        }
    }

    /// The name of the object in a file; nil for a foreign file.
    static func name(of file: String, group: String?, prefix: ObjectPrefix) -> StoreObjectName? {
        let name: StoreObjectName?
        if case .snapshots = prefix, let group {
            name = StoreObjectName(prefix.text + group + "/" + file)
        } else {
            name = StoreObjectName(prefix.text + file)
        }
        guard let name, self.group(of: name) == group else { return nil }
        return name
    }

    /// 256 segments differ in the last two of 16 digits.
    private static let groupDigits = 14
}

extension StoreObjectName {
    /// The path of the object's file below the folder that the user names.
    package func path(in circle: CircleIdentifier) -> String {
        ([FolderLayout.top, "\(circle)"] + FolderLayout.folders(of: self) + [FolderLayout.file(of: self)]).joined(
            separator: "/")
    }
}
