import Foundation
import Security
import Testing

extension Table {
    /// Access controls on passwords (0.1, 0.4, 6.1, 6.3, 8.2).
    static let accessControls = Table { table in
        table.addCreation()
        table.addPlain()
        table.addConstrained()
    }

    private static func make(_ protection: String, _ flags: SecAccessControlCreateFlags = []) -> SecAccessControl? {
        SecAccessControlCreateWithFlags(nil, protection as CFString, flags, nil)
    }

    private mutating func addCreation() {
        for protection in ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"] {
            row("8.2", "an access control can be made for \(protection)", only: .generic) { s in
                s.expect(Table.make(protection) != nil, "made")
                s.expect(Table.make(protection, .userPresence) != nil, "made with a constraint")
            }
        }
        for protection in ["zz", "", "AK", "m_Limit"] {
            row("8.2", "an access control cannot be made for “\(protection)”", only: .generic) { s in
                s.expectRefused(protection as CFString, [])
            }
        }
        row("8.2", "the protection of an access control is text", only: .generic) { s in
            s.expectRefused(NSNumber(value: 6), [])
        }
        let refused: [(String, SecAccessControlCreateFlags)] = [
            ("Or and And", [.or, .and]), ("Or and And with constraints", [.or, .and, .devicePasscode, .biometryAny]),
            ("both kinds of biometry", [.biometryAny, .biometryCurrentSet]),
            ("user presence and passcode", [.userPresence, .devicePasscode]),
            ("user presence and biometry", [.userPresence, .biometryAny]),
            ("user presence and Or", [.userPresence, .or]), ("user presence and And", [.userPresence, .and]),
            ("user presence and an unknown bit", [.userPresence, SecAccessControlCreateFlags(rawValue: 1 << 20)]),
        ]
        for (name, flags) in refused {
            row("8.2, 15.17", "\(name) is not an access control", only: .generic) { s in
                s.expectRefused(kSecAttrAccessibleWhenUnlocked, flags)
            }
        }
        let allowed: [(String, SecAccessControlCreateFlags)] = [
            ("no flags", []), ("Or alone", .or), ("And alone", .and),
            ("Or with one constraint", [.or, .devicePasscode]),
            ("two constraints without Or and And", [.devicePasscode, .biometryAny]),
            ("passcode or biometry", [.or, .devicePasscode, .biometryCurrentSet]),
            ("an application password", .applicationPassword),
            ("user presence and an application password", [.userPresence, .applicationPassword]),
            ("user presence and private key usage", [.userPresence, .privateKeyUsage]),
            ("private key usage", .privateKeyUsage), ("an unknown bit", SecAccessControlCreateFlags(rawValue: 1 << 20)),
        ]
        for (name, flags) in allowed {
            row("8.2", "\(name) can be an access control", only: .generic) { s in
                s.expect(Table.make("ak", flags) != nil, "made")
            }
        }
        row("8.4", "access controls are equal if their contents are", only: .generic) { s in
            s.expect(Table.make("ak", .userPresence), is: Table.make("ak", .userPresence), "the same")
            s.expect(Table.make("ak") != Table.make("ck"), "another class")
            s.expect(Table.make("ak", .userPresence) != Table.make("ak", .devicePasscode), "another constraint")
        }
    }

    private mutating func addPlain() {
        for protection in ["ak", "ck", "dk", "aku", "cku", "dku"] {
            row("6.1, 8.4", "an access control without constraints is its class (\(protection))") { s in
                guard let control = Table.make(protection) else { return s.expect(false, "an access control") }
                s.add([kSecAttrAccessControl: control, kSecValueData: Data("d".utf8)])
                let found = s.attributes(of: [:])
                s.expect(found["pdmn"], is: protection, "protection class")
                s.expect((found["accc"] as AnyObject?) as? SecAccessControl == control, "the same access control")
                s.expect(s.data(of: [:]), is: Data("d".utf8), "data")
            }
            row("6.5", "an update to an access control without constraints (\(protection))") { s in
                guard let control = Table.make(protection) else { return s.expect(false, "an access control") }
                s.add([kSecValueData: Data("d".utf8), kSecAttrAccessible: protection == "ck" ? "ak" : "ck"])
                s.update([:], [kSecAttrAccessControl: control])
                s.expect(s.attributes(of: [:])["pdmn"], is: protection, "protection class")
                s.expect(s.data(of: [:]), is: Data("d".utf8), "data")
            }
        }
        row("0.1, 6.1", "an access control and another class disagree") { s in
            guard let control = Table.make("ak") else { return s.expect(false, "an access control") }
            let pair: [CFString: Any] = [kSecAttrAccessControl: control, kSecAttrAccessible: "ck"]
            s.allRefuse(pair, gives: errSecParam)
            s.add([:])
            s.update([:], pair, gives: errSecParam)
        }
        row("0.1, 6.1", "an access control and its own class agree in a search, and in nothing that is written") { s in
            guard let control = Table.make("ck") else { return s.expect(false, "an access control") }
            let pair: [CFString: Any] = [kSecAttrAccessControl: control, kSecAttrAccessible: "ck"]
            s.add(pair, gives: errSecParam)
            s.find([:], gives: errSecItemNotFound)
            s.add([kSecAttrAccessControl: control])
            s.find(pair)
            s.update([:], pair, gives: errSecParam)
            s.update(pair, [kSecAttrLabel: "l"])
            s.expect(s.attributes(of: pair)["labl"], is: "l", "label")
            s.delete(pair)
        }
        row("0.1, 6.7", "a dictionary that a search returned finds its item, and adds no other") { s in
            s.add([kSecAttrAccount: "a", kSecValueData: Data("d".utf8)])
            var found = s.attributes(of: [:])
            found["sha1"] = nil
            s.findExactly(s.classed(found as [CFString: Any]))
            found["acct"] = "b"
            s.addExactly(s.classed(found as [CFString: Any]), gives: errSecParam)
            found["pdmn"] = nil
            for name in ["accc", "tomb"] { found[name] = nil }
            s.addExactly(s.classed(found as [CFString: Any]))
        }
        row("6.1, 15.2", "an access control does not restrict a search") { s in
            guard let control = Table.make("ck") else { return s.expect(false, "an access control") }
            s.add([kSecAttrAccessible: "ak"])
            s.find([kSecAttrAccessControl: control])
        }
        let wrong = [
            Sample("String") { "ak" }, Sample("Data") { Data() }, Sample("Number") { 1 }, Sample("null") { NSNull() },
            Sample("Dictionary") { ["prot": "ak"] }, Sample("object") { NSObject() },
        ]
        for sample in wrong {
            row("5.1", "an access control that is \(sample.name) is refused") { s in
                s.allRefuse([kSecAttrAccessControl: sample.make()], gives: errSecParam)
                s.add([:])
                s.update([:], [kSecAttrAccessControl: sample.make()], gives: errSecParam)
            }
        }
        row("0.7, 6.3", "a synchronizable item takes an access control of a class that stays on the device") { s in
            guard let control = Table.make("aku") else { return s.expect(false, "an access control") }
            s.add([kSecAttrAccessControl: control, kSecAttrSynchronizable: true])
            s.expect(s.attributes(of: [kSecAttrSynchronizable: true])["pdmn"], is: "aku", "protection class")
        }
    }

    private mutating func addConstrained() {
        // The shared devices have no passcode: such items can be made, and stay closed.
        let flags: [(String, SecAccessControlCreateFlags)] = [
            ("user presence", .userPresence), ("passcode", .devicePasscode), ("companion", .companion),
        ]
        for (name, flags) in flags {
            row("6.3, 8.3", "an item that asks for \(name) is never stored unprotected") { s in
                guard let control = Table.make("aku", flags) else { return s.expect(false, "an access control") }
                s.add([kSecAttrAccessControl: control, kSecValueData: Data("d".utf8)])
                s.find([kSecReturnData: true], gives: errSecAuthFailed)
                s.find([kSecReturnAttributes: true], gives: errSecAuthFailed)
                s.update([:], [kSecAttrAccessible: "aku"], gives: errSecAuthFailed)
                s.update([:], [kSecValueData: Data("e".utf8)], gives: errSecAuthFailed)
                s.delete([:])
                s.find([:], gives: errSecItemNotFound)
            }
        }
        let everyFlag: [SecAccessControlCreateFlags] = [
            .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .applicationPassword,
            .privateKeyUsage, [.or, .biometryAny, .devicePasscode], [.and, .biometryAny, .devicePasscode],
        ]
        for flags in everyFlag {
            row("8.2", "any accessibility goes with flags \(flags.rawValue)", only: .generic) { s in
                for protection in ["ak", "ck", "dk", "aku", "cku", "dku", "akpu", "f"] {
                    s.expect(Table.make(protection, flags) != nil, protection)
                }
            }
        }
        row("8.1", "the bits of the flags are Apple's", only: .generic) { s in
            let bits: [(SecAccessControlCreateFlags, UInt)] = [
                (.userPresence, 1), (.biometryAny, 2), (.biometryCurrentSet, 8), (.devicePasscode, 16),
                (.companion, 32), (.or, 16384), (.and, 32768), (.privateKeyUsage, 1 << 30),
                (.applicationPassword, 1 << 31),
            ]
            for (flag, bit) in bits { s.expect(UInt(flag.rawValue) == bit, "\(bit)") }
        }
        row("8.4", "the description names protection, operations and conditions", only: .generic) { s in
            let cases: [(SecAccessControlCreateFlags, String)] = [
                ([], "<SecAccessControlRef: aku;dacl(true)>"),
                (.devicePasscode, "<SecAccessControlRef: aku;od(cup(true));odel(true);oe(true)>"),
                (.biometryAny, "<SecAccessControlRef: aku;od(cbio(any));odel(true);oe(true)>"),
            ]
            for (flags, text) in cases {
                guard let control = Table.make("aku", flags) else { return s.expect(false, "an access control") }
                s.expect(String(describing: control) == text, String(describing: control))
            }
        }
        row("6.3", "a synchronizable item takes no constraints") { s in
            guard let control = Table.make("ak", .userPresence) else { return s.expect(false, "an access control") }
            s.add([kSecAttrAccessControl: control, kSecAttrSynchronizable: true], gives: errSecParam)
        }
        row("0.4", "private key usage has no place on a password") { s in
            for flags in [.privateKeyUsage, [.privateKeyUsage, .userPresence]] as [SecAccessControlCreateFlags] {
                guard let control = Table.make("aku", flags) else { return s.expect(false, "an access control") }
                s.add([kSecAttrAccessControl: control], gives: errSecParam)
            }
        }
    }
}

extension Scene {
    /// Expects that no access control is made, with -50 as the reason.
    fileprivate func expectRefused(_ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags) {
        var error: Unmanaged<CFError>?
        expect(SecAccessControlCreateWithFlags(nil, protection, flags, &error) == nil, "not made")
        expect(error?.takeRetainedValue().code == Int(errSecParam), "the reason is -50")
    }
}
