import Foundation
import Security
import Testing

/// The effect of a device state on the items of a protection class (7.1).
enum KeyPresence: Sendable {
    case available, locked, missing

    static func of(_ protection: String, in stage: Stage) -> KeyPresence {
        switch (stage, protection) {
        case (.unlocked, _), (.unlockedAgain, _), (_, "dk"), (_, "dku"): .available
        case (.open, "akpu"), (.passcodeRemoved, "akpu"): .missing
        case (.open, _), (.passcodeRemoved, _), (.locked, "ck"), (.locked, "cku"): .available
        case (.locked, _), (.beforeFirstUnlock, _): .locked
        }
    }

    /// The status of finding or updating an item of the class (7.2).
    var statusOfItem: OSStatus {
        switch self {
        case .available: errSecSuccess
        case .locked: errSecInteractionNotAllowed
        case .missing: errSecItemNotFound
        }
    }

    /// The status of making an item of the class (7.2).
    var statusOfNewItem: OSStatus {
        switch self {
        case .available: errSecSuccess
        case .locked: errSecInteractionNotAllowed
        case .missing: errSecNotAvailable
        }
    }
}

extension Table {
    /// Each protection class in a state, for each call; and what a state does to calls that meet several items.
    static func states(_ stage: Stage) -> Table {
        Table { table in
            for protection in ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"] {
                table.addClass(protection, in: stage)
            }
            if stage == .locked || stage == .beforeFirstUnlock { table.addMixtures(in: stage) }
        }
    }

    private mutating func addClass(_ protection: String, in stage: Stage) {
        let presence = KeyPresence.of(protection, in: stage)
        let place = "\(protection), \(stage.rawValue)"
        row("7.1, 7.2, 15.18", "add (\(place))") { s in
            s.add(
                [kSecAttrAccessible: protection, kSecValueData: Data("d".utf8)], gives: presence.statusOfNewItem)
        }
        row("7.2", "an item cannot move where none could be added (\(place))") { s in
            s.add([kSecAttrAccessible: "dku", kSecValueData: Data("d".utf8)])
            s.update([:], [kSecAttrAccessible: protection], gives: presence.statusOfNewItem)
            let isMoved = presence == .available
            s.find(
                [kSecAttrAccessible: "dku"], gives: isMoved && protection != "dku" ? errSecItemNotFound : errSecSuccess)
        }
        if stage == .open && presence == .missing { return }

        let item: [CFString: Any] = [kSecAttrAccessible: protection, kSecValueData: Data("d".utf8)]
        nonisolated(unsafe) let pairs = item
        let given: @Sendable (Scene) throws -> Void = { s in s.add(pairs) }
        row("7.2, 15.3, 15.18", "find data (\(place))", given: given) { s in
            let found = s.find([kSecReturnData: true], gives: presence.statusOfItem)
            s.expect(found, is: presence == .available ? Data("d".utf8) : nil, "data")
        }
        row("7.2, 15.3", "find attributes (\(place))", given: given) { s in
            s.find([kSecReturnAttributes: true], gives: presence.statusOfItem)
        }
        row("6.4, 7.2, 15.3", "find the persistent reference (\(place))", given: given) { s in
            s.find([kSecReturnPersistentRef: true], gives: presence.statusOfItem)
        }
        row("6.4, 7.2, 15.3", "find whether it exists (\(place))", given: given) { s in
            s.find([:], gives: presence.statusOfItem)
        }
        row("7.2", "find all (\(place))", given: given) { s in
            s.find([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true], gives: presence.statusOfItem)
        }
        row("7.2", "what does not match is not found (\(place))", given: given) { s in
            s.find([kSecAttrAccount: "nobody"], gives: errSecItemNotFound)
            s.update([kSecAttrAccount: "nobody"], [:], gives: errSecItemNotFound)
            s.delete([kSecAttrAccount: "nobody"], gives: errSecItemNotFound)
        }
        row("6.5, 7.2", "update attributes (\(place))", given: given) { s in
            s.update([:], [kSecAttrLabel: "l"], gives: presence.statusOfItem)
        }
        row("6.5, 7.2", "update data (\(place))", given: given) { s in
            s.update([:], [kSecValueData: Data("new".utf8)], gives: presence.statusOfItem)
        }
        row("6.6, 7.2, 15.5", "delete (\(place))", given: given) { s in
            s.delete([:])
            s.find([:], gives: errSecItemNotFound)
        }
        row("6.6, 7.2, 15.5", "delete and add in another class (\(place))", given: given) { s in
            s.delete([:])
            s.add([kSecAttrAccessible: "dk"])
        }
    }

    /// In stages where `dk` is open and `ak` is not.
    private mutating func addMixtures(in stage: Stage) {
        let place = stage.rawValue
        let mixed: @Sendable (Scene) throws -> Void = { s in
            s.add([kSecAttrAccount: "open", kSecAttrAccessible: "dk", kSecAttrLabel: "both"])
            s.add([kSecAttrAccount: "closed", kSecAttrAccessible: "ak", kSecAttrLabel: "both"])
        }
        row("6.4, 7.2, 15.3", "one locked match fails the whole find (\(place))", given: mixed) { s in
            for key in [kSecReturnAttributes, kSecReturnPersistentRef, kSecReturnData, kSecReturnRef] {
                s.find([kSecMatchLimit: kSecMatchLimitAll, key: true], gives: errSecInteractionNotAllowed)
            }
            s.find([kSecMatchLimit: kSecMatchLimitAll], gives: errSecInteractionNotAllowed)
            s.find([kSecMatchLimit: 2], gives: errSecInteractionNotAllowed)
        }
        row("7.2", "a locked item that does not match has no effect (\(place))", given: mixed) { s in
            s.expect(s.count([kSecAttrAccount: "open"]) == 1, "one by account")
            s.expect(s.count([kSecAttrAccessible: "dk"]) == 1, "one by protection class")
            s.find([kSecAttrAccount: "closed"], gives: errSecInteractionNotAllowed)
        }
        row("7.2", "a find of one stops at an open item that comes first (\(place))", given: mixed) { s in
            s.expect(s.attributes(of: [kSecAttrLabel: "both"])["acct"], is: "open", "account")
        }
        row(
            "7.2", "a find of one fails at a locked item that comes first (\(place))",
            given: { s in
                s.add([kSecAttrAccount: "closed", kSecAttrAccessible: "ak"])
                s.add([kSecAttrAccount: "open", kSecAttrAccessible: "dk"])
            },
            then: { s in s.find([kSecReturnAttributes: true], gives: errSecInteractionNotAllowed) })
        row("6.5, 7.2", "one locked match fails the whole update (\(place))", given: mixed) { s in
            s.update([kSecAttrLabel: "both"], [kSecAttrComment: "new"], gives: errSecInteractionNotAllowed)
            s.expect(s.attributes(of: [kSecAttrAccount: "open"])["icmt"] == nil, "nothing changed")
        }
        row("7.2", "a search by comment or digest opens items, and fails at a locked one (\(place))", given: mixed) {
            s in
            let digest = s.attributes(of: [kSecAttrAccount: "open"])["sha1"] as? Data ?? Data()
            for query: [CFString: Any] in [[kSecAttrComment: "c"], ["sha1" as CFString: digest]] {
                s.find(query.merging([kSecMatchLimit: kSecMatchLimitAll]) { $1 }, gives: errSecInteractionNotAllowed)
                s.update(query, [kSecAttrLabel: "new"], gives: errSecInteractionNotAllowed)
                s.delete(query, gives: errSecInteractionNotAllowed)
                s.expect(s.count([kSecAttrAccount: "open", kSecAttrLabel: "both"]) == 1, "nothing changed")
            }
            s.delete(["sha1" as CFString: digest, kSecAttrAccount: "open"])
            s.find([kSecAttrAccount: "closed"], gives: errSecInteractionNotAllowed)
        }
        row("6.6, 7.2", "a delete takes locked and open items (\(place))", given: mixed) { s in
            s.delete([kSecAttrLabel: "both"])
            s.find([kSecMatchLimit: kSecMatchLimitAll], gives: errSecItemNotFound)
        }
        row("6.3, 7.2", "an add does not replace a locked item (\(place))", given: mixed) { s in
            s.add([kSecAttrAccount: "closed", kSecAttrAccessible: "dk"], gives: errSecDuplicateItem)
        }
        row(
            "6.6", "a locked synchronizable item can be deleted and added again (\(place))",
            given: { s in s.add([kSecAttrSynchronizable: true, kSecAttrAccessible: "ak"]) },
            then: { s in
                s.delete([kSecAttrSynchronizable: true])
                s.add([kSecAttrSynchronizable: true, kSecAttrAccessible: "dk"])
            })
        row(
            "6.8, 7.2", "the reference of a locked item does not open it (\(place))",
            given: { s in s.add([kSecAttrAccessible: "ak", kSecAttrAccount: "closed"]) },
            then: { s in
                s.find([kSecAttrAccount: "closed", kSecReturnPersistentRef: true], gives: errSecInteractionNotAllowed)
            })
        row("6.1, 7.3", "Skip leaves out what asks for a person, not what is locked (\(place))", given: mixed) { s in
            s.find(
                [kSecAttrAccount: "closed", kSecUseAuthenticationUI: kSecUseAuthenticationUISkip],
                gives: errSecInteractionNotAllowed)
        }
    }
}
