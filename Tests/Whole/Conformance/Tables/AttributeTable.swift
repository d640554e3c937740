import Foundation
import Security
import Testing

extension Table {
    /// Every column: stored, returned, searched, changed (5.2, 5.3), and what kinds of values it takes (5.1).
    static let attributes = Table { table in
        for itemClass in RowClass.stored {
            for column in Column.all(of: itemClass) {
                table.addRows(for: column, of: itemClass, itemClass.source)
                table.addCoercions(of: column, itemClass)
            }
        }
    }

    private mutating func addRows(for column: Column, of itemClass: RowClass, _ source: String) {
        row(source, "\(column.name) is stored and returned", only: itemClass) { s in
            s.add([column.key: column.values.0])
            s.expect(s.attributes(of: [:])[column.name], is: column.values.0, column.name)
        }
        row(source, "\(column.name) is in the attributes that an add returns", only: itemClass) { s in
            let added = s.add([column.key: column.values.0, kSecReturnAttributes: true]) as? [String: Any]
            s.expect(added?[column.name], is: column.values.0, column.name)
        }
        row(source, "\(column.name) filters a search", only: itemClass) { s in
            s.add([column.key: column.values.0])
            s.find([column.key: column.values.0])
            s.find([column.key: column.values.1], gives: errSecItemNotFound)
        }
        row(source, "\(column.name) filters an update and a delete", only: itemClass) { s in
            s.add([column.key: column.values.0])
            s.update([column.key: column.values.1], [:], gives: errSecItemNotFound)
            s.delete([column.key: column.values.1], gives: errSecItemNotFound)
            s.update([column.key: column.values.0], [:])
            s.delete([column.key: column.values.0])
        }
        row("6.5", "\(column.name) can be changed", only: itemClass) { s in
            s.add([column.key: column.values.0])
            s.update([column.key: column.values.0], [column.key: column.values.1])
            s.find([column.key: column.values.0], gives: errSecItemNotFound)
            s.expect(s.attributes(of: [:])[column.name], is: column.values.1, column.name)
        }
        row("6.5", "\(column.name) can be set where it was not", only: itemClass) { s in
            s.add([kSecValueData: Data("kept".utf8)])
            s.update([:], [column.key: column.values.1])
            s.expect(s.attributes(of: [:])[column.name], is: column.values.1, column.name)
            s.expect(s.data(of: [:]), is: Data("kept".utf8), "data")
        }
    }

    private static let takenByBlobs = [
        Sample("Data") { Data([0, 1, 0xff]) }, Sample("empty Data") { Data() },
        Sample("String") { "Übung" }, Sample("empty String") { "" },
        Sample("Number") { 4711 }, Sample("negative Number") { -1 }, Sample("large Number") { Int64(1) << 40 },
    ]
    private static let taken: [Column.Kind: [(Sample, Sample)]] = [
        .blob: takenByBlobs.map { ($0, $0) },
        .number: [
            (Sample("Number") { 42 }, Sample("") { 42 }), (Sample("zero") { 0 }, Sample("") { 0 }),
            (Sample("negative Number") { -7 }, Sample("") { -7 }),
            (Sample("true") { true }, Sample("") { 1 }), (Sample("false") { false }, Sample("") { 0 }),
            (Sample("canonical text") { "443" }, Sample("") { 443 }),
            (Sample("negative text") { "-7" }, Sample("") { -7 }),
            (Sample("text") { "htps" }, Sample("") { "htps" }), (Sample("empty text") { "" }, Sample("") { "" }),
            (Sample("text with leading zero") { "007" }, Sample("") { "007" }),
            (Sample("text with sign") { "+5" }, Sample("") { "+5" }),
            (Sample("text with blank") { " 5" }, Sample("") { " 5" }),
        ],
        .data: [
            (Sample("Data") { Data([0, 1, 0xff]) }, Sample("") { Data([0, 1, 0xff]) }),
            (Sample("empty Data") { Data() }, Sample("") { Data() }),
            (Sample("String") { "Übung" }, Sample("") { Data("Übung".utf8) }),
            (Sample("Number") { 258 }, Sample("") { Data([2, 1, 0, 0]) }),
        ],
        .date: [
            (
                Sample("Date") { Date(timeIntervalSinceReferenceDate: 5) },
                Sample("") { Date(timeIntervalSinceReferenceDate: 5) }
            )
        ],
        .string: [
            (Sample("String") { "view" }, Sample("") { "view" }),
            (Sample("UTF-8 Data") { Data("view".utf8) }, Sample("") { "view" }),
        ],
    ]
    private static let refused: [Column.Kind: [Sample]] = [
        .blob: [Sample("Boolean") { true }] + neverTaken,
        .number: [Sample("Data") { Data([1]) }] + neverTaken,
        .data: [Sample("Boolean") { true }] + neverTaken,
        .date: [Sample("Number") { 1 }, Sample("String") { "now" }, Sample("Data") { Data([1]) }],
        .string: [
            Sample("Number") { 1 }, Sample("Boolean") { true }, Sample("Data that is no UTF-8") { Data([0xff]) },
        ] + neverTaken,
    ]
    /// Values that no column of these kinds takes.
    static let neverTaken = [
        Sample("Date") { Date(timeIntervalSince1970: 1) }, Sample("null") { NSNull() },
        Sample("Array") { ["a"] }, Sample("Dictionary") { ["a": 1] }, Sample("URL") { NSURL(string: "a:b") as Any },
        Sample("object") { NSObject() },
    ]

    private mutating func addCoercions(of column: Column, _ itemClass: RowClass) {
        for (given, stored) in Self.taken[column.kind] ?? [] {
            row("5.1", "\(column.name) takes \(given.name)", only: itemClass) { s in
                s.add([column.key: given.make()])
                s.expect(s.attributes(of: [:])[column.name], is: stored.make(), column.name)
                s.find([column.key: given.make()])
            }
        }
        for sample in Self.refused[column.kind] ?? [] {
            row("5.1", "\(column.name) refuses \(sample.name)", only: itemClass) { s in
                s.add([column.key: sample.make()], gives: errSecParam)
                s.find([column.key: sample.make()], gives: errSecParam)
                s.delete([column.key: sample.make()], gives: errSecParam)
                s.add([kSecAttrLabel: "there"])
                s.update([:], [column.key: sample.make()], gives: errSecParam)
                s.expect(s.count([:]) == 1, "nothing was stored")
            }
        }
    }
}
