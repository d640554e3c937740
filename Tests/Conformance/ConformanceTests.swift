import SecurityTesting
import Testing

/// The documented behaviour of the keychain, row by row, against the device embedded in this process and against
/// the daemon with its enclave process.
@Suite("Keychain conformance", .sharedDevices)
struct ConformanceTests {
    @Test(
        "attributes are stored, returned, searched, changed and coerced", arguments: Backend.allCases,
        Table.attributes.rows)
    func attributes(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("primary keys and defaults", arguments: Backend.allCases, Table.keys.rows)
    func keys(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("the grammar of queries", arguments: Backend.allCases, Table.grammar.rows)
    func grammar(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("results have the documented shape", arguments: Backend.allCases, Table.results.rows)
    func results(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("values and their equality", arguments: Backend.allCases, Table.values.rows)
    func values(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("protocols and authentication types", arguments: Backend.allCases, Table.namedValues.rows)
    func namedValues(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("rules of the four calls", arguments: Backend.allCases, Table.calls.rows)
    func calls(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("persistent references", arguments: Backend.allCases, Table.references.rows)
    func references(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("access groups", arguments: Backend.allCases, Table.groups.rows)
    func groups(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("synchronizable items and tombstones", arguments: Backend.allCases, Table.synchronizable.rows)
    func synchronizable(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("access controls", arguments: Backend.allCases, Table.accessControls.rows)
    func accessControls(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("later classes and bad input", arguments: Backend.allCases, Table.refusals.rows)
    func refusals(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("each protection class in each state, for each call", arguments: Backend.allCases, Stage.allCases)
    func states(_ backend: Backend, _ stage: Stage) throws {
        try stage.play(Table.states(stage).rows, on: backend)
    }

    @Test("items live through the states of their device", arguments: Backend.allCases, Table.lives.rows)
    func lives(_ backend: Backend, _ row: Row) throws {
        let device = try VirtualDevice(backend: backend)
        try row.play(Scene(row, on: device))
        device.close()
    }

    @Test("there are several hundred rows")
    func rowsAreMany() {
        let shared = [
            Table.attributes, .keys, .grammar, .results, .values, .namedValues, .calls, .references, .groups,
            .synchronizable,
            .accessControls, .refusals, .lives,
        ]
        let states = Stage.allCases.map { Table.states($0).rows.count }.reduce(0, +)
        #expect(shared.map(\.rows.count).reduce(states, +) > 1000)
    }

    private func play(_ row: Row, on backend: Backend) throws {
        try row.play(Scene(row, on: SharedDevices.device(backend)))
    }
}
