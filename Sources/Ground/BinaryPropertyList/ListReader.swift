/// Reads property lists in the binary form from unchecked bytes, object by object: large lists need not lie in memory.
package struct ListReader {
    package static var signature: [UInt8] { Array("bplist00".utf8) }

    /// Returns bytes of the list, which are read where they are wanted.
    package typealias Source = (Range<Int>) throws(ListFailure) -> [UInt8]

    private let source: Source
    private let count: Int
    private let limits: ListLimits
    private let offsetByteCount: Int
    private let referenceByteCount: Int
    /// Where the offsets of the objects begin; the objects lie before.
    private let table: Int
    package let objectCount: Int
    /// The object that is the list.
    package let top: Int

    /// - Parameters:
    ///   - count: of the whole list.
    ///   - source: is asked for ranges within the count alone.
    package init(
        count: Int, limits: ListLimits = ListLimits(), source: @escaping Source
    ) throws(ListFailure) {
        self.source = source
        self.count = count
        self.limits = limits
        let trailerByteCount = 32
        guard count <= limits.byteCount else { throw .tooLong }
        guard count >= 8 + trailerByteCount,
            try source(0..<6).elementsEqual("bplist".utf8)
        else { throw .damaged }
        let trailer = try source(count - trailerByteCount..<count)
        offsetByteCount = Int(trailer[6])
        referenceByteCount = Int(trailer[7])
        guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount) else { throw .damaged }
        objectCount = try Self.number(trailer[8..<16])
        top = try Self.number(trailer[16..<24])
        table = try Self.number(trailer[24..<32])
        let end = count - trailerByteCount
        guard table >= 8, table <= end, objectCount <= (end - table) / offsetByteCount, top < objectCount else {
            throw .damaged
        }
    }

    /// The whole list that begins at an object.
    package func value(at reference: Int) throws(ListFailure) -> ListObject {
        // A list may name one long text in many places: all copies together stay near the size of the file.
        var budget = Budget(values: limits.values, bytes: Self.copies * count + Self.spareBytes)
        return try value(at: reference, depth: 0, &budget)
    }

    package static func value(of bytes: [UInt8], limits: ListLimits = ListLimits()) throws(ListFailure) -> ListObject {
        let reader = try ListReader(count: bytes.count, limits: limits) { range in Array(bytes[range]) }
        return try reader.value(at: reader.top)
    }

    /// The elements of an array, each as the number of its object.
    package func elements(at reference: Int) throws(ListFailure) -> [Int] {
        let head = try head(reference)
        guard head.kind == 0xA || head.kind == 0xC else { throw .damaged }
        return try references(head)
    }

    /// The keys of a dictionary with the numbers of their objects.
    package func members(at reference: Int) throws(ListFailure) -> [String: Int] {
        let head = try head(reference)
        guard head.kind == 0xD else { throw .damaged }
        let all = try references(head, perElement: 2)
        let count = all.count / 2
        var members: [String: Int] = [:]
        for index in 0..<count {
            guard let key = try scalar(self.head(all[index])).text else { throw .damaged }
            guard members.updateValue(all[count + index], forKey: key) == nil else { throw .repeatedKey }
        }
        return members
    }

    /// The content of a data object.
    package func data(at reference: Int) throws(ListFailure) -> [UInt8] {
        guard let bytes = try scalar(head(reference)).bytes else { throw .damaged }
        return bytes
    }

    private static let copies = 8
    private static let spareBytes = 1 << 16

    /// The rest of what a list may take in memory.
    private struct Budget {
        var values: Int
        var bytes: Int

        mutating func take(_ head: Head) throws(ListFailure) {
            values -= 1
            bytes -= head.count
            guard values >= 0, bytes >= 0 else { throw .tooManyValues }
        }
    }

    /// The marker of an object, and where its content lies.
    private struct Head {
        let kind: UInt8
        let low: Int
        /// Elements, bytes or characters.
        let count: Int
        let start: Int
    }

    private func value(at reference: Int, depth: Int, _ budget: inout Budget) throws(ListFailure) -> ListObject {
        let head = try head(reference)
        try budget.take(head)
        switch head.kind {
        case 0xA, 0xC:
            guard depth < limits.depth else { throw .tooDeep }
            var list: [ListObject] = []
            for element in try references(head) { list.append(try value(at: element, depth: depth + 1, &budget)) }
            return .array(list)
        case 0xD:
            guard depth < limits.depth else { throw .tooDeep }
            let all = try references(head, perElement: 2)
            let count = all.count / 2
            var pairs: [String: ListObject] = [:]
            for index in 0..<count {
                let keyHead = try self.head(all[index])
                try budget.take(keyHead)
                guard let key = try scalar(keyHead).text else { throw .damaged }
                let value = try value(at: all[count + index], depth: depth + 1, &budget)
                guard pairs.updateValue(value, forKey: key) == nil else { throw .repeatedKey }
            }
            return .dictionary(pairs)
        default: return try scalar(head)
        }
    }

    private func scalar(_ head: Head) throws(ListFailure) -> ListObject {
        switch head.kind {
        case 0 where head.low == 0: return .null
        case 0 where head.low == 8 || head.low == 9: return .boolean(head.low == 9)
        case 1:
            // Up to four bytes have no sign, eight have one, sixteen hold what eight cannot.
            guard head.low <= 3 else { throw head.low == 4 ? .wideInteger : .damaged }
            return .integer(Int64(bitPattern: try pattern(head.start, 1 << head.low)))
        case 2 where head.low == 2:
            return .real(Double(Float(bitPattern: UInt32(try pattern(head.start, 4)))))
        case 2 where head.low == 3: return .real(Double(bitPattern: try pattern(head.start, 8)))
        case 3 where head.low == 3:
            let seconds = Double(bitPattern: try pattern(head.start, 8))
            guard seconds.isFinite else { throw .damaged }
            return .date(seconds)
        case 4: return .data(try content(head, unit: 1))
        case 5:
            let bytes = try content(head, unit: 1)
            guard bytes.allSatisfy({ $0 < 0x80 }) else { throw .damaged }
            return .string(String(decoding: bytes, as: UTF8.self))
        case 6:
            let bytes = try content(head, unit: 2)
            let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            guard let text = String(validating: units, as: UTF16.self) else { throw .damaged }
            return .string(text)
        case 8:
            guard head.low <= 7, let number = Int(exactly: try pattern(head.start, head.low + 1)) else {
                throw .damaged
            }
            return .uid(number)
        default: throw .damaged
        }
    }

    private func head(_ reference: Int) throws(ListFailure) -> Head {
        guard reference >= 0, reference < objectCount else { throw .damaged }
        let entry = table + reference * offsetByteCount
        let start = try Self.number(source(entry..<entry + offsetByteCount)[...])
        guard start >= 8, start < table else { throw .damaged }
        // A marker, and the largest count behind it.
        let bytes = try source(start..<min(table, start + 10))
        let kind = bytes[0] >> 4
        let low = Int(bytes[0] & 15)
        // Only these have a count; the others say their length.
        guard [4, 5, 6, 0xA, 0xC, 0xD].contains(kind) else {
            return Head(kind: kind, low: low, count: 0, start: start + 1)
        }
        guard low == 15 else { return Head(kind: kind, low: low, count: low, start: start + 1) }
        guard bytes.count > 2, bytes[1] >> 4 == 1, bytes[1] & 15 <= 3 else { throw .damaged }
        let width = 1 << Int(bytes[1] & 15)
        guard bytes.count >= 2 + width else { throw .damaged }
        return Head(kind: kind, low: low, count: try Self.number(bytes[2..<2 + width]), start: start + 2 + width)
    }

    private func references(_ head: Head, perElement: Int = 1) throws(ListFailure) -> [Int] {
        guard head.count <= limits.values else { throw .tooManyValues }
        let bytes = try content(head, unit: perElement * referenceByteCount)
        var references: [Int] = []
        references.reserveCapacity(head.count * perElement)
        for start in stride(from: 0, to: bytes.count, by: referenceByteCount) {
            references.append(try Self.number(bytes[start..<start + referenceByteCount]))
        }
        return references
    }

    private func content(_ head: Head, unit: Int) throws(ListFailure) -> [UInt8] {
        guard head.start <= table, head.count <= (table - head.start) / unit else { throw .damaged }
        return try source(head.start..<head.start + head.count * unit)
    }

    private func pattern(_ start: Int, _ count: Int) throws(ListFailure) -> UInt64 {
        guard start <= table, count <= table - start else { throw .damaged }
        return try source(start..<start + count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number that says a place or a count: never more than a file can have.
    private static func number(_ bytes: ArraySlice<UInt8>) throws(ListFailure) -> Int {
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number <= UInt64(1) << 48 else { throw .damaged }
        return Int(number)
    }
}
