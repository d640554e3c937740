import Foundation
import Glibc
import LatchkeyEnclaveContract
import LatchkeyTestSupport
import Testing

@testable import SecurityTesting

@Suite("Errors of a virtual device")
struct VirtualDeviceErrorTests {
    @Test("have a code each, and say what to do", arguments: VirtualDeviceError.Code.allCases)
    func codes(_ code: VirtualDeviceError.Code) throws {
        let error = try Self.provoked(code)
        #expect(error.code == code, "\(error)")
        #expect(error.reason.hasSuffix("."), "\(error)")
        #expect(error.advice.hasSuffix("."), "\(error)")
        #expect(error.description.contains("\(error.reason) \(error.advice)"))
        #expect(error.localizedDescription == error.reason)
        #expect(error.recoverySuggestion == error.advice)
    }

    @Test("name the call and the device with its seed")
    func description() throws {
        let device = try VirtualDevice(seed: 42)
        let error = Self.error { try device.removePasscode("1234") }
        #expect(error?.description.hasPrefix("removePasscode: ") == true)
        #expect(error?.description.hasSuffix("[VirtualDevice(seed: 42)]") == true)
    }

    @Test("of a device of processes have the same codes")
    func processes() throws {
        let device = try VirtualDevice(backend: .processes)
        try device.setPasscode("1234")
        try device.lock()
        #expect(Self.error { try device.unlock("0000") }?.code == .wrongPasscode)
        #expect(Self.error { try device.unlock("0000") }?.code == .wrongPasscode)
        try device.stop()
        #expect(Self.error { try device.lock() }?.code == .notRunning)
        #expect(Self.error { try device.reboot() }?.code == .notRunning)
        let app = device.defaultApp
        let uninstall = Self.error { try device.uninstall(app, removingItems: true) }
        #expect(uninstall?.code == .notRunning)
        device.close()
        for call: () throws -> Void in [
            { try device.lock() },
            { try device.reboot() },
            { try device.start() },
            { try device.stop() },
            { _ = try device.status },
        ] {
            #expect(Self.error(call)?.code == .closed)
        }
    }

    @Test("are the only ones of a call, which says so by its type")
    func typed() throws {
        let device = try VirtualDevice()
        do {
            try device.setPasscode("1234")
            try device.enroll(.rightIndex)
            try device.lock(withGrace: true)
            try device.advance(by: .seconds(60))
            try device.unlock(with: .rightIndex)
            try device.reboot()
            try device.removePasscode("0000")
            Issue.record("a wrong passcode was removed")
        } catch {
            // Compiles only because the error has this type.
            let code: VirtualDeviceError.Code = error.code
            #expect(code == .wrongPasscode)
        }
    }

    @Test("have their codes in the manual, and it has no others")
    func manual() throws {
        let chapter = try String(contentsOf: PackageFolder.file("Docs/Manual/Testing.md"), encoding: .utf8)
        let section = try #require(chapter.components(separatedBy: "\n## Errors\n").dropFirst().first)
            .components(separatedBy: "\n## ")[0]
        let listed = section.matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.output.1) }
        #expect(listed == VirtualDeviceError.Code.allCases.map { "\($0)" })
    }
}

extension VirtualDeviceErrorTests {
    private static func error(_ call: () throws -> Void) -> VirtualDeviceError? {
        #expect(throws: VirtualDeviceError.self, performing: call)
    }

    /// The error of the simplest way to each code.
    private static func provoked(_ code: VirtualDeviceError.Code) throws -> VirtualDeviceError {
        let device = try VirtualDevice(backend: code.needsProcesses ? .processes : .embedded)
        defer { device.close() }
        let error: VirtualDeviceError?
        switch code {
        case .wrongPasscode:
            try lock(device)
            error = self.error { try device.unlock("0000") }
        case .delayed:
            try lock(device)
            for number in 0..<5 {
                _ = self.error { try device.unlock("no \(number)") }
            }
            error = self.error { try device.unlock("1234") }
        case .disabled:
            try failTenTimes(device)
            error = self.error { try device.unlock("1234") }
        case .erased:
            try device.setErasesAfterTenFailures(true)
            error = try failTenTimes(device)
        case .unknownPasscode:
            try replaceFiles(of: device)
            error = self.error { try device.erase() }
        case .passcodeAlreadySet:
            try device.setPasscode("1234")
            error = self.error { try device.setPasscode("5678") }
        case .noPasscodeSet:
            error = self.error { try device.enroll(.rightIndex) }
        case .unusablePasscode:
            error = self.error { try device.setPasscode("") }
        case .sensorNotReady:
            try device.setPasscode("1234")
            device.setSensor(.unplugged)
            error = self.error { try device.enroll(.rightIndex) }
        case .fingerNotMatched:
            try device.setPasscode("1234")
            try device.enroll(.rightIndex)
            try device.lock()
            error = self.error { try device.unlock(with: .leftThumb) }
        case .syncFailed:
            let lab = try SyncLaboratory(devices: ["phone", "laptop"])
            try lab["phone"].lock()
            error = self.error { try lab.remove(lab["laptop"], by: lab["phone"]) }
        case .biometryNotAvailable:
            try lock(device)
            error = self.error { try device.unlock(with: .rightIndex) }
        case .notRunning:
            try device.stop()
            error = self.error { try device.lock() }
        case .closed:
            device.close()
            error = self.error { try device.reboot() }
        case .clockNotMovable:
            error = self.error { try device.advance(by: .seconds(1)) }
        case .programNotStarted:
            let nowhere = URL(fileURLWithPath: "/nonexistent", isDirectory: true)
            error = self.error {
                _ = try VirtualDevice(backend: .processes, executables: nowhere)
            }
        case .storageFailed:
            try device.stop()
            try FileManager.default.removeItem(at: file("enclave", of: device))
            try Data("no directory".utf8).write(to: file("enclave", of: device))
            error = self.error { try device.start() }
        case .backupFailed:
            try lock(device)
            error = self.error { _ = try device.backup() }
        case .unreachable:
            try killDaemon(of: device)
            error = self.error { try device.lock() }
        case .unexpectedAnswer:
            error = VirtualDeviceError(EnclaveRefusal.malformed(reason: "no message"), "lock", of: device)
        }
        return try #require(error, "nothing was thrown for \(code)")
    }

    private static func lock(_ device: VirtualDevice) throws {
        try device.setPasscode("1234")
        try device.lock()
    }

    @discardableResult
    private static func failTenTimes(_ device: VirtualDevice) throws -> VirtualDeviceError? {
        try lock(device)
        var last: VirtualDeviceError?
        for number in 0..<10 {
            try device.advance(by: try device.status.timeUntilNextAttempt)
            last = error { try device.unlock("no \(number)") }
        }
        return last
    }

    private static func file(_ path: String, of device: VirtualDevice) -> URL {
        device.directory.appendingPathComponent(path)
    }

    /// Gives a device the files of one with a passcode.
    private static func replaceFiles(of device: VirtualDevice) throws {
        let other = try VirtualDevice()
        try other.setPasscode("1234")
        try other.stop()
        try device.stop()
        for name in ["enclave", "keychain"] {
            try FileManager.default.removeItem(at: file(name, of: device))
            try FileManager.default.copyItem(at: file(name, of: other), to: file(name, of: device))
        }
        try device.start()
    }

    private static func killDaemon(of device: VirtualDevice) throws {
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        let daemon = processes.first { process in
            let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline").map { Array($0) } ?? []
            let text = String(decoding: words, as: UTF8.self)
            return text.contains("/latchkeyd\0") && text.contains(device.directory.lastPathComponent)
        }
        #expect(kill(try #require(daemon), SIGKILL) == 0)
    }
}

extension VirtualDeviceError.Code {
    fileprivate var needsProcesses: Bool { self == .clockNotMovable || self == .unreachable }
}
