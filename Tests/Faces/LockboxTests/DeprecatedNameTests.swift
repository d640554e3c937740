import Foundation
import LocalAuthentication
import Lockbox
import Security
import SecurityTesting
import Testing

@Suite("The names of a lockbox in the version before")
struct DeprecatedNameTests {
    @available(*, deprecated)
    private static func box(_ protection: Protection = .protection(.whenUnlocked)) throws -> Lockbox {
        try Lockbox("com.example.mail", default: protection, accessGroup: nil, synchronizable: false)
    }

    @available(*, deprecated)
    @Test("store, read and remove")
    func values() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try Self.box()
            #expect(try Lockbox("b", default: .protection(.always), synchronizable: true).isSynchronizable)
            let none: String? = nil
            try box.set("a", for: "text", .protection(.afterFirstUnlock))
            try box.set(Data([1]), for: "data", .protection(.always), asking: .asUsual)
            try box.set(Date(timeIntervalSinceReferenceDate: 1), for: "date", asking: .nobody)
            try box.set(Optional("b"), for: "optional", .protection(.always))
            #expect(try box.allKeys(asking: .nobody) == ["data", "date", "optional", "text"])
            try box.set(none, for: "optional", asking: .asUsual)
            #expect(try box.contains("optional") == false)
            #expect(try box.string(for: "text", asking: .reason("Read")) == "a")
            #expect(try box.value(String.self, for: "text", asking: .asUsual) == "a")
            #expect(try box.data(for: "data", asking: .asUsual) == Data([1]))
            #expect(try box.date(for: "date", asking: .asUsual)?.timeIntervalSinceReferenceDate == 1)
            #expect(try box.remove("text"))
            #expect(try box.remove("text") == false)
        }
    }

    @available(*, deprecated)
    @Test("say when a value can be read")
    func protection() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        try device.run {
            let box = try Self.box(.accessControl(.whenUnlocked, .userPresence))
            #expect(box.protection == .whenUnlocked.requiring(.userPresence))
            try box.set("a", for: "guarded")
            try box.set("b", for: "free", .protection(.afterFirstUnlock))
            let asking: Asking = .nobody
            #expect(throws: LockboxError.personNeeded) { try box.string(for: "guarded", asking: asking) }
            device.script(.match(.rightIndex))
            #expect(try box.string(for: "guarded", asking: .context(LAContext())) == "a")
            try device.lock()
            #expect(try box.string(for: "free") == "b")
            #expect(throws: LockboxError.locked) { try box.string(for: "guarded") }
        }
        #expect(ProtectionClass.allCases == Lockbox.Accessibility.allCases)
    }
}
