import Foundation
import LatchkeyDevice
import Testing

@Suite("Which device a program uses")
struct DeviceLocationTests {
    /// A home and a system installation in a directory of their own, with what a row says is there.
    final class Machine {
        let root = "/tmp/latchkey-location-\(UInt32.random(in: 0...UInt32.max))"
        var home: String { root + "/home/anna" }
        var own: DeviceDirectory { DeviceDirectory(path: home + "/.local/share/latchkey/device") }
        var system: SystemInstallation { SystemInstallation(owner: "anna", root: root) }

        func make(_ path: String) throws {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: path))
        }

        func location(_ environment: [String: String], isSetgid: Bool = false) throws -> DeviceLocation {
            try DeviceLocation.ofThisProcess(environment: environment, system: system, isSetgid: isSetgid)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: root)
        }
    }

    @Test("LATCHKEY_DEVICE, the system's device, the user's daemon, the user's own directory: in this order")
    func order() throws {
        let machine = Machine()
        let home = ["HOME": machine.home]
        #expect(try machine.location(home) == .directory(path: machine.own.path))
        try machine.make(machine.own.lock)
        #expect(try machine.location(home) == .directory(path: machine.own.path))
        try machine.make(machine.own.keychainSocket)
        #expect(try machine.location(home) == .socket(path: machine.own.keychainSocket))
        // Refused for any content of the user's directory: it would take the place of the one that root made.
        try machine.make(machine.system.keychainSocket)
        #expect(try machine.location(home) == .socket(path: machine.system.keychainSocket))
        let named = home.merging(["LATCHKEY_DEVICE": "unix:/x.sock"]) { $1 }
        #expect(try machine.location(named) == .socket(path: "/x.sock"))
    }

    @Test("a device in the user's directory is a second one where the system has one, and nothing is named")
    func second() throws {
        let machine = Machine()
        let home = ["HOME": machine.home]
        func second(_ environment: [String: String]) -> DeviceDirectory? {
            DeviceLocation.secondDevice(environment: environment, system: machine.system)
        }
        try machine.make(machine.system.keychainSocket)
        #expect(second(home) == nil)
        try FileManager.default.createDirectory(atPath: machine.own.path, withIntermediateDirectories: true)
        #expect(second(home) == nil, "a directory alone is not a device")
        try machine.make(machine.own.lock)
        #expect(second(home) == machine.own)
        #expect(second(home.merging(["LATCHKEY_DEVICE": "dir:/x"]) { $1 }) == nil)
        try FileManager.default.removeItem(atPath: machine.system.keychainSocket)
        #expect(second(home) == nil)
    }

    @Test("without a home there is still the system's device")
    func withoutHome() throws {
        let machine = Machine()
        #expect(throws: DeviceFailure.self) { try machine.location([:]) }
        try machine.make(machine.system.keychainSocket)
        #expect(try machine.location([:]) == .socket(path: machine.system.keychainSocket))
    }

    @Test("a setgid program believes no environment: it uses the system's device or none")
    func setgid() throws {
        let machine = Machine()
        let environment = ["HOME": machine.home, "LATCHKEY_DEVICE": "unix:/false.sock"]
        try machine.make(machine.own.keychainSocket)
        let failure = #expect(throws: DeviceFailure.self) { try machine.location(environment, isSetgid: true) }
        #expect(failure?.description.contains("latchkey-setup --owner anna") == true)
        try machine.make(machine.system.keychainSocket)
        #expect(
            try machine.location(environment, isSetgid: true) == .socket(path: machine.system.keychainSocket))
    }
}
