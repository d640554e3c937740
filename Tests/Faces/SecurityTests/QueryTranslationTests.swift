import Foundation
import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@testable import Security

private final class Own {}
private struct OwnValue {}

@Suite("From a query dictionary to a request")
struct QueryTranslationTests {
    /// The translation of one value under a key that has no meaning of its own.
    private func translated(_ value: Any) throws -> PropertyValue {
        var translation = QueryTranslation()
        let pairs = translation.pairs(of: ["key": value] as NSDictionary)
        try #require(pairs.count == 1)
        #expect(pairs[0].key == .string("key"))
        #expect(translation.secrets.isEmpty)
        return pairs[0].value
    }

    @Test("values of Foundation and of Swift are told apart by what they are")
    func values() throws {
        #expect(try translated("text") == .string("text"))
        #expect(try translated(NSString(string: "text")) == .string("text"))
        #expect(try translated(NSMutableString(string: "text")) == .string("text"))
        #expect(try translated("te" as Substring) == .string("te"))
        #expect(try translated(Data([1, 2])) == .data([1, 2]))
        #expect(try translated(Data()) == .data([]))
        #expect(try translated(NSMutableData(data: Data([1, 2]))) == .data([1, 2]))
        #expect(try translated(Data([0, 1, 2, 3])[1...2]) == .data([1, 2]))
        #expect(try translated(Date(timeIntervalSinceReferenceDate: 1.5)) == .date(1.5))
        #expect(try translated(NSDate(timeIntervalSinceReferenceDate: -3)) == .date(-3))
        #expect(try translated(NSNull()) == .null)
        let identifier = UUID()
        #expect(try translated(identifier) == .string(identifier.uuidString))
        #expect(try translated(NSUUID(uuidString: identifier.uuidString) as Any) == .string(identifier.uuidString))
    }

    @Test("truth values stay truth values and numbers stay numbers")
    func numbers() throws {
        #expect(try translated(true) == .boolean(true))
        #expect(try translated(NSNumber(value: false)) == .boolean(false))
        #expect(try translated(kCFBooleanTrue as Any) == .boolean(true))
        for one: Any in [
            1, Int8(1), Int16(1), Int32(1), Int64(1), UInt(1), UInt8(1), UInt16(1), UInt32(1), UInt64(1), 1.0,
            Float(1), NSNumber(value: 1), NSNumber(value: 1.0), NSDecimalNumber(value: 1),
        ] {
            #expect(try translated(one) == .integer(1), "\(type(of: one))")
        }
        #expect(try translated(Int64.min) == .integer(.min))
        #expect(try translated(Int64.max) == .integer(.max))
        #expect(try translated(UInt64.max) == .reference(kind: "CFNumber", bytes: []))
        for other in [1.5, -0.25, .infinity, -.infinity, .nan, 1e300] {
            #expect(try translated(other) == .reference(kind: "CFNumber", bytes: []), "\(other)")
        }
        #expect(try translated(-0.0) == .integer(0))
        for small: Int8 in [-7, -1, 0, 1, 100] {
            #expect(try translated(NSNumber(value: small)) == .integer(Int64(small)))
            #expect(try translated(small) == .integer(Int64(small)))
        }
    }

    @Test("lists and dictionaries are translated inside")
    func collections() throws {
        #expect(try translated([] as [Any]) == .array([]))
        #expect(try translated(["a", 1, true] as [Any]) == .array([.string("a"), .integer(1), .boolean(true)]))
        #expect(try translated(NSMutableArray(array: [Data([1])])) == .array([.data([1])]))
        #expect(
            try translated(["a": ["b": [Date(timeIntervalSinceReferenceDate: 0)]]])
                == .dictionary(["a": .dictionary(["b": .array([.date(0)])])]))
        #expect(try translated([1: "one"] as NSDictionary) == .reference(kind: "NSDictionary", bytes: []))
    }

    @Test("objects of other kinds are only named")
    func others() throws {
        #expect(try translated(NSURL(fileURLWithPath: "/")) == .reference(kind: "NSURL", bytes: []))
        #expect(try translated(NSSet(object: 1)) == .reference(kind: "NSSet", bytes: []))
        #expect(try translated(TestKeys.p256) == .reference(kind: "SecKey", bytes: []))
        #expect(try translated(TestCertificates.ofP256) == .reference(kind: "SecCertificate", bytes: []))
        #expect(try translated(TestCertificates.identity) == .reference(kind: "SecIdentity", bytes: []))
        #expect(try translated(NSError(domain: "d", code: 1)) == .reference(kind: "NSError", bytes: []))
        #expect(try translated(NSObject()) == .reference(kind: "NSObject", bytes: []))
        #expect(try translated(OwnValue()) == .reference(kind: "__SwiftValue", bytes: []))
        #expect(try translated(Optional<String>.none as Any) == .null)
        #expect(try translated(Optional("x") as Any) == .string("x"))
        #expect(try translated(Own()) == .reference(kind: "__SwiftValue", bytes: []))
    }

    @Test("text with half of a surrogate pair, and dates that no calendar has, are only named")
    func unstorable() throws {
        for text in [LoneSurrogate.text(), LoneSurrogate.text("", 0xDC00, ""), LoneSurrogate.ownText()] {
            #expect(try translated(text) == UnstorableValue.illFormedText.value)
            #expect(try translated(["a", text] as [Any]) == UnstorableValue.illFormedText.value)
            #expect(try translated(["a": ["b": text]]) == UnstorableValue.illFormedText.value)
        }
        // A whole pair is a character, and what Foundation repaired is text.
        #expect(try translated(LoneSurrogate.text("a", 0xD83D, "")) == UnstorableValue.illFormedText.value)
        #expect(try translated("a\u{1F600}") == .string("a\u{1F600}"))
        #expect(try translated(NSString(characters: [0x61, 0xD800], length: 2)) == .string("a\u{FFFD}"))
        for seconds in [Double.infinity, -.infinity, .nan, 1e300, 252_423_993_600, -63_145_526_401] {
            #expect(
                try translated(Date(timeIntervalSinceReferenceDate: seconds)) == UnstorableValue.dateOutOfRange.value)
        }
        #expect(try translated([Date(timeIntervalSinceReferenceDate: .nan)]) == UnstorableValue.dateOutOfRange.value)
    }

    @Test("an access control travels as its bytes")
    func accessControl() throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil))
        #expect(try translated(control) == .reference(kind: "SecAccessControl", bytes: control.rules.serialised))
    }

    @Test("deep nesting is cut off and does no harm", arguments: [8, 100, 5_000])
    func deepNesting(depth: Int) throws {
        var list = NSArray()
        for _ in 1..<depth { list = NSArray(object: list) }
        var translation = QueryTranslation()
        var value = try #require(translation.pairs(of: ["key": list] as NSDictionary).first).value
        var levels = 0
        while case .array(let values) = value, let first = values.first {
            value = first
            levels += 1
        }
        #expect(levels == 7)
        #expect(value == .reference(kind: "too deep", bytes: []))
    }

    @Test("nesting up to the limit is kept")
    func nestingKept() throws {
        #expect(
            try translated([[[[[[["x"]]]]]]])
                == .array([
                    .array([
                        .array([
                            .array([
                                .array([
                                    .array([
                                        .array([
                                            .string("x")
                                        ])
                                    ])
                                ])
                            ])
                        ])
                    ])
                ]))
    }

    @Test(
        "only data under a secret's key is a secret",
        arguments: [
            "v_Data", "binn", "bini", "bin0", "bin1", "bin2", "bin3",
        ])
    func secrets(key: String) throws {
        var translation = QueryTranslation()
        #expect(translation.pairs(of: [key: Data([7, 8])]) == [QueryPair(key, .secret(0))])
        #expect(translation.pairs(of: [key: NSMutableData()]) == [QueryPair(key, .secret(1))])
        #expect(translation.secrets.map(\.bytesForTests) == [[7, 8], []])
        #expect(translation.pairs(of: [key: "text"]) == [QueryPair(key, .string("text"))])
        #expect(translation.pairs(of: [key: 5]) == [QueryPair(key, .integer(5))])
        #expect(translation.pairs(of: [key: NSNull()]) == [QueryPair(key, .null)])
        #expect(translation.pairs(of: [key: [Data([1])]]) == [QueryPair(key, .array([.data([1])]))])
        #expect(translation.secrets.count == 2)
    }

    @Test("keys that are not text are kept for the service to refuse")
    func keys() throws {
        var translation = QueryTranslation()
        #expect(translation.pairs(of: [5: "five"]) == [QueryPair(key: .integer(5), value: .string("five"))])
        #expect(
            translation.pairs(of: [1.5: "x"])
                == [QueryPair(key: .reference(kind: "NSNumber", bytes: []), value: .string("x"))])
        #expect(
            translation.pairs(of: [Date(): "x"])
                == [QueryPair(key: .reference(kind: "NSDate", bytes: []), value: .string("x"))])
        #expect(translation.pairs(of: ["": "x"]) == [QueryPair("", .string("x"))])
        #expect(translation.pairs(of: NSDictionary()).isEmpty)
    }

    @Test("a dictionary class of the program's own is read as well")
    func ownDictionaryClass() {
        final class Made: NSDictionary {
            override var count: Int { 1 }
            override func object(forKey aKey: Any) -> Any? { (aKey as? String) == "acct" ? "made \(1)" : nil }
            override func keyEnumerator() -> NSEnumerator { NSArray(object: "acct").objectEnumerator() }
        }
        var translation = QueryTranslation()
        #expect(translation.pairs(of: Made()) == [QueryPair("acct", .string("made 1"))])
    }

    @Test("text with half a surrogate pair is repaired as a key, by Foundation, and no text as a value")
    func surrogates() throws {
        let units: [UInt16] = [0x61, 0xD800, 0x62]
        for text in [NSString(characters: units, length: 3), textMadeByC(units)] {
            #expect(text.wellFormed == "a\u{FFFD}b")
            let isRepaired = type(of: text) == NSString.self
            #expect((text.wellFormedText == nil) == !isRepaired)
            #expect(
                try translated(text) == (isRepaired ? .string("a\u{FFFD}b") : UnstorableValue.illFormedText.value))
            var translation = QueryTranslation()
            let pairs = translation.pairs(of: [text: 1] as NSDictionary)
            #expect(pairs == [QueryPair("a\u{FFFD}b", .integer(1))])
        }
    }

    @Test("text made by C is read like any other")
    func textOfC() throws {
        let text = textMadeByC(Array("größer 🗝".utf16))
        #expect(type(of: text) != NSString.self)
        #expect(try translated(text) == .string("größer 🗝"))
        #expect(AnyHashable(text) == AnyHashable("größer 🗝"))
        #expect(textMadeByC([]).wellFormed == "")
    }

    private func textMadeByC(_ units: [UInt16]) -> NSString {
        units.withUnsafeBufferPointer { stringOfC(nil, $0.baseAddress, $0.count).takeRetainedValue() }
    }
}

@_silgen_name("CFStringCreateWithCharacters")
private func stringOfC(
    _ allocator: UnsafeRawPointer?, _ characters: UnsafePointer<UInt16>?, _ count: Int
) -> Unmanaged<NSString>
