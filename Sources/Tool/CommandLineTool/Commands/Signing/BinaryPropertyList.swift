import LatchkeyPropertyListDER

/// Reads `bplist00`, the binary form of property lists.
///
/// A list of this form may name one value in many places, so that a small file stands for a giant list; each place
/// counts here.
enum BinaryPropertyList {
    static let signature = Array("bplist00".utf8)
    private static let trailerByteCount = 32
    private typealias Failure = PropertyListFile.Failure

    static func value(_ bytes: [UInt8]) throws(PropertyListFile.Failure) -> PropertyValue {
        var reader = try Reader(bytes)
        return try reader.value(at: reader.top, depth: 0)
    }

    private struct Reader {
        let bytes: [UInt8]
        let top: Int
        private let referenceByteCount: Int
        /// Where each object begins.
        private let offsets: [Int]
        private var budget = PropertyListFile.valueLimit

        init(_ bytes: [UInt8]) throws(Failure) {
            guard bytes.count >= signature.count + trailerByteCount else { throw .damaged }
            let trailer = bytes.count - trailerByteCount
            let offsetByteCount = Int(bytes[trailer + 6])
            referenceByteCount = Int(bytes[trailer + 7])
            guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount) else { throw .damaged }
            let count = try Self.number(bytes, at: trailer + 8, byteCount: 8)
            top = try Self.number(bytes, at: trailer + 16, byteCount: 8)
            let table = try Self.number(bytes, at: trailer + 24, byteCount: 8)
            // A file has no more objects than bytes, which keeps the product below small.
            guard count <= bytes.count, table <= trailer, count * offsetByteCount <= trailer - table else {
                throw .damaged
            }
            var offsets: [Int] = []
            for index in 0..<count {
                let offset = try Self.number(bytes, at: table + index * offsetByteCount, byteCount: offsetByteCount)
                guard offset < table else { throw .damaged }
                offsets.append(offset)
            }
            self.offsets = offsets
            // Objects lie before the table of their offsets.
            self.bytes = Array(bytes[..<table])
        }

        mutating func value(at reference: Int, depth: Int) throws(Failure) -> PropertyValue {
            guard offsets.indices.contains(reference) else { throw .damaged }
            budget -= 1
            guard budget >= 0 else { throw .tooMany }
            let start = offsets[reference]
            let low = Int(bytes[start] & 15)
            switch bytes[start] >> 4 {
            case 0 where low == 8 || low == 9: return .boolean(low == 9)
            case 1: return .integer(try integer(at: start + 1, byteCount: 1 << low))
            case 2: throw .realNumber
            case 3 where low == 3:
                let seconds = Double(bitPattern: try pattern(at: start + 1, byteCount: 8))
                guard seconds.isFinite else { throw Failure("This is not a valid date.") }
                return .date(seconds)
            case 4: return .data(Array(try content(at: start, unitByteCount: 1)))
            case 5:
                let content = try content(at: start, unitByteCount: 1)
                guard content.allSatisfy({ $0 < 0x80 }) else { throw .damaged }
                return .string(String(decoding: content, as: UTF8.self))
            case 6:
                let content = Array(try content(at: start, unitByteCount: 2))
                let units = stride(from: 0, to: content.count, by: 2).map {
                    UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
                }
                guard let text = String(validating: units, as: UTF16.self) else { throw .damaged }
                return .string(text)
            case 0xA: return .array(try array(at: start, depth: depth))
            case 0xD: return .dictionary(try dictionary(at: start, depth: depth))
            default: throw Failure("Entitlements cannot have a value of this type.")
            }
        }

        private mutating func array(at start: Int, depth: Int) throws(Failure) -> [PropertyValue] {
            guard depth < PropertyListFile.depthLimit else { throw .tooDeep }
            let references = try references(content(at: start, unitByteCount: referenceByteCount))
            var values: [PropertyValue] = []
            for (index, reference) in references.enumerated() {
                do {
                    values.append(try value(at: reference, depth: depth + 1))
                } catch {
                    throw error.inside("\(index)")
                }
            }
            return values
        }

        private mutating func dictionary(at start: Int, depth: Int) throws(Failure) -> [String: PropertyValue] {
            guard depth < PropertyListFile.depthLimit else { throw .tooDeep }
            let references = try references(content(at: start, unitByteCount: 2 * referenceByteCount))
            let count = references.count / 2
            var values: [String: PropertyValue] = [:]
            for index in 0..<count {
                guard case .string(let key) = try value(at: references[index], depth: depth + 1) else {
                    throw Failure("A key is not text.")
                }
                guard values[key] == nil else { throw Failure("The key \(key) occurs twice.") }
                do {
                    values[key] = try value(at: references[count + index], depth: depth + 1)
                } catch {
                    throw error.inside(key)
                }
            }
            return values
        }

        private func references(_ content: ArraySlice<UInt8>) throws(Failure) -> [Int] {
            var references: [Int] = []
            for start in stride(from: content.startIndex, to: content.endIndex, by: referenceByteCount) {
                references.append(try Self.number(bytes, at: start, byteCount: referenceByteCount))
            }
            return references
        }

        /// The content of a value with a count: the count is in the marker, or in an integer after it.
        private func content(at start: Int, unitByteCount: Int) throws(Failure) -> ArraySlice<UInt8> {
            var begin = start + 1
            var count = Int(bytes[start] & 15)
            if count == 15 {
                guard begin < bytes.count, bytes[begin] >> 4 == 1, bytes[begin] & 15 <= 3 else { throw .damaged }
                let byteCount = 1 << Int(bytes[begin] & 15)
                count = try Self.number(bytes, at: begin + 1, byteCount: byteCount)
                begin += 1 + byteCount
            }
            guard begin <= bytes.count, count <= (bytes.count - begin) / unitByteCount else { throw .damaged }
            return bytes[begin..<(begin + count * unitByteCount)]
        }

        /// Up to four bytes have no sign, eight have one, sixteen hold what eight cannot.
        private func integer(at start: Int, byteCount: Int) throws(Failure) -> Int64 {
            guard byteCount <= 8 else { throw .wideInteger }
            return Int64(bitPattern: try pattern(at: start, byteCount: byteCount))
        }

        private func pattern(at start: Int, byteCount: Int) throws(Failure) -> UInt64 {
            guard start <= bytes.count, byteCount <= bytes.count - start else { throw .damaged }
            return bytes[start..<(start + byteCount)].reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// An unsigned number that must be smaller than any file.
        private static func number(_ bytes: [UInt8], at start: Int, byteCount: Int) throws(Failure) -> Int {
            guard start <= bytes.count, byteCount <= bytes.count - start else { throw .damaged }
            let number = bytes[start..<(start + byteCount)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard number <= UInt64(PropertyListFile.byteLimit) else { throw .damaged }
            return Int(number)
        }
    }
}

extension PropertyListFile.Failure {
    static let damaged = Self("It is not a valid property list: the binary form is damaged.")
}
