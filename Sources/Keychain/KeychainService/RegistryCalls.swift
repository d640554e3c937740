package import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

/// Teams and apps: the daemon's questions on every connection, and the owner's changes.
extension KeychainService {
    /// The verdict of this device on a team's key now. It is read from memory, so that connections stay cheap.
    package func verdict(on key: TeamPublicKey) -> TeamVerdict {
        teams.verdict(on: key)
    }

    /// Has another value whenever a verdict may have changed, by a change of trust or because time passed. Read it
    /// before the verdict that it is kept with.
    package var teamTrustEpoch: UInt64 { teams.epoch }

    /// The weakest assurance level at which the device serves a program. A change counts as one of trust.
    package var requiredLevel: AssuranceLevel { teams.requiredLevel }

    /// Remembers a program that was let in. Writes only what is new, or once a day. A device that cannot write now
    /// serves the program all the same.
    /// - Parameter level: the level that the program demands for itself.
    package func noteApplication(_ app: SeenApplication, demanding level: AssuranceLevel? = nil) {
        do throws(Setback) {
            try apps.note(app)
            if let level { try demands.note(level, for: app.accessGroups) }
        } catch {
            // Notices damage; the call that meets it next says so.
            _ = failure(error)
        }
    }
}

extension DeviceDesk {
    func answer(_ question: ListTeams) throws(DeviceRefusal) -> [TrustedTeam] {
        try journalling(question) { () throws(Setback) in try service.teams.all() }
    }

    func answer(_ question: TrustTeam) throws(DeviceRefusal) -> Done {
        try change(question) { () throws(Setback) in
            try service.teams.trust(question.key, name: question.teamName, expires: question.expires)
            return Done()
        }
    }

    func answer(_ question: RevokeTeam) throws(DeviceRefusal) -> Done {
        try change(question) { () throws(Setback) in
            try service.teams.revoke(question.team)
            return Done()
        }
    }

    /// A program that gets no groups itself must not learn the names of other programs and what they store.
    func answer(_ question: ListApplications) throws(DeviceRefusal) -> [RegisteredApplication] {
        if let refusal = caller.refusal, !caller.isRoot { throw .declined(.missingEntitlement, refusal) }
        return try journalling(question) { () throws(Setback) in try service.apps.all() }
    }

    func answer(_ question: ForgetApplication) throws(DeviceRefusal) -> RemovedCount {
        try change(question) { () throws(Setback) in
            let searchKey = try service.keys.searchKey()
            defer { service.demands.forgetCached() }
            let count = try service.apps.forget(
                question.application, removesItems: question.removesItems
            ) { [service] groups, writer throws(Setback) in
                try service.enclaveKeys.deleteKeys(inAccessGroups: groups, searchKey, writer)
            }
            return RemovedCount(count)
        }
    }

    func answer(_ question: ConfigureApplications) throws(DeviceRefusal) -> Done {
        try change(question) { () throws(Setback) in
            try service.apps.setRemovesItems(question.removesItems)
            return Done()
        }
    }

    func answer(_ question: RequireLevel) throws(DeviceRefusal) -> Done {
        try change(question) { () throws(Setback) in
            try service.teams.require(question.level)
            return Done()
        }
    }
}
