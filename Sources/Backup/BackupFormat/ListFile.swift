import Foundation
package import LatchkeyBinaryPropertyList

/// Property lists as files of a backup: binary, or in Apple's XML form as some tools write them.
package enum ListFile {
    static let limits = ListLimits(byteCount: 64 << 20, depth: 32, values: 1 << 20)
    /// XML lists are small in real backups; the parser of Foundation builds all of them in memory.
    private static let xmlByteLimit = 16 << 20
    private static let xmlContainerLimit = 1 << 16
    private static let xmlDepthLimit = 32

    /// - Parameter name: of the file, for failures.
    package static func value(_ bytes: [UInt8], name: String) throws(BackupFailure) -> ListObject {
        if bytes.starts(with: "bplist".utf8) {
            // bplist15 to bplist17 are other formats of the same beginning.
            if bytes.count > 6, bytes[6] != UInt8(ascii: "0"),
                (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(bytes[6])
            {
                throw .unsupported(name, why: "It is a binary list of a later version.")
            }
            do throws(ListFailure) {
                return try ListReader.value(of: bytes, limits: limits)
            } catch .tooLong, .tooDeep, .tooManyValues {
                throw .beyondLimits(name)
            } catch .wideInteger {
                throw .unsupported(name, why: "It has a whole number of more than 64 bits.")
            } catch {
                throw .damaged(name)
            }
        }
        try checkXML(bytes, name)
        var format = PropertyListSerialization.PropertyListFormat.xml
        guard
            let object = try? unsafe PropertyListSerialization.propertyList(
                from: Data(bytes), options: [], format: &format),
            format == .xml, let value = converted(object)
        else { throw .damaged(name) }
        return value
    }

    /// The parser calls itself for each level, expands entities, and knows older formats and encodings: it gets none of
    /// these.
    private static func checkXML(_ bytes: [UInt8], _ name: String) throws(BackupFailure) {
        guard bytes.count <= xmlByteLimit else { throw .beyondLimits(name) }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        // A sound list in another encoding is not a damaged one.
        if let encoding = foreignEncoding(of: text) {
            throw .unsupported(name, why: "It is written in \(encoding), and lists are read in UTF-8.")
        }
        guard text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "<"),
            String(validating: text, as: UTF8.self) != nil, !text.contains(0)
        else { throw .damaged(name) }
        // Counted wherever they stand: there are never more levels than that.
        let beginnings = [Array("<array".utf8), Array("<dict".utf8)]
        let endings = [Array("</array".utf8), Array("</dict".utf8)]
        var containers = 0
        var (depth, deepest) = (0, 0)
        for start in text.indices where text[start] == UInt8(ascii: "<") {
            let rest = text[start...]
            if beginnings.contains(where: { rest.starts(with: $0) }) {
                containers += 1
                // An empty one ends at once: <dict/>.
                let mark = rest.prefix(16)
                let end = mark.firstIndex(of: UInt8(ascii: ">")) ?? mark.startIndex
                let isEmpty = end > mark.startIndex && mark[end - 1] == UInt8(ascii: "/")
                depth += isEmpty ? 0 : 1
                deepest = max(deepest, depth)
            } else if endings.contains(where: { rest.starts(with: $0) }) {
                depth -= 1
            } else if rest.starts(with: "<!ENTITY".utf8) {
                throw .beyondLimits(name)
            }
        }
        guard containers <= xmlContainerLimit, deepest <= xmlDepthLimit else { throw .beyondLimits(name) }
    }

    /// The encoding of a text that is not written in UTF-8, by its first bytes or its declaration; nil if there is no sign of
    /// another one.
    private static func foreignEncoding(of text: ArraySlice<UInt8>) -> String? {
        let wide: [[UInt8]] = [[0xFE, 0xFF], [0xFF, 0xFE], [0, 0x3C], [0x3C, 0]]
        if wide.contains(where: { text.starts(with: $0) }) { return "UTF-16 or UTF-32" }
        let head = String(decoding: text.prefix(256), as: UTF8.self)
        guard let end = head.firstIndex(of: ">"), head.hasPrefix("<?xml"),
            let key = head[..<end].firstRange(of: "encoding")
        else { return nil }
        let value = head[key.upperBound..<end].drop { !"\"'".contains($0) }.dropFirst()
        let encoding = String(value.prefix { !"\"'".contains($0) }.prefix(32))
        return ["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding.lowercased()) ? nil : encoding
    }

    private static func converted(_ object: Any) -> ListObject? {
        switch object {
        case let text as String: return .string(text)
        // Foundation hands out truth values as Bool and numbers as NSNumber, of which 0 and 1 are a Bool for `as`.
        case let truth as Bool where type(of: object) == Bool.self: return .boolean(truth)
        case let number as NSNumber:
            return Int64(number.stringValue).map { .integer($0) } ?? .real(number.doubleValue)
        case let data as Data: return .data([UInt8](data))
        case let date as Date:
            let seconds = date.timeIntervalSinceReferenceDate
            return seconds.isFinite ? .date(seconds) : nil
        case let list as [Any]:
            let values = list.compactMap(converted)
            return values.count == list.count ? .array(values) : nil
        case let dictionary as [String: Any]:
            let values = dictionary.compactMapValues(converted)
            return values.count == dictionary.count ? .dictionary(values) : nil
        default: return nil
        }
    }
}
