import Foundation
import LatchkeyTestSupport
import Security
import Testing

extension Table {
    /// Data, dates, protection class and synchronizability as values; equality in searches (5.1, 6.3 to 6.5).
    static let values = Table { table in
        table.addData()
        table.addDates()
        table.addAccessibility()
        table.addSynchronizability()
        table.addEquality()
        table.addValuesThatNothingHolds()
    }

    private mutating func addData() {
        let refused = [
            Sample("String") { "secret" }, Sample("Number") { 5 }, Sample("Boolean") { true },
            Sample("null") { NSNull() },
            Sample("Date") { Date(timeIntervalSince1970: 0) }, Sample("Array") { [Data()] },
            Sample("Dictionary") { ["a": Data()] }, Sample("object") { NSObject() },
        ]
        for sample in refused {
            row("0.2, 6.1, 6.5", "kSecValueData that is \(sample.name) is refused by all calls") { s in
                s.add([kSecValueData: sample.make()], gives: errSecParam)
                s.add([kSecValueData: Data("kept".utf8)])
                s.find([kSecValueData: sample.make()], gives: errSecParam)
                s.update([kSecValueData: sample.make()], [:], gives: errSecParam)
                s.update([:], [kSecValueData: sample.make()], gives: errSecParam)
                s.delete([kSecValueData: sample.make()], gives: errSecParam)
                s.expect(s.data(of: [:]), is: Data("kept".utf8), "data")
            }
        }
        row("6.1", "kSecValueData does not filter a search, an update or a delete") { s in
            s.add([kSecValueData: Data("secret".utf8)])
            s.find([kSecValueData: Data("other".utf8)])
            s.update([kSecValueData: Data("other".utf8)], [kSecAttrLabel: "found"])
            s.expect(s.data(of: [kSecAttrLabel: "found"]), is: Data("secret".utf8), "data")
            s.delete([kSecValueData: Data("other".utf8)])
        }
        row("6.3", "an item without data is legal") { s in
            s.add([kSecAttrAccount: "a"])
            s.find([kSecAttrAccount: "a"])
        }
        for count in [1, 19, 20, 21, 4096, 65536] {
            row("6.3, 6.4", "\(count) bytes of data come back as they were") { s in
                let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                s.add([kSecValueData: data])
                s.expect(s.data(of: [:]), is: data, "data")
            }
        }
        row("6.5", "an update replaces the data and nothing else") { s in
            s.add([kSecValueData: Data("old".utf8), kSecAttrLabel: "l", kSecAttrAccount: "a"])
            s.update([kSecAttrAccount: "a"], [kSecValueData: Data("new".utf8)])
            s.expect(s.data(of: [:]), is: Data("new".utf8), "data")
            s.expect(s.attributes(of: [:])["labl"], is: "l", "label")
        }
        row("6.4", "kSecValueData in a query is not returned by a find of attributes") { s in
            s.add([kSecValueData: Data("secret".utf8)])
            s.expect(s.attributes(of: [kSecValueData: Data("x".utf8)])["v_Data"] == nil, "no v_Data")
        }
    }

    private mutating func addDates() {
        let past = Date(timeIntervalSinceReferenceDate: 1000.5)
        for name in ["cdat", "mdat"] {
            row("5.1, 6.3, 15.16", "\(name) given to an add is overwritten") { s in
                s.add([name as CFString: past])
                let date = s.attributes(of: [:])[name] as? Date
                s.expect(date.map { $0 > past.addingTimeInterval(86400) } ?? false, "\(name) is now")
            }
            row("5.1", "\(name) takes only dates") { s in
                for wrong in ["2001-01-01" as Any, 5 as Any, Data([1]) as Any, true as Any, NSNull() as Any] {
                    s.add([name as CFString: wrong], gives: errSecParam)
                    s.find([name as CFString: wrong], gives: errSecParam)
                }
            }
            row("6.4", "\(name) filters a search") { s in
                s.add([:])
                guard let date = s.attributes(of: [:])[name] as? Date else {
                    return s.expect(false, "\(name) is a date")
                }
                s.find([name as CFString: date])
                s.find([name as CFString: date.addingTimeInterval(1)], gives: errSecItemNotFound)
            }
        }
        row("5.1", "a new item's dates are the same") { s in
            s.add([:])
            let found = s.attributes(of: [:])
            s.expect(found["cdat"] as? Date == found["mdat"] as? Date, "cdat = mdat")
        }
        row("5.1, 6.5", "an update moves mdat, by a millisecond at least, and leaves cdat") { s in
            s.add([:])
            let before = s.attributes(of: [:])
            s.update([:], [kSecAttrLabel: "l"])
            let after = s.attributes(of: [:])
            s.expect(after["cdat"] as? Date == before["cdat"] as? Date, "cdat stays")
            let moved = (after["mdat"] as? Date).flatMap { date in
                (before["mdat"] as? Date).map { date.timeIntervalSince($0) }
            }
            s.expect(moved.map { $0 > 0.00099 } ?? false, "mdat moved by \(moved ?? -1) s")
        }
        row("6.5", "an empty update moves mdat") { s in
            s.add([:])
            let before = s.attributes(of: [:])["mdat"] as? Date
            s.update([:], [:])
            let after = s.attributes(of: [:])["mdat"] as? Date
            s.expect(after.flatMap { after in before.map { after > $0 } } ?? false, "mdat moved")
        }
        row("5.1, 15.16", "cdat can be changed by an update") { s in
            s.add([:])
            s.update([:], [kSecAttrCreationDate: past])
            s.expect(s.attributes(of: [:])["cdat"] as? Date == past, "cdat")
            s.find([kSecAttrCreationDate: past])
        }
        row("5.1, 15.16", "mdat cannot be set by an update") { s in
            s.add([:])
            s.update([:], [kSecAttrModificationDate: past])
            let date = s.attributes(of: [:])["mdat"] as? Date
            s.expect(date.map { $0 > past.addingTimeInterval(86400) } ?? false, "mdat is now")
        }
        row("5.1", "an update of cdat takes only dates") { s in
            s.add([:])
            s.update([:], [kSecAttrCreationDate: "yesterday"], gives: errSecParam)
        }
    }

    private mutating func addAccessibility() {
        for name in ["ak", "ck", "dk", "aku", "cku", "dku"] {
            row("5.1", "the protection class \(name) is stored and returned") { s in
                s.add([kSecAttrAccessible: name, kSecValueData: Data("s".utf8)])
                s.expect(s.attributes(of: [:])["pdmn"], is: name, "pdmn")
                s.expect(s.data(of: [:]), is: Data("s".utf8), "data")
            }
            row("5.1", "the protection class \(name) filters a search") { s in
                s.add([kSecAttrAccessible: name])
                s.find([kSecAttrAccessible: name])
                s.find([kSecAttrAccessible: name == "ak" ? "ck" : "ak"], gives: errSecItemNotFound)
            }
            row("6.5", "an update to the protection class \(name) keeps the data") { s in
                s.add([kSecAttrAccessible: name == "ck" ? "ak" : "ck", kSecValueData: Data("s".utf8)])
                s.update([:], [kSecAttrAccessible: name])
                s.expect(s.attributes(of: [:])["pdmn"], is: name, "pdmn")
                s.expect(s.data(of: [kSecAttrAccessible: name]), is: Data("s".utf8), "data")
            }
        }
        row("5.1", "the default protection class is ak") { s in
            s.add([:])
            s.expect(s.attributes(of: [:])["pdmn"], is: "ak", "pdmn")
        }
        let refused = [
            Sample("an unknown class") { "zz" }, Sample("the empty string") { "" },
            Sample("a class in capitals") { "AK" },
            Sample("a Number") { 6 }, Sample("Data") { Data("ak".utf8) }, Sample("null") { NSNull() },
        ]
        for sample in refused {
            row("5.1", "\(sample.name) is not a protection class") { s in
                s.add([kSecAttrAccessible: sample.make()], gives: errSecParam)
                s.add([:])
                s.find([kSecAttrAccessible: sample.make()], gives: errSecParam)
                s.update([:], [kSecAttrAccessible: sample.make()], gives: errSecParam)
            }
        }
    }

    private mutating func addSynchronizability() {
        let taken: [(Sample, Bool)] = [
            (Sample("true") { true }, true), (Sample("false") { false }, false),
            (Sample("1") { NSNumber(value: 1) }, true),
            (Sample("0") { NSNumber(value: 0) }, false),
        ]
        for (sample, isOn) in taken {
            row("5.1", "kSecAttrSynchronizable takes \(sample.name)") { s in
                s.add([kSecAttrSynchronizable: sample.make()])
                let found = s.attributes(of: [kSecAttrSynchronizable: kSecAttrSynchronizableAny])
                s.expect(found["sync"], is: isOn ? 1 : 0, "sync")
                s.find([kSecAttrSynchronizable: sample.make()])
                s.find([kSecAttrSynchronizable: !isOn], gives: errSecItemNotFound)
            }
        }
        let refused = [
            Sample("another String") { "yes" }, Sample("Data") { Data([1]) }, Sample("null") { NSNull() },
            Sample("Date") { Date(timeIntervalSince1970: 0) },
        ]
        for sample in refused {
            row("5.1", "kSecAttrSynchronizable refuses \(sample.name)") { s in
                s.add([kSecAttrSynchronizable: sample.make()], gives: errSecParam)
                s.find([kSecAttrSynchronizable: sample.make()], gives: errSecParam)
                s.add([:])
                s.update([:], [kSecAttrSynchronizable: sample.make()], gives: errSecParam)
            }
        }
        row("5.1", "kSecAttrSynchronizableAny is for queries only") { s in
            s.add([kSecAttrSynchronizable: kSecAttrSynchronizableAny], gives: errSecParam)
            s.add([:])
            s.update([:], [kSecAttrSynchronizable: kSecAttrSynchronizableAny], gives: errSecParam)
            s.update([kSecAttrSynchronizable: kSecAttrSynchronizableAny], [:])
            s.delete([kSecAttrSynchronizable: kSecAttrSynchronizableAny])
        }
    }

    private mutating func addEquality() {
        row("5.1, 15.9", "text finds equal Data, and the stored kind comes back") { s in
            s.add([kSecAttrAccount: Data("a".utf8)])
            s.expect(s.attributes(of: [kSecAttrAccount: "a"])["acct"], is: Data("a".utf8), "account")
        }
        row("5.1, 15.9", "Data finds equal text, and the stored kind comes back") { s in
            s.add([kSecAttrAccount: "a"])
            s.expect(s.attributes(of: [kSecAttrAccount: Data("a".utf8)])["acct"], is: "a", "account")
        }
        row("5.1, 15.9", "a type that is a number is found by its decimal text") { s in
            s.add([kSecAttrType: 42])
            s.find([kSecAttrType: "42"])
        }
        row("5.1, 15.9", "a type that is decimal text is found by its number") { s in
            s.add([kSecAttrType: "42"])
            s.find([kSecAttrType: 42])
        }
        row("5.1", "Boolean and Number are equal in a number column") { s in
            s.add([kSecAttrIsInvisible: true])
            s.find([kSecAttrIsInvisible: 1])
            s.find([kSecAttrIsInvisible: false], gives: errSecItemNotFound)
        }
        let different: [(String, String, String)] = [
            ("case", "Anna", "anna"), ("prefix", "anna@example.com", "anna"), ("normalisation", "\u{e9}", "e\u{301}"),
            ("a trailing blank", "anna", "anna "), ("a zero character", "anna", "anna\0"),
            ("a wildcard", "anna", "ann%"), ("a placeholder", "anna", "ann_"), ("digits", "1", "01"),
        ]
        for (name, stored, asked) in different {
            row("5.1", "searches are byte-exact: \(name)") { s in
                s.add([kSecAttrAccount: stored])
                s.find([kSecAttrAccount: asked], gives: errSecItemNotFound)
                s.add([kSecAttrAccount: asked])
                s.expect(s.count([:]) == 2, "two items")
                s.expect(s.attributes(of: [kSecAttrAccount: asked])["acct"], is: asked, "account")
            }
        }
        for key in ["m_CaseInsensitive", "m_DiacriticInsensitive", "m_WidthInsensitive"] {
            row("6.1, 15.11", "\(key) has no effect") { s in
                s.add([kSecAttrAccount: "Anna"])
                s.find([kSecAttrAccount: "anna", key as CFString: true], gives: errSecItemNotFound)
                s.find([kSecAttrAccount: "Anna", key as CFString: true])
            }
        }
        for key in [
            "m_SubjectContains", "m_SubjectStartsWith", "m_SubjectEndsWith", "m_SubjectWholeString",
            "m_ItemList", "m_SearchList",
        ] {
            row("6.1, 15.11", "\(key) has no effect") { s in
                s.add([kSecAttrAccount: "Anna"])
                s.find([key as CFString: key.hasSuffix("List") ? ["x"] as Any : "x" as Any])
            }
        }
    }

    /// Two that differ would become one: the answer is never another item than was asked for.
    private mutating func addValuesThatNothingHolds() {
        let texts = [
            Sample("a high surrogate alone") { LoneSurrogate.text() },
            Sample("a low surrogate alone") { LoneSurrogate.text("a", 0xDFFF) },
            Sample("half a pair at the end") { LoneSurrogate.text("a", 0xD83D, "") },
            Sample("half a pair in a class of the program") { LoneSurrogate.ownText() },
            Sample("one inside a list") { [LoneSurrogate.text()] },
            Sample("one inside a dictionary") { ["key": LoneSurrogate.text()] },
        ]
        for sample in texts {
            row("5.1", "text that is not well-formed is refused by all calls: \(sample.name)") { s in
                s.add([kSecAttrAccount: "a\u{fffd}b", kSecValueData: Data("kept".utf8)])
                for key in [kSecAttrAccount, kSecAttrLabel, kSecAttrAccessGroup, kSecClass, "m_Unknown" as CFString] {
                    s.allRefuse([key: sample.make()], gives: errSecParam)
                }
                s.update([:], [kSecAttrLabel: sample.make()], gives: errSecParam)
                s.update([:], [kSecAttrAccount: sample.make()], gives: errSecParam)
                s.expect(s.data(of: [kSecAttrAccount: "a\u{fffd}b"]), is: Data("kept".utf8), "data")
                s.expect(s.count([:]) == 1, "one item")
            }
        }
        row("6.1", "a key that is not well-formed is refused by all calls") { s in
            let key = LoneSurrogate.text("acc", 0xD800, "")
            s.allRefuse([key: "x"], gives: errSecParam)
            s.add([:])
            s.update([:], [key: "x"], gives: errSecParam)
        }
        let dates = [
            Sample("infinity") { Date(timeIntervalSinceReferenceDate: .infinity) },
            Sample("minus infinity") { Date(timeIntervalSinceReferenceDate: -.infinity) },
            Sample("not a number") { Date(timeIntervalSinceReferenceDate: .nan) },
            Sample("the year 10000") { Date(timeIntervalSinceReferenceDate: 252_423_993_600) },
            Sample("a year before 0") { Date(timeIntervalSinceReferenceDate: -63_145_526_401) },
            Sample("the greatest number") { Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude) },
        ]
        for sample in dates {
            row("5.1", "a date that is \(sample.name) is refused") { s in
                for key in [kSecAttrCreationDate, kSecAttrModificationDate, "m_ValidOnDate" as CFString] {
                    s.add([key: sample.make()], gives: errSecParam)
                    s.find([key: sample.make()], gives: errSecParam)
                    s.delete([key: sample.make()], gives: errSecParam)
                }
                s.add([:])
                s.update([:], [kSecAttrCreationDate: sample.make()], gives: errSecParam)
                s.update([:], [kSecAttrModificationDate: sample.make()], gives: errSecParam)
            }
        }
        for date in [Date.distantPast, .distantFuture] {
            row("5.1", "\(date == .distantPast ? "the distant past" : "the distant future") is a date") { s in
                s.add([:])
                s.update([:], [kSecAttrCreationDate: date])
                s.expect(s.attributes(of: [kSecAttrCreationDate: date])["cdat"] as? Date == date, "cdat")
            }
        }
    }
}
