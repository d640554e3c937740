internal import LatchkeyEnclaveContract
internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncKeys

/// The keys of the circle, as far as the lock state opens them.
extension SyncEngine {
    /// Writes an epoch that the replica wants. A locked device lacks the keys for it, and tries again after the unlock.
    ///
    /// Where another one is known by then, the replica has to hear of that one first.
    func writeOwedEpoch() {
        guard let owed = owedEpoch else { return }
        if membership.view.writingEpoch == owed.former {
            guard parts.lockState == .unlocked, (try? writeEpoch()) != nil else { return }
            takeKeys()
        }
        owedEpoch = nil
        enqueue(circleEvent)
    }

    /// Opens what the lock state allows, and lends the keychain the keys with which it names items.
    func takeKeys() {
        let epoch = parts.enclave.keyEpoch
        keysEpoch = epoch
        if membership.departed[device] != nil {
            environment.vault.forgetAll()
            // Until this is committed the next start forgets them again.
            try? parts.items.write { try SyncMembership.forgetKeys($0) }
            return parts.items.lend(nil, since: epoch)
        }
        let state = parts.lockState
        var ring = environment.keyring
        if !state.opens(.a) { ring.lock() }
        guard state.opens(.c) else {
            environment.vault.forgetAll()
            return parts.items.lend(nil, since: epoch)
        }
        let wrapping = EnclaveKeyringWrapping(parts.enclave)
        try? parts.items.read { reader in
            _ = try ring.restore(try SyncMembership.storedKeys(reader), by: wrapping)
        }
        let learning = ring.learn(
            from: environment.graph, as: KeyringReceiver(identity, isUnlocked: state.opens(.a)))
        if !learning.learned.isEmpty, let entries = try? ring.stored(learning.learned, by: wrapping) {
            let graph = environment.graph
            // Without this they are learned again.
            try? parts.items.write { try SyncMembership.write(entries, graph, $0) }
        }
        environment.vault.put(ring) { parts.enclave.keyEpoch == epoch }
        parts.items.lend(environment.sharingKeys(allowed: membership.settings.allowedGroups), since: epoch)
        queue.removeAll { if case .names = $0 { true } else { false } }
        queue.insert(.names(after: nil), at: 0)
    }

    /// Has the rows that could not be named named again, after a change that they may have waited for.
    func nameAfterChanges() {
        let isReported = queue.contains { work in
            switch work {
            case .report, .reportNamed, .changes: true
            case .names, .event: false
            }
        }
        guard unnamedAtNaming == nil, !isReported, (try? parts.items.read { try $0.lastUnnamedChange() }) ?? nil != nil
        else { return }
        queue.append(.report)
    }

    /// Names some rows. After a failure the next report tries it again.
    func nameRows(after place: NamedPlace?) {
        do {
            if place == nil { unnamedAtNaming = try parts.items.read { try $0.lastUnnamedChange() } ?? 0 }
            let part = try parts.items.nameRows(after: place)
            // The deletion that a row waits for comes into the items with the next report.
            if part.awaitsDeletion { unnamedAtNaming = nil }
            if let next = part.end { queue.insert(.names(after: next), at: 0) }
        } catch {
            unnamedAtNaming = nil
        }
    }

    /// Has the rows named, before anything else, that a program has written without the keys while they were taken, and
    /// those that could not be named then: nothing is applied while a call has no name. Rows of a locked class are not
    /// looked at each time.
    func nameLateRows() {
        guard let last = try? parts.items.read({ try $0.lastUnnamedChange() }) else { return }
        guard unnamedAtNaming.map({ $0 < last }) ?? true || parts.lockState.opens(.a) else { return }
        // The calls may leave nothing to report, and changes of other devices wait for them all the same.
        if environment.hasCallWithoutName { queue.insert(.event(QueuedEvent(event: circleEvent)), at: 1) }
        queue.removeAll { if case .names = $0 { true } else { false } }
        queue.insert(.names(after: nil), at: 0)
    }
}
