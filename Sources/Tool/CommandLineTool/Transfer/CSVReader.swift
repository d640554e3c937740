package import LatchkeySecretMemory

/// A reader of comma-separated values (RFC 4180): fields are ranges of the file's bytes, copied only on request.
///
/// Strict: a file that could be read in two ways is refused. Quoted fields may hold commas, doubled quotation marks and
/// line ends; lines end with LF or CRLF; a byte order mark is skipped; empty lines are, too.
@safe package struct CSVReader {
    /// One field; `range` is inside its quotation marks.
    package struct Field: Sendable, Equatable {
        package let range: Range<Int>
        package let hasDoubledQuotes: Bool
    }

    package struct Record: Sendable, Equatable {
        package let fields: [Field]
        /// Where it begins, from 1.
        package let line: Int
    }

    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    private var line = 1

    /// All records of a file. The ranges are good as long as the bytes are those that were read.
    package static func records(of bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> [Record] {
        guard bytes.count <= TransferLimits.fileByteCount else { throw TransferFailure(.fileTooLarge) }
        var reader = unsafe CSVReader(bytes)
        var records: [Record] = []
        while let record = try reader.next() {
            guard records.count < TransferLimits.recordCount else {
                throw TransferFailure(.tooManyRecords, line: record.line)
            }
            records.append(record)
        }
        return records
    }

    private init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
        self.position = unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The next record that is not an empty line.
    private mutating func next() throws(TransferFailure) -> Record? {
        while unsafe position < bytes.count {
            let start = line
            var fields: [Field] = []
            var isAtEnd = false
            while !isAtEnd {
                guard fields.count < TransferLimits.fieldCount else {
                    throw TransferFailure(.tooManyFields, line: start)
                }
                let isQuoted = unsafe position < bytes.count && bytes[position] == UInt8(ascii: "\"")
                fields.append(isQuoted ? try quotedField() : try plainField())
                isAtEnd = try !skipComma(afterQuote: isQuoted)
                if isAtEnd, fields.count == 1, !isQuoted, fields[0].range.isEmpty { fields = [] }
            }
            if !fields.isEmpty { return Record(fields: fields, line: start) }
        }
        return nil
    }

    private mutating func plainField() throws(TransferFailure) -> Field {
        let start = position
        scan: while unsafe position < bytes.count {
            switch unsafe bytes[position] {
            case UInt8(ascii: ","), UInt8(ascii: "\n"): break scan
            case UInt8(ascii: "\r"):
                guard isLineEnd(at: position) else { throw TransferFailure(.carriageReturn, line: line) }
                break scan
            case UInt8(ascii: "\""): throw TransferFailure(.quoteInsidePlainField, line: line)
            case 0: throw TransferFailure(.zeroByte, line: line)
            default: position += 1
            }
        }
        return try field(start..<position, hasDoubledQuotes: false, line: line)
    }

    private mutating func quotedField() throws(TransferFailure) -> Field {
        let firstLine = line
        position += 1
        let start = position
        var hasDoubledQuotes = false
        while unsafe position < bytes.count {
            switch unsafe bytes[position] {
            case UInt8(ascii: "\""):
                guard unsafe position + 1 < bytes.count, unsafe bytes[position + 1] == UInt8(ascii: "\"") else {
                    position += 1
                    return try field(start..<(position - 1), hasDoubledQuotes: hasDoubledQuotes, line: firstLine)
                }
                hasDoubledQuotes = true
                position += 2
            case 0: throw TransferFailure(.zeroByte, line: line)
            case UInt8(ascii: "\n"):
                line += 1
                position += 1
            default: position += 1
            }
        }
        throw TransferFailure(.quoteNotClosed, line: firstLine)
    }

    private func field(
        _ range: Range<Int>, hasDoubledQuotes: Bool, line: Int
    ) throws(TransferFailure) -> Field {
        guard range.count <= TransferLimits.fieldByteCount else { throw TransferFailure(.fieldTooLong, line: line) }
        return Field(range: range, hasDoubledQuotes: hasDoubledQuotes)
    }

    /// True if a comma was skipped, false if it was the end of the record.
    private mutating func skipComma(afterQuote: Bool) throws(TransferFailure) -> Bool {
        guard unsafe position < bytes.count else { return false }
        if unsafe bytes[position] == UInt8(ascii: ",") {
            position += 1
            return true
        }
        guard unsafe bytes[position] == UInt8(ascii: "\n") || isLineEnd(at: position) else {
            throw TransferFailure(afterQuote ? .textAfterQuote : .carriageReturn, line: line)
        }
        unsafe position += bytes[position] == UInt8(ascii: "\r") ? 2 : 1
        line += 1
        return false
    }

    private func isLineEnd(at position: Int) -> Bool {
        unsafe bytes[position] == UInt8(ascii: "\r") && position + 1 < bytes.count
            && bytes[position + 1] == UInt8(ascii: "\n")
    }
}

extension CSVReader.Field {
    /// True if the field has no value: it is empty, or has blanks alone.
    package func isBlank(in bytes: UnsafeRawBufferPointer) -> Bool {
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        return unsafe bytes[range].allSatisfy { blanks.contains($0) }
    }

    /// The content as text; for attributes, never for secrets.
    package func text(in bytes: UnsafeRawBufferPointer) -> String? {
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
        guard unsafe SecretText.isUTF8(content) else { return nil }
        guard hasDoubledQuotes else { return unsafe String(decoding: content, as: UTF8.self) }
        // As bytes: as a character, a quotation mark with a combining mark behind it is another one.
        return unsafe secret(in: bytes).withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The content in locked memory.
    package func secret(in bytes: UnsafeRawBufferPointer) -> SecretBox {
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
        guard hasDoubledQuotes else { return unsafe SecretBox(copying: content) }
        // Every quotation mark inside is the first of a pair.
        let doubled = unsafe content.reduce(0) { $0 + ($1 == UInt8(ascii: "\"") ? 1 : 0) } / 2
        return unsafe SecretBox(count: content.count - doubled) { room in
            var position = 0
            var skipsQuote = false
            for index in content.indices {
                let byte = unsafe content[index]
                if skipsQuote, byte == UInt8(ascii: "\"") {
                    skipsQuote = false
                    continue
                }
                skipsQuote = byte == UInt8(ascii: "\"")
                unsafe room[position] = byte
                position += 1
            }
        }
    }
}
