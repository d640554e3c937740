import Foundation
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyVolume

/// A fault that was found.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A device in a directory of its own, unlocked, with volumes beside it.
struct VolumeTrial {
    private let directory: String
    private let device: EmbeddedDevice
    let keychain: any Keychain

    private static let passcode = "1234"

    /// - Parameter isNew: the device is to be made, and gets its passcode.
    init(in directory: String, isNew: Bool) throws {
        self.directory = directory
        device = try EmbeddedDevice(
            directory: directory + "/device", clock: SystemClock(), entropy: SystemEntropy(),
            passcodeCost: .fixed(log2Cost: 4))
        keychain = device.keychain(for: Caller(name: "volume-check", accessGroups: ["volume-check"]))
        let passcode = { SecretBox(copying: Array(Self.passcode.utf8)) }
        if isNew {
            _ = try keychain.ask(SetPasscode(passcode()))
        } else {
            _ = try keychain.ask(UnlockDevice(passcode()))
        }
    }

    func close() { device.close() }

    var store: String { directory + "/store" }

    /// A new volume, in place of the last one.
    func makeVolume() throws {
        try? FileManager.default.removeItem(atPath: store)
        try FileManager.default.createDirectory(
            atPath: store, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try Volume.create(in: store, keychain, defaultProtection: .completeUntilFirstUserAuthentication)
    }

    func volume() throws -> Volume { try Volume(storedIn: store, keychain) }

    func perform(_ workload: Workload) throws {
        let volume = try volume()
        defer { volume.close() }
        for operation in workload.operations { try operation.perform(on: volume) }
    }

    /// Compares a volume with the state after `count` operations, apart from what was touched by others, and looks for
    /// damage.
    ///
    /// - Parameters:
    ///   - comparesTimes: false where a call that sets a time may have failed without a word.
    ///   - isUnsynchronized: a file that was being made need not be readable: power was lost before it was synchronized.
    func check(
        _ workload: Workload, after count: Int, except touched: Set<String>, comparesTimes: Bool = true,
        isUnsynchronized: Bool = false, _ context: String
    ) throws {
        let volume = try volume()
        defer { volume.close() }
        for path in workload.states[count].paths.keys where !touched.contains(path) {
            guard let expected = workload.states[count].attributes(of: path) else { continue }
            let found = try volume.attributes(of: path)
            guard found.permissions == expected.permissions else {
                throw Finding("\(context): \(path.prefix(30)) has the permissions \(found.permissions)")
            }
            guard comparesTimes, let seconds = expected.seconds, seconds != found.seconds else { continue }
            throw Finding("\(context): \(path.prefix(30)) has the time \(found.seconds), not \(seconds)")
        }
        let expected = workload.states[count].paths
        let unreadable: Set<String> = isUnsynchronized ? touched.filter { expected[$0] == nil } : []
        let found = try volume.contents(except: unreadable)
        for path in Set(found.keys).union(expected.keys).subtracting(touched) where found[path] != expected[path] {
            let size = { (bytes: [UInt8]?) in bytes.map { "\($0.count) bytes" } ?? "nothing" }
            throw Finding("\(context): \(path.prefix(30)) has \(size(found[path])), not \(size(expected[path]))")
        }
        let damage = VolumeCheck.run(on: volume, repairs: false).findings.filter { finding in
            finding.kind.isDamage
                && !unreadable.contains(String(decoding: Array(finding.path.joined(separator: [0x2F])), as: UTF8.self))
        }
        guard damage.isEmpty else { throw Finding("\(context): \(damage)") }
    }
}
