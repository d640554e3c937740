// An app keeps a list of passwords in one synchronizable item. Two devices of one person change it: the careless version of the app writes back
// what it has in memory, and loses what the other device added; the careful one reads the item again before it writes. All of it happens in one
// process: three devices, a slow network, and a phone that is lost.

import Foundation
import Security
import SecurityTesting

struct Vault {
    private var query: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.vault", kSecAttrAccount: "sites",
            kSecAttrSynchronizable: true,
        ]
    }

    func sites() -> [String] {
        var found: CFTypeRef?
        let query = query.merging([kSecReturnData: true]) { $1 }
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, let data = found as? Data else {
            return []
        }
        return String(decoding: data, as: UTF8.self).split(separator: ",").map(String.init)
    }

    func create() {
        let item = query.merging([
            kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock, kSecValueData: Data("mail".utf8),
        ]) { $1 }
        let status = SecItemAdd(item as CFDictionary, nil)
        precondition(status == errSecSuccess, "the vault was not made: \(status)")
    }

    /// Writes a list that was read at some time.
    func save(_ sites: [String]) {
        let value = [kSecValueData: Data(sites.joined(separator: ",").utf8)]
        let status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
        precondition(status == errSecSuccess, "the vault was not written: \(status)")
    }

    /// Reads the list right before it writes.
    func add(_ site: String) { save(sites() + [site]) }
}

let lab = try SyncLaboratory(devices: ["phone", "laptop", "tablet"], seed: 7)
func app(on device: VirtualDevice) -> VirtualApp { device.install("com.example.vault", team: "A1B2C3D4E5") }
let (phone, laptop, tablet) = (lab["phone"], lab["laptop"], lab["tablet"])

app(on: phone).run { Vault().create() }
try lab.settle()
let inMemory = app(on: laptop).run { Vault().sites() }
print("the laptop has", inMemory)

lab.network = .init(loss: 0.1, delay: .seconds(1) ... .hours(8))
app(on: phone).run { Vault().add("bank") }
try laptop.awaitRemoteChange()
app(on: laptop).run { Vault().save(inMemory + ["shop"]) }
try lab.settle()
print("careless:", app(on: tablet).run { Vault().sites() })
for finding in laptop.findings { print("a review says:", finding.kind.rawValue) }
precondition(laptop.findings.map(\.kind) == [.assumesItemUnchanged], "the review does not see the lost change")

app(on: laptop).run { Vault().add("bank") }
try lab.settle()
app(on: phone).run { Vault().add("forum") }
let settlement = try lab.settle()
print("careful:", app(on: tablet).run { Vault().sites() })
precondition(app(on: tablet).run { Vault().sites() } == ["mail", "shop", "bank", "forum"], "a change is missing")
print("that took", settlement.elapsed, "of virtual time; alarms:", settlement.alarms.count)

try lab.remove(phone, by: tablet)
try lab.settle()
app(on: laptop).run { Vault().add("new bank") }
try lab.settle()
let lost = app(on: phone).run { Vault().sites() }
print("the lost phone still has", lost)
precondition(!lost.contains("new bank"), "the lost phone goes on reading")
