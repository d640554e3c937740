import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite("Installing")
struct InstallScriptTests {
    /// A directory that stands for a whole machine, or for a home.
    private final class Place {
        let path: String

        init() throws {
            var template = Array("/tmp/latchkey-install.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // As `/` is.
            try #require(chmod(path, 0o755) == 0)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        /// Owner and mode, "0 755"; nil if there is no such file.
        func facts(_ file: String) -> String? {
            var information = stat()
            guard lstat(path + file, &information) == 0 else { return nil }
            return "\(information.st_uid) \(String(information.st_mode & 0o7777, radix: 8))"
        }

        func text(_ file: String) throws -> String { try String(contentsOfFile: path + file, encoding: .utf8) }
    }

    private func script(_ name: String, _ arguments: [String], _ environment: [String: String]) throws -> Ending {
        _ = try Installation.program("latchkey")
        _ = try Installation.program("latchkeyd")
        _ = try Installation.program("latchkey-enclave")
        let linked = try run(
            URL(filePath: Installation.repositoryFile("Scripts/link-commoncrypto")), [Installation.directory])
        try #require(linked.status == 0, "\(linked.errors)")
        // Optional, as the kit is; here it is there.
        _ = try CInstallation.directory()
        return try run(
            URL(filePath: Installation.repositoryFile("Scripts/" + name)), arguments, environment: environment)
    }

    private var programs: [String] { ["--programs", Installation.directory] }

    @Test(
        "for the machine: files of root, users apart, sockets enabled; again changes nothing; removal keeps devices",
        .needsRoot(to: "give files to other users"))
    func system() throws {
        let machine = try Place()
        let destination = ["DESTDIR": machine.path]
        let first = try script("install-system", programs + ["--owner", "anna"], destination)
        #expect(first.status == 0, "\(first.output)\(first.errors)")
        for name in ["latchkey", "latchkeyd", "latchkey-enclave", "latchkey-volume", "latchkey-transport"] {
            #expect(machine.facts("/usr/lib/latchkey/" + name) == "0 755")
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: machine.path + "/usr/bin/" + name)
            #expect(link == "../lib/latchkey/" + name)
        }
        let units = [
            "latchkeyd@.service", "latchkeyd@.socket", "latchkey-enclave@.service", "latchkey-enclave@.socket",
            "latchkey-templates@.service", "latchkey-templates@.socket", "latchkey-transport@.service",
            "latchkey-transport@.socket", "latchkey-unlock@.service",
        ]
        let rule = "/usr/share/polkit-1/rules.d/50-latchkey.rules"
        let library = [
            "/usr/lib/libcommoncrypto.so.1", "/usr/include/CommonCrypto/CommonDigest.h",
            "/usr/lib/pkgconfig/commoncrypto.pc", "/usr/lib/libSecurity.so.1", "/usr/include/Security/Security.h",
            "/usr/lib/pkgconfig/security.pc", "/usr/lib/latchkey/signature-note.o",
        ]
        for file in library { #expect(machine.facts(file) == "0 644", "\(file)") }
        #expect(machine.facts(rule) == "0 644")
        #expect(machine.facts("/usr/sbin/latchkey-setup") == "0 755")
        for unit in units { #expect(machine.facts("/usr/lib/systemd/system/" + unit) == "0 644") }
        for directory in [
            "/run/latchkey", "/var/lib/latchkey", "/var/lib/latchkey-enclave", "/etc/latchkey/signatures",
            "/etc/latchkey/sync",
        ] {
            #expect(machine.facts(directory) == "0 755", "\(directory)")
        }
        let users = try machine.text("/etc/passwd").split(separator: "\n").map { $0.split(separator: ":")[0] }
        #expect(Set(users) == ["latchkeyd-anna", "latchkeye-anna", "latchkeyt-anna"], "no user that devices share")
        let group = try machine.text("/etc/group").split(separator: "\n").first { $0.hasPrefix("latchkey-apps:") }
        #expect(group?.hasSuffix(":") == true, "it has no members")
        let wanted = "/etc/systemd/system/sockets.target.wants/"
        #expect(machine.facts(wanted + "latchkeyd@anna.socket") != nil)
        #expect(machine.facts(wanted + "latchkey-enclave@anna.socket") != nil)
        #expect(machine.facts(wanted + "latchkey-templates@anna.socket") != nil)
        #expect(machine.facts(wanted + "latchkey-transport@anna.socket") == nil, "no store was named")

        let second = try script("install-system", programs + ["--owner", "anna"], destination)
        #expect(second.status == 0, "\(second.errors)")
        #expect(!second.output.contains(": installed"), "\(second.output)")

        // A file that others could replace protects no program.
        try #require(chmod(machine.path + "/usr/lib", 0o777) == 0)
        let unsafe = try script("install-system", programs, destination)
        #expect(unsafe.status == 1)
        #expect(unsafe.errors.contains("chmod go-w '\(machine.path)/usr/lib'"), "\(unsafe.errors)")
        try #require(chmod(machine.path + "/usr/lib", 0o755) == 0)

        try Data("x".utf8).write(to: URL(filePath: machine.path + "/var/lib/latchkey/device"))
        let removed = try script("install-system", ["--uninstall"], destination)
        #expect(removed.status == 0, "\(removed.errors)")
        let gone =
            units.map { "/usr/lib/systemd/system/" + $0 }
            + library
            + [
                "/usr/lib/libcommoncrypto.so", "/usr/include/CommonCrypto", "/usr/lib/libSecurity.so",
                "/usr/include/Security",
            ]
            + [
                "/usr/lib/latchkey", "/usr/share/latchkey", "/usr/sbin/latchkey-setup", "/usr/bin/latchkeyd",
                wanted + "latchkeyd@anna.socket", rule,
                "/etc/sysusers.d/latchkey-anna.conf",
            ]
        for file in gone { #expect(machine.facts(file) == nil, "\(file)") }
        #expect(machine.facts("/var/lib/latchkey/device") != nil)
        #expect(machine.facts("/var/lib/latchkey-enclave") != nil)
    }

    @Test(
        "for the machine: a group of trusted apps with members is refused, and so are names that no unit can have",
        .needsRoot(to: "give files to other users"))
    func refusals() throws {
        let machine = try Place()
        let destination = ["DESTDIR": machine.path]
        for name in ["../x", "a b", "-x", ""] {
            #expect(try script("install-system", programs + ["--owner", name], destination).status != 0, "\(name)")
        }
        #expect(machine.facts("/usr/lib/latchkey") == nil)
        try FileManager.default.createDirectory(atPath: machine.path + "/etc", withIntermediateDirectories: true)
        try "root:x:0:\nlatchkey-apps:x:990:mallory\n".write(
            toFile: machine.path + "/etc/group", atomically: false, encoding: .utf8)
        let ending = try script("install-system", programs, destination)
        #expect(ending.status == 1)
        #expect(ending.errors.contains("gpasswd --delete"), "\(ending.errors)")
    }

    /// A machine on which the devices of some owners belong to the users that all devices once had.
    private func formerMachine(_ owners: [String]) throws -> Place {
        let machine = try Place()
        try FileManager.default.createDirectory(atPath: machine.path + "/etc", withIntermediateDirectories: true)
        try """
        root:x:0:0::/root:/bin/sh
        latchkey:x:901:901::/:/usr/sbin/nologin
        latchkey-enclave:x:902:902::/:/usr/sbin/nologin
        anna:x:4001:4001::/home/anna:/bin/sh
        bob.smith:x:4002:4002::/home/bob:/bin/sh

        """.write(toFile: machine.path + "/etc/passwd", atomically: false, encoding: .utf8)
        for owner in owners {
            for (directory, user) in [("/var/lib/latchkey/", 901), ("/var/lib/latchkey-enclave/", 902)]
                as [(String, UInt32)]
            {
                let path = machine.path + directory + owner
                try FileManager.default.createDirectory(atPath: path + "/in", withIntermediateDirectories: true)
                try Data("x".utf8).write(to: URL(filePath: path + "/in/file"))
                try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "/etc/passwd")
                for part in ["", "/in", "/in/file", "/link"] { try #require(lchown(path + part, user, user) == 0) }
                try #require(chmod(path, 0o700) == 0)
            }
        }
        return machine
    }

    /// The number of a user of the machine.
    private func number(_ user: String, on machine: Place) throws -> String {
        let line = try machine.text("/etc/passwd").split(separator: "\n").first { $0.hasPrefix(user + ":") }
        return try #require(line?.split(separator: ":", omittingEmptySubsequences: false)[2]).description
    }

    @Test(
        "for the machine: each device has users of its own, by number where a name does not fit; shared ones are brought over",
        .needsRoot(to: "give files to other users"))
    func usersOfDevices() throws {
        let machine = try formerMachine(["anna", "bob.smith"])
        let destination = ["DESTDIR": machine.path]
        // Also of owners who are not named: the units are all owners'.
        let ending = try script("install-system", programs + ["--owner", "anna"], destination)
        #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
        var seen: Set<String> = ["901", "902"]
        for (owner, name) in [("anna", "anna"), ("bob.smith", "4002")] {
            for (directory, role) in [
                ("/var/lib/latchkey/", "latchkeyd-"), ("/var/lib/latchkey-enclave/", "latchkeye-"),
            ] {
                let user = try number(role + name, on: machine)
                #expect(seen.insert(user).inserted, "\(role)\(name) shares a number")
                for (part, mode) in [("", "700"), ("/in", "755"), ("/in/file", "644")] {
                    #expect(machine.facts(directory + owner + part) == "\(user) \(mode)")
                }
                #expect(machine.facts(directory + owner + "/link")?.hasPrefix(user + " ") == true)
            }
        }
        #expect(machine.facts("/etc/passwd")?.hasPrefix("0 ") == true, "no link was followed")
        let units = "/etc/systemd/system/"
        let drop = ".d/50-latchkey-users.conf"
        #expect(try machine.text(units + "latchkeyd@bob.smith.service" + drop).contains("User=latchkeyd-4002\n"))
        let enclave = try machine.text(units + "latchkey-enclave@bob.smith.service" + drop)
        #expect(enclave.contains("User=latchkeye-4002\n") && enclave.contains("DAEMON=latchkeyd-4002\n"))
        #expect(
            try machine.text(units + "latchkey-enclave@bob.smith.socket" + drop).contains("SocketUser=latchkeyd-4002\n")
        )
        #expect(
            try machine.text(units + "latchkey-templates@bob.smith.socket" + drop).contains(
                "SocketUser=latchkeye-4002\n"))
        let transport = try machine.text(units + "latchkey-transport@bob.smith.service" + drop)
        #expect(transport.contains("User=latchkeyt-4002\n") && transport.contains("DAEMON=latchkeyd-4002\n"))
        #expect(
            try machine.text(units + "latchkey-transport@bob.smith.socket" + drop).contains(
                "SocketUser=latchkeyd-4002\n"))
        #expect(machine.facts(units + "latchkeyd@anna.service.d") == nil)
        let again = try script("install-system", programs + ["--owner", "anna"], destination)
        #expect(again.status == 0 && !again.output.contains("now of"), "\(again.output)\(again.errors)")
        #expect(!again.output.contains(": installed"), "\(again.output)")
        #expect(try script("install-system", ["--uninstall"], destination).status == 0)
        #expect(machine.facts(units + "latchkeyd@bob.smith.service.d") == nil)
        #expect(machine.facts("/var/lib/latchkey/anna/in/file") != nil)
    }

    @Test(
        "for the machine: a device with a second name of a file, or with a stranger's, is given to no user",
        .needsRoot(to: "give files to other users"))
    func doubtfulDevices() throws {
        let linked = try formerMachine(["anna", "bob.smith"])
        let theirs = linked.path + "/var/lib/latchkey/bob.smith/in/file"
        try #require(link(theirs, linked.path + "/var/lib/latchkey/anna/in/stolen") == 0)
        let first = try script("install-system", programs, ["DESTDIR": linked.path])
        #expect(first.status == 1)
        #expect(first.errors.contains("hard link"), "\(first.errors)")
        #expect(linked.facts("/var/lib/latchkey/bob.smith/in/file")?.hasPrefix("901 ") == true)
        let strange = try formerMachine(["anna"])
        try #require(chown(strange.path + "/var/lib/latchkey/anna/in/file", 4002, 4002) == 0)
        let second = try script("install-system", programs, ["DESTDIR": strange.path])
        #expect(second.status == 1)
        #expect(second.errors.contains("belongs neither to"), "\(second.errors)")
        #expect(strange.facts("/var/lib/latchkey/anna/in/file")?.hasPrefix("4002 ") == true)
    }

    @Test("the units name a user for each owner: none is the same for two instances")
    func unitUsers() throws {
        let units = Installation.repositoryFile("Packaging/systemd/units") + "/"
        var users: [String: String] = [:]
        for name in [
            "latchkeyd@.service", "latchkey-enclave@.service", "latchkey-enclave@.socket", "latchkey-templates@.socket",
            "latchkey-transport@.service", "latchkey-transport@.socket",
        ] {
            let text = try String(contentsOfFile: units + name, encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("User=") || $0.hasPrefix("SocketUser=") }
            users[name] = try #require(line?.split(separator: "=").last).description
        }
        #expect(users.values.allSatisfy { $0.hasSuffix("-%i") }, "\(users)")
        #expect(users["latchkeyd@.service"] != users["latchkey-enclave@.service"])
        #expect(users["latchkey-enclave@.socket"] == users["latchkeyd@.service"])
        #expect(users["latchkey-templates@.socket"] == users["latchkey-enclave@.service"])
        #expect(users["latchkey-transport@.socket"] == users["latchkeyd@.service"])
        let own = ["latchkeyd@.service", "latchkey-enclave@.service", "latchkey-transport@.service"].map { users[$0] }
        #expect(Set(own).count == own.count)
    }

    @Test("no unit opens a network socket, and the daemon's asks for no transport: that is there where a store is")
    func unitNetwork() throws {
        let units = Installation.repositoryFile("Packaging/systemd/units") + "/"
        let services = try FileManager.default.contentsOfDirectory(atPath: units).filter { $0.hasSuffix(".service") }
        #expect(services.count == 5)
        for name in services {
            let lines = try String(contentsOfFile: units + name, encoding: .utf8).split(separator: "\n")
            for line in ["PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX", "IPAddressDeny=any"] {
                #expect(lines.contains { $0 == line }, "\(name): \(line)")
            }
            let asked = lines.filter { $0.hasPrefix("Requires=") || $0.hasPrefix("Wants=") }
            #expect(name.hasPrefix("latchkey-transport") || !asked.contains { $0.contains("transport") }, "\(name)")
        }
    }

    static let openGroups: [(what: String, group: String, passwd: String, shadow: String, advice: String)] = [
        ("a member", "latchkey-apps:x:990:mallory", "", "", "gpasswd --delete mallory"),
        (
            "a primary group", "latchkey-apps:x:990:", "mallory:x:7:990::/:/bin/sh", "",
            "usermod --gid OTHER-GROUP mallory"
        ),
        ("a password", "latchkey-apps:x:990:", "", "latchkey-apps:$6$salt$x::", "gpasswd --remove-password"),
        ("an old password", "latchkey-apps:ab01FAX.bQRSU:990:", "", "", "gpasswd --remove-password"),
        ("an administrator", "latchkey-apps:x:990:", "", "latchkey-apps:!:mallory:", "gpasswd --administrators"),
        ("a shadowed member", "latchkey-apps:x:990:", "", "latchkey-apps:!::mallory", "gpasswd --delete mallory"),
    ]

    /// The databases of a machine with the group of trusted apps.
    private func databases(_ group: String, _ passwd: String, _ shadow: String) throws -> Place {
        let machine = try Place()
        try FileManager.default.createDirectory(atPath: machine.path + "/etc", withIntermediateDirectories: true)
        for (name, lines) in [
            ("group", "root:x:0:\n\(group)"), ("gshadow", "root:*::\n\(shadow)"),
            ("passwd", "root:x:0:0::/root:/bin/sh\n\(passwd)"),
        ] {
            try (lines + "\n").write(toFile: machine.path + "/etc/" + name, atomically: false, encoding: .utf8)
        }
        return machine
    }

    @Test(
        "for the machine: a group of trusted apps that a user could join is refused, with the command that helps",
        .needsRoot(to: "mount in a namespace"), arguments: openGroups)
    func openGroup(_ what: String, _ group: String, _ passwd: String, _ shadow: String, _ advice: String) throws {
        let machine = try databases(group, passwd, shadow)
        let ending = try script("install-system", programs, ["DESTDIR": machine.path])
        #expect(ending.status == 1, "\(what): \(ending.output)")
        #expect(ending.errors.contains(advice), "\(what): \(ending.errors)")
        // The same where the machine itself is asked (getent), in a view of the files that only the script has.
        let mounts = ["group", "gshadow", "passwd"].map { "mount --bind \(machine.path)/etc/\($0) /etc/\($0)" }
        let check =
            mounts.joined(separator: " && ") + " && '\(Installation.repositoryFile("Scripts/check-trusted-group"))'"
        let live = try run(
            URL(filePath: "/usr/bin/unshare"), ["--mount", "--propagation", "private", "/bin/sh", "-c", check])
        #expect(live.status == 1, "\(what): \(live.output)")
        #expect(live.errors.contains(advice), "\(what): \(live.errors)")
    }

    @Test(
        "a group that no user can join is accepted, whatever its closed password field says",
        arguments: ["", "!", "*", "!!", "x"])
    func closedGroup(_ password: String) throws {
        let machine = try databases("latchkey-apps:x:990:", "anna:x:990:1000::/:/bin/sh", "latchkey-apps:\(password)::")
        let ending = try run(
            URL(filePath: Installation.repositoryFile("Scripts/check-trusted-group")), [machine.path])
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors.isEmpty)
    }

    @Test("for one user: below a prefix, again changes nothing, and what is installed works; removal keeps the device")
    func user() throws {
        let home = try Place()
        let environment = ["PREFIX": home.path + "/local", "HOME": home.path, "XDG_DATA_HOME": home.path + "/data"]
        let first = try script("install-user", programs, environment)
        #expect(first.status == 0, "\(first.errors)")
        let latchkey = URL(filePath: home.path + "/local/bin/latchkey")
        #expect(try run(latchkey, ["start"], environment: environment).status == 0)
        let doctor = try run(latchkey, ["doctor", "--json"], environment: environment)
        #expect(try doctor.json()["installation"] as? String == "user")
        #expect(doctor.status == 0, "\(doctor.output)")
        // The flags name the place where it is now.
        let compiled = try run(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                "clang '\(Installation.repositoryFile("Examples/CKeychain/keychain.c"))' "
                    + "$(pkg-config --cflags --libs security) -o \"$HOME/keychain\"",
            ], environment: ["HOME": home.path, "PKG_CONFIG_PATH": home.path + "/local/lib/pkgconfig"])
        #expect(compiled.status == 0, "\(compiled.errors)")
        let keychain = URL(filePath: home.path + "/keychain")
        #expect(try run(keychain, ["add", "anna"], input: Data("x".utf8), environment: environment).status == 0)
        #expect(try run(keychain, ["find", "anna"], environment: environment).output == "x")
        #expect(try script("install-user", programs, environment).output.contains(": installed") == false)
        #expect(try script("install-user", ["--uninstall"], environment).status == 0)
        #expect(home.facts("/local/bin/latchkey") == nil)
        #expect(home.facts("/local/lib/latchkey") == nil)
        #expect(home.facts("/data/latchkey/device") != nil)
        #expect(home.facts("/data/latchkey/device/run/keychain.sock") == nil, "the daemon was stopped")
    }

    @Test("the units hold, and the check finds one that is exposed and one that systemd does not understand")
    func units() throws {
        #expect(try script("check-units", [], [:]).status == 0)
        let place = try Place()
        let units = Installation.repositoryFile("Packaging/systemd/units")
        for name in try FileManager.default.contentsOfDirectory(atPath: units) {
            try FileManager.default.copyItem(atPath: units + "/" + name, toPath: place.path + "/" + name)
        }
        let service = place.path + "/latchkeyd@.service"
        let good = try String(contentsOfFile: service, encoding: .utf8)
        let spoilt = [
            (
                good.split(separator: "\n").filter { !$0.hasPrefix("SystemCallFilter") && !$0.hasPrefix("Private") },
                "1.5"
            ),
            (good.replacing("ProtectHome=", with: "ProtectHouse=").split(separator: "\n"), "ProtectHouse"),
        ]
        for (lines, reason) in spoilt {
            try lines.joined(separator: "\n").write(toFile: service, atomically: false, encoding: .utf8)
            let ending = try script("check-units", [place.path], [:])
            #expect(ending.status == 1)
            #expect(ending.errors.contains(reason), "\(ending.errors)")
        }
    }
}
