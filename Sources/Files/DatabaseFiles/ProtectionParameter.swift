package import LatchkeyKeybag

extension FileProtection {
    /// The class that the parameter `protection` of a database's URI names: the name of Swift's case, or Apple's.
    package init?(databaseParameter text: String) {
        switch text {
        case "complete": self = .complete
        case "completeUnlessOpen": self = .completeUnlessOpen
        case "completeUntilFirstUserAuthentication": self = .completeUntilFirstUserAuthentication
        case "none": self = .none
        default: self.init(rawValue: text)
        }
    }
}

/// The URI that opens a protected database.
package struct DatabaseURI: Sendable {
    package let text: String

    /// - Parameters:
    ///   - path: may have any characters.
    ///   - protection: the class if the file is new; nil for that of its folder.
    package init(path: String, protection: FileProtection?) {
        var text = "file:" + Self.escaped(path) + "?vfs=" + DatabaseVFS.name
        if let protection { text += "&protection=" + protection.rawValue }
        self.text = text
    }

    /// Adds a class to a URI that names none.
    init(_ uri: String, adding protection: FileProtection?) {
        let parts = uri.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts[0].split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let names = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).first ?? "" }
        guard let protection, !names.contains("protection") else {
            text = uri
            return
        }
        text = parts[0] + (parts[0].contains("?") ? "&" : "?") + "protection=" + protection.rawValue
    }

    /// The file system that a URI names, as SQLite reads it: escapes stand for bytes, a zero byte ends a word, and the last
    /// one counts. Nil if it names none.
    static func fileSystem(of uri: String) -> String? {
        // By bytes, as SQLite does: a mark behind a sign of the URI would join it in one `Character`.
        let text = uri.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = text.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        var found: String?
        for part in text[text.index(after: mark)...].split(separator: UInt8(ascii: "&")) {
            let words = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if unescaped(words[0]) == "vfs" { found = words.count > 1 ? unescaped(words[1]) : "" }
        }
        return found
    }

    private static func unescaped(_ word: some Sequence<UInt8>) -> String {
        let bytes = Array(word)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "%"), index + 1 < bytes.count,
                let high = Character(UnicodeScalar(bytes[index])).hexDigitValue,
                let low = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue
            {
                byte = UInt8(high << 4 | low)
                index += 2
            }
            guard byte != 0 else { break }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// SQLite takes `?` and `#` for ends of the path and `%` for an escape; a path that begins with two slashes has an authority.
    static func escaped(_ path: String) -> String {
        var result = ""
        for character in path.unicodeScalars {
            switch character {
            case "?": result += "%3f"
            case "#": result += "%23"
            case "%": result += "%25"
            case "/" where result == "/": break
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
