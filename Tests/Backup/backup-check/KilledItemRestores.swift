import Foundation
import LatchkeyBackupTesting
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Security

/// Restores of the items of one backup onto another device that are killed before some call that changes files. After each the device
/// opens and every item on it is whole, and the next run brings the rest.
struct KilledItemRestores {
    /// More than two pages of items.
    private static let count = 2 * SealedItem.limit + 10

    private let machine: Machine
    private(set) var kills = 0

    init() throws {
        machine = try Machine(hasPasscode: false)
        for number in 0..<Self.count {
            guard machine.add("\(number)", kSecAttrAccessibleAfterFirstUnlock, "secret \(number)") == errSecSuccess
            else {
                throw Finding("no item added")
            }
        }
        try machine.setPassword()
        try machine.backUp(encrypted: true)
    }

    /// Kills restores onto a new device at random, several in a row, each time until one ends by itself.
    mutating func run(_ count: Int, seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        while kills < count {
            try makeDevice()
            var before = 0
            // A page is one transaction, so a range that stays as it is could end before every page.
            var reach = 40
            while true {
                reach *= 2
                let ending = try KilledRun.itemRestore.run(
                    on: machine, killedBefore: Int.random(in: 1...reach, using: &random))
                guard ending != .failed else { throw Finding("a restore of items failed") }
                let found = try items()
                // Pages are whole or not there, and none of an earlier run goes.
                guard found >= before, found == Self.count || found % SealedItem.limit == 0 else {
                    throw Finding("\(found) items after \(before)")
                }
                before = found
                if ending == .whole { break }
                kills += 1
            }
            guard before == Self.count else { throw Finding("\(before) items of \(Self.count) after the last run") }
        }
    }

    private func makeDevice() throws {
        let path = KilledRun.otherDevice(of: machine)
        try? FileManager.default.removeItem(atPath: path)
        try KilledRun.opened(path).close()
    }

    /// The number of items that the device has, each read with its secret.
    private func items() throws -> Int {
        let device = try KilledRun.opened(KilledRun.otherDevice(of: machine))
        defer { device.close() }
        let home = BackedUpHome(KilledRun.keychain(of: device), path: machine.path, hasPasscode: false)
        let found = try CurrentKeychain.$scoped.withValue(home.keychain) {
            try (0..<Self.count).count { number in
                let query: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: "\(number)", kSecReturnData: true,
                ]
                var result: CFTypeRef?
                switch SecItemCopyMatching(query as CFDictionary, &result) {
                case errSecItemNotFound: return false
                case errSecSuccess where result as? Data == Data("secret \(number)".utf8): return true
                case let status: throw Finding("item \(number): \(status)")
                }
            }
        }
        return found
    }
}
