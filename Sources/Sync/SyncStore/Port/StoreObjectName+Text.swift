internal import LatchkeyEncoding
internal import LatchkeyPlainText
package import LatchkeySyncCore

extension StoreObjectName: CustomStringConvertible {
    /// The name as it is written: `h/DEVICE`, `a/DEVICE/NUMBER`. The form for messages and for stores with flat names.
    package var description: String {
        switch self {
        case .statement(let hash): "s/\(hash)"
        case .head(let device): "h/\(device)"
        case .headCopy(let device, let tag): "h/\(device)\(ConflictTag.mark)\(tag.text)"
        case .exchange(let name): "q/\(name)"
        case .evidence(let hash): "e/\(hash)"
        case .segment(let dot):
            "\(dot.stream.zone.letter)/\(dot.stream.device)/\(FixedHexadecimal.text(dot.number, digits: 16))"
        case .snapshotPart(let device, let number, let part):
            "n/\(device)/\(FixedHexadecimal.text(number, digits: 16))/\(FixedHexadecimal.text(UInt64(part), digits: 4))"
        }
    }

    /// Parses a name. Returns nil unless the text is exactly the description of a name.
    package init?(_ text: some StringProtocol) {
        guard let name = Self(parts: PathText.parts(of: text)), name.description.utf8.elementsEqual(text.utf8) else {
            return nil
        }
        self = name
    }

    private init?(parts: [String]) {
        guard let first = parts.first else { return nil }
        switch (first, parts.count) {
        case ("s", 2): self.init(hash: parts[1], Self.statement)
        case ("e", 2): self.init(hash: parts[1], Self.evidence)
        case ("h", 2): self.init(head: parts[1])
        case ("q", 2):
            guard let name = ExchangeName(hexadecimal: parts[1]) else { return nil }
            self = .exchange(name)
        case ("a", 3), ("c", 3):
            guard let zone = ZoneClass(letter: first), let device = DeviceIdentifier(hexadecimal: parts[1]),
                let number = FixedHexadecimal.number(parts[2], digits: 16), number > 0
            else { return nil }
            self = .segment(Dot(StreamIdentifier(device, zone), number))
        case ("n", 4):
            guard let device = DeviceIdentifier(hexadecimal: parts[1]),
                let number = FixedHexadecimal.number(parts[2], digits: 16), number > 0,
                let part = FixedHexadecimal.number(parts[3], digits: 4), part < StoreLimits.snapshotParts
            else { return nil }
            self = .snapshotPart(device, number: number, part: UInt16(part))
        default: return nil
        }
    }

    private init?(hash text: some StringProtocol, _ make: (ObjectHash) -> StoreObjectName) {
        guard let bytes = FixedHexadecimal.bytes(text, count: ObjectHash.byteCount), let hash = ObjectHash(bytes) else {
            return nil
        }
        self = make(hash)
    }

    private init?(head text: some StringProtocol) {
        let digits = 2 * DeviceIdentifier.byteCount
        guard let device = DeviceIdentifier(hexadecimal: text.prefix(digits)) else { return nil }
        let rest = text.dropFirst(digits)
        if rest.isEmpty {
            self = .head(device)
        } else {
            guard rest.hasPrefix(ConflictTag.mark), let tag = ConflictTag(rest.dropFirst(ConflictTag.mark.count)) else {
                return nil
            }
            self = .headCopy(device, tag)
        }
    }
}

extension ZoneClass {
    /// The first part of the names of segments.
    var letter: String {
        switch self {
        case .a: "a"
        case .c: "c"
        }
    }

    init?(letter: some StringProtocol) {
        switch letter {
        case "a": self = .a
        case "c": self = .c
        default: return nil
        }
    }
}

extension Identifier {
    /// Returns nil unless the text has exactly the lower-case digits of an identifier.
    package init?(hexadecimal text: some StringProtocol) {
        guard let bytes = FixedHexadecimal.bytes(text, count: Self.byteCount) else { return nil }
        self.init(bytes)
    }
}

/// Hexadecimal digits of a fixed number, in lower case alone: each object has one name.
enum FixedHexadecimal {
    static func bytes(_ text: some StringProtocol, count: Int) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count == 2 * count, digits.allSatisfy(isDigit) else { return nil }
        return Hexadecimal.bytes(from: digits)
    }

    static func number(_ text: some StringProtocol, digits: Int) -> UInt64? {
        guard text.utf8.count == digits, text.utf8.allSatisfy(isDigit) else { return nil }
        return UInt64(text, radix: 16)
    }

    static func text(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func isDigit(_ digit: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit)
    }
}
