import Foundation
import Security
import Testing

/// The two classes that a row can be about.
enum PasswordClass: String, Sendable, CaseIterable {
    case generic = "genp"
    case internet = "inet"

    /// The value of `kSecClass`.
    var value: CFString {
        switch self {
        case .generic: kSecClassGenericPassword
        case .internet: kSecClassInternetPassword
        }
    }

    var other: PasswordClass { self == .generic ? .internet : .generic }
}

/// One documented behaviour of the keychain and how to see it.
struct Row: Sendable, CustomTestStringConvertible {
    /// Sections of the keychain reference that say so.
    let source: String
    let rule: String
    let itemClass: PasswordClass
    /// What happens before the device enters the state of a ``StateTable``.
    let given: @Sendable (Scene) throws -> Void
    let play: @Sendable (Scene) throws -> Void

    var testDescription: String { "\(source) \(itemClass.rawValue): \(rule)" }
}

/// Rows about one subject, which need a device whose state nobody changes meanwhile.
struct Table: Sendable {
    private(set) var rows: [Row] = []

    init(_ fill: (inout Table) -> Void) {
        fill(&self)
    }

    /// Adds a behaviour of both password classes, or `only` of one.
    mutating func row(
        _ source: String, _ rule: String, only itemClass: PasswordClass? = nil,
        _ play: @escaping @Sendable (Scene) throws -> Void
    ) {
        for itemClass in itemClass.map({ [$0] }) ?? PasswordClass.allCases {
            rows.append(Row(source: source, rule: rule, itemClass: itemClass, given: { _ in }, play: play))
        }
    }

    /// Adds a behaviour that is seen after the device has changed its state: `given` runs before the change.
    mutating func row(
        _ source: String, _ rule: String, only itemClass: PasswordClass? = nil,
        given: @escaping @Sendable (Scene) throws -> Void, then play: @escaping @Sendable (Scene) throws -> Void
    ) {
        for itemClass in itemClass.map({ [$0] }) ?? PasswordClass.allCases {
            rows.append(Row(source: source, rule: rule, itemClass: itemClass, given: given, play: play))
        }
    }
}

/// A value for a query, with a name for the row. Made anew each time, because its kind need not be sendable.
struct Sample: Sendable {
    let name: String
    let make: @Sendable () -> Any

    init(_ name: String, _ make: @escaping @Sendable () -> Any) {
        self.name = name
        self.make = make
    }
}
