import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

extension Table {
    /// The demands of each flag and each combination on a person, and the operations that they open (8.1 to 8.3). Each
    /// row has a device.
    static let conditions = Table { table in
        table.addSingleConditions()
        table.addAlternatives()
        table.addConjunctions()
        table.addWithoutMeans()
        table.addOperations()
    }

    private static let bothBiometries: [(String, SecAccessControlCreateFlags)] = [
        ("biometryAny", .biometryAny), ("biometryCurrentSet", .biometryCurrentSet),
    ]

    /// Adds a row for each way a person can answer to a read of an item with these conditions.
    private mutating func reads(
        _ name: String, _ flags: SecAccessControlCreateFlags, owner: Owner = .finger, source: String = "8.1, 8.3",
        only itemClass: RowClass? = .generic, _ cases: [(Answers, OSStatus)]
    ) {
        for (answers, status) in cases {
            row(source, "\(name), owner with \(owner): \(answers.description)", only: itemClass) { s in
                try owner.moveIn(s.device)
                try s.addGuarded(flags)
                s.read(answers, gives: status)
                s.expect(s.count([kSecAttrAccount: "other"]) == 0, "other items need no person")
            }
        }
    }

    private mutating func addSingleConditions() {
        reads(
            "userPresence", .userPresence, only: nil,
            [
                (.match, errSecSuccess), (.fallback, errSecSuccess), (.cancel, errSecUserCanceled),
                (Answers("a miss, then a finger", .mismatch, .match(.rightIndex)), errSecSuccess),
                (Answers("another person's finger", .match(.leftThumb), .match(.rightIndex)), errSecSuccess),
                (
                    Answers("three misses, then the passcode", .mismatch, .mismatch, .mismatch, .passcode("1234")),
                    errSecSuccess
                ),
                (
                    Answers("the passcode wrong, then right", .fallback, .passcode("0"), .passcode("1234")),
                    errSecSuccess
                ),
                (
                    Answers(
                        "the passcode wrong three times", .fallback, .passcode("0"), .passcode("1"), .passcode("2")),
                    errSecAuthFailed
                ),
                (Answers("cancelling the passcode", .fallback, .cancel), errSecUserCanceled),
                (Answers("a touch that cannot be read, then a finger", .unclear, .match(.rightIndex)), errSecSuccess),
                (Answers("the system taking the prompt away", .systemCancel), errSecAuthFailed),
                (Answers("no answer in time", .timeout), errSecAuthFailed),
                (Answers("the sensor being unplugged, then the passcode", .unplug, .passcode("1234")), errSecSuccess),
            ])
        reads(
            "userPresence", .userPresence, owner: .passcode,
            [(.passcode, errSecSuccess), (.wrongPasscodes, errSecAuthFailed), (.cancel, errSecUserCanceled)])
        for (name, flags) in Self.bothBiometries {
            reads(
                name, flags,
                [
                    (.match, errSecSuccess), (.cancel, errSecUserCanceled), (.threeMisses, errSecAuthFailed),
                    (Answers("two misses, then a finger", .mismatch, .mismatch, .match(.rightIndex)), errSecSuccess),
                    (Answers("the fallback", .fallback), errSecAuthFailed),
                    (Answers("no answer in time", .timeout), errSecAuthFailed),
                    (Answers("the system taking the prompt away", .systemCancel), errSecAuthFailed),
                    (Answers("the sensor being unplugged", .unplug), errSecAuthFailed),
                ])
        }
        for owner in [Owner.passcode, .finger] {
            reads(
                "devicePasscode", .devicePasscode, owner: owner,
                [
                    (.passcode, errSecSuccess), (.cancel, errSecUserCanceled), (.wrongPasscodes, errSecAuthFailed),
                    (Answers("a wrong passcode, then the right one", .passcode("9"), .passcode("1234")), errSecSuccess),
                    (Answers("the fallback", .fallback), errSecAuthFailed),
                ])
            reads("companion", .companion, owner: owner, [(.nobodyAsked, errSecAuthFailed)])
        }
    }

    private mutating func addAlternatives() {
        for (name, biometry) in Self.bothBiometries.prefix(2) {
            reads(
                "\(name) or passcode", [.or, biometry, .devicePasscode],
                [
                    (.match, errSecSuccess), (.fallback, errSecSuccess), (.cancel, errSecUserCanceled),
                    (
                        Answers("three misses, then the passcode", .mismatch, .mismatch, .mismatch, .passcode("1234")),
                        errSecSuccess
                    ),
                ])
            reads("\(name) or companion", [.or, biometry, .companion], [(.match, errSecSuccess)])
        }
        for (name, biometry) in Self.bothBiometries {
            row("8.3", "\(name) or passcode, after the last finger is gone", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded([.or, biometry, .devicePasscode])
                try s.device.removeAllFingers()
                s.read(.passcode)
                s.read(.cancel, gives: errSecUserCanceled)
            }
        }
        reads(
            "passcode or companion", [.or, .devicePasscode, .companion], owner: .passcode, [(.passcode, errSecSuccess)])
        reads(
            "all of biometry, passcode and companion by or", [.or, .biometryAny, .devicePasscode, .companion],
            [(.match, errSecSuccess), (.fallback, errSecSuccess)])
        reads("one condition and a useless or", [.or, .devicePasscode], owner: .passcode, [(.passcode, errSecSuccess)])
        reads("one condition and a useless and", [.and, .biometryAny], [(.match, errSecSuccess)])
    }

    private mutating func addConjunctions() {
        let both = Answers("a finger and the passcode", .match(.rightIndex), .passcode("1234"))
        let pairs: [(String, SecAccessControlCreateFlags)] = [
            ("biometryAny and passcode", [.and, .biometryAny, .devicePasscode]),
            ("biometryCurrentSet and passcode", [.and, .biometryCurrentSet, .devicePasscode]),
            ("biometryAny, passcode without a connector", [.biometryAny, .devicePasscode]),
            ("biometryCurrentSet, passcode without a connector", [.biometryCurrentSet, .devicePasscode]),
        ]
        for (name, flags) in pairs {
            reads(
                name, flags, source: "8.2, 8.3",
                [
                    (both, errSecSuccess), (.cancel, errSecUserCanceled),
                    (Answers("a finger, then cancelling", .match(.rightIndex), .cancel), errSecUserCanceled),
                    (
                        Answers(
                            "a finger, then wrong passcodes", .match(.rightIndex), .passcode("0"), .passcode("1"),
                            .passcode("2")), errSecAuthFailed
                    ),
                ])
        }
        reads(
            "biometryAny and companion", [.and, .biometryAny, .companion], [(.nobodyAsked, errSecAuthFailed)])
        reads(
            "passcode and companion", [.devicePasscode, .companion], owner: .passcode,
            [(.nobodyAsked, errSecAuthFailed)])
        row("8.3", "biometryAny and passcode, after the last finger is gone", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded([.and, .biometryAny, .devicePasscode])
            try s.device.removeAllFingers()
            s.read(gives: errSecAuthFailed)
        }
    }

    /// Conditions that cannot be fulfilled on the device: the item can be made, and no prompt is shown.
    private mutating func addWithoutMeans() {
        for flags in [SecAccessControlCreateFlags.userPresence, .devicePasscode, .companion] {
            for protection in ["ak", "ck", "dk", "aku", "cku", "dku"] {
                row("8.3", "flags \(flags.rawValue) without a passcode: made, not read (\(protection))", only: .generic)
                {
                    s in
                    try s.addGuarded(flags, protection)
                    s.read(gives: errSecAuthFailed)
                }
            }
        }
        let biometry: [(String, SecAccessControlCreateFlags)] = [
            ("biometryAny", .biometryAny), ("biometryCurrentSet", .biometryCurrentSet),
            ("biometryAny or passcode", [.or, .biometryAny, .devicePasscode]),
            ("biometryCurrentSet and passcode", [.and, .biometryCurrentSet, .devicePasscode]),
        ]
        for owner in Owner.allCases where owner != .finger {
            for (name, flags) in biometry {
                row("8.3", "\(name) cannot be bound with nothing enrolled (owner with \(owner))", only: .generic) { s in
                    try owner.moveIn(s.device)
                    s.expect(SecAccessControlCreateWithFlags(nil, "aku" as CFString, flags, nil) != nil, "made")
                    try s.addGuarded(flags, gives: errSecAuthFailed)
                    s.expect(s.count([:]) == 0, "nothing stored")
                }
            }
        }
        row("8.3", "biometryAny, after the last finger is gone and another one came", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            try s.addGuarded(.biometryAny)
            try s.device.removeAllFingers()
            s.read(gives: errSecAuthFailed)
            try s.device.enroll(.leftThumb)
            s.read(Answers("the new finger", .match(.leftThumb)))
        }
        for flags in [SecAccessControlCreateFlags.userPresence, .devicePasscode, .biometryAny] {
            row("0.3, 8.3", "a guarded item for a set passcode needs the passcode (flags \(flags.rawValue))") { s in
                try s.addGuarded(flags, "akpu", gives: errSecNotAvailable)
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(flags, "akpu")
                s.read(flags == .devicePasscode ? .passcode : .match)
            }
        }
        row("8.3, 13.4", "removing the passcode ends a guarded item for a set passcode") { s in
            try Owner.passcode.moveIn(s.device)
            try s.addGuarded(.userPresence, "akpu")
            try s.device.removePasscode("1234")
            s.read(gives: errSecItemNotFound)
            try s.device.setPasscode("1234")
            s.read(gives: errSecItemNotFound)
        }
        row("8.3", "removing the passcode closes other guarded items until there is one") { s in
            try Owner.passcode.moveIn(s.device)
            try s.addGuarded(.userPresence, "aku")
            try s.device.removePasscode("1234")
            s.read(gives: errSecAuthFailed)
            try s.device.setPasscode("5678")
            s.read(Answers("the new passcode", .passcode("5678")))
        }
    }

    /// The demands of an access control, operation by operation.
    private mutating func addOperations() {
        let flags: [(String, SecAccessControlCreateFlags, Answers)] = [
            ("userPresence", .userPresence, .match), ("biometryAny", .biometryAny, .match),
            ("biometryCurrentSet", .biometryCurrentSet, .match), ("devicePasscode", .devicePasscode, .passcode),
        ]
        for (name, flags, answers) in flags {
            row("8.3", "\(name): neither adding nor deleting shows a prompt") { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(flags)
                s.asked(.nobodyAsked) { s.delete([kSecAttrAccount: "guarded"]) }
                s.read(gives: errSecItemNotFound)
            }
            row("7.3", "\(name): attributes, references and existence ask too") { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(flags)
                for key in [kSecReturnAttributes, kSecReturnPersistentRef, kSecReturnData] {
                    s.asked(answers) { s.find([kSecAttrAccount: "guarded", key: true]) }
                }
                s.asked(answers) { s.find([kSecAttrAccount: "guarded"]) }
                s.asked(.cancel) {
                    s.find([kSecAttrAccount: "guarded", kSecReturnAttributes: true], gives: errSecUserCanceled)
                }
            }
            row("7.3, 8.3", "\(name): changing data asks, because the old item has to be opened") { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(flags)
                let query: [CFString: Any] = [kSecAttrAccount: "guarded"]
                s.asked(.cancel) {
                    s.update(query, [kSecValueData: Data("new".utf8)], gives: errSecUserCanceled)
                }
                s.asked(answers) { s.update(query, [kSecValueData: Data("new".utf8)]) }
                s.asked(answers) {
                    s.expect(s.data(of: query), is: Data("new".utf8), "data")
                }
                s.asked(answers) { s.update(query, [kSecAttrLabel: "l"]) }
            }
            row("6.3", "\(name): a second item with the same key is a duplicate and shows no prompt") { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(flags)
                try s.addGuarded(flags, gives: errSecDuplicateItem)
                s.read(answers)
            }
        }
        let kept: [SecAccessControlCreateFlags] = [
            .userPresence, .biometryAny, .devicePasscode, [.or, .biometryAny, .devicePasscode],
        ]
        for flags in kept {
            row("8.4", "a guarded item gives its access control back (flags \(flags.rawValue))") { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(flags)
                let text = String(describing: try s.control(flags))
                let context = s.context()
                s.evaluate(.deviceOwnerAuthentication, in: context, flags == .devicePasscode ? .fallback : .match)
                s.asked(.nobodyAsked) {
                    let found = s.attributes(of: [:].in(context))
                    let control = (found["accc"] as AnyObject?) as? SecAccessControl
                    s.expect(
                        control.map { String(describing: $0) } == text, "protection and conditions as they were")
                    s.expect(found["pdmn"], is: "aku", "protection class")
                    // It can be used again: for another item, or to look for this one.
                    s.add(
                        [kSecAttrAccount: "copy", kSecAttrAccessControl: control as Any, kSecValueData: Data("d".utf8)])
                    s.read(of: "copy", in: context)
                }
            }
        }
        row("6.5, 8.3", "an update puts a free item behind conditions, and a guarded one out") { s in
            try Owner.finger.moveIn(s.device)
            s.add([kSecAttrAccount: "guarded", kSecValueData: Data("d".utf8), kSecAttrAccessible: "aku"])
            let control = try s.control(.userPresence)
            s.asked(.nobodyAsked) { s.update([:], [kSecAttrAccessControl: control]) }
            s.read(.cancel, gives: errSecUserCanceled)
            s.read(.match)
            s.asked(.match) { s.update([:], [kSecAttrAccessible: "aku"]) }
            s.read()
        }
    }
}
