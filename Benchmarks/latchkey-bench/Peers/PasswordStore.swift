import Foundation

/// A store of `pass` with a key of its own. The agent of GnuPG has the key at hand after the first reading.
final class PasswordStore {
    let environment: [String: String]
    private let keys: String

    init(in scratch: String) throws {
        // Its socket lies there, and the path of a socket is short.
        keys = NSTemporaryDirectory() + "latchkey-bench-gnupg-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: keys, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        environment = ["GNUPGHOME": keys, "PASSWORD_STORE_DIR": scratch + "/password-store"]
        do {
            try Programs.run(
                ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "bench", "default", "default"],
                environment: environment)
            try Programs.run(["pass", "init", "bench"], environment: environment)
        } catch {
            stop()
            throw error
        }
    }

    func stop() {
        _ = try? Programs.run(["gpgconf", "--kill", "gpg-agent"], environment: environment)
        try? FileManager.default.removeItem(atPath: keys)
    }
}
