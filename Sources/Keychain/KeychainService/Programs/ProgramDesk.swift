import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The desk for questions about teams and apps, and for the owner's changes of them.
struct ProgramDesk: Sendable {
    let registry: ProgramRegistry
    let authority: OwnersAuthority
    let failures: CallFailures

    /// Remembers a program that was let in. Writes only what is new, or once a day. A device that cannot write now
    /// serves the program all the same.
    /// - Parameter level: the level that the program demands for itself.
    func note(_ app: SeenApplication, demanding level: AssuranceLevel?) {
        do throws(Setback) {
            try registry.note(app, demanding: level)
        } catch {
            // Notices damage; the call that meets it next says so.
            _ = failures.failure(error)
        }
    }

    func answer(_ question: ListTeams, _ caller: Caller) throws(DeviceRefusal) -> [TrustedTeam] {
        try failures.journalling(question, by: caller) { () throws(Setback) in try registry.teams.all() }
    }

    func answer(_ question: TrustTeam, _ caller: Caller) throws(DeviceRefusal) -> Done {
        try authority.change(question, by: caller) { () throws(Setback) in
            try registry.teams.trust(question.key, name: question.teamName, expires: question.expires)
            return Done()
        }
    }

    func answer(_ question: RevokeTeam, _ caller: Caller) throws(DeviceRefusal) -> Done {
        try authority.change(question, by: caller) { () throws(Setback) in
            try registry.teams.revoke(question.team)
            return Done()
        }
    }

    func answer(_ question: ListTeamAliases, _ caller: Caller) throws(DeviceRefusal) -> [PinnedAlias] {
        try failures.journalling(question, by: caller) { () throws(Setback) in try registry.teams.aliases.all() }
    }

    func answer(_ question: PinTeamAlias, _ caller: Caller) throws(DeviceRefusal) -> StoredGroupCount {
        try authority.change(question, by: caller) { () throws(Setback) in
            StoredGroupCount(try registry.teams.pin(question.alias, to: question.team))
        }
    }

    func answer(_ question: RemoveTeamAlias, _ caller: Caller) throws(DeviceRefusal) -> Done {
        try authority.change(question, by: caller) { () throws(Setback) in
            try registry.teams.remove(question.alias, of: question.team)
            return Done()
        }
    }

    func answer(_ question: RequireLevel, _ caller: Caller) throws(DeviceRefusal) -> Done {
        try authority.change(question, by: caller) { () throws(Setback) in
            try registry.teams.require(question.level)
            return Done()
        }
    }

    /// A program that gets no groups itself must not learn the names of other programs and what they store.
    func answer(_ question: ListApplications, _ caller: Caller) throws(DeviceRefusal) -> [RegisteredApplication] {
        if let refusal = caller.refusal, !caller.isRoot { throw .declined(.missingEntitlement, refusal) }
        return try failures.journalling(question, by: caller) { () throws(Setback) in try registry.apps.all() }
    }

    func answer(_ question: ForgetApplication, _ caller: Caller) throws(DeviceRefusal) -> RemovedCount {
        try authority.change(question, by: caller) { () throws(Setback) in
            RemovedCount(try registry.forget(question.application, removesItems: question.removesItems))
        }
    }

    func answer(_ question: ConfigureApplications, _ caller: Caller) throws(DeviceRefusal) -> Done {
        try authority.change(question, by: caller) { () throws(Setback) in
            try registry.apps.setRemovesItems(question.removesItems)
            return Done()
        }
    }
}
