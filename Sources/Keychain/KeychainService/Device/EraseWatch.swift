import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyKeychainMessages

/// A component that remembers something of the database.
protocol DatabaseCache: Sendable {
    func forgetCached()
}

/// The watch for erasures of the device. After one no key opens any row: the rows go, and the device starts anew under
/// the new keybag.
struct EraseWatch: Sendable {
    private static let keybagName = "keybag"

    let enclave: any EnclaveMailbox
    let store: ItemStore
    let keys: KeyChanges
    let caches: [any DatabaseCache]

    /// Handles a refusal of a passcode: the tenth failed try may have erased the device.
    func notice(_ refusal: EnclaveRefusal) {
        if refusal == .erased { forgetErasedItems() }
    }

    /// Removes what the device knew before it was erased: items, trusted teams, apps, and the owner's tools.
    func forgetErasedItems() {
        guard let status = try? enclave.ask(AskStatus()) else { return }
        try? store.write { writer in
            try writer.deleteEverything()
            try writer.setDeviceKey(status.keybagUUID, named: Self.keybagName)
        }
        keys.keysChanged()
        for cache in caches { cache.forgetCached() }
    }

    /// Finishes an erasure that was cut short after the enclave forgot its keys: the database still names the old
    /// keybag.
    func finishInterruptedErase() throws(KeychainOpenFailure) {
        guard let status = try? enclave.ask(AskStatus()) else {
            throw KeychainOpenFailure("The enclave does not answer. Look at its messages, then start again.")
        }
        do throws(Setback) {
            let known = try store.read { try $0.deviceKey(named: Self.keybagName) }
            if known == status.keybagUUID { return }
            try store.write { writer in
                if known != nil { try writer.deleteEverything() }
                try writer.setDeviceKey(status.keybagUUID, named: Self.keybagName)
            }
        } catch {
            store.noticeDamage(error)
            let reason = CallFailure(error).refusal?.reason ?? ""
            throw KeychainOpenFailure("The keychain cannot be prepared. \(reason)")
        }
    }
}

extension TeamRegistry: DatabaseCache {}
extension AppRegistry: DatabaseCache {}
extension OwnersRegistry: DatabaseCache {}
extension GroupDemands: DatabaseCache {}

extension OwnersHomes: DatabaseCache {
    func forgetCached() { forgetRecent() }
}
