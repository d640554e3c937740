import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Reads all items that the present lock state leaves open, class by class.
struct KeychainReading {
    let device: DeviceAccess
    let owner: OwnerAuthority?

    /// One class of items under one protection class.
    struct Part {
        let itemClass: String
        let attributes: [[String: PropertyValue]]
        let secrets: [SecretBox]
    }

    /// The items that were read, and the reasons why others were not.
    struct Reading {
        var parts: [Part] = []
        /// The names of the protection classes that are locked now.
        var locked: [String] = []
        /// Whether items that ask for a person stayed closed.
        var leavesOutGuarded = false
    }

    /// The parts that have items, and the names of the protection classes that are locked now. Items that ask for a person
    /// are left out.
    func parts(
        of itemClasses: [String], matching more: [QueryPair] = [], withSecrets: Bool
    ) throws(CommandFailure) -> (parts: [Part], locked: [String]) {
        let reading = try read(itemClasses, withSecrets: withSecrets) { itemClass, code throws(CommandFailure) in
            try (part(itemClass, code, more + [.skipsAsking], withSecrets), false)
        }
        return (reading.parts, reading.locked)
    }

    /// The same with secrets, and with the items that ask for a person: the person is asked. If that opens nothing, they are
    /// left out.
    ///
    /// - Parameter asking: what the query says about asking.
    func partsAskedFor(of itemClasses: [String], asking: [QueryPair]) throws(CommandFailure) -> Reading {
        try read(itemClasses, withSecrets: true) { itemClass, code throws(CommandFailure) in
            do throws(CommandFailure) {
                return (try part(itemClass, code, asking, true), false)
            } catch {
                guard error.code != nil else { throw error }
                return (try part(itemClass, code, [.skipsAsking], true), true)
            }
        }
    }

    private func read(
        _ itemClasses: [String], withSecrets: Bool,
        _ part: (_ itemClass: String, _ code: String) throws(CommandFailure) -> (Part?, leavesOutGuarded: Bool)
    ) throws(CommandFailure) -> Reading {
        var enclave = try device.status().enclave
        // A list of attributes is of use without what is locked; secrets are all wanted.
        if withSecrets, enclave.lockState != .unlocked, device.offerUnlocking() {
            enclave = try device.status().enclave
        }
        // During the grace period the keys are still there.
        let state = enclave.graceSecondsLeft == nil ? enclave.lockState : .unlocked
        var reading = Reading()
        for keyClass in KeyClass.keychainClasses {
            guard let code = keyClass.accessibleName else { continue }
            guard state.allows(keyClass) else {
                // Without a passcode the class has no key and therefore no items.
                if state != .noPasscode { reading.locked.append(AccessibleName.readable(code) ?? code) }
                continue
            }
            for itemClass in itemClasses {
                let (found, leavesOutGuarded) = try part(itemClass, code)
                if let found { reading.parts.append(found) }
                if leavesOutGuarded { reading.leavesOutGuarded = true }
            }
        }
        return reading
    }

    private func part(
        _ itemClass: String, _ code: String, _ more: [QueryPair], _ withSecrets: Bool
    ) throws(CommandFailure) -> Part? {
        var query = [
            QueryPair("class", .string(itemClass)), QueryPair("pdmn", .string(code)),
            QueryPair("sync", .string("syna")), QueryPair("m_Limit", .string("m_LimitAll")),
            QueryPair("r_Attributes", .boolean(true)), QueryPair("r_Data", .boolean(withSecrets)),
        ]
        query += more
        if let group = owner?.accessGroup, group != "*" { query.append(QueryPair("agrp", .string(group))) }
        let reply = device.call(
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
