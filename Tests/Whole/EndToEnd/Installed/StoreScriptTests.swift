import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// `latchkey-setup --store`, into a directory that stands for a machine.
@Suite("Installing a store of item sync", .needsRoot(to: "give files to root"))
struct StoreScriptTests {
    private let machine: TemporaryDirectory

    init() throws {
        machine = try TemporaryDirectory()
        // As `/` is.
        try #require(chmod(machine.path, 0o755) == 0)
        try FileManager.default.createDirectory(
            atPath: machine.path("srv/sync"), withIntermediateDirectories: true)
        let linked = try run(
            URL(filePath: Installation.repositoryFile("Scripts/link-commoncrypto")), [Installation.directory])
        try #require(linked.status == 0, "\(linked.errors)")
        // Before the scripts look for it.
        _ = try CInstallation.directory()
    }

    private func install(_ arguments: [String]) throws -> Ending {
        try run(
            URL(filePath: Installation.repositoryFile("Scripts/install-system")), arguments,
            environment: ["DESTDIR": machine.path])
    }

    private func named(_ store: String, owner: String = "anna") throws -> Ending {
        try install(["--programs", Installation.directory, "--owner", owner, "--store", store])
    }

    private func text(_ file: String) -> String? { try? String(contentsOfFile: machine.path + file, encoding: .utf8) }
    private func isThere(_ file: String) -> Bool {
        var status = stat()
        return lstat(machine.path + file, &status) == 0
    }

    private static let file = "/etc/latchkey/sync/anna.conf"
    private static let drop = "/etc/systemd/system/latchkey-transport@anna.service.d/50-latchkey-store.conf"
    private static let socket = "/etc/systemd/system/sockets.target.wants/latchkey-transport@anna.socket"

    @Test("writes its folder down, for the unit and for what the unit may see, and stays in updates")
    func store() throws {
        let first = try named("folder:/srv/sync")
        #expect(first.status == 0, "\(first.errors)")
        #expect(text(Self.file)?.contains("\nLATCHKEY_STORE=folder:/srv/sync\n") == true)
        #expect(text(Self.drop)?.hasSuffix("[Service]\nBindPaths=-/srv/sync\n") == true)
        #expect(isThere(Self.socket))
        for arguments in [["--owner", "anna"], []] {
            let again = try install(["--programs", Installation.directory] + arguments)
            #expect(again.status == 0 && !again.output.contains(": installed"), "\(again.output)\(again.errors)")
        }
        #expect(isThere(Self.socket))
    }

    @Test("is another one, or none, when that is named; what is in the folder stays") func changes() throws {
        try #require(try named("folder:/srv/sync").status == 0)
        try FileManager.default.createDirectory(
            atPath: machine.path("home/anna/Sync"), withIntermediateDirectories: true)
        #expect(try named("folder:/home/anna/Sync").status == 0)
        #expect(text(Self.drop)?.contains("BindPaths=-/home/anna/Sync\n") == true)
        #expect(text(Self.file)?.contains("/srv/sync") == false)
        let none = try named("none")
        #expect(none.status == 0, "\(none.errors)")
        for file in [Self.file, Self.drop, Self.socket] { #expect(!isThere(file), "\(file)") }
        #expect(isThere("/home/anna/Sync") && isThere("/etc/latchkey/sync"))
    }

    @Test("in etcd gets a network, for its servers alone where they are addresses") func etcd() throws {
        let files = ["/etc/latchkey/sync/ca.pem", "/etc/latchkey/sync/password"]
        try FileManager.default.createDirectory(
            atPath: machine.path("etc/latchkey/sync"), withIntermediateDirectories: true)
        for file in files { try machine.file(String(file.dropFirst()), [65]) }
        let parts = ";ca=\(files[0]);user=anna;password-file=\(files[1])"
        let first = try named("etcd:https://a.example:2379,https://10.0.0.2" + parts)
        #expect(first.status == 0, "\(first.errors)")
        #expect(
            text(Self.file)?.contains("\nLATCHKEY_STORE=etcd:https://a.example:2379,https://10.0.0.2\(parts)\n") == true
        )
        let drop = try #require(text(Self.drop))
        #expect(drop.contains("\nPrivateNetwork=no\n") && drop.contains("\nIPAddressDeny=\n"))
        #expect(drop.contains("\nRestrictAddressFamilies=AF_INET AF_INET6\n") && !drop.contains("BindPaths="))
        #expect(isThere(Self.socket))
        let again = try install(["--programs", Installation.directory])
        #expect(again.status == 0 && !again.output.contains(": installed"), "\(again.output)\(again.errors)")
        #expect(try named("etcd:https://10.0.0.2:2379,https://[2001:db8::1]").status == 0)
        let narrow = try #require(text(Self.drop))
        #expect(narrow.contains("\nIPAddressAllow=10.0.0.2 2001:db8::1\n") && !narrow.contains("IPAddressDeny"))
        #expect(try named("none").status == 0)
        for file in [Self.file, Self.drop, Self.socket] { #expect(!isThere(file), "\(file)") }
        #expect(files.allSatisfy { isThere($0) })
    }

    @Test("is kept without the programs, and is there again with the device") func uninstalled() throws {
        try #require(try named("folder:/srv/sync").status == 0)
        let removed = try install(["--uninstall"])
        #expect(removed.status == 0 && removed.output.contains("/etc/latchkey/sync"), "\(removed.errors)")
        #expect(isThere(Self.file) && !isThere(Self.drop) && !isThere(Self.socket))
        #expect(try install(["--programs", Installation.directory, "--owner", "anna"]).status == 0)
        #expect(isThere(Self.drop) && isThere(Self.socket))
    }

    @Test(
        "is refused with the reason, before anything is installed",
        arguments: [
            ("folder:/srv/none", "mkdir -p '/srv/none'"), ("folder:srv", "needs a whole path"),
            ("folder:/srv/a b", "needs a whole path"), ("folder:/srv/%h", "needs a whole path"),
            ("folder:/srv/link", "/srv/sync"), ("folder:/srv/../srv/sync", "leads to another path"),
            ("folder:/run/sync", "not the store's"), ("folder:/var/lib/latchkey/anna", "not the store's"),
            ("folder:/", "needs a whole path"), ("s3:https://host", "is folder:DIR, etcd:https://HOST or none"),
            ("etcd:host", "no server of etcd"), ("etcd:", "no server of etcd"),
            ("etcd:http://host", "no server of etcd"),
            ("etcd:https://host/x", "no server of etcd"), ("etcd:https://a b", "no part of a store"),
            ("etcd:https://$HOST", "no server of etcd"), ("etcd:https://host,", "no server of etcd"),
            ("etcd:https://host;ca=/etc/%h", "no part of a store"),
            ("etcd:https://host;x=/etc/x", "no part of a store"),
            ("etcd:https://host;ca=/home/ca.pem", "outside of /etc"),
            ("etcd:https://host;ca=/etc/none", "no file /etc/none"),
        ])
    func refused(_ store: String, _ reason: String) throws {
        try #require(symlink("sync", machine.path("srv/link")) == 0)
        let ending = try named(store)
        #expect(ending.status == 1)
        #expect(ending.errors.contains(reason), "\(ending.errors)")
        #expect(!isThere("/usr/lib/latchkey"))
    }

    @Test("is the store of one device") func oneOwner() throws {
        let several = ["--programs", Installation.directory, "--owner", "anna", "--owner", "berta"]
        for arguments in [several, ["--programs", Installation.directory]] {
            let ending = try install(arguments + ["--store", "folder:/srv/sync"])
            #expect(ending.status == 1 && ending.errors.contains("--owner"), "\(ending.errors)")
        }
    }
}
