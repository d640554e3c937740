import Foundation
import LatchkeyTestSupport
import Security
import SecurityTesting
import Synchronization
import Testing

@Suite("A virtual device")
struct StateTests {
    @Test("starts open and follows its passcode and its locks", arguments: VirtualDevice.Backend.allCases)
    func states(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        #expect(try device.status.lockState == .noPasscode)
        try device.setPasscode("1234")
        #expect(try device.status.lockState == .unlocked)
        try device.lock()
        #expect(try device.status.lockState == .locked)
        try device.unlock("1234")
        try device.reboot()
        #expect(try device.status.lockState == .beforeFirstUnlock)
        try device.unlock("1234")
        try device.removePasscode("1234")
        #expect(try device.status.lockState == .noPasscode)
        #expect(try device.status.hasPasscode == false)
    }

    @Test("keeps keys until the grace period of a lock is over")
    func grace() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        device.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        try device.lock(withGrace: true)
        try device.advance(by: .seconds(9))
        device.run { #expect(SecItemCopyMatching(.item, nil) == errSecSuccess) }
        try device.advance(by: .seconds(1.5))
        device.run { #expect(SecItemCopyMatching(.item, nil) == errSecInteractionNotAllowed) }
        #expect(try device.status.lockState == .locked)
    }

    @Test("says why it refuses a passcode, and counts")
    func wrongPasscode() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.lock()
        let error = #expect(throws: VirtualDeviceError.self) { try device.unlock("0000") }
        #expect(error?.description.contains("wrong") ?? false)
        #expect(error?.description.contains("\(device.seed)") ?? false)
        #expect(try device.status.failedAttempts == 1)
    }

    @Test("makes a person wait after wrong passcodes, and no longer than its clock says")
    func delays() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.lock()
        for wrong in ["1", "22", "333", "4444", "55555"] {
            #expect(throws: VirtualDeviceError.self) { try device.unlock(wrong) }
        }
        let wait = try device.status.timeUntilNextAttempt
        #expect(wait == .seconds(60))
        #expect(throws: VirtualDeviceError.self) { try device.unlock("1234") }
        try device.advance(by: wait)
        try device.unlock("1234")
        #expect(try device.status.failedAttempts == 0)
    }

    @Test("erases itself after ten wrong passcodes if it was told to")
    func erasesItself() throws {
        let device = try VirtualDevice()
        device.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        try device.setPasscode("1234")
        try device.setErasesAfterTenFailures(true)
        try device.lock()
        for number in 0..<10 {
            try device.advance(by: try device.status.timeUntilNextAttempt)
            #expect(throws: VirtualDeviceError.self) { try device.unlock("wrong \(number)") }
        }
        #expect(try device.status.lockState == .noPasscode)
        device.run { #expect(SecItemCopyMatching(.item, nil) == errSecItemNotFound) }
    }

    @Test("dates items by its own clock")
    func clock() throws {
        let start = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let device = try VirtualDevice(startingAt: start)
        try device.advance(by: .seconds(3600))
        let date = device.run { () -> Date? in
            #expect(SecItemAdd(.item, nil) == errSecSuccess)
            var found: CFTypeRef?
            SecItemCopyMatching(.attributes, &found)
            return (found as? [String: Any])?[kSecAttrCreationDate as String] as? Date
        }
        #expect(date == start.addingTimeInterval(3600))
    }

    @Test("stores the same bytes for the same seed")
    func seeded() throws {
        func reference(_ seed: UInt64) throws -> Data? {
            let device = try VirtualDevice(seed: seed)
            return device.run {
                var reference: CFTypeRef?
                SecItemAdd(.wantingReference, &reference)
                return reference as? Data
            }
        }
        let first = try reference(7)
        #expect(first?.count == 20)
        #expect(try reference(7) == first)
        #expect(try reference(8) != first)
    }

    @Test("is gone when it is closed, with its directory and its processes", arguments: VirtualDevice.Backend.allCases)
    func closed(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        let app = device.install("com.example.mail")
        app.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        #expect(processes(namingIn: device.directory).count == (backend == .processes ? 2 : 0))
        device.close()
        device.close()
        #expect(app.run { SecItemCopyMatching(.item, nil) } == errSecNotAvailable)
        #expect(throws: VirtualDeviceError.self) { try device.lock() }
        #expect(!FileManager.default.fileExists(atPath: device.directory.path))
        #expect(processes(namingIn: device.directory).isEmpty)
    }

    @Test(
        "stops and starts on its files, and is before its first unlock then", arguments: VirtualDevice.Backend.allCases)
    func power(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        let app = device.install("com.example.mail")
        app.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        for _ in 0..<2 {
            try device.stop()
            try device.stop()
            #expect(!device.isRunning)
            #expect(processes(namingIn: device.directory).isEmpty)
            #expect(FileManager.default.fileExists(atPath: device.directory.path + "/keychain/keychain.db"))
            app.run {
                #expect(SecItemCopyMatching(.item, nil) == errSecNotAvailable)
                #expect(SecItemAdd(.item, nil) == errSecNotAvailable)
            }
            for call in [{ try device.lock() }, { try device.reboot() }, { _ = try device.status }] {
                let error = #expect(throws: VirtualDeviceError.self) { try call() }
                #expect(error?.description.contains("start()") ?? false, "\(error?.description ?? "")")
            }
            try device.start()
            try device.start()
            #expect(device.isRunning)
            #expect(try device.status.lockState == .beforeFirstUnlock)
            app.run { #expect(SecItemCopyMatching(.item, nil) == errSecInteractionNotAllowed) }
            try device.unlock("1234")
            app.run { #expect(SecItemCopyMatching(.item, nil) == errSecSuccess) }
        }
        device.close()
        #expect(throws: VirtualDeviceError.self) { try device.start() }
        #expect(throws: VirtualDeviceError.self) { try device.stop() }
        #expect(!FileManager.default.fileExists(atPath: device.directory.path))
    }

    @Test("is never off for others while it reboots", arguments: VirtualDevice.Backend.allCases)
    func rebootInOneStep(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        let hasEnded = Mutex(false)
        let observer = Pending {
            var wasAlwaysOn = true
            while !hasEnded.withLock({ $0 }) { wasAlwaysOn = device.isRunning && wasAlwaysOn }
            return wasAlwaysOn
        }
        for _ in 0..<3 { try device.reboot() }
        hasEnded.withLock { $0 = true }
        #expect(observer.value)
    }

    @Test("stops and starts on two threads at once, and starts afterwards", arguments: VirtualDevice.Backend.allCases)
    func concurrentPower(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        device.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        let rounds = backend == .embedded ? 50 : 3
        onThreads(2) { index in
            for _ in 0..<rounds {
                #expect(throws: Never.self) { try index == 0 ? device.stop() : device.start() }
            }
        }
        try device.start()
        device.run { #expect(SecItemCopyMatching(.item, nil) == errSecSuccess) }
    }

    @Test("that was stopped can be closed, and its files go", arguments: VirtualDevice.Backend.allCases)
    func closedWhileStopped(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.stop()
        device.close()
        #expect(!FileManager.default.fileExists(atPath: device.directory.path))
    }

    @Test("stays off where it does not start on its files, and says why")
    func damagedFiles() throws {
        let device = try VirtualDevice()
        device.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        try device.stop()
        let enclave = device.directory.path + "/enclave"
        let aside = device.directory.path + "/aside"
        try FileManager.default.moveItem(atPath: enclave, toPath: aside)
        try Data("no directory".utf8).write(to: URL(fileURLWithPath: enclave))
        #expect(throws: VirtualDeviceError.self) { try device.start() }
        #expect(!device.isRunning)
        try FileManager.default.removeItem(atPath: enclave)
        try FileManager.default.moveItem(atPath: aside, toPath: enclave)
        try device.start()
        device.run { #expect(SecItemCopyMatching(.item, nil) == errSecSuccess) }
    }

    /// Processes with the directory in their arguments.
    private func processes(namingIn directory: URL) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.filter { name in
            guard Int(name) != nil, let words = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") else {
                return false
            }
            return String(decoding: words, as: UTF8.self).contains(directory.lastPathComponent)
        }
    }

    @Test("of processes has no clock to move, and says so")
    func clockOfProcesses() throws {
        let device = try VirtualDevice(backend: .processes)
        let error = #expect(throws: VirtualDeviceError.self) { try device.advance(by: .seconds(1)) }
        #expect(error?.description.contains("embedded") ?? false)
        device.close()
    }

    @Test("of processes leaves none of its files open in the process of the tests")
    func openFiles() throws {
        let device = try VirtualDevice(backend: .processes)
        let name = device.directory.lastPathComponent
        device.close()
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
        #expect(!open.isEmpty && !open.contains { $0.contains(name) }, "\(open.filter { $0.contains(name) })")
    }

    @Test("of processes says which executable it misses")
    func missingExecutables() throws {
        let nowhere = URL(fileURLWithPath: "/nonexistent", isDirectory: true)
        let error = #expect(throws: VirtualDeviceError.self) {
            try VirtualDevice(backend: .processes, executables: nowhere)
        }
        #expect(error?.description.contains("latchkey-enclave") ?? false)
        #expect(error?.description.contains("/nonexistent") ?? false)
    }

    @Test("goes with its last app")
    func lifetime() throws {
        func pathOfUnused() throws -> String {
            let app = try VirtualDevice().install("com.example.mail")
            app.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
            return app.device.directory.path
        }
        #expect(!FileManager.default.fileExists(atPath: try pathOfUnused()))
    }
}

extension CFDictionary {
    /// A password without anything but its names.
    static var item: CFDictionary {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "example.com", kSecAttrAccount: "anna"] as NSDictionary
    }

    static var attributes: CFDictionary {
        [kSecClass: kSecClassGenericPassword, kSecReturnAttributes: true] as NSDictionary
    }

    static var wantingReference: CFDictionary {
        [kSecClass: kSecClassGenericPassword, kSecReturnPersistentRef: true] as NSDictionary
    }
}
