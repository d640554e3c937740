import Foundation
import LatchkeyTestSupport
import LocalAuthentication
import Lockbox
import SecurityTesting
import Testing

private struct Settings: Codable, Equatable {
    var name: String
    var syncs: Bool
}

@Suite("The chapter about Lockbox")
struct ManualTests {
    @Test("has examples that do what they say")
    func examples() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        let context = LAContext()
        context.localizedReason = "Show the PIN"
        try device.run {
            let box = try Lockbox(identifier: "com.example.mail", protection: .whenUnlockedThisDeviceOnly)
            try box.set("abc", for: "token")
            let token = try box.string(for: "token")
            try box.removeValue(for: "token")
            #expect(token == "abc")

            try box.set(Data([1, 2, 3]), for: "key")
            try box.set(["mail", "calendar"], for: "scopes")
            try box.set(Settings(name: "anna", syncs: true), for: "settings")
            let scopes = try box.value([String].self, for: "scopes")
            let settings = try box.value(Settings.self, for: "settings")
            #expect(scopes == ["mail", "calendar"] && settings == Settings(name: "anna", syncs: true))

            try box.set("x", for: "draft.1")
            for key in try box.allKeys where key.hasPrefix("draft.") { try box.removeValue(for: key) }
            #expect(try box.allKeys == ["key", "scopes", "settings"])
            try box.removeAll()
            #expect(try box.allKeys.isEmpty)

            #expect(Lockbox(keyPrefix: "com.example.mail").setString("old", forKey: "token"))
            let old = Lockbox(keyPrefix: "com.example.mail")
            if let token = old.string(forKey: "token") {
                try box.set(token, for: "token")
                old.setString(nil, forKey: "token")
            }
            #expect(try box.string(for: "token") == "old" && old.string(forKey: "token") == nil)
            try box.removeAll()

            try box.set("refresh me", for: "background", protection: .afterFirstUnlockThisDeviceOnly)
            try box.set("1234", for: "pin", protection: .whenUnlockedThisDeviceOnly.requiring(.biometryCurrentSet))
            device.script(.match(.rightIndex), .match(.rightIndex))
            let pin = try box.string(for: "pin", prompt: .reason("Show the PIN"))
            let again = try box.string(for: "pin", prompt: .context(context))
            #expect(pin == "1234" && again == "1234")

            var outcome = ""
            for answer in [ScriptedAnswer.cancel, nil] {
                if let answer { device.script(answer) } else { try device.lock() }
                do {
                    _ = try box.string(for: "pin", prompt: .reason("Show the PIN"))
                } catch LockboxError.cancelled {
                    // The user cancelled.
                    outcome += "cancelled "
                } catch LockboxError.locked {
                    // Later: when the device is unlocked.
                    outcome += "locked"
                }
            }
            #expect(outcome == "cancelled locked")
        }
        #expect(device.findings.map(\.description) == [])
        #expect(device.unusedAnswers.isEmpty)
    }

    @Test("has no other lines of Swift than those that were just run")
    func lines() throws {
        let chapter = try String(contentsOf: PackageFolder.file("Docs/Manual/Lockbox.md"), encoding: .utf8)
        let code = try String(contentsOfFile: #filePath, encoding: .utf8)
        let run = Set(code.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        let blocks = chapter.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 7)
        for block in blocks {
            for line in block.components(separatedBy: "\n```")[0].components(separatedBy: "\n") {
                let line = line.trimmingCharacters(in: .whitespaces)
                #expect(line.isEmpty || run.contains(line), "\(line)")
            }
        }
    }
}
