import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

extension Table {
    /// The ways of a call to allow or forbid prompts, and repeated uses of a context (7.3). Each row has a device.
    static let interactions = Table { table in
        table.addForbidden()
        table.addSkip()
        table.addSkipElsewhere()
        table.addReuse()
        table.addSeveralItems()
    }

    /// The ways to forbid prompts.
    private static let forbidding: [(String, @Sendable (Scene) -> [CFString: Any])] = [
        ("UIFail", { _ in [kSecUseAuthenticationUI: DeprecatedConstants.useAuthenticationUIFail] }),
        ("NoAuthenticationUI", { _ in ["u_NoAuthUI" as CFString: true] }),
        (
            "a context that forbids interaction",
            { s in [kSecUseAuthenticationContext: s.context { $0.interactionNotAllowed = true }] }
        ),
    ]

    private mutating func addForbidden() {
        for (name, extra) in Self.forbidding {
            for flags in [SecAccessControlCreateFlags.userPresence, .biometryAny, .devicePasscode] {
                row("7.3", "\(name): reading fails, no prompt is shown (flags \(flags.rawValue))") { s in
                    try Owner.finger.moveIn(s.device)
                    try s.addGuarded(flags)
                    s.read(extra: extra(s), gives: errSecInteractionNotAllowed)
                    s.asked(.nobodyAsked) {
                        let query = extra(s).merging([kSecReturnAttributes: true]) { first, _ in first }
                        s.find(query, gives: errSecInteractionNotAllowed)
                        s.find(extra(s), gives: errSecInteractionNotAllowed)
                    }
                }
            }
            row("7.3", "\(name): changing data fails, deleting does not") { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(.userPresence)
                s.asked(.nobodyAsked) {
                    s.update(extra(s), [kSecValueData: Data("n".utf8)], gives: errSecInteractionNotAllowed)
                    s.delete(extra(s))
                    s.find([:], gives: errSecItemNotFound)
                }
            }
            row("7.3", "\(name): items without conditions do not mind") { s in
                try Owner.finger.moveIn(s.device)
                s.add(extra(s).merging([kSecAttrAccount: "free", kSecValueData: Data("d".utf8)]) { $1 })
                s.read(of: "free", extra: extra(s))
                s.update(extra(s), [kSecAttrLabel: "l"])
            }
            row("7.3", "\(name): one guarded match fails a find of all") { s in
                try Owner.finger.moveIn(s.device)
                s.add([kSecAttrAccount: "free", kSecAttrLabel: "both"])
                try s.addGuarded(.userPresence)
                s.asked(.nobodyAsked) {
                    let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
                    s.find(extra(s).merging(all) { $1 }, gives: errSecInteractionNotAllowed)
                }
            }
        }
        row("7.3", "UIAllow is the usual way") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            s.read(.match, extra: [kSecUseAuthenticationUI: DeprecatedConstants.useAuthenticationUIAllow])
            s.read(
                .cancel, extra: [kSecUseAuthenticationUI: DeprecatedConstants.useAuthenticationUIAllow],
                gives: errSecUserCanceled)
        }
        row("7.3", "an evaluated context reads although prompts are forbidden") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            let context = s.context()
            s.evaluate(.deviceOwnerAuthentication, in: context, .match)
            context.interactionNotAllowed = true
            s.read(in: context)
            s.read(in: context, extra: [kSecUseAuthenticationUI: DeprecatedConstants.useAuthenticationUIFail])
        }
    }

    private mutating func addSkip() {
        let skip: [CFString: Any] = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
        nonisolated(unsafe) let skipping = skip
        row("7.3", "UISkip leaves guarded items out") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            s.read(extra: skipping, gives: errSecItemNotFound)
            s.add([kSecAttrAccount: "free"])
            s.asked(.nobodyAsked) {
                let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
                let found = s.find(skipping.merging(all) { $1 }) as? [[String: Any]]
                s.expect(found?.compactMap { $0["acct"] as? String } == ["free"], "the free item alone")
            }
        }
        row("0.10, 7.3", "UISkip with limit one goes on to the next item") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            s.add([kSecAttrAccount: "free"])
            s.asked(.nobodyAsked) {
                let found = s.find(skipping.merging([kSecReturnAttributes: true]) { $1 }) as? [String: Any]
                s.expect(found?["acct"], is: "free", "account")
            }
        }
        row("7.3", "UISkip does not leave out what an evaluated context opens") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            let context = s.context()
            s.evaluate(.deviceOwnerAuthentication, in: context, .match)
            s.read(in: context, extra: skipping)
        }
        row("7.3", "UISkip leaves out items that can never be read, too") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.companion)
            s.read(extra: skipping, gives: errSecItemNotFound)
        }
    }

    private mutating func addSkipElsewhere() {
        nonisolated(unsafe) let skipping: [CFString: Any] = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
        row("7.3", "UISkip is refused by add, update and delete") { s in
            s.add(skipping, gives: errSecParam)
            s.expect(s.count([:]) == 0, "nothing stored")
            s.add([:])
            s.update(skipping, [kSecAttrLabel: "l"], gives: errSecParam)
            s.delete(skipping, gives: errSecParam)
            s.expect(s.count([:]) == 1, "nothing deleted")
        }
    }

    private mutating func addReuse() {
        let cases: [(String, SecAccessControlCreateFlags, LAPolicy, Answers)] = [
            ("userPresence by finger", .userPresence, .deviceOwnerAuthentication, .match),
            ("userPresence by passcode", .userPresence, .deviceOwnerAuthentication, .fallback),
            ("userPresence by biometry", .userPresence, .deviceOwnerAuthenticationWithBiometrics, .match),
            ("biometryAny", .biometryAny, .deviceOwnerAuthenticationWithBiometrics, .match),
            ("biometryCurrentSet", .biometryCurrentSet, .deviceOwnerAuthenticationWithBiometrics, .match),
            ("devicePasscode", .devicePasscode, .deviceOwnerAuthentication, .fallback),
        ]
        for (name, flags, policy, answers) in cases {
            row("7.3", "an evaluated context opens without asking again: \(name)") { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(flags)
                let context = s.context()
                s.evaluate(policy, in: context, answers)
                s.read(in: context)
                s.read(in: context)
                s.asked(.nobodyAsked) {
                    s.update([:].in(context), [kSecAttrLabel: "l"])
                    s.find([kSecAttrLabel: "l", kSecReturnAttributes: true].in(context))
                }
                s.evaluate(policy, in: context)
            }
        }
        row("7.3", "evaluating the access control itself does too") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded([.and, .biometryCurrentSet, .devicePasscode])
            let context = s.context()
            let both = Answers("a finger and the passcode", .match(.rightIndex), .passcode("1234"))
            s.evaluate(try s.control([.and, .biometryCurrentSet, .devicePasscode]), in: context, both)
            s.read(in: context)
        }
        row("7.3", "a context keeps what a person proved for an item") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            let context = s.context()
            s.read(.match, in: context)
            s.read(in: context)
            s.evaluate(.deviceOwnerAuthenticationWithBiometrics, in: context)
        }
        row("7.3", "without a context each call asks anew") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            s.read(.match)
            s.read(.match)
            s.read(.cancel, gives: errSecUserCanceled)
        }
        row("7.3", "one context's evidence is not another's") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            s.evaluate(.deviceOwnerAuthentication, in: s.context(), .match)
            s.read(.cancel, in: s.context(), gives: errSecUserCanceled)
        }
        row("7.3", "a finger does not stand for a passcode that the item wants") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.devicePasscode)
            let context = s.context()
            s.evaluate(.deviceOwnerAuthentication, in: context, .match)
            s.read(.passcode, in: context)
        }
        row("7.3", "a passcode does not stand for a finger that the item wants") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny)
            let context = s.context()
            s.evaluate(.deviceOwnerAuthentication, in: context, .fallback)
            s.read(.match, in: context)
        }
        row("7.3", "an invalidated context opens nothing") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            let context = s.context()
            s.evaluate(.deviceOwnerAuthentication, in: context, .match)
            context.invalidate()
            s.read(in: context, gives: errSecAuthFailed)
            s.read(.match, in: s.context())
        }
        row("7.3", "a failed call leaves a context as it was") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            let context = s.context()
            s.read(.cancel, in: context, gives: errSecUserCanceled)
            s.read(.match, in: context)
        }
        row("7.3", "evidence does not survive a restart of the device") { s in
            try Owner.passcode.moveIn(s.device)
            try s.addGuarded(.userPresence, "dku")
            let context = s.context()
            s.evaluate(.deviceOwnerAuthentication, in: context, .passcode)
            s.read(in: context)
            try s.device.reboot()
            s.read(.passcode, of: "guarded", in: s.context())
        }
        row("6.1", "an invalid context is refused") { s in
            s.add([:])
            s.find([kSecUseAuthenticationContext: "context"], gives: errSecAuthFailed)
            s.find([kSecUseAuthenticationContext: NSObject()], gives: errSecAuthFailed)
        }
    }

    private mutating func addSeveralItems() {
        row("7.3", "one proof serves a whole call") { s in
            try Owner.finger.moveIn(s.device)
            for account in ["a", "b", "c"] { try s.addGuarded(.userPresence, as: account) }
            s.asked(.match) {
                let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
                s.expect((s.find(all) as? [Any])?.count == 3, "three items")
            }
        }
        row("7.3", "a call asks for each thing that its items want") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny, as: "a")
            try s.addGuarded(.devicePasscode, as: "b")
            s.asked(Answers("a finger and the passcode", .match(.rightIndex), .passcode("1234"))) {
                let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
                s.expect((s.find(all) as? [Any])?.count == 2, "two items")
            }
            s.asked(Answers("a finger, then cancelling", .match(.rightIndex), .cancel)) {
                let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
                s.find(all, gives: errSecUserCanceled)
            }
        }
        row("7.2, 7.3", "a guarded item that does not match the query shows no prompt") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence)
            s.asked(.nobodyAsked) {
                s.find([kSecAttrAccount: "other"], gives: errSecItemNotFound)
                s.update([kSecAttrAccount: "other"], [kSecAttrLabel: "l"], gives: errSecItemNotFound)
            }
        }
        row("7.2, 7.3", "the class's lock comes before the conditions") { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.userPresence, "aku")
            try s.addGuarded(.userPresence, "cku", as: "after")
            try s.device.lock()
            s.read(gives: errSecInteractionNotAllowed)
            s.read(.match, of: "after")
            try s.device.unlock("1234")
            s.read(.match)
        }
    }
}
