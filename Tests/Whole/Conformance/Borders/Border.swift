import SecurityTesting
import Testing

/// The side from which a row calls: one table, two borders.
enum Border: String, Sendable, CaseIterable {
    /// The functions of the Swift face.
    case swift
    /// Those of the C face, over objects of Core Foundation.
    case c

    @TaskLocal static var current = Border.swift
}

/// A device and a border. The border of C knows nothing of the device, so one kind of device is enough for it.
struct Route: Sendable, CaseIterable, CustomTestStringConvertible {
    let backend: Backend
    let border: Border

    static let allCases =
        Backend.allCases.map { Route(backend: $0, border: .swift) } + [
            Route(backend: .embedded, border: .c)
        ]

    var testDescription: String { border == .swift ? "\(backend)" : "\(backend), from C" }
}
