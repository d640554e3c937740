import LatchkeyAccessControl
import LatchkeyEnclaveContract
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
        /// The number of items that require authentication and stayed closed.
        var guardedCount = 0
        /// True if the user was prompted and no item was opened.
        var leavesOutGuarded = false
    }

    /// The items of one class under one protection class, as a search answered.
    private struct Answer {
        let part: Part?
        let guardedCount: Int
        var leavesOutGuarded = false
    }

    /// The parts that have items, and the names of the protection classes that are locked now. Items that require
    /// authentication are left out.
    func parts(
        of itemClasses: [String], matching more: [QueryPair] = [], withSecrets: Bool
    ) throws(CommandFailure) -> (parts: [Part], locked: [String]) {
        let reading = try readingWithoutAsking(itemClasses, matching: more, withSecrets: withSecrets)
        return (reading.parts, reading.locked)
    }

    /// The same, with the number of the items that are left out.
    func readingWithoutAsking(
        _ itemClasses: [String], matching more: [QueryPair] = [], withSecrets: Bool
    ) throws(CommandFailure) -> Reading {
        try read(itemClasses, withSecrets: withSecrets) { itemClass, code throws(CommandFailure) in
            try answer(itemClass, code, more + [.skipsAsking], withSecrets)
        }
    }

    /// The same with secrets, and with the items that require authentication: the user is prompted. Items that stay
    /// closed are left out.
    ///
    /// - Parameter asking: the query's attributes about prompts.
    func partsAskedFor(of itemClasses: [String], asking: [QueryPair]) throws(CommandFailure) -> Reading {
        try read(itemClasses, withSecrets: true) { itemClass, code throws(CommandFailure) in
            do throws(CommandFailure) {
                return try answer(itemClass, code, asking, true)
            } catch {
                guard error.code != nil else { throw error }
                var answer = try answer(itemClass, code, [.skipsAsking], true)
                answer.leavesOutGuarded = true
                return answer
            }
        }
    }

    private func read(
        _ itemClasses: [String], withSecrets: Bool,
        _ ask: (_ itemClass: String, _ code: String) throws(CommandFailure) -> Answer
    ) throws(CommandFailure) -> Reading {
        var enclave = try device.status().enclave
        // A list of attributes is useful without the locked items; secrets are all wanted.
        if withSecrets, enclave.lockState != .unlocked, device.offerUnlocking() {
            enclave = try device.status().enclave
        }
        // During the grace period the keys are still there.
        let state = enclave.graceSecondsLeft == nil ? enclave.lockState : .unlocked
        var reading = Reading()
        for keyClass in KeyClass.keychainClasses {
            guard let code = keyClass.protectionClass?.rawValue else { continue }
            guard state.allows(keyClass) else {
                // Without a passcode the class has no key and therefore no items.
                if state != .noPasscode { reading.locked.append(AccessibleName.readable(code) ?? code) }
                continue
            }
            for itemClass in itemClasses {
                let answer = try ask(itemClass, code)
                if let part = answer.part { reading.parts.append(part) }
                reading.guardedCount += answer.guardedCount
                if answer.leavesOutGuarded { reading.leavesOutGuarded = true }
            }
        }
        return reading
    }

    private func answer(
        _ itemClass: String, _ code: String, _ more: [QueryPair], _ withSecrets: Bool
    ) throws(CommandFailure) -> Answer {
        var query = [
            QueryPair("class", .string(itemClass)), QueryPair(.accessible, .string(code)),
            QueryPair(.synchronizable, .string("syna")), QueryPair("m_Limit", .string("m_LimitAll")),
            QueryPair("r_Attributes", .boolean(true)), QueryPair("r_Data", .boolean(withSecrets)),
        ]
        query += more
        if let group = owner?.accessGroup, group != "*" { query.append(QueryPair(.accessGroup, .string(group))) }
        let reply = device.call(
            ItemRequest(operation: .find, query: query, wantsResult: true, owner: owner))
        let none = Answer(part: nil, guardedCount: reply.affectedRows)
        guard reply.code != .itemNotFound else { return none }
        guard reply.code == .success else { throw CommandFailure(reply) }
        guard case .array(let values)? = reply.result else { return none }
        let items = values.compactMap { value -> [String: PropertyValue]? in
            guard case .dictionary(let attributes) = value else { return nil }
            return attributes
        }
        return Answer(
            part: Part(itemClass: itemClass, attributes: items, secrets: reply.secrets),
            guardedCount: reply.affectedRows)
    }
}
