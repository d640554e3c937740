import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Reads all items that the present lock state lets anybody read, class by class.
struct KeychainReading {
    let device: DeviceAccess
    let owner: OwnerAuthority?

    /// One class of items under one protection class.
    struct Part {
        let itemClass: String
        let attributes: [[String: PropertyValue]]
        let secrets: [SecretBox]
    }

    /// The parts that have items, and the names of the protection classes that are locked now.
    func parts(
        of itemClasses: [String], matching more: [QueryPair] = [], withSecrets: Bool
    ) throws(CommandFailure) -> (parts: [Part], locked: [String]) {
        let enclave = try device.status().enclave
        // During the grace period the keys are still there.
        let state = enclave.graceSecondsLeft == nil ? enclave.lockState : .unlocked
        var parts: [Part] = []
        var locked: [String] = []
        for keyClass in KeyClass.keychainClasses {
            guard let code = keyClass.accessibleName else { continue }
            guard state.allows(keyClass) else {
                // Without a passcode the class has no key and therefore no items.
                if state != .noPasscode { locked.append(AccessibleName.readable(code) ?? code) }
                continue
            }
            for itemClass in itemClasses {
                guard let part = try part(itemClass, code, more, withSecrets) else { continue }
                parts.append(part)
            }
        }
        return (parts, locked)
    }

    private func part(
        _ itemClass: String, _ code: String, _ more: [QueryPair], _ withSecrets: Bool
    ) throws(CommandFailure) -> Part? {
        var query = [
            QueryPair("class", .string(itemClass)), QueryPair("pdmn", .string(code)),
            QueryPair("sync", .string("syna")), QueryPair("m_Limit", .string("m_LimitAll")),
            QueryPair("r_Attributes", .boolean(true)), QueryPair("r_Data", .boolean(withSecrets)),
            // Asking for every single one is not what somebody wants who looks at all of them.
            QueryPair("u_AuthUI", .string("u_AuthUIS")),
        ]
        query += more
        if let group = owner?.accessGroup, group != "*" { query.append(QueryPair("agrp", .string(group))) }
        let reply = device.keychain.perform(
            ItemRequest(operation: .find, query: query, wantsResult: true, owner: owner))
        guard reply.code != .itemNotFound else { return nil }
        guard reply.code == .success else { throw CommandFailure(reply) }
        guard case .array(let values)? = reply.result else { return nil }
        let items = values.compactMap { value -> [String: PropertyValue]? in
            guard case .dictionary(let attributes) = value else { return nil }
            return attributes
        }
        return Part(itemClass: itemClass, attributes: items, secrets: reply.secrets)
    }
}
