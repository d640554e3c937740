package import LatchkeyCodeSignature
import LatchkeyEnclaveCore
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
        do {
            try apps.note(app)
            if let level { try demands.note(level, for: app.accessGroups) }
        } catch {
            // Notices damage; the call that meets it next says so.
            _ = failure(error)
        }
    }

    /// A request about teams or apps.
    func performRegistry(_ request: DeviceRequest, _ caller: Caller) -> DeviceReply {
        do {
            switch request {
            case .teams: return .teams(try teams.all())
            case .applications:
                // A program that gets no groups itself must not learn the names of other programs and what they store.
                if let refusal = caller.refusal, !caller.isRoot { return .declined(.missingEntitlement, refusal) }
                return .applications(try apps.all())
            case .trustTeam(let key, let name, let expires, _):
                return try change(request, caller) {
                    try teams.trust(key, name: name, expires: expires)
                    return .done
                }
            case .revokeTeam(let team, _):
                return try change(request, caller) {
                    try teams.revoke(team)
                    return .done
                }
            case .forgetApplication(let application, let removesItems, _):
                return try change(request, caller) {
                    let searchKey = try keys.searchKey()
                    defer { demands.forgetCached() }
                    let count = try apps.forget(application, removesItems: removesItems) { [self] groups, writer in
                        try enclaveKeys.deleteKeys(inAccessGroups: groups, searchKey, writer)
                    }
                    return .forgotten(removedItems: count)
                }
            case .configureApplications(let removesItems, _):
                return try change(request, caller) {
                    try apps.setRemovesItems(removesItems)
                    return .done
                }
            case .requireLevel(let level, _):
                return try change(request, caller) {
                    try teams.require(level)
                    return .done
                }
            case .status, .setPasscode, .changePasscode, .removePasscode, .unlock, .lock, .erase, .configure,
                .passcodeCost, .endings, .endedItems, .biometry, .refusals, .ownersTool, .adopt, .revokeTools:
                return .refused(.malformed(reason: "a request that is not about teams or apps"))
            }
        } catch {
            let failure = failure(error)
            if let refusal = failure.refusal { record(failure.code, refusal, request, caller) }
            return failure.declined
        }
    }

    /// After an erase the device trusts no team and knows no app.
    func registriesChanged() {
        teams.forgetCached()
        apps.forgetCached()
        owners.forgetCached()
        demands.forgetCached()
        homes.forgetRecent()
    }

    /// Changes something if the owner may, and puts it on record.
    func change(
        _ request: DeviceRequest, _ caller: Caller, _ body: () throws -> DeviceReply
    ) throws -> DeviceReply {
        if let refusal = ownersRefusal(request, caller) {
            let words = Refusal(
                rule: .ownerPasscodeRefused, reason: PasscodeWords.reason(refusal),
                advice: PasscodeWords.advice(refusal))
            record(.authFailed, words, request, caller)
            noticeErase(refusal)
            return .refused(refusal)
        }
        let reply = try body()
        record(
            .success,
            Refusal(
                rule: .ownerChange, reason: "The owner changed which teams or apps this device knows, or an option.",
                advice: "Nothing to do; if this was not you, look at latchkey team list and change the passcode."),
            request, caller)
        return reply
    }

    /// Nil if the passcode is right, or none is set and the caller needs none.
    private func ownersRefusal(_ request: DeviceRequest, _ caller: Caller) -> EnclaveRefusal? {
        // A passcode that was there when this request was let through may be gone by now.
        let mayActWithout = !request.isOwnersAlone || unprovenOwner.includes(caller)
        guard let passcode = request.registryPasscode else {
            do throws(EnclaveRefusal) {
                guard try !enclave.ask(AskStatus()).hasPasscode else { return .passcodeNeeded }
                return mayActWithout ? nil : .noPasscodeSet
            } catch {
                return error
            }
        }
        do throws(EnclaveRefusal) {
            try enclave.ask(VerifyPasscode(passcode))
            return nil
        } catch .noPasscodeSet {
            return unprovenOwner.includes(caller) ? nil : .noPasscodeSet
        } catch {
            return error
        }
    }

    func record(_ code: ResultCode, _ refusal: Refusal, _ request: DeviceRequest, _ caller: Caller) {
        let subject = request.registrySubject
        record(code, refusal, of: subject.operation, accessGroup: subject.name, by: caller)
    }
}

extension DeviceRequest {
    /// For the journal: what is changed, and whose it is.
    var registrySubject: (operation: String, name: String) {
        switch self {
        case .trustTeam(let key, _, _, _): ("trust-team", key.identifier.text)
        case .revokeTeam(let team, _): ("revoke-team", team.text)
        case .forgetApplication(let application, _, _): ("forget-app", String(application.prefix(256)))
        case .configureApplications: ("configure-apps", "")
        case .requireLevel(let level, _): ("require-level", level.rawValue)
        case .adopt: ("adopt", OwnersGroup.name)
        case .revokeTools: ("revoke-tools", OwnersGroup.name)
        case .teams: ("list-teams", "")
        case .applications: ("list-apps", "")
        case .status, .setPasscode, .changePasscode, .removePasscode, .unlock, .lock, .erase, .configure, .passcodeCost,
            .endings, .endedItems, .biometry, .refusals, .ownersTool:
            ("", "")
        }
    }
}
