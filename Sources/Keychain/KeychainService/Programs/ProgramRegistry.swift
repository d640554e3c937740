import LatchkeyCodeSignature
import LatchkeyKeychainMessages

/// The programs that this device knows: their teams, the apps themselves, and the levels that they demand.
struct ProgramRegistry: Sendable {
    let teams: TeamRegistry
    let apps: AppRegistry
    let demands: GroupDemands
    let enclaveKeys: EnclaveKeyVault

    /// Records a program that was let in, if there is anything new about it.
    /// - Parameter level: the level that the program demands for itself.
    func note(_ app: SeenApplication, demanding level: AssuranceLevel?) throws(Setback) {
        try apps.note(app)
        if let level { try demands.note(level, for: app.accessGroups) }
    }

    /// Forgets an app and, if wanted, the items of those groups that no other app has. Enclave keys end with their
    /// items.
    /// - Parameter removesItems: nil for the value of the option.
    /// - Returns: the number of removed items.
    func forget(_ application: String, removesItems: Bool?) throws(Setback) -> Int {
        let searchKey = try enclaveKeys.sealing.keys.searchKey()
        defer { demands.forgetCached() }
        return try apps.forget(application, removesItems: removesItems) {
            [enclaveKeys] groups, writer throws(Setback) in
            try enclaveKeys.deleteKeys(inAccessGroups: groups, searchKey, writer)
        }
    }
}
