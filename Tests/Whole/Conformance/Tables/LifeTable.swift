import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// The fate of items while the device goes through its states; each row has a device of its own (7, 13.4).
    static let lives = Table { table in
        table.addPasscodes()
        table.addReboots()
        table.addPasscodeItems()
        table.addUninstalls()
    }

    private static let classes = ["ak", "ck", "dk", "aku", "cku", "dku"]

    private mutating func addPasscodes() {
        row("7.1", "setting, changing and removing a passcode keeps the items", only: .generic) { s in
            for name in Table.classes {
                s.add([kSecAttrAccount: name, kSecAttrAccessible: name, kSecValueData: Data(name.utf8)])
            }
            func expectAll() {
                for name in Table.classes { s.expect(s.data(of: [kSecAttrAccount: name]), is: Data(name.utf8), name) }
            }
            try s.device.setPasscode("1234")
            expectAll()
            try s.device.changePasscode(from: "1234", to: "a longer passcode")
            expectAll()
            try s.device.reboot()
            try s.device.unlock("a longer passcode")
            expectAll()
            try s.device.removePasscode("a longer passcode")
            expectAll()
            try s.device.reboot()
            expectAll()
        }
        row("7.1", "a wrong passcode unlocks nothing") { s in
            try s.device.setPasscode("1234")
            s.add([:])
            try s.device.lock()
            do {
                try s.device.unlock("4321")
                s.expect(false, "a wrong passcode is refused")
            } catch {
                s.expect(String(describing: error).contains("passcode"), "the error says why")
            }
            s.find([:], gives: errSecInteractionNotAllowed)
            try s.device.unlock("1234")
            s.find([:])
        }
        row("7.1", "the old passcode is worth nothing after a change", only: .generic) { s in
            try s.device.setPasscode("1234")
            s.add([:])
            try s.device.changePasscode(from: "1234", to: "9876")
            try s.device.lock()
            s.expect((try? s.device.unlock("1234")) == nil, "the old passcode is refused")
            try s.device.unlock("9876")
            s.find([:])
        }
        row("13.4", "an erased device is empty and can be used again", only: .generic) { s in
            try s.device.setPasscode("1234")
            for name in Table.classes { s.add([kSecAttrAccount: name, kSecAttrAccessible: name]) }
            try s.device.erase()
            s.expect(s.count([:]) == 0, "no items")
            s.expect(try s.device.status.lockState == .noPasscode, "no passcode")
            s.add([kSecAttrAccount: "ak", kSecValueData: Data("new".utf8)])
            s.expect(s.data(of: [kSecAttrAccount: "ak"]), is: Data("new".utf8), "data")
        }
    }

    private mutating func addReboots() {
        row("7.1", "items survive reboots", only: .generic) { s in
            for name in Table.classes {
                s.add([kSecAttrAccount: name, kSecAttrAccessible: name, kSecValueData: Data(name.utf8)])
            }
            for _ in 0..<3 { try s.device.reboot() }
            for name in Table.classes { s.expect(s.data(of: [kSecAttrAccount: name]), is: Data(name.utf8), name) }
        }
        row("7.1", "before first unlock only Always items are open, after it all") { s in
            try s.device.setPasscode("1234")
            s.add([kSecAttrAccount: "ck", kSecAttrAccessible: "ck"])
            s.add([kSecAttrAccount: "dk", kSecAttrAccessible: "dk"])
            try s.device.reboot()
            s.expect(try s.device.status.lockState == .beforeFirstUnlock, "before first unlock")
            s.find([kSecAttrAccount: "dk"])
            s.find([kSecAttrAccount: "ck"], gives: errSecInteractionNotAllowed)
            try s.device.unlock("1234")
            s.find([kSecAttrAccount: "ck"])
            try s.device.lock()
            s.find([kSecAttrAccount: "ck"])
        }
        row("7.2", "an update that moved an item to another class counts from the next lock on") { s in
            try s.device.setPasscode("1234")
            s.add([kSecAttrAccessible: "ck"])
            s.update([:], [kSecAttrAccessible: "ak"])
            try s.device.lock()
            s.find([:], gives: errSecInteractionNotAllowed)
            try s.device.unlock("1234")
            s.update([:], [kSecAttrAccessible: "ck"])
            try s.device.lock()
            s.find([:])
        }
        row("6.6, 15.5", "what was deleted while locked stays deleted") { s in
            try s.device.setPasscode("1234")
            s.add([kSecAttrAccount: "a", kSecAttrAccessible: "ak"])
            s.add([kSecAttrAccount: "b", kSecAttrAccessible: "ak"])
            try s.device.lock()
            s.delete([kSecAttrAccount: "a"])
            try s.device.unlock("1234")
            s.find([kSecAttrAccount: "a"], gives: errSecItemNotFound)
            s.find([kSecAttrAccount: "b"])
        }
        row("7.2", "a refused add or update leaves nothing behind") { s in
            try s.device.setPasscode("1234")
            s.add([kSecAttrAccount: "a", kSecValueData: Data("old".utf8)])
            try s.device.lock()
            s.add([kSecAttrAccount: "b"], gives: errSecInteractionNotAllowed)
            s.update([kSecAttrAccount: "a"], [kSecValueData: Data("new".utf8)], gives: errSecInteractionNotAllowed)
            try s.device.unlock("1234")
            s.expect(s.count([:]) == 1, "one item")
            s.expect(s.data(of: [:]), is: Data("old".utf8), "data")
        }
    }

    private mutating func addPasscodeItems() {
        row("0.7, 7.1", "a synchronizable item can be akpu, and ends with the passcode") { s in
            try s.device.setPasscode("1234")
            s.add([kSecAttrSynchronizable: true, kSecAttrAccessible: "akpu", kSecValueData: Data("d".utf8)])
            s.expect(s.data(of: [kSecAttrSynchronizable: true]), is: Data("d".utf8), "data")
            try s.device.removePasscode("1234")
            s.find([kSecAttrSynchronizable: true], gives: errSecItemNotFound)
        }
        row("0.3, 13.4, 15.18", "akpu items live and die with the passcode") { s in
            let item: [CFString: Any] = [kSecAttrAccessible: "akpu", kSecValueData: Data("d".utf8)]
            s.add(item, gives: errSecNotAvailable)
            try s.device.setPasscode("1234")
            s.add(item)
            try s.device.changePasscode(from: "1234", to: "5678")
            s.expect(s.data(of: [:]), is: Data("d".utf8), "data after a change of passcode")
            try s.device.lock()
            s.find([:], gives: errSecInteractionNotAllowed)
            try s.device.unlock("5678")
            try s.device.removePasscode("5678")
            s.find([:], gives: errSecItemNotFound)
            s.add(item, gives: errSecNotAvailable)
            try s.device.setPasscode("1234")
            s.find([:], gives: errSecItemNotFound)
            s.add(item)
            s.expect(s.data(of: [:]), is: Data("d".utf8), "data of the new item")
        }
        row("6.3, 13.4", "an akpu item whose key is gone is replaced by an add") { s in
            try s.device.setPasscode("1234")
            s.add([kSecAttrAccount: "a", kSecAttrAccessible: "akpu"])
            try s.device.removePasscode("1234")
            s.add([kSecAttrAccount: "a", kSecAttrAccessible: "ak", kSecValueData: Data("new".utf8)])
            s.expect(s.data(of: [:]), is: Data("new".utf8), "data")
        }
        row("6.5, 13.4", "an item is renamed onto an akpu item whose key is gone") { s in
            try s.device.setPasscode("1234")
            s.add([kSecAttrAccount: "a", kSecAttrAccessible: "akpu"])
            s.add([kSecAttrAccount: "b", kSecAttrAccessible: "ak", kSecValueData: Data("b".utf8)])
            try s.device.removePasscode("1234")
            s.update([kSecAttrAccount: "b"], [kSecAttrAccount: "a"])
            s.expect(s.data(of: [kSecAttrAccount: "a"]), is: Data("b".utf8), "data")
        }
        row("0.10, 7.2", "items whose key is gone do not hide the others") { s in
            try s.device.setPasscode("1234")
            s.add([kSecAttrAccount: "a", kSecAttrAccessible: "akpu", kSecAttrLabel: "l"])
            s.add([kSecAttrAccount: "b", kSecAttrAccessible: "ak", kSecAttrLabel: "l"])
            try s.device.removePasscode("1234")
            s.expect(s.attributes(of: [kSecAttrLabel: "l"])["acct"], is: "b", "account")
            s.expect(s.count([kSecAttrLabel: "l"]) == 1, "one item")
        }
    }

    private mutating func addUninstalls() {
        row("13.4", "items outlive their app", only: .generic) { s in
            s.add([kSecAttrAccount: "a"])
            try s.device.uninstall(s.app)
            s.find([kSecAttrAccount: "a"])
        }
        row("13.4", "a removal of app and items takes both classes, synchronizable and locked items", only: .generic) {
            s in
            try s.device.setPasscode("1234")
            for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword] {
                s.add([kSecClass: itemClass, kSecAttrAccessible: "ak"])
                s.add([kSecClass: itemClass, kSecAttrSynchronizable: true])
            }
            try s.device.lock()
            try s.device.uninstall(s.app, removingItems: true)
            try s.device.unlock("1234")
            for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword] {
                s.expect(
                    s.count([kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 0, "gone")
            }
        }
        row("13.4", "items in a group that another app has stay", only: .generic) { s in
            let one = s.seen(by: s.device.install("com.example.one", keychainAccessGroups: ["one", "shared"]))
            let two = s.seen(by: s.device.install("com.example.two", keychainAccessGroups: ["two", "shared"]))
            one.add([kSecAttrAccount: "own"])
            one.add([kSecAttrAccount: "shared", kSecAttrAccessGroup: "shared"])
            two.add([kSecAttrAccount: "theirs"])
            try s.device.uninstall(one.app, removingItems: true)
            s.expect(two.count([:]) == 2, "shared and theirs")
            s.expect(one.count([:]) == 1, "own is gone")
            try s.device.uninstall(two.app, removingItems: true)
            s.expect(one.count([:]) == 0, "shared is gone with the last app")
        }
    }
}
