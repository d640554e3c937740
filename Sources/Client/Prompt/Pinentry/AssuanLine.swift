/// One line from a pinentry.
package enum AssuanLine: Sendable, Hashable {
    case ok
    /// By the number of libgpg-error; the source in its upper bits is cut off.
    case error(UInt32)
    /// The part after the two bytes `D `.
    case data
    /// By its keyword, cut off at 32 bytes.
    case status(String)
    case comment
    /// A question, or a line that is not part of the protocol.
    case unexpected

    /// - Parameter bytes: without the line's end.
    package init(_ bytes: UnsafeRawBufferPointer) {
        func begins(_ word: String) -> Bool {
            let word = word.utf8
            guard bytes.count >= word.count, unsafe bytes.prefix(word.count).elementsEqual(word) else {
                return false
            }
            return unsafe bytes.count == word.count || bytes[word.count] == UInt8(ascii: " ")
        }
        if begins("D"), bytes.count >= 2 {
            self = .data
        } else if begins("OK") {
            self = .ok
        } else if begins("ERR") {
            let digits = unsafe bytes.dropFirst(4).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            let number = unsafe UInt32(String(decoding: digits.prefix(10), as: UTF8.self))
            self = number.map { .error($0 & 0xFFFF) } ?? .unexpected
        } else if begins("S") {
            let keyword = unsafe bytes.dropFirst(2).prefix(32).prefix { $0 != UInt8(ascii: " ") }
            self = unsafe .status(String(decoding: keyword, as: UTF8.self))
        } else if unsafe bytes.isEmpty || bytes.first == UInt8(ascii: "#") {
            self = .comment
        } else {
            self = .unexpected
        }
    }

    /// Numbers of libgpg-error for a person's reaction.
    package static let timedOut: UInt32 = 62
    package static let cancelled: UInt32 = 99
    package static let notConfirmed: UInt32 = 114
    package static let fullyCancelled: UInt32 = 198
}

/// The encoding of text on lines.
package enum AssuanText {
    /// Encodes percent sign and line ends.
    package static func encoded(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Decodes `encoded` into `room`.
    ///
    /// - Returns: the number of bytes; nil if a percent sign is not followed by two hexadecimal digits; -1 if `room` is
    ///   too small.
    package static func decode(_ encoded: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int? {
        var count = 0
        var index = 0
        while index < encoded.count {
            var byte = unsafe encoded[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard index + 2 <= encoded.count, let high = unsafe digit(encoded[index]),
                    let low = unsafe digit(encoded[index + 1])
                else { return nil }
                byte = high << 4 | low
                index += 2
            }
            guard count < room.count else { return -1 }
            unsafe room[count] = byte
            count += 1
        }
        return count
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
