import Foundation
import Glibc
import LatchkeyEnclaveContract
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

@testable import LatchkeySensor

@Suite("The polkit rule of the packaging", .needsRoot(to: "mount in a namespace"))
struct PolkitRuleTests {
    /// Users of these names, in a view of the files that only polkitd, fprintd and the programs here have.
    private final class Users {
        let directory: String
        let wrapper: [String]
        static let enclave: UInt32 = 61_811
        static let other: UInt32 = 61_812

        /// - Parameter withRule: with the rule of the packaging as the only one; else with none.
        init(withRule: Bool) throws {
            var template = Array("/tmp/lk-polkit.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            try #require(chmod(directory, 0o755) == 0)
            try Self.write(
                [
                    "latchkeye-anna:x:\(Self.enclave):\(Self.enclave)::/:/usr/sbin/nologin",
                    "somebody:x:\(Self.other):\(Self.other)::/:/usr/sbin/nologin",
                ], after: "/etc/passwd", to: directory + "/passwd")
            try Self.write(["latchkey-enclaves:x:61813:latchkeye-anna"], after: "/etc/group", to: directory + "/group")
            try FileManager.default.createDirectory(atPath: directory + "/rules.d", withIntermediateDirectories: false)
            if withRule {
                let rule = PackageFolder.file("Packaging/polkit-1/rules.d/50-latchkey.rules").path
                try FileManager.default.copyItem(atPath: rule, toPath: directory + "/rules.d/50-latchkey.rules")
            }
            let mounts = """
                mount --bind \(directory)/passwd /etc/passwd && mount --bind \(directory)/group /etc/group && mount --bind \(directory)/rules.d \
                /usr/share/polkit-1/rules.d && exec "$@"
                """
            wrapper = ["/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", mounts, "sh"]
        }

        deinit {
            try? FileManager.default.removeItem(atPath: directory)
        }

        /// Writes the lines of `path`, and `lines` after them. The last line of `path` may have no end: the first of `lines` would become
        /// a part of it, and its user unknown to the bus, which then closes the connection.
        private static func write(_ lines: [String], after path: String, to copy: String) throws {
            let present = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
            try ((present + lines).joined(separator: "\n") + "\n").write(
                toFile: copy, atomically: true, encoding: .utf8)
        }
    }

    /// Returns the answer of polkit and fprintd to a real client of fprintd that runs as `user`, for another user's
    /// fingers.
    private func list(as user: UInt32, withRule: Bool) throws -> String {
        let users = try Users(withRule: withRule)
        let stage = try FprintStage(wrapper: users.wrapper)
        return try stage.run(
            users.wrapper + [
                "/usr/bin/setpriv", "--reuid=\(user)", "--clear-groups", "/usr/bin/fprintd-list", "root",
            ], package: "fprintd"
        ).output
    }

    @Test("lets an enclave's user, which its group tells, ask for the fingers of others")
    func enclave() throws {
        let said = try list(as: Users.enclave, withRule: true)
        #expect(said.contains("no fingers enrolled"), "\(said)")
    }

    @Test("lets no other user in, and without it the enclave's user is refused", arguments: [true, false])
    func others(_ isOther: Bool) throws {
        let said = try list(as: isOther ? Users.other : Users.enclave, withRule: isOther)
        #expect(said.contains("PermissionDenied"), "\(said)")
    }
}
