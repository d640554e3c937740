import Foundation
import LatchkeyCommandLineTool
import LatchkeyPropertyListDER
import Testing

@Suite("Property lists in files")
struct PropertyListFileTests {
    private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">"

    private func xml(_ value: String) -> [UInt8] {
        Array("\(Self.head)<dict><key>k</key>\(value)</dict></plist>".utf8)
    }

    /// The same value as Foundation writes it in the binary form.
    private func binary(_ value: String) throws -> [UInt8] {
        let object = try PropertyListSerialization.propertyList(from: Data(xml(value)), format: nil)
        return [UInt8](try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0))
    }

    private func reason(_ bytes: [UInt8]) -> String {
        let failure = #expect(throws: PropertyListFile.Failure.self) { try PropertyListFile.dictionary(bytes) }
        return failure?.description ?? ""
    }

    static let values: [(String, PropertyValue)] = [
        ("<true/>", .boolean(true)), ("<false/>", .boolean(false)), ("<integer>0</integer>", .integer(0)),
        ("<integer>1</integer>", .integer(1)), ("<integer>-1</integer>", .integer(-1)),
        ("<integer>255</integer>", .integer(255)), ("<integer>65536</integer>", .integer(65536)),
        ("<integer>9223372036854775807</integer>", .integer(.max)),
        ("<integer>-9223372036854775808</integer>", .integer(.min)), ("<string></string>", .string("")),
        ("<string>a &amp; b</string>", .string("a & b")), ("<string>ä 漢 🔑</string>", .string("ä 漢 🔑")),
        ("<string>0123456789abcdefg</string>", .string("0123456789abcdefg")), ("<data></data>", .data([])),
        ("<data>AAEC</data>", .data([0, 1, 2])), ("<date>2001-01-01T00:00:10Z</date>", .date(10)),
        ("<array/>", .array([])), ("<dict/>", .dictionary([:])),
        (
            "<array><string>x</string><true/><dict><key>n</key><integer>7</integer></dict></array>",
            .array([.string("x"), .boolean(true), .dictionary(["n": .integer(7)])])
        ),
    ]

    @Test("each type, in XML and in binary, and back", arguments: values)
    func types(_ text: String, _ value: PropertyValue) throws {
        let wanted = ["k": value]
        #expect(try PropertyListFile.dictionary(xml(text)) == wanted)
        #expect(try PropertyListFile.dictionary(binary(text)) == wanted)
        #expect(try PropertyListFile.dictionary(Array(PropertyListFile.xml(wanted).utf8)) == wanted)
    }

    @Test("real numbers are refused with their key", arguments: ["<real>1.5</real>", "<real>1</real>"])
    func realNumbers(_ text: String) throws {
        for bytes in [xml("<array>\(text)</array>"), try binary("<array>\(text)</array>")] {
            #expect(reason(bytes).hasPrefix("At k.0: Entitlements cannot have real numbers"))
        }
    }

    @Test("numbers beyond 64 bits with a sign are refused")
    func wideNumbers() throws {
        for text in ["<integer>9223372036854775808</integer>", "<integer>18446744073709551615</integer>"] {
            #expect(reason(xml(text)).contains("64 bits"))
            #expect(reason(try binary(text)).contains("64 bits"))
        }
    }

    @Test("levels up to the limit, and no further")
    func depth() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "<array>", count: levels) + String(repeating: "</array>", count: levels)
        }
        // The outermost dictionary is a level, too.
        let most = PropertyListFile.depthLimit - 1
        for bytes in [xml(nested(most)), try binary(nested(most))] { _ = try PropertyListFile.dictionary(bytes) }
        for bytes in [xml(nested(most + 1)), try binary(nested(most + 1))] {
            #expect(reason(bytes).contains("more than \(PropertyListFile.depthLimit) levels"))
        }
        #expect(reason(xml(nested(300))).contains("more than \(PropertyListFile.depthLimit) levels"))
        #expect(reason(xml(nested(10_000))).contains("arrays and dictionaries"))
    }

    @Test("a file that is too long, or has too many values, is refused")
    func size() throws {
        let long = xml("<string>\(String(repeating: "a", count: PropertyListFile.byteLimit))</string>")
        #expect(reason(long).contains("longer than"))
        let many = "<array>\(String(repeating: "<true/>", count: PropertyListFile.valueLimit))</array>"
        #expect(reason(xml(many)).contains("values"))
        #expect(reason(try binary(many)).contains("values"))
    }

    @Test("a binary file in which few objects stand for very many values is refused")
    func expansion() {
        // Each array holds the next one fifteen times; ten of them are more values than a machine has memory for.
        let levels = 10
        var objects: [[UInt8]] = [[0xD1, 1, 2], [0x51, 0x6B]]
        for level in 0..<levels {
            objects.append([0xAE] + [UInt8](repeating: UInt8(3 + level), count: 14))
        }
        objects.append([0x09])
        #expect(reason(Self.file(objects)).contains("values"))
    }

    @Test("a binary file in which an array holds itself is refused")
    func cycle() {
        #expect(reason(Self.file([[0xD1, 1, 2], [0x51, 0x6B], [0xA1, 2]])).contains("levels"))
    }

    @Test("two values under one key in a binary file are refused")
    func duplicateKeys() {
        #expect(reason(Self.file([[0xD2, 1, 1, 2, 2], [0x51, 0x6B], [0x09]])).contains("twice"))
    }

    /// A binary property list of some objects, the first on top.
    private static func file(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [objects.count, 0, table] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
        return bytes
    }

    @Test("no cut and no changed byte of a binary file does more than fail")
    func damage() throws {
        let whole = try binary(
            "<array><string>abcdefghijklmnopq</string><dict><key>n</key><data>AAEC</data></dict></array>")
        _ = try PropertyListFile.dictionary(whole)
        for count in 0..<whole.count {
            #expect(throws: PropertyListFile.Failure.self) { try PropertyListFile.dictionary(Array(whole[..<count])) }
        }
        var outcomes = 0
        for index in whole.indices {
            for value in [0, 1, 0x0F, 0x1F, 0x5F, 0x7F, 0x80, 0xA1, 0xDF, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                // Either a value within the limits, or a failure that says why: the process goes on.
                do {
                    outcomes += try PropertyListFile.dictionary(bytes).count >= 0 ? 1 : 0
                } catch {
                    outcomes += error.description.isEmpty ? 0 : 1
                }
            }
        }
        #expect(outcomes == whole.count * 10)
    }

    @Test(
        "other formats and encodings are refused",
        arguments: [
            "", "{ a = b; }", "{\"a\": 1}", "not a list", "<plist><array/></plist>", "<plist><dict>", "<html/>",
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist version=\"1.0\"><dict/></plist>", "bplist00", "bplist15",
        ])
    func otherFormats(_ text: String) {
        #expect(!reason(Array(text.utf8)).isEmpty)
    }

    @Test("text in UTF-16 and bytes that are not text are refused")
    func otherBytes() throws {
        let text = "<plist version=\"1.0\"><dict/></plist>"
        #expect(!reason([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }).isEmpty)
        #expect(!reason(Array("<plist version=\"1.0\"><dict><key>k</key><string>".utf8) + [0xC3, 0x28]).isEmpty)
        #expect(try PropertyListFile.dictionary([0xEF, 0xBB, 0xBF] + Array(text.utf8)).isEmpty)
    }

    @Test("what moves the cursor of a terminal is not written")
    func controlCharacters() {
        let text = PropertyListFile.xml(["k": .string("a\u{1B}[2Jb\u{9B}c")])
        #expect(text.contains("a\u{FFFD}[2Jb\u{FFFD}c"))
    }
}
