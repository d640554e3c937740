import Foundation
import LatchkeyBinaryPropertyList
import LatchkeyTestSupport
import Testing

@Suite("Property lists in Apple's binary form") struct BinaryPropertyListTests {
    /// Values, each with its object in a file: marker and content.
    private static let objects: [(ListObject, [UInt8])] = [
        (.null, [0x00]), (.boolean(false), [0x08]), (.boolean(true), [0x09]),
        (.integer(0), [0x10, 0]), (.integer(255), [0x10, 255]), (.integer(256), [0x11, 1, 0]),
        (.integer(65_536), [0x12, 0, 1, 0, 0]), (.integer(1 << 32), [0x13, 0, 0, 0, 1, 0, 0, 0, 0]),
        (.integer(-1), [0x13] + [UInt8](repeating: 255, count: 8)),
        (.integer(.min), [0x13, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        (.real(1.5), [0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]), (.date(1.5), [0x33, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]),
        (.data([]), [0x40]), (.data([7, 8]), [0x42, 7, 8]),
        (.data([UInt8](repeating: 1, count: 15)), [0x4F, 0x10, 15] + [UInt8](repeating: 1, count: 15)),
        (.string(""), [0x50]), (.string("ab"), [0x52, 0x61, 0x62]), (.string("é"), [0x61, 0, 0xE9]),
        (.string("🔑"), [0x62, 0xD8, 0x3D, 0xDD, 0x11]), (.uid(0), [0x80, 0]), (.uid(256), [0x81, 1, 0]),
        (.array([]), [0xA0]), (.dictionary([:]), [0xD0]),
    ]

    /// A list of objects whose first is on top, with offsets of two bytes and references of one.
    private static func file(_ objects: [[UInt8]], top: Int = 0, count: Int? = nil, table: Int? = nil) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
            bytes += object
        }
        let start = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [count ?? objects.count, top, table ?? start] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
        return bytes
    }

    @Test("have these bytes, which are read again", arguments: objects.indices)
    func values(_ index: Int) throws {
        let (value, object) = Self.objects[index]
        #expect(try ListReader.value(of: Self.file([object])) == value)
        let written = ListWriter.encode(value)
        #expect(written.dropFirst(8).starts(with: object))
        #expect(try ListReader.value(of: written) == value)
    }

    @Test("are read as Foundation writes them, and written so that Foundation reads them")
    func foundation() throws {
        let value = ListObject.dictionary([
            "text": .string("späť 🔑"), "list": .array([.integer(-5), .integer(1 << 40), .boolean(true), .real(0.25)]),
            "data": .data(Array(0...255)), "date": .date(1000), "empty": .dictionary([:]),
        ])
        let object: [String: Any] = [
            "text": "späť 🔑", "list": [-5, 1 << 40, true, 0.25] as [Any], "data": Data(0...255),
            "date": Date(timeIntervalSinceReferenceDate: 1000), "empty": [String: Any](),
        ]
        let theirs = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        #expect(try ListReader.value(of: Array(theirs)) == value)
        let ours = Data(ListWriter.encode(value))
        let read = try PropertyListSerialization.propertyList(from: ours, options: [], format: nil)
        #expect((read as? NSDictionary)?.isEqual(to: object) == true)
    }

    @Test("of many objects have longer references", arguments: [255, 256, 65_535, 65_536])
    func references(_ count: Int) throws {
        let value = ListObject.array((0..<count).map { .integer(Int64($0)) })
        #expect(try ListReader.value(of: ListWriter.encode(value), limits: ListLimits(values: 1 << 20)) == value)
    }

    @Test("can be read object by object, and an equal text is written once")
    func pieces() throws {
        var writer = ListWriter()
        let rows = (0..<3).map { writer.write(.dictionary(["key": .integer($0), "data": .data([UInt8($0)])])) }
        let list = writer.write(array: rows)
        let top = writer.write(dictionary: [("rows", list)])
        var bytes = writer.take()
        writer.finish(top)
        bytes += writer.take()
        #expect(writer.pendingByteCount == 0)
        let places = bytes.indices.filter { bytes[$0...].starts(with: "key".utf8) }
        #expect(places.count == 1)
        let reader = try ListReader(count: bytes.count) { Array(bytes[$0]) }
        let members = try reader.members(at: reader.top)
        let elements = try reader.elements(at: #require(members["rows"]))
        #expect(elements.count == 3)
        let last = try reader.members(at: elements[2])
        #expect(try reader.data(at: #require(last["data"])) == [2])
        #expect(throws: ListFailure.damaged) { try reader.data(at: elements[2]) }
        #expect(throws: ListFailure.damaged) { try reader.elements(at: reader.top) }
        #expect(throws: ListFailure.damaged) { try reader.members(at: elements[2] + 1_000_000) }
    }

    private static let hostile: [(String, [UInt8], ListFailure)] = [
        ("nothing", [], .damaged), ("a signature alone", Array("bplist00".utf8), .damaged),
        ("another signature", Array("bplisz00".utf8) + file([[9]]).dropFirst(8), .damaged),
        ("no object", file([]), .damaged), ("a top that is not there", file([[9]], top: 1), .damaged),
        ("more objects than offsets", file([[9]], count: 2), .damaged),
        ("more objects than a file can have", file([[9]], count: 1 << 60), .damaged),
        ("a table behind the end", file([[9]], table: 1000), .damaged),
        ("a table before the objects", file([[9]], table: 7), .damaged),
        ("an unknown marker", file([[0x70]]), .damaged),
        ("a fill byte", file([[0x0F]]), .damaged),
        ("an integer of sixteen bytes", file([[0x14] + [UInt8](repeating: 0, count: 16)]), .wideInteger),
        ("an integer of 32 bytes", file([[0x15] + [UInt8](repeating: 0, count: 32)]), .damaged),
        ("a date that is not a number", file([[0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]]), .damaged),
        ("a real of two bytes", file([[0x21, 0, 0]]), .damaged),
        ("text that is not ASCII", file([[0x51, 0x80]]), .damaged),
        ("half of a surrogate pair", file([[0x61, 0xD8, 0x3D]]), .damaged),
        ("data beyond the objects", file([[0x4F, 0x11, 0xFF, 0xFF]]), .damaged),
        ("a count of a negative number", file([[0x4F, 0x13] + [UInt8](repeating: 0xFF, count: 8)]), .damaged),
        ("a count that is not a number", file([[0x4F, 0x09, 0]]), .damaged),
        ("an element that is not there", file([[0xA1, 1]]), .damaged),
        ("an array that holds itself", file([[0xA1, 0]]), .tooDeep),
        ("a key that is a number", file([[0xD1, 1, 1], [0x10, 1]]), .damaged),
        ("two values under one key", file([[0xD2, 1, 1, 2, 2], [0x51, 0x6B], [9]]), .repeatedKey),
        // Each array holds the next one fourteen times: few bytes, and more values than fit into memory.
        (
            "few objects for many values",
            file((1...10).map { [0xAE] + [UInt8](repeating: $0, count: 14) } + [[9]]), .tooManyValues
        ),
        // One long text in many places.
        (
            "few bytes for much text",
            file([
                [0xAF, 0x10, 200] + [UInt8](repeating: 1, count: 200),
                [0x4F, 0x11, 0xF0, 0] + [UInt8](repeating: 1, count: 0xF000),
            ]),
            .tooManyValues
        ),
    ]

    @Test("that are hostile are refused", arguments: hostile.indices)
    func refused(_ index: Int) {
        let (name, bytes, failure) = Self.hostile[index]
        #expect(throws: failure, "\(name)") { try ListReader.value(of: bytes) }
    }

    @Test("are refused beyond the reader's limits")
    func limits() throws {
        let bytes = ListWriter.encode(.array([.array([.integer(1)])]))
        for limits in [ListLimits(), ListLimits(byteCount: bytes.count, depth: 2, values: 3)] {
            _ = try ListReader.value(of: bytes, limits: limits)
        }
        #expect(throws: ListFailure.tooLong) {
            try ListReader.value(of: bytes, limits: ListLimits(byteCount: bytes.count - 1))
        }
        #expect(throws: ListFailure.tooDeep) { try ListReader.value(of: bytes, limits: ListLimits(depth: 1)) }
        #expect(throws: ListFailure.tooManyValues) { try ListReader.value(of: bytes, limits: ListLimits(values: 2)) }
    }

    @Test(
        "are asked of their source within the count alone, whatever their bytes say", arguments: [1, 2, 3] as [UInt64])
    func damage(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let whole = ListWriter.encode(
            .dictionary(["a": .array([.string("é"), .data([1, 2, 3]), .uid(3)]), "b": .dictionary(["c": .date(1)])]))
        for round in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let limits = ListLimits(byteCount: 1 << 16, depth: 8, values: 64)
            do throws(ListFailure) {
                let reader = try ListReader(count: bytes.count, limits: limits) { range throws(ListFailure) in
                    guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
                        Issue.record("\(range) of \(bytes.count), seed \(seed), round \(round)")
                        throw .unreadable
                    }
                    return Array(bytes[range])
                }
                _ = try reader.value(at: reader.top)
            } catch {
                #expect(error != .unreadable, "seed \(seed), round \(round)")
            }
        }
    }

    @Test("whose source fails are unreadable")
    func source() {
        #expect(throws: ListFailure.unreadable) {
            try ListReader(count: 100) { _ throws(ListFailure) in throw .unreadable }
        }
    }
}
