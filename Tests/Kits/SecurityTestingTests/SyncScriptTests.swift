import Foundation
import Security
import SecurityTesting
import Testing

/// The script that shows what a laboratory can do, as it stands in `Docs/Manual/Testing.md`.
@Suite("A script with everything in it")
struct SyncScriptTests {
    private static var item: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna", kSecAttrService: "notes",
            kSecAttrSynchronizable: true,
        ]
    }

    private func add(_ text: String) -> OSStatus {
        SecItemAdd(
            Self.item.merging([
                kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: Data(text.utf8),
            ]) { $1 } as CFDictionary, nil)
    }

    private func update(_ text: String) -> OSStatus {
        SecItemUpdate(Self.item as CFDictionary, [kSecValueData: Data(text.utf8)] as CFDictionary)
    }

    private func value() -> String? {
        var result: CFTypeRef?
        let query = Self.item.merging([kSecReturnData: true]) { $1 }
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
        return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    private func notes(on device: VirtualDevice) -> VirtualApp {
        device.install("com.example.notes", team: "A1B2C3D4E5")
    }

    @Test(
        "conflict, slow network, wrong clock, removal, a store that goes back, and a clone",
        arguments: ["in memory", "in folders"])
    func script(_ place: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let lab = try SyncLaboratory(
            devices: ["phone", "laptop", "tablet"], seed: 42,
            store: place == "in folders" ? .folder(folder) : .memory)
        let phone = lab["phone"]
        let laptop = lab["laptop"]
        let tablet = lab["tablet"]
        #expect(notes(on: phone).run { add("first") } == errSecSuccess)
        try lab.settle()
        let mark = try lab.mark()

        lab.partition([phone], [laptop, tablet])
        #expect(notes(on: phone).run { update("of the phone") } == errSecSuccess)
        try laptop.advance(by: .seconds(1))
        #expect(notes(on: laptop).run { update("of the laptop") } == errSecSuccess)
        lab.heal()
        try lab.settle()
        #expect(lab.devices.allSatisfy { notes(on: $0).run { value() } == "of the laptop" })
        #expect(try lab.conflicts.map(\.reason).contains(.overruled))

        lab.network = .init(loss: 0.2, duplication: 0.1, delay: .seconds(1) ... .days(3))
        lab.setClock(of: laptop, offset: .days(-3650))
        #expect(notes(on: laptop).run { update("ten years ago") } == errSecSuccess)
        try lab.settle()
        #expect(lab.devices.allSatisfy { notes(on: $0).run { value() } == "ten years ago" })
        #expect(lab.alarms == [])

        try lab.remove(phone, by: laptop)
        try laptop.lock()
        try lab.settle()
        #expect(lab.members(accordingTo: tablet) == [laptop, tablet])

        lab.store.rollBack(by: .hours(2))
        let twin = try lab.restore(tablet, from: mark)
        #expect(try lab.settle().alarms.contains(.identityDuplicated(tablet)))
        #expect(lab.alarms(shownBy: twin).contains(.identityDuplicated(tablet)))
    }
}
