import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The desk for the hosts that may back up and restore without the passcode.
struct EscrowDesk: Sendable {
    let enclave: any EnclaveMailbox
    let escrows: EscrowRegistry
    let grants: BackupGrants
    let authority: OwnersAuthority
    let failures: CallFailures

    func answer(_ question: CreateEscrow, _ caller: Caller) throws(DeviceRefusal) -> HostKeybag {
        try caller.refuseBackups()
        return try authority.change(question, by: caller) { () throws(Setback) in
            guard let passcode = question.passcode else { throw .call(.enclave(.noPasscodeSet)) }
            let made = try enclave.answer(to: MakeEscrow(passcode: passcode))
            try escrows.add(made, hostName: question.hostName)
            return HostKeybag(made.keybag.bytes)
        }
    }

    func answer(_ question: ListEscrows, _ caller: Caller) throws(DeviceRefusal) -> [EscrowRecord] {
        try failures.declining(caller) { () throws(Setback) in try escrows.records() }
    }

    func answer(_ question: RevokeEscrow, _ caller: Caller) throws(DeviceRefusal) -> RemovedCount {
        try caller.refuseBackups()
        return try failures.journalling(question, by: caller) { () throws(Setback) in
            let removed = try escrows.remove { question.identifier == nil || $0 == question.identifier }
            grants.end(ofHosts: { question.identifier == nil || $0 == question.identifier })
            return RemovedCount(removed)
        }
    }

    /// After the passcode has gone, no host's keybag opens any more.
    func passcodeHasGone() {
        _ = try? escrows.remove { _ in true }
        grants.end(ofHosts: { _ in true })
    }
}
