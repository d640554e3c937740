import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing

extension Table {
    /// Items with a password of the app's own, from the app and from the person (8.2, 8.3). Each row has a device.
    static let applicationPasswords = Table { table in
        table.addFromApp()
        table.addFromPerson()
        table.addWithConditions()
    }

    private static let typed = Answers("the password", .applicationPassword("open sesame"))

    private mutating func addFromApp() {
        row("8.2, 8.3", "a password from the app: needs no prompt, opens with the same one") { s in
            let context = s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) }
            try s.addGuarded(.applicationPassword, in: context)
            s.read(in: context)
            s.read(in: s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) })
        }
        for (name, password) in [("another", "pW"), ("an empty", ""), ("a longer", "pw "), ("a shorter", "p")] {
            row("7.3, 8.3", "\(name) password from the app is wrong", only: .generic) { s in
                try s.addGuarded(
                    .applicationPassword,
                    in: s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) })
                let wrong = s.context { $0.setCredential(Data(password.utf8), type: .applicationPassword) }
                s.read(in: wrong, gives: errSecAuthFailed)
                wrong.setCredential(Data("pw".utf8), type: .applicationPassword)
                s.read(in: wrong)
            }
        }
        row("8.3", "a password from the app is good for all classes", only: .generic) { s in
            try Owner.passcode.moveIn(s.device)
            let context = s.context { $0.setCredential(Data([0, 255, 10]), type: .applicationPassword) }
            for name in ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"] {
                try s.addGuarded(.applicationPassword, name, as: name, in: context)
                s.read(of: name, in: context)
            }
        }
        row("8.3", "taking the password back closes the item again", only: .generic) { s in
            let context = s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) }
            try s.addGuarded(.applicationPassword, in: context)
            s.read(in: context)
            context.setCredential(nil, type: .applicationPassword)
            s.expect(!context.isCredentialSet(.applicationPassword), "none is set")
            s.read(.cancel, in: context, gives: errSecUserCanceled)
        }
        row("8.3", "items of two passwords", only: .generic) { s in
            for name in ["one", "two"] {
                let context = s.context { $0.setCredential(Data(name.utf8), type: .applicationPassword) }
                try s.addGuarded(.applicationPassword, as: name, in: context)
            }
            let context = s.context { $0.setCredential(Data("one".utf8), type: .applicationPassword) }
            s.read(of: "one", in: context)
            s.read(of: "two", in: context, gives: errSecAuthFailed)
        }
        row("7.3, 8.3", "changing the data keeps the password", only: .generic) { s in
            let context = s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) }
            try s.addGuarded(.applicationPassword, in: context)
            s.update([:].in(context), [kSecValueData: Data("d".utf8), kSecAttrLabel: "l"])
            s.read(in: context)
            let wrong = s.context { $0.setCredential(Data("other".utf8), type: .applicationPassword) }
            s.update([:].in(wrong), [kSecValueData: Data("x".utf8)], gives: errSecAuthFailed)
            s.read(in: context)
        }
        row("8.3", "deleting needs no password", only: .generic) { s in
            let context = s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) }
            try s.addGuarded(.applicationPassword, in: context)
            s.asked(.nobodyAsked) { s.delete([:]) }
        }
        row("7.3, 8.3", "the password survives a restart, and is needed after it", only: .generic) { s in
            let context = s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) }
            try s.addGuarded(.applicationPassword, in: context)
            try s.device.reboot()
            s.read(.cancel, gives: errSecUserCanceled)
            s.read(in: s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) })
        }
    }

    private mutating func addFromPerson() {
        row("8.3", "a password from the person: asked for when the item is made and when it is read") { s in
            try s.addGuarded(.applicationPassword, typing: Table.typed)
            s.read(Table.typed)
            s.read(.cancel, gives: errSecUserCanceled)
            s.read(
                Answers(
                    "a wrong one, then the right one", .applicationPassword("x"), .applicationPassword("open sesame")))
        }
        row("7.3, 8.3", "three wrong passwords from the person", only: .generic) { s in
            try s.addGuarded(.applicationPassword, typing: Table.typed)
            s.read(
                Answers(
                    "three wrong passwords", .applicationPassword("a"), .applicationPassword("b"),
                    .applicationPassword("c")),
                gives: errSecAuthFailed)
            s.read(Table.typed)
        }
        row("8.3", "cancelling stores nothing", only: .generic) { s in
            try s.addGuarded(.applicationPassword, typing: .cancel, gives: errSecUserCanceled)
            s.expect(s.count([:]) == 0, "nothing stored")
        }
        row("7.3", "attributes and existence ask for the password", only: .generic) { s in
            try s.addGuarded(.applicationPassword, typing: Table.typed)
            s.asked(Table.typed) { s.find([kSecReturnAttributes: true]) }
            s.asked(Table.typed) { s.find([:]) }
        }
        row("7.3", "making the item without a password and without asking fails", only: .generic) { s in
            let control = try s.control(.applicationPassword)
            s.add(
                [kSecAttrAccessControl: control, kSecUseAuthenticationUI: DeprecatedConstants.useAuthenticationUIFail],
                gives: errSecInteractionNotAllowed)
            s.expect(s.count([:]) == 0, "nothing stored")
        }
        row("7.3", "reading without a password and without asking fails", only: .generic) { s in
            try s.addGuarded(.applicationPassword, typing: Table.typed)
            s.read(
                extra: [kSecUseAuthenticationUI: DeprecatedConstants.useAuthenticationUIFail],
                gives: errSecInteractionNotAllowed)
            s.read(extra: [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip], gives: errSecItemNotFound)
        }
        row("8.3", "a context keeps the password that the person typed", only: .generic) { s in
            let context = s.context()
            try s.addGuarded(.applicationPassword, in: context, typing: Table.typed)
            s.read(in: context)
            s.read(Table.typed, in: s.context())
        }
        row("6.3", "a duplicate is one, with the right password and with another", only: .generic) { s in
            try s.addGuarded(.applicationPassword, typing: Table.typed)
            let context = s.context { $0.setCredential(Data("other".utf8), type: .applicationPassword) }
            try s.addGuarded(.applicationPassword, in: context, gives: errSecDuplicateItem)
            s.read(Table.typed)
        }
    }

    private mutating func addWithConditions() {
        let cases: [(String, SecAccessControlCreateFlags, Answers)] = [
            ("user presence", .userPresence, .match), ("biometryAny", .biometryAny, .match),
            ("biometryCurrentSet", .biometryCurrentSet, .match), ("passcode", .devicePasscode, .passcode),
            (
                "biometry and passcode", [.and, .biometryAny, .devicePasscode],
                Answers("a finger and the passcode", .match(.rightIndex), .passcode("1234"))
            ),
        ]
        for (name, flags, answers) in cases {
            row("8.2, 8.3", "\(name) and a password of the app: needs both") { s in
                try Owner.finger.moveIn(s.device)
                let context = s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) }
                try s.addGuarded(flags.union(.applicationPassword), in: context)
                s.read(answers, in: context)
                s.read(in: context)
                let wrong = s.context { $0.setCredential(Data("no".utf8), type: .applicationPassword) }
                s.read(answers, in: wrong, gives: errSecAuthFailed)
                let cancelled = s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) }
                s.read(.cancel, in: cancelled, gives: errSecUserCanceled)
            }
            row("8.3", "\(name) and a password from the person: asks for both", only: .generic) { s in
                try Owner.finger.moveIn(s.device)
                try s.addGuarded(flags.union(.applicationPassword), typing: Table.typed)
                s.asked(Answers("all", answers.answers + [.applicationPassword("open sesame")])) {
                    s.find([kSecReturnData: true])
                }
            }
        }
        row("8.3", "a password does not save an item whose fingers are gone", only: .generic) { s in
            try Owner.finger.moveIn(s.device)
            let context = s.context { $0.setCredential(Data("pw".utf8), type: .applicationPassword) }
            try s.addGuarded([.biometryCurrentSet, .applicationPassword], in: context)
            try s.device.enroll(.leftIndex)
            s.read(in: context, gives: errSecItemNotFound)
        }
    }
}
