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

    @Test("bad input", arguments: Backend.allCases, Table.refusals.rows)
    func refusals(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("each protection class in each state, for each call", arguments: Backend.allCases, Stage.allCases)
    func states(_ backend: Backend, _ stage: Stage) throws {
        try stage.play(Table.states(stage).rows, on: backend)
    }

    @Test("items live through the states of their device", arguments: Backend.allCases, Table.lives.rows)
    func lives(_ backend: Backend, _ row: Row) throws {
        try playAlone(row, on: backend)
    }

    @Test("conditions ask a person and open for the answer", arguments: Backend.allCases, Table.conditions.rows)
    func conditions(_ backend: Backend, _ row: Row) throws { try playAlone(row, on: backend) }

    @Test("calls say whether a person may be asked", arguments: Backend.allCases, Table.interactions.rows)
    func interactions(_ backend: Backend, _ row: Row) throws { try playAlone(row, on: backend) }

    @Test("enrolled fingers come and go", arguments: Backend.allCases, Table.enrolments.rows)
    func enrolments(_ backend: Backend, _ row: Row) throws { try playAlone(row, on: backend) }

    @Test("fingers are locked out, and unlock the device", arguments: Backend.allCases, Table.lockouts.rows)
    func lockouts(_ backend: Backend, _ row: Row) throws { try playAlone(row, on: backend) }

    @Test("time locks fingers out and ends their reuse", arguments: Table.timeouts.rows)
    func timeouts(_ row: Row) throws { try playAlone(row, on: .embedded) }

    @Test("application passwords", arguments: Backend.allCases, Table.applicationPasswords.rows)
    func applicationPasswords(_ backend: Backend, _ row: Row) throws { try playAlone(row, on: backend) }

    @Test("contexts evaluate policies", arguments: Backend.allCases, Table.policies.rows)
    func policies(_ backend: Backend, _ row: Row) throws { try playAlone(row, on: backend) }

    @Test("keys as items", arguments: Backend.allCases, Table.keyItems.rows)
    func keyItems(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("certificates as items", arguments: Backend.allCases, Table.certificateItems.rows)
    func certificateItems(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("identities", arguments: Backend.allCases, Table.identities.rows)
    func identities(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("imports", arguments: Backend.allCases, Table.imports.rows)
    func imports(_ backend: Backend, _ row: Row) throws { try play(row, on: backend) }

    @Test("keys of the enclave", arguments: Backend.allCases, Table.enclaveKeys.rows)
    func enclaveKeys(_ backend: Backend, _ row: Row) throws { try playAlone(row, on: backend) }

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

    /// On a device of the row's own.
    private func playAlone(_ row: Row, on backend: Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try row.play(Scene(row, on: device))
        device.close()
    }

    private func play(_ row: Row, on backend: Backend) throws {
        try row.play(Scene(row, on: SharedDevices.device(backend)))
    }
}
