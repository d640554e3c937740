import Foundation
import LocalAuthentication
import Lockbox
import Security
import SecurityTesting
import Testing

@Suite("When values of a lockbox can be read")
struct ProtectionTests {
    private static func phone(_ backend: VirtualDevice.Backend = .embedded) throws -> VirtualDevice {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        return device
    }

    @Test(
        "is what their protection class says, in every state of the device", arguments: VirtualDevice.Backend.allCases)
    func classes(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.phone(backend)
        try device.run {
            let box = try ValueTests.box()
            for accessibility in Lockbox.Accessibility.allCases {
                try box.set("x", for: accessibility.rawValue, protection: Lockbox.Protection(accessibility))
            }
            func readable() -> Set<Lockbox.Accessibility> {
                Set(Lockbox.Accessibility.allCases.filter { (try? box.string(for: $0.rawValue)) != nil })
            }
            #expect(readable() == Set(Lockbox.Accessibility.allCases))
            try device.lock()
            let open: Set<Lockbox.Accessibility> = [
                .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly, .always, .alwaysThisDeviceOnly,
            ]
            #expect(readable() == open)
            #expect(throws: LockboxError.locked) { try box.string(for: "whenUnlocked") }
            #expect(throws: LockboxError.locked) { try box.set("y", for: "whenUnlocked") }
            #expect(throws: LockboxError.locked) { try box.set("y", for: "new") }
            try device.reboot()
            #expect(readable() == [.always, .alwaysThisDeviceOnly])
            #expect(throws: LockboxError.locked) { try box.containsValue(for: "afterFirstUnlock") }
            try device.unlock("1234")
            #expect(readable() == Set(Lockbox.Accessibility.allCases))
        }
        device.close()
    }

    @Test("has a name for each class, and its last requirement counts")
    func names() {
        let named: [Lockbox.Protection] = [
            .whenUnlocked, .afterFirstUnlock, .always, .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly,
            .alwaysThisDeviceOnly, .whenPasscodeSetThisDeviceOnly,
        ]
        #expect(named.map(\.accessibility) == Lockbox.Accessibility.allCases)
        #expect(named.allSatisfy { $0.accessControl == nil })
        let guarded = Lockbox.Protection.whenUnlocked.requiring(.userPresence).requiring(.biometryAny)
        #expect(guarded == Lockbox.Protection(.whenUnlocked, accessControl: .biometryAny))
        #expect(guarded != .whenUnlocked)
    }

    @Test("changes in one step with the value")
    func change() throws {
        let device = try Self.phone()
        try device.run {
            let box = try ValueTests.box()
            try box.set("strict", for: "k")
            try box.set("loose", for: "k", protection: .afterFirstUnlock)
            try device.lock()
            #expect(try box.string(for: "k") == "loose")
            // A value that cannot be stored leaves the former one.
            #expect(throws: LockboxError.locked) { try box.set("strict", for: "k") }
            #expect(try box.string(for: "k") == "loose")
            try device.unlock("1234")
            try box.set("strict", for: "k")
            try device.lock()
            #expect(throws: LockboxError.locked) { try box.string(for: "k") }
        }
        #expect(device.findings.isEmpty)
    }

    @Test("ends with the passcode, for values of that class")
    func passcode() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = try Lockbox(identifier: "com.example.mail", protection: .whenPasscodeSetThisDeviceOnly)
            #expect(throws: LockboxError.unavailable) { try box.set("x", for: "k") }
            try device.setPasscode("1234")
            try box.set("x", for: "k")
            try box.set("y", for: "other", protection: .whenUnlocked)
            try device.removePasscode("1234")
            #expect(try box.string(for: "k") == nil)
            #expect(try box.containsValue(for: "k") == false)
            #expect(try box.allKeys == ["other"])
        }
    }

    @Test("takes a person's finger, where it says so", arguments: VirtualDevice.Backend.allCases)
    func guarded(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.phone(backend)
        try device.run {
            let box = try Lockbox(
                identifier: "com.example.mail", protection: .whenUnlockedThisDeviceOnly.requiring(.biometryAny))
            try box.set("secret", for: "k")
            device.script(.match(.rightIndex))
            #expect(try box.string(for: "k", prompt: .reason("Open the mail")) == "secret")
            device.script(.cancel)
            #expect(throws: LockboxError.cancelled) { try box.string(for: "k") }
            device.script(.mismatch, .mismatch, .mismatch)
            #expect(throws: LockboxError.notAuthenticated) { try box.string(for: "k") }
            #expect(throws: LockboxError.personNeeded) { try box.string(for: "k", prompt: .never) }
            // The user is not asked for these.
            #expect(try box.containsValue(for: "k"))
            #expect(try !box.containsValue(for: "other"))
            // A program of its group sees that it is there.
            try box.set("free", for: "free", protection: .afterFirstUnlock)
            #expect(throws: LockboxError.personNeeded) { try box.allKeys(prompt: .never) }
            device.script(.match(.rightIndex))
            #expect(try box.allKeys == ["free", "k"])
            #expect(throws: LockboxError.personNeeded) { try box.set("other", for: "k", prompt: .never) }
            try device.lock()
            #expect(throws: LockboxError.locked) { try box.string(for: "k", prompt: .never) }
            #expect(throws: LockboxError.locked) { try box.containsValue(for: "k") }
            #expect(throws: LockboxError.locked) { try box.allKeys(prompt: .never) }
            try device.unlock("1234")
            #expect(try box.removeValue(for: "k"))
        }
        #expect(device.unusedAnswers.isEmpty)
        device.close()
    }

    @Test("with a context lasts as long as the context")
    func context() throws {
        let device = try Self.phone()
        try device.run {
            let box = try Lockbox(
                identifier: "com.example.mail", protection: .whenUnlockedThisDeviceOnly.requiring(.userPresence))
            try box.set("one", for: "a")
            try box.set("two", for: "b")
            let context = LAContext()
            device.script(.match(.rightIndex))
            #expect(try box.string(for: "a", prompt: .context(context)) == "one")
            #expect(try box.string(for: "b", prompt: .context(context)) == "two")
            try box.set("three", for: "b", prompt: .context(context))
            #expect(try box.string(for: "b", prompt: .context(context)) == "three")
            context.invalidate()
            #expect(throws: LockboxError.notAuthenticated) { try box.string(for: "a", prompt: .context(context)) }
        }
        #expect(device.unusedAnswers.isEmpty)
    }

    @Test("takes nothing but an LAContext as context")
    func noContext() throws {
        class Session: LAContext {}
        let device = try Self.phone()
        try device.run {
            let box = try ValueTests.box()
            try box.set("x", for: "k")
            for object in [NSObject(), Session.self as AnyObject, NSString("LAContext")] {
                let error = LockboxError.contradiction(reason: "Prompt.context takes an LAContext.")
                #expect(throws: error) { try box.string(for: "k", prompt: .context(object)) }
                #expect(throws: error) { try box.set("y", for: "k", prompt: .context(object)) }
                #expect(throws: error) { try box.allKeys(prompt: .context(object)) }
                #expect(error.recoverySuggestion?.contains("LAContext") == true)
            }
            #expect(try box.string(for: "k", prompt: .context(Session())) == "x")
        }
    }

    @Test(
        "takes an application password, and says so where no prompt may ask for it",
        arguments: VirtualDevice.Backend.allCases)
    func applicationPassword(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.phone(backend)
        try device.run {
            let box = try Lockbox(
                identifier: "com.example.mail", protection: .whenUnlockedThisDeviceOnly.requiring(.applicationPassword))
            // A new key, and a value over one that needs no person.
            #expect(throws: LockboxError.personNeeded) { try box.set("secret", for: "k", prompt: .never) }
            #expect(try box.containsValue(for: "k") == false)
            try box.set("free", for: "free", protection: .whenUnlocked)
            #expect(throws: LockboxError.personNeeded) { try box.set("secret", for: "free", prompt: .never) }
            #expect(try box.string(for: "free") == "free")
            #expect(try box.allKeys == ["free"])
            try device.lock()
            #expect(throws: LockboxError.locked) { try box.set("secret", for: "k", prompt: .never) }
            #expect(throws: LockboxError.locked) { try box.set("secret", for: "free", prompt: .never) }
            let always = Lockbox.Protection.alwaysThisDeviceOnly.requiring(.applicationPassword)
            #expect(throws: LockboxError.locked) {
                try box.set("secret", for: "free", protection: always, prompt: .never)
            }
            try device.unlock("1234")

            let context = LAContext()
            #expect(context.setCredential(Data("swordfish".utf8), type: .applicationPassword))
            try box.set("secret", for: "k", prompt: .context(context))
            #expect(try box.string(for: "k", prompt: .context(context)) == "secret")
            // The former value is opened first: another password does not replace it, removing does.
            let other = LAContext()
            #expect(other.setCredential(Data("mackerel".utf8), type: .applicationPassword))
            #expect(throws: LockboxError.notAuthenticated) { try box.set("new", for: "k", prompt: .context(other)) }
            #expect(try box.string(for: "k", prompt: .context(context)) == "secret")
            #expect(try box.removeValue(for: "k"))
            try box.set("new", for: "k", prompt: .context(other))
            #expect(try box.string(for: "k", prompt: .context(other)) == "new")
        }
        #expect(device.unusedAnswers.isEmpty)
        device.close()
    }

    @Test("is over for good when the fingers change that it is for")
    func fingers() throws {
        let device = try Self.phone()
        try device.run {
            let box = try Lockbox(
                identifier: "com.example.mail", protection: .whenUnlockedThisDeviceOnly.requiring(.biometryCurrentSet))
            try box.set("secret", for: "k")
            device.script(.match(.rightIndex))
            #expect(try box.string(for: "k") == "secret")
            try device.enroll(.leftThumb)
            #expect(try box.string(for: "k") == nil)
            try box.set("again", for: "k")
            device.script(.match(.leftThumb))
            #expect(try box.string(for: "k") == "again")
        }
        #expect(device.unusedAnswers.isEmpty)
    }

    @Test("can be nothing that contradicts itself")
    func contradictions() throws {
        let device = try VirtualDevice()
        for protection: Lockbox.Protection in [
            .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly, .whenUnlocked.requiring(.userPresence),
        ] {
            Self.expectContradiction {
                _ = try Lockbox(identifier: "com.example.mail", protection: protection, isSynchronizable: true)
            }
        }
        for flags: SecAccessControlCreateFlags in [
            [.biometryAny, .biometryCurrentSet], [.userPresence, .devicePasscode], [.or, .and], .privateKeyUsage,
        ] {
            Self.expectContradiction {
                _ = try Lockbox(identifier: "com.example.mail", protection: .whenUnlocked.requiring(flags))
            }
        }
        try device.run {
            let everywhere = try Lockbox(
                identifier: "com.example.mail", protection: .whenUnlocked, isSynchronizable: true)
            Self.expectContradiction { try everywhere.set("x", for: "k", protection: .alwaysThisDeviceOnly) }
            #expect(try everywhere.allKeys == [])
        }
    }

    private static func expectContradiction(_ body: () throws -> Void) {
        let error = #expect(throws: LockboxError.self, performing: body)
        guard case .contradiction(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("is not decided by a device that cannot be reached")
    func unreachable() throws {
        let device = try VirtualDevice()
        let app = device.defaultApp
        let box = try ValueTests.box()
        device.close()
        app.run {
            #expect(throws: LockboxError.unavailable) { try box.string(for: "k") }
            #expect(throws: LockboxError.unavailable) { try box.set("x", for: "k") }
            #expect(throws: LockboxError.unavailable) { try box.allKeys }
            #expect(throws: LockboxError.unavailable) { try box.removeValue(for: "k") }
        }
    }
}
