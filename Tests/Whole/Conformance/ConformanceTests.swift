import Foundation
import Security
import SecurityTesting
import Testing

/// The documented behaviour of the keychain, row by row, against the device embedded in this process and against
/// the daemon with its enclave process, through the Swift face and through that of C.
@Suite("Keychain conformance", .sharedDevices)
struct ConformanceTests {
    @Test(
        "attributes are stored, returned, searched, changed and coerced", arguments: Route.allCases,
        Table.attributes.rows)
    func attributes(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("primary keys and defaults", arguments: Route.allCases, Table.keys.rows)
    func keys(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("the grammar of queries", arguments: Route.allCases, Table.grammar.rows)
    func grammar(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("results have the documented shape", arguments: Route.allCases, Table.results.rows)
    func results(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("values and their equality", arguments: Route.allCases, Table.values.rows)
    func values(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("protocols and authentication types", arguments: Route.allCases, Table.namedValues.rows)
    func namedValues(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("rules of the four calls", arguments: Route.allCases, Table.calls.rows)
    func calls(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("persistent references", arguments: Route.allCases, Table.references.rows)
    func references(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("access groups", arguments: Route.allCases, Table.groups.rows)
    func groups(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("synchronizable items and tombstones", arguments: Route.allCases, Table.synchronizable.rows)
    func synchronizable(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("access controls", arguments: Route.allCases, Table.accessControls.rows)
    func accessControls(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("bad input", arguments: Route.allCases, Table.refusals.rows)
    func refusals(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("each protection class in each state, for each call", arguments: Route.allCases, Stage.allCases)
    func states(_ route: Route, _ stage: Stage) throws {
        try Border.$current.withValue(route.border) {
            try stage.play(Table.states(stage).rows, on: route.backend)
        }
    }

    @Test("items live through the states of their device", arguments: Route.allCases, Table.lives.rows)
    func lives(_ route: Route, _ row: Row) throws {
        try playAlone(row, on: route)
    }

    @Test("conditions ask a person and open for the answer", arguments: Route.allCases, Table.conditions.rows)
    func conditions(_ route: Route, _ row: Row) throws { try playAlone(row, on: route) }

    @Test("calls say whether a person may be asked", arguments: Route.allCases, Table.interactions.rows)
    func interactions(_ route: Route, _ row: Row) throws { try playAlone(row, on: route) }

    @Test("enrolled fingers come and go", arguments: Route.allCases, Table.enrolments.rows)
    func enrolments(_ route: Route, _ row: Row) throws { try playAlone(row, on: route) }

    @Test("fingers are locked out, and unlock the device", arguments: Route.allCases, Table.lockouts.rows)
    func lockouts(_ route: Route, _ row: Row) throws { try playAlone(row, on: route) }

    @Test("time locks fingers out and ends their reuse", arguments: Table.timeouts.rows)
    func timeouts(_ row: Row) throws { try playAlone(row, on: Route(backend: .embedded, border: .swift)) }

    @Test("application passwords", arguments: Route.allCases, Table.applicationPasswords.rows)
    func applicationPasswords(_ route: Route, _ row: Row) throws { try playAlone(row, on: route) }

    @Test("contexts evaluate policies", arguments: Route.allCases, Table.policies.rows)
    func policies(_ route: Route, _ row: Row) throws { try playAlone(row, on: route) }

    @Test("keys as items", arguments: Route.allCases, Table.keyItems.rows)
    func keyItems(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("certificates as items", arguments: Route.allCases, Table.certificateItems.rows)
    func certificateItems(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("identities", arguments: Route.allCases, Table.identities.rows)
    func identities(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("imports", arguments: Route.allCases, Table.imports.rows)
    func imports(_ route: Route, _ row: Row) throws { try play(row, on: route) }

    @Test("keys of the enclave", arguments: Route.allCases, Table.enclaveKeys.rows)
    func enclaveKeys(_ route: Route, _ row: Row) throws { try playAlone(row, on: route) }

    @Test("there are several hundred rows")
    func rowsAreMany() {
        let shared = [
            Table.attributes, .keys, .grammar, .results, .values, .namedValues, .calls, .references, .groups,
            .synchronizable,
            .accessControls, .refusals, .lives, .conditions, .interactions, .enrolments, .lockouts, .timeouts,
            .applicationPasswords, .policies, .keyItems, .certificateItems, .identities, .imports,
            .enclaveKeys,
        ]
        let states = Stage.allCases.map { Table.states($0).rows.count }.reduce(0, +)
        #expect(shared.map(\.rows.count).reduce(states, +) > 1000)
    }

    @Test("rows from C get objects of Core Foundation, and rows from Swift get Foundation's") func borders() throws {
        for route in Route.allCases {
            try play(Row.shape(isForeign: route.border == .c), on: route)
        }
    }

    /// On a device of the row's own.
    private func playAlone(_ row: Row, on route: Route) throws {
        try Border.$current.withValue(route.border) {
            let device = try VirtualDevice(backend: route.backend)
            try row.play(Scene(row, on: device))
            device.close()
        }
    }

    private func play(_ row: Row, on route: Route) throws {
        try Border.$current.withValue(route.border) {
            try row.play(Scene(row, on: SharedDevices.device(route.backend)))
        }
    }
}

extension Row {
    /// Finds attributes, and looks at the class of the dictionary.
    fileprivate static func shape(isForeign: Bool) -> Row {
        Row(
            source: "Design 031", rule: "the border", itemClass: .generic, given: { _ in },
            play: { s in
                s.add([kSecAttrAccount: "a"])
                let found = s.find([kSecReturnAttributes: true])
                s.expect(found is NSDictionary, "a dictionary")
                let isFoundations = found.map { type(of: $0) == NSDictionary.self } ?? false
                s.expect(isFoundations != isForeign, "of the border \(Border.current)")
            })
    }
}
