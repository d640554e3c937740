import Foundation
import LatchkeyBinaryPropertyList
package import LatchkeyPropertyListDER

/// Apple's property lists as files, XML or binary, within limits: they come from unknown sources.
package enum PropertyListFile {
    package static let byteLimit = 256 * 1024
    /// Containers within containers.
    package static let depthLimit = 16
    /// Values of all kinds, each counted as often as it occurs in the list.
    package static let valueLimit = 8192

    /// The fault of a file, and the key at which it is.
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The keys that lead there, outermost first; empty for the file as a whole.
        package var keys: [String] = []
        package let reason: String

        package init(_ reason: String) {
            self.reason = reason
        }

        package var description: String {
            keys.isEmpty ? reason : "At \(keys.joined(separator: ".")): \(reason)"
        }

        func inside(_ key: String) -> Failure {
            var failure = self
            failure.keys.insert(key, at: 0)
            return failure
        }

        static let tooDeep = Failure("It has more than \(depthLimit) levels.")
        static let tooMany = Failure("It has more than \(valueLimit) values.")
        static let realNumber = Failure("Entitlements cannot have real numbers, only whole numbers.")
        static let wideInteger = Failure("The number does not fit into 64 bits with a sign.")
    }

    /// The dictionary in a file.
    package static func dictionary(_ bytes: [UInt8]) throws(Failure) -> [String: PropertyValue] {
        guard bytes.count <= byteLimit else { throw Failure("It is longer than \(byteLimit) bytes.") }
        let value =
            if bytes.starts(with: ListReader.signature) {
                try binaryValue(bytes)
            } else {
                try xmlValue(bytes)
            }
        guard case .dictionary(let dictionary) = value else {
            throw Failure("Its outermost value is not a dictionary.")
        }
        return dictionary
    }

    private static func xmlValue(_ bytes: [UInt8]) throws(Failure) -> PropertyValue {
        try checkXML(bytes)
        let object: Any
        do {
            var format = PropertyListSerialization.PropertyListFormat.xml
            object = try unsafe PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: &format)
            guard format == .xml else { throw Failure("It is neither an XML nor a binary property list.") }
        } catch {
            throw Failure("It is not a property list in Apple's XML form.")
        }
        var budget = valueLimit
        return try converted(object, depth: 0, budget: &budget)
    }

    /// The parser calls itself for each level and knows older formats and encodings: it gets none of these.
    private static func checkXML(_ bytes: [UInt8]) throws(Failure) {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "<") else {
            throw Failure("It is neither an XML nor a binary property list.")
        }
        guard String(validating: text, as: UTF8.self) != nil, !text.contains(0) else {
            throw Failure("It is not in UTF-8.")
        }
        // Counted wherever they stand: levels are never more than beginnings of containers.
        let marks = [Array("<array".utf8), Array("<dict".utf8)]
        var containers = 0
        for start in text.indices where text[start] == UInt8(ascii: "<") {
            if marks.contains(where: { text[start...].starts(with: $0) }) { containers += 1 }
        }
        guard containers <= 1024 else { throw Failure("It has more than 1024 arrays and dictionaries.") }
        let declaration = text.prefix(256)
        if let end = declaration.firstIndex(of: UInt8(ascii: ">")) {
            let head = String(decoding: declaration[..<end], as: UTF8.self).lowercased()
            guard !head.contains("encoding") || head.contains("utf-8") else { throw Failure("It is not in UTF-8.") }
        }
    }

    private static func converted(_ object: Any, depth: Int, budget: inout Int) throws(Failure) -> PropertyValue {
        budget -= 1
        guard budget >= 0 else { throw .tooMany }
        switch object {
        case let text as String: return .string(text)
        // Foundation hands out truth values as Bool and numbers as NSNumber, of which 0 and 1 are a Bool for `as`.
        case let truth as Bool where type(of: object) == Bool.self: return .boolean(truth)
        case let number as NSNumber:
            let kind = unsafe UInt8(bitPattern: number.objCType.pointee)
            guard kind != UInt8(ascii: "d"), kind != UInt8(ascii: "f") else { throw .realNumber }
            guard let whole = Int64(number.stringValue) else { throw .wideInteger }
            return .integer(whole)
        case let data as Data: return .data([UInt8](data))
        case let date as Date:
            guard date.timeIntervalSinceReferenceDate.isFinite else { throw Failure("This is not a valid date.") }
            return .date(date.timeIntervalSinceReferenceDate)
        case let list as [Any]:
            guard depth < depthLimit else { throw .tooDeep }
            var values: [PropertyValue] = []
            for (index, value) in list.enumerated() {
                do {
                    values.append(try converted(value, depth: depth + 1, budget: &budget))
                } catch {
                    throw error.inside("\(index)")
                }
            }
            return .array(values)
        case let dictionary as [String: Any]:
            guard depth < depthLimit else { throw .tooDeep }
            var values: [String: PropertyValue] = [:]
            for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
                do {
                    values[key] = try converted(value, depth: depth + 1, budget: &budget)
                } catch {
                    throw error.inside(key)
                }
            }
            return .dictionary(values)
        default: throw Failure("Entitlements cannot have a value of this type.")
        }
    }
}
