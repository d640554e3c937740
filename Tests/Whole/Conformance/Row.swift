import Foundation
import Security
import Testing

/// The classes that a row can be about.
enum RowClass: String, Sendable, CaseIterable {
    case generic = "genp"
    case internet = "inet"
    case key = "keys"
    case certificate = "cert"
    case identity = "idnt"

    static let passwords: [RowClass] = [.generic, .internet]
    /// Those with a table behind them: an identity is a key and a certificate.
    static let stored: [RowClass] = [.generic, .internet, .key, .certificate]

    /// The value of `kSecClass`.
    var value: CFString {
        switch self {
        case .generic: kSecClassGenericPassword
        case .internet: kSecClassInternetPassword
        case .key: kSecClassKey
        case .certificate: kSecClassCertificate
        case .identity: kSecClassIdentity
        }
    }

    /// The other class of passwords.
    var other: RowClass { self == .generic ? .internet : .generic }

    /// The section of the reference with its columns.
    var source: String {
        switch self {
        case .generic: "5.2"
        case .internet: "5.3"
        case .certificate: "5.4"
        case .key: "5.5"
        case .identity: "5.6"
        }
    }
}

/// One documented behaviour of the keychain and how to see it.
struct Row: Sendable, CustomTestStringConvertible {
    /// Sections of the keychain reference that say so.
    let source: String
    let rule: String
    let itemClass: RowClass
    /// Prepares the device before it enters the state of a ``StateTable``.
    let given: @Sendable (Scene) throws -> Void
    let play: @Sendable (Scene) throws -> Void

    var testDescription: String { "\(source) \(itemClass.rawValue): \(rule)" }
}

/// Rows about one subject, which need a device whose state does not change meanwhile.
struct Table: Sendable {
    private(set) var rows: [Row] = []

    init(_ fill: (inout Table) -> Void) {
        fill(&self)
    }

    /// Adds a behaviour of both password classes, or of `only` one class.
    mutating func row(
        _ source: String, _ rule: String, only itemClass: RowClass? = nil,
        _ play: @escaping @Sendable (Scene) throws -> Void
    ) {
        for itemClass in itemClass.map({ [$0] }) ?? RowClass.passwords {
            rows.append(Row(source: source, rule: rule, itemClass: itemClass, given: { _ in }, play: play))
        }
    }

    /// Adds a behaviour that is seen after the device has changed its state: `given` runs before the change.
    mutating func row(
        _ source: String, _ rule: String, only itemClass: RowClass? = nil,
        given: @escaping @Sendable (Scene) throws -> Void, then play: @escaping @Sendable (Scene) throws -> Void
    ) {
        for itemClass in itemClass.map({ [$0] }) ?? RowClass.passwords {
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
