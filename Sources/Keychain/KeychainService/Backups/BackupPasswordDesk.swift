import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The desk for questions about the password of encrypted backups.
struct BackupPasswordDesk: Sendable {
    let keybags: BackupKeybags
    let authority: OwnersAuthority
    let failures: CallFailures

    func answer(_ question: DescribeBackups, _ caller: Caller) throws(DeviceRefusal) -> BackupSettings {
        try failures.declining(caller) { () throws(Setback) in try keybags.settings() }
    }

    func answer(_ question: SetBackupPassword, _ caller: Caller) throws(DeviceRefusal) -> Done {
        try caller.refuseBackups()
        return try authority.change(question, by: caller) { () throws(Setback) in
            if let stored = try keybags.stored() { try prove(question.current, for: stored) }
            guard let new = question.new else {
                try keybags.remove()
                return Done()
            }
            // The class keys are new, too: the former password opens nothing of later backups.
            try keybags.set(try keybags.make(new, isEncrypted: true))
            return Done()
        }
    }

    /// Checks the key of the password that is set now.
    private func prove(_ key: SecretBox?, for keybag: [UInt8]) throws(Setback) {
        guard let key else {
            throw .call(.authFailed, as: .backupPasswordNotGiven)
        }
        _ = try keybags.open(keybag, key)
    }
}

extension Caller {
    /// A program that gets no groups gets no backup either.
    func refuseBackups() throws(DeviceRefusal) {
        if let refusal, !isRoot { throw .declined(.missingEntitlement, refusal) }
    }
}

extension CallFailures {
    /// Answers a question about backups that is not recorded.
    func declining<Answer>(
        _ caller: Caller, _ body: () throws(Setback) -> Answer
    ) throws(DeviceRefusal) -> Answer {
        try caller.refuseBackups()
        do throws(Setback) {
            return try body()
        } catch {
            throw failure(error).declined
        }
    }
}
