/// Writes property lists in the binary form, object by object. The bytes are handed on at once, so that a list of any
/// length needs little memory: eight bytes for each object.
package struct ListWriter {
    /// The number of an object that was written.
    package struct Object: Sendable, Hashable {
        fileprivate let number: UInt32
    }

    private var offsets: [UInt64] = []
    private var position: UInt64 = 0
    /// Texts that were written: lists name few keys often.
    private var texts: [String: Object] = [:]
    /// Bytes that were written and not taken yet.
    private var pending: [UInt8] = []
    private let referenceByteCount: Int

    private static let textLimit = 4096

    /// - Parameter referenceByteCount: 1 for at most 256 objects, 2 for at most 65,536.
    package init(referenceByteCount: Int = 4) {
        self.referenceByteCount = referenceByteCount
        put(Array("bplist00".utf8))
    }

    /// The bytes that were written since the last time.
    package mutating func take() -> [UInt8] {
        defer { pending.removeAll(keepingCapacity: true) }
        return pending
    }

    package var pendingByteCount: Int { pending.count }

    /// A whole list in memory.
    package static func encode(_ value: ListObject) -> [UInt8] {
        let count = value.objectCount
        var writer = ListWriter(referenceByteCount: count <= 256 ? 1 : count <= 65_536 ? 2 : 4)
        let top = writer.write(value)
        writer.finish(top)
        return writer.take()
    }

    package mutating func write(_ value: ListObject) -> Object {
        switch value {
        case .null: return object([0x00])
        case .boolean(let truth): return object([truth ? 0x09 : 0x08])
        case .integer(let number): return object(Self.integer(number))
        case .real(let number): return object([0x23] + Self.bytes(number.bitPattern, 8))
        case .date(let seconds): return object([0x33] + Self.bytes(seconds.bitPattern, 8))
        case .data(let bytes): return object(Self.head(4, bytes.count) + bytes)
        case .string(let text): return write(text: text)
        case .uid(let number):
            let width = number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
            return object([0x80 | UInt8(width - 1)] + Self.bytes(UInt64(number), width))
        case .array(let list): return write(array: list.map { write($0) })
        case .dictionary(let pairs):
            return write(dictionary: pairs.sorted { $0.key < $1.key }.map { ($0.key, write($0.value)) })
        }
    }

    package mutating func write(array elements: [Object]) -> Object {
        object(Self.head(0xA, elements.count) + elements.flatMap(reference))
    }

    package mutating func write(dictionary pairs: [(String, Object)]) -> Object {
        let keys = pairs.map { write(text: $0.0) }
        return object(Self.head(0xD, pairs.count) + keys.flatMap(reference) + pairs.flatMap { reference($0.1) })
    }

    /// Ends the list: what it is, and where the objects are.
    package mutating func finish(_ top: Object) {
        let table = position
        let width = table < 1 << 8 ? 1 : table < 1 << 16 ? 2 : table < 1 << 32 ? 4 : 8
        for offset in offsets { put(Self.bytes(offset, width)) }
        put([0, 0, 0, 0, 0, 0, UInt8(width), UInt8(referenceByteCount)])
        put(Self.bytes(UInt64(offsets.count), 8) + Self.bytes(UInt64(top.number), 8) + Self.bytes(table, 8))
    }

    private mutating func write(text: String) -> Object {
        if let known = texts[text] { return known }
        let written: Object
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            written = object(Self.head(5, text.utf8.count) + text.utf8)
        } else {
            let units = Array(text.utf16)
            written = object(Self.head(6, units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        }
        if texts.count < Self.textLimit { texts[text] = written }
        return written
    }

    private mutating func object(_ bytes: [UInt8]) -> Object {
        offsets.append(position)
        put(bytes)
        return Object(number: UInt32(offsets.count - 1))
    }

    private mutating func put(_ bytes: [UInt8]) {
        pending += bytes
        position += UInt64(bytes.count)
    }

    private func reference(_ object: Object) -> [UInt8] {
        precondition(UInt64(object.number) < 1 << UInt64(8 * referenceByteCount), "a list has more objects than said")
        return Self.bytes(UInt64(object.number), referenceByteCount)
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15] + integer(Int64(count))
    }

    private static func integer(_ number: Int64) -> [UInt8] {
        switch number {
        case 0..<1 << 8: [0x10] + bytes(UInt64(number), 1)
        case 0..<1 << 16: [0x11] + bytes(UInt64(number), 2)
        case 0..<1 << 32: [0x12] + bytes(UInt64(number), 4)
        default: [0x13] + bytes(UInt64(bitPattern: number), 8)
        }
    }

    /// Big-endian.
    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
}

extension ListObject {
    /// The most objects that writing takes: a text that occurs again is written once.
    fileprivate var objectCount: Int {
        switch self {
        case .array(let list): list.reduce(1) { $0 + $1.objectCount }
        case .dictionary(let pairs): pairs.values.reduce(1 + pairs.count) { $0 + $1.objectCount }
        default: 1
        }
    }
}
