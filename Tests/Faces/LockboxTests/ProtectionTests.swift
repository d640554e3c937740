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
            for protection in ProtectionClass.allCases {
                try box.set("x", for: protection.rawValue, .protection(protection))
            }
            func readable() -> Set<ProtectionClass> {
                Set(ProtectionClass.allCases.filter { (try? box.string(for: $0.rawValue)) != nil })
            }
            #expect(readable() == Set(ProtectionClass.allCases))
            try device.lock()
            let open: Set<ProtectionClass> = [
                .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly, .always, .alwaysThisDeviceOnly,
            ]
            #expect(readable() == open)
            #expect(throws: LockboxError.locked) { try box.string(for: "whenUnlocked") }
            #expect(throws: LockboxError.locked) { try box.set("y", for: "whenUnlocked") }
            #expect(throws: LockboxError.locked) { try box.set("y", for: "new") }
            try device.reboot()
            #expect(readable() == [.always, .alwaysThisDeviceOnly])
            #expect(throws: LockboxError.locked) { try box.contains("afterFirstUnlock") }
            try device.unlock("1234")
            #expect(readable() == Set(ProtectionClass.allCases))
        }
        device.close()
    }

    @Test("changes in one step with the value")
    func change() throws {
        let device = try Self.phone()
        try device.run {
            let box = try ValueTests.box()
            try box.set("strict", for: "k")
            try box.set("loose", for: "k", .protection(.afterFirstUnlock))
            try device.lock()
            #expect(try box.string(for: "k") == "loose")
            // What cannot be stored leaves what is there.
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
            let box = try Lockbox(
                "com.example.mail", default: .protection(.whenPasscodeSetThisDeviceOnly))
            #expect(throws: LockboxError.unavailable) { try box.set("x", for: "k") }
            try device.setPasscode("1234")
            try box.set("x", for: "k")
            try box.set("y", for: "other", .protection(.whenUnlocked))
            try device.removePasscode("1234")
            #expect(try box.string(for: "k") == nil)
            #expect(try box.contains("k") == false)
            #expect(try box.allKeys == ["other"])
        }
    }

    @Test("takes a person's finger, where it says so", arguments: VirtualDevice.Backend.allCases)
    func guarded(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.phone(backend)
        try device.run {
            let box = try Lockbox(
                "com.example.mail", default: .accessControl(.whenUnlockedThisDeviceOnly, .biometryAny))
            try box.set("secret", for: "k")
            device.script(.match(.rightIndex))
            #expect(try box.string(for: "k", asking: .reason("Open the mail")) == "secret")
            device.script(.cancel)
            #expect(throws: LockboxError.cancelled) { try box.string(for: "k") }
            device.script(.mismatch, .mismatch, .mismatch)
            #expect(throws: LockboxError.notAuthenticated) { try box.string(for: "k") }
            #expect(throws: LockboxError.personNeeded) { try box.string(for: "k", asking: .nobody) }
            // Nobody is asked for these.
            #expect(try box.contains("k"))
            #expect(try !box.contains("other"))
            // Who it is for sees that it is there.
            try box.set("free", for: "free", .protection(.afterFirstUnlock))
            #expect(throws: LockboxError.personNeeded) { try box.allKeys(asking: .nobody) }
            device.script(.match(.rightIndex))
            #expect(try box.allKeys == ["free", "k"])
            #expect(throws: LockboxError.personNeeded) { try box.set("other", for: "k", asking: .nobody) }
            try device.lock()
            #expect(throws: LockboxError.locked) { try box.string(for: "k", asking: .nobody) }
            #expect(throws: LockboxError.locked) { try box.contains("k") }
            #expect(throws: LockboxError.locked) { try box.allKeys(asking: .nobody) }
            try device.unlock("1234")
            #expect(try box.remove("k"))
        }
        #expect(device.unusedAnswers.isEmpty)
        device.close()
    }

    @Test("with a context lasts as long as the context")
    func context() throws {
        let device = try Self.phone()
        try device.run {
            let box = try Lockbox(
                "com.example.mail", default: .accessControl(.whenUnlockedThisDeviceOnly, .userPresence))
            try box.set("one", for: "a")
            try box.set("two", for: "b")
            let context = LAContext()
            device.script(.match(.rightIndex))
            #expect(try box.string(for: "a", asking: .context(context)) == "one")
            #expect(try box.string(for: "b", asking: .context(context)) == "two")
            try box.set("three", for: "b", asking: .context(context))
            #expect(try box.string(for: "b", asking: .context(context)) == "three")
            context.invalidate()
            #expect(throws: LockboxError.notAuthenticated) { try box.string(for: "a", asking: .context(context)) }
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
                let error = LockboxError.contradiction(reason: "Asking.context takes an LAContext.")
                #expect(throws: error) { try box.string(for: "k", asking: .context(object)) }
                #expect(throws: error) { try box.set("y", for: "k", asking: .context(object)) }
                #expect(throws: error) { try box.allKeys(asking: .context(object)) }
                #expect(error.recoverySuggestion?.contains("LAContext") == true)
            }
            #expect(try box.string(for: "k", asking: .context(Session())) == "x")
        }
    }

    @Test(
        "takes an application password, and says so where nobody may be asked for it",
        arguments: VirtualDevice.Backend.allCases)
    func applicationPassword(_ backend: VirtualDevice.Backend) throws {
        let device = try Self.phone(backend)
        try device.run {
            let box = try Lockbox(
                "com.example.mail", default: .accessControl(.whenUnlockedThisDeviceOnly, .applicationPassword))
            // A new key, and a value over one that asks for nobody.
            #expect(throws: LockboxError.personNeeded) { try box.set("secret", for: "k", asking: .nobody) }
            #expect(try box.contains("k") == false)
            try box.set("free", for: "free", .protection(.whenUnlocked))
            #expect(throws: LockboxError.personNeeded) { try box.set("secret", for: "free", asking: .nobody) }
            #expect(try box.string(for: "free") == "free")
            #expect(try box.allKeys == ["free"])
            try device.lock()
            #expect(throws: LockboxError.locked) { try box.set("secret", for: "k", asking: .nobody) }
            #expect(throws: LockboxError.locked) { try box.set("secret", for: "free", asking: .nobody) }
            let always = Protection.accessControl(.alwaysThisDeviceOnly, .applicationPassword)
            #expect(throws: LockboxError.locked) { try box.set("secret", for: "free", always, asking: .nobody) }
            try device.unlock("1234")

            let context = LAContext()
            #expect(context.setCredential(Data("swordfish".utf8), type: .applicationPassword))
            try box.set("secret", for: "k", asking: .context(context))
            #expect(try box.string(for: "k", asking: .context(context)) == "secret")
            // The former value is opened first: another password does not replace it, removing does.
            let other = LAContext()
            #expect(other.setCredential(Data("mackerel".utf8), type: .applicationPassword))
            #expect(throws: LockboxError.notAuthenticated) { try box.set("new", for: "k", asking: .context(other)) }
            #expect(try box.string(for: "k", asking: .context(context)) == "secret")
            #expect(try box.remove("k"))
            try box.set("new", for: "k", asking: .context(other))
            #expect(try box.string(for: "k", asking: .context(other)) == "new")
        }
        #expect(device.unusedAnswers.isEmpty)
        device.close()
    }

    @Test("is over for good when the fingers change that it is for")
    func fingers() throws {
        let device = try Self.phone()
        try device.run {
            let box = try Lockbox(
                "com.example.mail", default: .accessControl(.whenUnlockedThisDeviceOnly, .biometryCurrentSet))
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
        for protection: Protection in [
            .protection(.whenUnlockedThisDeviceOnly), .protection(.whenPasscodeSetThisDeviceOnly),
            .accessControl(.whenUnlocked, .userPresence),
        ] {
            Self.expectContradiction {
                _ = try Lockbox("com.example.mail", default: protection, synchronizable: true)
            }
        }
        for flags: SecAccessControlCreateFlags in [
            [.biometryAny, .biometryCurrentSet], [.userPresence, .devicePasscode], [.or, .and], .privateKeyUsage,
        ] {
            Self.expectContradiction {
                _ = try Lockbox("com.example.mail", default: .accessControl(.whenUnlocked, flags))
            }
        }
        try device.run {
            let everywhere = try Lockbox(
                "com.example.mail", default: .protection(.whenUnlocked), synchronizable: true)
            Self.expectContradiction { try everywhere.set("x", for: "k", .protection(.alwaysThisDeviceOnly)) }
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

    @Test("is nothing that a device decides which nobody reaches")
    func unreachable() throws {
        let device = try VirtualDevice()
        let app = device.defaultApp
        let box = try ValueTests.box()
        device.close()
        app.run {
            #expect(throws: LockboxError.unavailable) { try box.string(for: "k") }
            #expect(throws: LockboxError.unavailable) { try box.set("x", for: "k") }
            #expect(throws: LockboxError.unavailable) { try box.allKeys }
            #expect(throws: LockboxError.unavailable) { try box.remove("k") }
        }
    }
}
