import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The desk for the beginnings and ends of backups and restores, by the owner or by a host.
struct BackupGrantDesk: Sendable {
    let keybags: BackupKeybags
    let hosts: HostSessions
    let grants: BackupGrants
    let authority: OwnersAuthority
    let failures: CallFailures

    func answer(_ question: BeginBackup, _ caller: Caller) throws(DeviceRefusal) -> BackupGrant {
        try caller.refuseBackups()
        return try authority.change(question, by: caller) { () throws(Setback) in
            switch question.kind {
            case .unencrypted(let password):
                let made = try keybags.make(password, isEncrypted: false)
                let token = grants.add(.backup(isEncrypted: false), made.keys, to: caller)
                return BackupGrant(token: token, keybag: made.keybag)
            case .encrypted:
                let (keybag, keys) = try keybags.encryption()
                let token = grants.add(.backup(isEncrypted: true), keys, to: caller)
                return BackupGrant(token: token, keybag: keybag)
            }
        }
    }

    func answer(_ question: BeginHostBackup, _ caller: Caller) throws(DeviceRefusal) -> BackupGrant {
        try caller.refuseBackups()
        return try failures.journalling(question, by: caller) { () throws(Setback) in
            let host = try hosts.session(of: question.host)
            let (keybag, keys) = try keybags.encryption()
            let token = grants.add(.backup(isEncrypted: true), keys, host: host, to: caller)
            return BackupGrant(token: token, keybag: keybag)
        }
    }

    func answer(_ question: BeginRestore, _ caller: Caller) throws(DeviceRefusal) -> BackupGrant {
        try caller.refuseBackups()
        return try authority.change(question, by: caller) { () throws(Setback) in
            let keys = try keybags.open(question.keybag, question.passwordKey)
            let token = grants.add(.restore(question.policy), keys, to: caller)
            return BackupGrant(token: token, keybag: question.keybag)
        }
    }

    func answer(_ question: BeginHostRestore, _ caller: Caller) throws(DeviceRefusal) -> BackupGrant {
        try caller.refuseBackups()
        return try failures.journalling(question, by: caller) { () throws(Setback) in
            let host = try hosts.session(of: question.host)
            let keys = try keybags.open(question.keybag, question.passwordKey, with: host.room.enclave)
            let token = grants.add(.restore(question.policy), keys, host: host, to: caller)
            return BackupGrant(token: token, keybag: question.keybag)
        }
    }

    func answer(_ question: EndBackup, _ caller: Caller) throws(DeviceRefusal) -> Done {
        let wasCaller = grants.end(question.token, caller)
        if wasCaller, question.isComplete { keybags.noteBackup() }
        return Done()
    }
}
