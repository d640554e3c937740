import LatchkeyCodeSignature
package import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

/// The owner's access to another program's group. It requires the passcode each time, and is recorded.
extension KeychainService {
    func ownersCaller(_ owner: OwnerAuthority, _ request: ItemRequest, _ caller: Caller) throws(Setback) -> Caller {
        // Checked before the passcode, so that a program without access does not learn whether the passcode is right.
        let groups = try ownersGroups(owner, request, caller)
        do throws(EnclaveRefusal) {
            try enclave.ask(VerifyPasscode(owner.passcode))
        } catch .noPasscodeSet {
            throw .call(
                .authFailed, .ownerNeedsPasscode,
                "Another program's group opens only with the device's passcode, and none is set.",
                advice: "Set one first: latchkey passcode set.")
        } catch {
            noticeErase(error)
            throw .call(
                .authFailed, .ownerPasscodeRefused, PasscodeWords.reason(error),
                advice: PasscodeWords.advice(error))
        }
        let access = Refusal(
            rule: .ownerAccess, reason: "The owner acted in another program's group with the passcode.",
            advice: "Nothing to do; change the passcode if this was not you.")
        records.explain(request.outcome(.success, access), withLockState: false, to: caller)
        return Caller(
            name: caller.name, accessGroups: groups, application: caller.application, level: caller.level,
            process: caller.process)
    }

    /// Returns the groups that this program may use with the owner's authority. A passcode does not replace the
    /// assurance level that the device, or a program with the group, demands. Root can read the device's files, so it
    /// needs no level.
    private func ownersGroups(
        _ owner: OwnerAuthority, _ request: ItemRequest, _ caller: Caller
    ) throws(Setback) -> [String] {
        if caller.isRoot { return [owner.accessGroup] }
        if let refusal = caller.refusal {
            throw .call(CallFailure(.missingEntitlement, refusal))
        }
        let withheld = try demands.groups(above: caller.level)
        guard owner.accessGroup == AccessGroupList.everything else {
            if let level = withheld[owner.accessGroup] {
                throw .call(.groupDemands(level, owner.accessGroup, found: caller.level))
            }
            return [owner.accessGroup]
        }
        guard let first = withheld.min(by: { $0.key < $1.key }) else { return [owner.accessGroup] }
        let query = try request.query(for: request.operation.call)
        if let group = query.accessGroup, let level = withheld[group] {
            throw .call(.groupDemands(level, group, found: caller.level))
        }
        if request.operation == .add {
            // The group may have no items yet, and an add uses only this one group.
            var everywhere = caller
            everywhere.accessGroups = [owner.accessGroup]
            return [try GroupChoice.forAdding(query, everywhere)]
        }
        let rest = try store.read { try $0.accessGroups() }.subtracting(withheld.keys).sorted()
        guard !rest.isEmpty else { throw .call(.groupDemands(first.value, first.key, found: caller.level)) }
        return rest
    }
}

extension DeviceDesk {
    func answer(_ question: DescribeOwnersTool) throws(DeviceRefusal) -> OwnersTool {
        // A program that gets no groups must not learn which other programs exist.
        guard caller.refusal == nil else {
            return OwnersTool(isCaller: false, path: service.toolFile.presentPath, formerHomes: [])
        }
        if caller.isOwnersTool { service.mover.settleItems(of: caller) }
        return try journalling(question) { () throws(Setback) in
            OwnersTool(
                isCaller: caller.isOwnersTool, path: service.toolFile.presentPath,
                formerHomes: try service.homes.former(besides: []))
        }
    }

    func answer(_ question: AdoptTool) throws(DeviceRefusal) -> Adoption {
        try change(question) { () throws(Setback) in try service.adopt(caller, question.passcode) }
    }

    func answer(_ question: RevokeTools) throws(DeviceRefusal) -> RemovedCount {
        try change(question) { () throws(Setback) in
            let count = try service.owners.removeAll()
            service.homes.forgetRecent()
            return RemovedCount(count)
        }
    }
}

extension KeychainService {
    fileprivate func adopt(_ caller: Caller, _ passcode: SecretBox?) throws(Setback) -> Adoption {
        try owners.add(tools: toolsToAdd(for: caller, passcode))
        var tool = caller
        tool.isOwnersTool = true
        tool = owners.withOwnersGroups(tool)
        // All present items are adopted, including those that were added to a home after an earlier adoption.
        tool.adoptedItems = [:]
        let now = store.nowMicroseconds()
        let items = AdoptedItems(lastRow: store.newRowNumber(at: now), lastChange: now)
        let known = tool.accessGroups.filter(OwnersGroup.isFormerHome)
        let places = known + (try homes.former(besides: known, limit: .max).map(\.accessGroup))
        let adoption = places.reduce(Adoption()) { $0 + mover.moveItems(from: $1, for: tool) }
        let left = try owners.keep(homes: places, items)
        homes.forgetRecent()
        guard left == 0 else { throw .call(.tooManyHomes(left)) }
        return adoption
    }
}

extension ItemOperation {
    fileprivate var call: QueryGrammar.Call {
        switch self {
        case .add: .add
        case .find: .find
        case .update: .update
        case .delete: .delete
        }
    }
}

extension CallFailure {
    fileprivate static func groupDemands(
        _ level: AssuranceLevel, _ group: String, found: AssuranceLevel
    ) -> CallFailure {
        CallFailure(
            .missingEntitlement, .assuranceLevelTooLow,
            "A program with the access group \(group) demands assurance level \(level.rawValue) of whatever reaches "
                + "it, and this program has level \(found.rawValue).",
            advice: "Use the program that the items belong to; root reaches them with this tool, too.")
    }
}

extension Caller {
    /// True if the program runs as root, according to the kernel.
    var isRoot: Bool { process?.userID == 0 }
}

/// The texts for the enclave's refusals.
package enum PasscodeWords {
    package static func reason(_ refusal: EnclaveRefusal) -> String {
        switch refusal {
        case .wrongPasscode(let left): "The passcode is wrong; \(left == 1 ? "one try is" : "\(left) tries are") left."
        case .sameWrongPasscode: "The passcode is wrong, the same as before; it was not counted again."
        case .delayed(let seconds): "After the failed tries the next one is accepted in \(Int(seconds.rounded(.up))) s."
        case .disabled: "The device is disabled after ten failed tries."
        case .erased: "The tenth failed try erased the device, as its option says."
        case .passcodeNeeded: "The device has a passcode and needs it for this."
        case .passcodeAlreadySet: "A passcode is set already."
        case .noPasscodeSet: "No passcode is set."
        case .badPasscode(let reason): "The passcode cannot be used: \(reason.withoutFullStop)."
        case .storage(let reason): "The enclave cannot write or read its state: \(reason.withoutFullStop)."
        case .malformed(let reason): "The enclave did not understand the message: \(reason.withoutFullStop)."
        }
    }

    package static func advice(_ refusal: EnclaveRefusal) -> String {
        switch refusal {
        case .wrongPasscode, .sameWrongPasscode: "Try another one, with care."
        case .delayed: "Wait."
        case .disabled: "Erase the device (latchkey erase); its items are lost."
        case .erased: "Start anew, or restore a backup."
        case .passcodeNeeded: "Give the passcode."
        case .passcodeAlreadySet: "Change it: latchkey passcode change."
        case .noPasscodeSet: "Set one: latchkey passcode set."
        case .badPasscode: "Choose another passcode."
        case .storage: "Fix what the reason names, then try again; nothing was lost."
        case .malformed: "Use programs of one version for daemon and enclave."
        }
    }
}
