import LatchkeySecretMemory

/// Reads a netrc file: `machine NAME login USER password SECRET`, `default`, `account`, and `macdef`, whose lines up to
/// an empty one are skipped.
///
/// A value may stand in quotation marks, where a backslash takes the next character as it is (`\n`, `\r` and `\t` are
/// the control characters). A `#` where a word is expected begins a comment.
@safe package struct NetrcReader {
    private struct Entry {
        let line: Int
        /// Nil for `default`.
        let machine: String?
        var login: String?
        var account: String?
        var password: SecretBox?
    }

    private struct Token {
        let range: Range<Int>
        let isQuoted: Bool
        let line: Int
    }

    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    private var line = 1
    private var file = ImportedFile()
    private var entryCount = 0
    private var defaults = 0

    /// Reads a whole file. Nothing is taken from a file that is wrong anywhere.
    package static func read(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> ImportedFile {
        guard bytes.count <= TransferLimits.fileByteCount else { throw TransferFailure(.fileTooLarge) }
        var reader = unsafe NetrcReader(bytes)
        try reader.readEntries()
        return reader.file
    }

    private init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
        self.position = unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    private mutating func readEntries() throws(TransferFailure) {
        var entry: Entry?
        while let word = try nextToken(allowingComment: true) {
            switch word.isQuoted ? nil : try text(word) {
            case "machine":
                let name = try text(try value(after: word))
                try finish(entry)
                guard defaults == 0 else { throw TransferFailure(.machineAfterDefault, line: word.line) }
                entry = Entry(line: word.line, machine: name)
            case "default":
                try finish(entry)
                guard defaults == 0 else { throw TransferFailure(.machineAfterDefault, line: word.line) }
                entry = Entry(line: word.line, machine: nil)
            case "login":
                let text = try text(try value(after: word))
                try set(\.login, text, in: &entry, at: word)
            case "account":
                let text = try text(try value(after: word))
                try set(\.account, text, in: &entry, at: word)
            case "password":
                let secret = try secret(try value(after: word))
                try set(\.password, secret, in: &entry, at: word)
            case "macdef":
                _ = try value(after: word)
                file.leave(LeftPart(line: word.line, .macro))
                skipMacro()
            default:
                throw TransferFailure(.unknownWord, line: word.line)
            }
        }
        try finish(entry)
    }

    private func set<Value>(
        _ part: WritableKeyPath<Entry, Value?>, _ value: Value, in entry: inout Entry?, at word: Token
    ) throws(TransferFailure) {
        guard var changed = entry else { throw TransferFailure(.wordBeforeMachine, line: word.line) }
        guard changed[keyPath: part] == nil else { throw TransferFailure(.wordTwice, line: word.line) }
        changed[keyPath: part] = value
        entry = changed
    }

    private mutating func finish(_ entry: Entry?) throws(TransferFailure) {
        guard let entry else { return }
        entryCount += 1
        guard entryCount <= TransferLimits.recordCount else { throw TransferFailure(.tooManyRecords, line: entry.line) }
        guard let machine = entry.machine else {
            defaults += 1
            file.leave(LeftPart(line: entry.line, .defaultEntry))
            return
        }
        guard let password = entry.password, password.count > 0 else {
            file.leave(LeftPart(line: entry.line, .withoutPassword))
            return
        }
        file.add(
            ImportedPassword(
                place: .server(name: machine, protocolCode: nil, port: nil, path: "", realm: ""),
                account: entry.login ?? "", comment: entry.account.map { "account \($0)" } ?? "", secret: password),
            line: entry.line)
    }

    /// A macro's lines go to the next empty line, or to the end of the file.
    private mutating func skipMacro() {
        var lineStart = position
        while unsafe position < bytes.count {
            let byte = unsafe bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\n") else { continue }
            line += 1
            let lineEnd = position - 1
            let isEmpty = unsafe bytes[lineStart..<lineEnd].allSatisfy { $0 == UInt8(ascii: "\r") }
            // The rest of the macdef line itself is not the empty line that ends it.
            if isEmpty, lineStart > 0, unsafe bytes[lineStart - 1] == UInt8(ascii: "\n") { return }
            lineStart = position
        }
    }

    private mutating func value(after word: Token) throws(TransferFailure) -> Token {
        guard let token = try nextToken(allowingComment: false) else {
            throw TransferFailure(.valueMissing, line: word.line)
        }
        return token
    }

    private mutating func nextToken(allowingComment: Bool) throws(TransferFailure) -> Token? {
        while unsafe position < bytes.count {
            let byte = unsafe bytes[position]
            if byte == UInt8(ascii: "\n") { line += 1 }
            if Self.isBlank(byte) {
                position += 1
            } else if byte == UInt8(ascii: "#"), allowingComment {
                while unsafe position < bytes.count, unsafe bytes[position] != UInt8(ascii: "\n") { position += 1 }
            } else {
                return byte == UInt8(ascii: "\"") ? try quotedToken() : try plainToken()
            }
        }
        return nil
    }

    private mutating func plainToken() throws(TransferFailure) -> Token {
        let start = position
        while unsafe position < bytes.count, unsafe !Self.isBlank(bytes[position]) {
            guard unsafe bytes[position] != 0 else { throw TransferFailure(.zeroByte, line: line) }
            position += 1
        }
        return try token(start..<position, isQuoted: false)
    }

    private mutating func quotedToken() throws(TransferFailure) -> Token {
        position += 1
        let start = position
        while unsafe position < bytes.count {
            switch unsafe bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return try token(start..<(position - 1), isQuoted: true)
            case UInt8(ascii: "\\"):
                guard unsafe position + 1 < bytes.count, unsafe bytes[position + 1] != UInt8(ascii: "\n") else {
                    throw TransferFailure(.badEscape, line: line)
                }
                position += 2
            case UInt8(ascii: "\n"): throw TransferFailure(.quoteNotClosed, line: line)
            case 0: throw TransferFailure(.zeroByte, line: line)
            default: position += 1
            }
        }
        throw TransferFailure(.quoteNotClosed, line: line)
    }

    private func token(_ range: Range<Int>, isQuoted: Bool) throws(TransferFailure) -> Token {
        guard range.count <= TransferLimits.fieldByteCount else { throw TransferFailure(.fieldTooLong, line: line) }
        return Token(range: range, isQuoted: isQuoted, line: line)
    }

    private func text(_ token: Token) throws(TransferFailure) -> String {
        let content = try secret(token)
        guard unsafe content.withBytes(SecretText.isUTF8) else { throw TransferFailure(.notUTF8, line: token.line) }
        return unsafe content.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private func secret(_ token: Token) throws(TransferFailure) -> SecretBox {
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[token.range])
        guard token.isQuoted else { return unsafe SecretBox(copying: content) }
        var count = 0
        let room = unsafe SecretBox(count: content.count) { room in
            var isEscaped = false
            for index in content.indices {
                let byte = unsafe content[index]
                if !isEscaped, byte == UInt8(ascii: "\\") {
                    isEscaped = true
                    continue
                }
                unsafe room[count] = isEscaped ? Self.escaped(byte) : byte
                isEscaped = false
                count += 1
            }
        }
        return room.prefix(count)
    }

    private static func escaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): UInt8(ascii: "\n")
        case UInt8(ascii: "r"): UInt8(ascii: "\r")
        case UInt8(ascii: "t"): UInt8(ascii: "\t")
        default: byte
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
