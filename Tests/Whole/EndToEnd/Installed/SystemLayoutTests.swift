import Foundation
import Glibc
import LatchkeyCommandLineTool
import LatchkeyDevice
import LatchkeyTestSupport
import Testing

@Suite("Daemon, enclave and owner under users of their own", .needsRoot(to: "run processes as several users"))
struct SystemLayoutTests {
    @Test("the owner uses the keychain; root may, too; no other user, not even the daemon's own")
    func users() throws {
        let system = try SystemLayout()
        #expect(try system("add-generic-password -s s", as: system.owner, input: "secret").status == 0)
        #expect(try system("find-generic-password -s s -w", as: system.owner).output == "secret\n")
        #expect(try system("status", as: 0).status == 0)
        for other in [system.stranger, system.enclaveUser, system.daemonUser] {
            #expect(try system("status", as: other).status == 10, "the file of the socket keeps \(other) out")
        }
        // Even where the file lets everybody in, the daemon does not.
        try #require(chmod(system.keychainSocket, 0o666) == 0)
        for other in [system.stranger, system.enclaveUser, system.daemonUser] {
            let ending = try system("status", as: other)
            #expect(ending.status == 10)
            #expect(ending.errors.contains("peer-not-allowed"), "\(ending.errors)")
        }
        #expect(try system("status", as: system.owner).status == 0)
    }

    @Test("the owner locks and unlocks the device, with an enclave that neither of them can look into")
    func lockState() throws {
        let system = try SystemLayout()
        // Any program of the owner could set the first one.
        let refused = try system("passcode set", as: system.owner, input: "246810\n")
        #expect(refused.status == 51)
        #expect(refused.errors.contains("env LATCHKEY_DEVICE=unix:\(system.keychainSocket) latchkey passcode set"))
        #expect(try system("configure --require-level A", as: system.owner).status == 51)
        #expect(try system("passcode set", as: 0, input: "246810\n").status == 0)
        #expect(try system("add-generic-password -s s", as: system.owner, input: "secret").status == 0)
        #expect(try system("lock --now", as: system.owner).status == 0)
        #expect(try system("find-generic-password -s s -w", as: system.owner).status == 36)
        #expect(try system("unlock", as: system.owner, input: "246810\n").status == 0)
        #expect(try system("find-generic-password -s s -w", as: system.owner).output == "secret\n")
    }

    @Test(
        "neither the owner nor the daemon's user nor a stranger reads the enclave's files, nor another's the daemon's")
    func files() throws {
        let system = try SystemLayout()
        try #require(try system("status", as: system.owner).status == 0)
        let keybag = try #require(
            FileManager.default.contentsOfDirectory(atPath: system.storage).first { $0.contains("keybag") })
        for user in [system.owner, system.daemonUser, system.stranger] {
            #expect(try system.run(["ls", system.storage], as: user).status != 0)
            #expect(try system.run(["cat", system.storage + "/" + keybag], as: user).status != 0)
        }
        #expect(try system.run(["cat", system.storage + "/" + keybag], as: system.enclaveUser).status == 0)
        for user in [system.owner, system.enclaveUser, system.stranger] {
            #expect(try system.run(["cat", system.device + "/keychain/keychain.db"], as: user).status != 0)
        }
        #expect(try system.run(["cat", system.device + "/keychain/keychain.db"], as: system.daemonUser).status == 0)
    }

    @Test("what runs inside one owner's daemon, with its right to look at processes, reaches no other owner's device")
    func otherOwners() throws {
        let (system, other) = (try SystemLayout(), try SystemLayout())
        for layout in [system, other] { try #require(try layout("status", as: layout.owner).status == 0) }
        let process = try #require(other.enclave).identifier
        // Like an attacker who has taken over the daemon: its user, its capability, the way through another process's
        // root.
        func looking(_ words: [String], as user: UInt32) throws -> Ending {
            try run(
                URL(filePath: "/usr/bin/setpriv"),
                [
                    "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--inh-caps=+sys_ptrace",
                    "--ambient-caps=+sys_ptrace",
                ] + words)
        }
        let device = "/proc/\(process)/root\(other.device)/keychain"
        let socket = "/proc/\(process)/root\(other.enclaveSocket)"
        #expect(try looking(["ls", "/proc/\(process)/root/"], as: system.daemonUser).status == 0, "the right is there")
        for words in [["ls", device], ["cat", device + "/keychain.db"]] {
            #expect(try looking(words, as: system.daemonUser).status != 0)
            #expect(try looking(words, as: other.daemonUser).status == 0, "only the user stands between")
        }
        let status = [other.program("latchkey"), "status"]
        func asking(as user: UInt32) throws -> Ending {
            try looking(["/usr/bin/env", "LATCHKEY_DEVICE=unix:" + socket] + status, as: user)
        }
        #expect(try asking(as: system.daemonUser).errors.contains("Permission denied"))
        try #require(chmod(other.enclaveSocket, 0o666) == 0)
        #expect(try asking(as: system.daemonUser).errors.contains("peer-not-allowed"))
    }

    @Test("the enclave serves the daemon's user alone")
    func enclaveClients() throws {
        let system = try SystemLayout()
        try #require(try system("status", as: system.owner).status == 0)
        let program = system.program("latchkey")
        #expect(
            try latchkey("status", at: system.enclaveSocket, as: system.owner, program: program).errors
                .contains("Permission denied"))
        try #require(chmod(system.enclaveSocket, 0o666) == 0)
        let ending = try latchkey("status", at: system.enclaveSocket, as: system.owner, program: program)
        #expect(ending.errors.contains("peer-not-allowed"), "\(ending.errors)")
        let enclave = try #require(system.enclave)
        let reason = "belongs to user \(system.owner), and only user \(system.daemonUser) is served"
        // It answers before it says why.
        var looks = 0
        while !enclave.said.contains(reason), looks < 2000 {
            looks += 1
            usleep(5000)
        }
        #expect(enclave.said.contains(reason))
    }

    @Test(
        "both are confined; the right to look at programs is left to one thread of the daemon, and to no other thread")
    func confinement() throws {
        let system = try SystemLayout()
        try #require(try system("status", as: system.owner).status == 0)
        let look = String(repeating: "0", count: 11) + "80000"
        let none = String(repeating: "0", count: 16)
        for (process, holders) in [(system.daemon, 1), (system.enclave, 0)] {
            let process = try #require(process)
            #expect(try process.field("Seccomp") == ["2"])
            #expect(try process.field("NoNewPrivs") == ["1"])
            let threads = try process.field("CapEff", ofThreads: true)
            #expect(threads.filter { $0 == look }.count == holders)
            #expect(threads.filter { $0 == none }.count == threads.count - holders)
            #expect(try process.field("CapEff") == [none])
            // Not dumpable: its files in /proc belong to root.
            let owner = try FileManager.default.attributesOfItem(atPath: "/proc/\(process.identifier)/status")
            #expect(owner[.ownerAccountID] as? Int == 0)
        }
    }

    @Test("doctor knows the layout, finds nothing missing but the group, and names what is spoilt and how to fix it")
    func doctor() throws {
        let system = try SystemLayout()
        let installation = SystemInstallation(
            owner: String(system.owner), root: system.root, daemonUser: String(system.daemonUser),
            enclaveUser: String(system.enclaveUser), transportUser: String(system.transportUser))
        let location = DeviceLocation.socket(path: installation.keychainSocket)
        func examine() -> Examination {
            Examination(kind: InstallationKind(location, system: installation), location: location)
        }
        func missing() -> [String] { examine().steps.filter { $0.state == .missing }.map(\.name) }

        try #require(try system("status", as: system.owner).status == 0)
        #expect(examine().kind.name == "system")
        // This machine may have the group or not.
        let expected = missing().filter { $0 != "trusted group" }
        #expect(expected == [], "\(examine().steps.map(\.name))")
        try #require(chmod(installation.device.path, 0o755) == 0)
        #expect(missing().contains("device directory"))
        let step = try #require(examine().steps.first { $0.name == "device directory" })
        let mended = try run(URL(filePath: "/bin/sh"), ["-c", try #require(step.mend)])
        #expect(mended.status == 0, "\(mended.errors)")
        #expect(!missing().contains("device directory"))
        try #require(chmod(system.program("latchkeyd"), 0o775) == 0)
        #expect(missing().contains("programs are safe"))
        try #require(chmod(system.program("latchkeyd"), 0o755) == 0)
        try #require(chmod(installation.keychainSocket, 0o666) == 0)
        #expect(missing().contains("keychain socket"))
        try #require(chmod(installation.keychainSocket, 0o600) == 0)
        #expect(!examine().steps.contains { $0.name == "transport socket" })
        try system.directory("/etc/latchkey/sync", 0, 0o755)
        try Data("LATCHKEY_STORE=folder:/srv\n".utf8).write(to: URL(filePath: installation.storeFile))
        #expect(missing().contains("transport socket"))
        let transport = try OpenedSocket(installation.transportSocket, owner: system.daemonUser)
        #expect(!missing().contains { $0.contains("transport") })
        try #require(chmod(transport.path, 0o666) == 0)
        #expect(missing().contains("transport socket"))
        system.loseEnclave()
        #expect(Set(missing()).isSuperset(of: ["enclave", "device answers"]))
    }
}
