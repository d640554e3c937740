import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The owner's access to another program's group. It requires the passcode each time, and is recorded.
struct OwnersAccess: Sendable {
    let enclave: any EnclaveMailbox
    let store: ItemStore
    let demands: GroupDemands
    let erasure: EraseWatch
    let records: CallRecords

    /// Returns the caller with the group that the owner's passcode opens.
    func caller(_ owner: OwnerAuthority, _ request: ItemRequest, _ caller: Caller) throws(Setback) -> Caller {
        // Checked before the passcode, so that a program without access does not learn whether the passcode is right.
        let groups = try ownersGroups(owner, request, caller)
        do throws(EnclaveRefusal) {
            try enclave.ask(VerifyPasscode(owner.passcode))
        } catch .noPasscodeSet {
            throw .call(.authFailed, .ownerNeedsPasscode)
        } catch {
            erasure.notice(error)
            throw .call(.authFailed, .ownerPasscodeRefused, PasscodeWords.reason(error), PasscodeWords.advice(error))
        }
        let access = Refusal(.ownerAccess)
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
            return [try AccessGroupChoice.forAdding(query, everywhere)]
        }
        let rest = try store.read { try $0.accessGroups() }.subtracting(withheld.keys).sorted()
        guard !rest.isEmpty else { throw .call(.groupDemands(first.value, first.key, found: caller.level)) }
        return rest
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
        CallFailure(.missingEntitlement, as: .groupDemandsLevel, group, level.rawValue, found.rawValue)
    }
}
