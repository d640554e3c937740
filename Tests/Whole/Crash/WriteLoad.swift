import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Synchronization

/// One client that writes, and remembers what must be there.
///
/// Used by one thread at a time.
final class WritingClient: @unchecked Sendable {
    // Sendable: a burst runs on one thread, and everything else happens after that thread was joined.
    private let number: Int
    private let keychain: any Keychain
    private var random: SplitMix
    /// The acknowledged content: the version of each account's secret.
    private(set) var acknowledged: [String: Int] = [:]
    /// The one write without an answer: its account, and the version it would leave (nil: none).
    private(set) var unacknowledged: (account: String, version: Int?)?
    private var nextVersion = 1

    init(number: Int, keychain: any Keychain, seed: UInt64) {
        self.number = number
        self.keychain = keychain
        random = SplitMix(seed: seed &+ UInt64(number))
    }

    /// Writes until a write is not acknowledged, or until told to stop.
    func burst(until isOver: () -> Bool, afterEach acknowledged: () -> Void) {
        while !isOver() {
            guard write() else { return }
            acknowledged()
        }
    }

    /// Returns the content that must be there now, given the one that was found for the write without an answer; throws
    /// if that is neither the state before nor the state after.
    func settle(with found: [String: [UInt8]]) throws {
        guard let (account, version) = unacknowledged else { return }
        let before = acknowledged[account]
        let now = found[account]
        if now == version.map({ content(account, $0) }) {
            acknowledged[account] = version
        } else if now != before.map({ content(account, $0) }) {
            throw Failed(
                "\(account) is neither as before (\(before ?? 0)) nor as after (\(version ?? 0)) the cut write")
        }
        unacknowledged = nil
    }

    /// Every acknowledged item with its secret.
    var expected: [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: acknowledged.map { ($0.key, content($0.key, $0.value)) })
    }

    private func write() -> Bool {
        let account = "client \(number) account \(Int.random(in: 0..<16, using: &random))"
        let version = nextVersion
        nextVersion += 1
        let code: ResultCode
        if acknowledged[account] == nil {
            unacknowledged = (account, version)
            code = keychain.add(account, content(account, version))
        } else if Int.random(in: 0..<3, using: &random) > 0 {
            unacknowledged = (account, version)
            code = keychain.update(account, content(account, version))
        } else {
            unacknowledged = (account, nil)
            code = keychain.delete(account)
        }
        guard code == .success, let written = unacknowledged else { return false }
        acknowledged[account] = written.version
        unacknowledged = nil
        return true
    }

    /// A secret that follows from its account and version: mostly short, sometimes too long for one packet.
    private func content(_ account: String, _ version: Int) -> [UInt8] {
        let length =
            switch version % 20 {
            case 0: 100_000
            case 1...4: 5000
            default: 24
            }
        let text = Array("\(account) version \(version) ".utf8)
        var bytes = text
        while bytes.count < length { bytes += bytes }
        return Array(bytes.prefix(max(length, text.count)))
    }
}
