import Foundation
import Glibc

/// Something that a row is measured against, or needs beside, and that a machine may lack.
enum Peer {
    case etcd, fuse, gocryptfs, kit, openSSL, pass, pythonRNCryptor, root, secretService, securityForC, sqlCipher,
        sshAgent

    /// Says what is missing and how to get it. Nil if everything is there.
    var absence: String? {
        switch self {
        case .etcd: Self.programs(["etcd"], package: "etcd-server")
        case .fuse: Self.programs(["fusermount3"], package: "fuse3")
        case .gocryptfs: Self.programs(["gocryptfs", "fusermount3"], package: "gocryptfs fuse3")
        case .kit: Self.file(Self.kitDirectory + "/kit.json", "the kit", make: "kit")
        case .openSSL: Self.programs(["openssl"], package: "openssl")
        case .pass: Self.programs(["pass", "gpg", "gpgconf"], package: "pass gnupg")
        case .pythonRNCryptor:
            Self.file(".build/python/rncryptor.py", "Python's rncryptor", make: "bench, with a network")
        case .root: getuid() == 0 ? nil : "only root can let the kernel forget the names of files"
        case .secretService:
            Self.programs(
                ["secret-tool", "gnome-keyring-daemon", "dbus-daemon"],
                package: "libsecret-tools gnome-keyring dbus")
        case .securityForC:
            Self.file(CPrograms.installation + "/lib/libSecurity.so.1", "Security for C", make: "security")
                ?? Self.programs(["clang", "pkg-config"], package: "pkgconf, and clang of the Swift toolchain")
        case .sqlCipher:
            // The library has the names of SQLite, which this program has as well: it is not loaded to look for it.
            Self.libraries.contains { access($0 + "/" + DatabaseClient.cipherLibrary, R_OK) == 0 }
                ? nil : "\(DatabaseClient.cipherLibrary) is missing: apt-get install sqlcipher"
        case .sshAgent: Self.programs(["ssh-agent", "ssh-add", "ssh-keygen"], package: "openssh-client")
        }
    }

    static let kitDirectory = FileManager.default.currentDirectoryPath + "/.build/latchkey-kit"

    private static let libraries = [
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib", "/usr/local/lib",
    ]

    private static func programs(_ names: [String], package: String) -> String? {
        let missing = names.filter { (try? Programs.path(of: $0)) == nil }
        return missing.isEmpty ? nil : "\(missing.joined(separator: ", ")) missing: apt-get install \(package)"
    }

    private static func file(_ path: String, _ name: String, make target: String) -> String? {
        access(path, R_OK) == 0 ? nil : "\(name) is missing: make \(target)"
    }
}
