/// Reads JSON texts of a server, within limits: the depth is limited because each level is a call, the number of values because each
/// takes memory.
package struct JSONReader {
    package struct Limits: Sendable {
        package var depth = 16
        package var values = 262_144

        package init() {}
    }

    private let bytes: [UInt8]
    private let limits: Limits
    private var offset = 0
    private var valueCount = 0

    /// Reads a text that is one value, and nothing else but white space.
    package static func value(
        of bytes: [UInt8], limits: Limits = Limits()
    ) throws(JSONFailure) -> JSONValue {
        var reader = JSONReader(bytes, limits)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.offset == bytes.count else { throw .bytesLeft(offset: reader.offset) }
        return value
    }

    private init(_ bytes: [UInt8], _ limits: Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    private mutating func value(depth: Int) throws(JSONFailure) -> JSONValue {
        guard depth < limits.depth else { throw .tooDeep }
        valueCount += 1
        guard valueCount <= limits.values else { throw .tooManyValues }
        skipSpace()
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func members(depth: Int) throws(JSONFailure) -> [JSONMember] {
        var members: [JSONMember] = []
        offset += 1
        guard try !skip(UInt8(ascii: "}")) else { return members }
        while true {
            skipSpace()
            let name = try text()
            try expect(UInt8(ascii: ":"))
            members.append(JSONMember(name: name, value: try value(depth: depth + 1)))
            if try skip(UInt8(ascii: "}")) { return members }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func elements(depth: Int) throws(JSONFailure) -> [JSONValue] {
        var elements: [JSONValue] = []
        offset += 1
        guard try !skip(UInt8(ascii: "]")) else { return elements }
        while true {
            elements.append(try value(depth: depth + 1))
            if try skip(UInt8(ascii: "]")) { return elements }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONFailure) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount { try take(unsafe word.utf8Start[index]) }
        return value
    }

    private mutating func number() throws(JSONFailure) -> String {
        let start = offset
        if try peek() == UInt8(ascii: "-") { offset += 1 }
        let whole = digits()
        guard whole > 0, whole == 1 || bytes[offset - whole] != UInt8(ascii: "0") else {
            // A byte that begins no value is named as such.
            if whole == 0, offset == start { throw .unexpected(bytes[start], offset: start) }
            throw .badNumber(offset: start)
        }
        if next == UInt8(ascii: ".") {
            offset += 1
            guard digits() > 0 else { throw .badNumber(offset: start) }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            guard digits() > 0 else { throw .badNumber(offset: start) }
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Skips digits, and returns their number.
    private mutating func digits() -> Int {
        let start = offset
        while let digit = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) { offset += 1 }
        return offset - start
    }

    // MARK: Texts

    private mutating func text() throws(JSONFailure) -> [UInt8] {
        try take(UInt8(ascii: "\""))
        let start = offset
        var text: [UInt8] = []
        // The part since the last escape.
        var part = start
        while true {
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "\""):
                text += bytes[part..<offset]
                offset += 1
                guard Self.isUTF8(text) else { throw .badText(offset: start) }
                return text
            case UInt8(ascii: "\\"):
                text += bytes[part..<offset]
                offset += 1
                try escape(into: &text)
                part = offset
            case 0..<0x20: throw .badText(offset: offset)
            default: offset += 1
            }
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFailure) {
        let byte = try peek()
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"):
            let start = offset
            var units = [try codeUnit()]
            if UTF16.isLeadSurrogate(units[0]), next == UInt8(ascii: "\\") {
                offset += 1
                try take(UInt8(ascii: "u"))
                units.append(try codeUnit())
            }
            guard let part = String(validating: units, as: UTF16.self) else { throw .badText(offset: start) }
            text += part.utf8
        default: throw .unexpected(byte, offset: offset - 1)
        }
    }

    private mutating func codeUnit() throws(JSONFailure) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let byte = try peek()
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
                throw .unexpected(byte, offset: offset)
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        // Most texts are base64, of which megabytes come.
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
    }

    // MARK: Bytes

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func peek() throws(JSONFailure) -> UInt8 {
        guard offset < bytes.count else { throw .ended }
        return bytes[offset]
    }

    private mutating func take(_ byte: UInt8) throws(JSONFailure) {
        let found = try peek()
        guard found == byte else { throw .unexpected(found, offset: offset) }
        offset += 1
    }

    private mutating func expect(_ byte: UInt8) throws(JSONFailure) {
        skipSpace()
        try take(byte)
    }

    /// Skips white space and then the byte, if it is there.
    private mutating func skip(_ byte: UInt8) throws(JSONFailure) -> Bool {
        skipSpace()
        guard try peek() == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }
}
