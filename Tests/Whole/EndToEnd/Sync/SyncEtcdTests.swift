import Foundation
import LatchkeyEtcdTesting
import LatchkeyTestSupport
import Testing

/// Devices with the real programs, and Debian's etcd between them.
@Suite("latchkey sync: etcd between the devices")
struct SyncEtcdTests {
    /// Two devices in one circle.
    /// - Parameter other: the store as the second one names it; nil for the same text.
    private func pair(_ store: String, _ other: String? = nil) throws -> (SyncDevice, SyncDevice) {
        let laptop = try SyncDevice("laptop", store: store)
        let desktop = try SyncDevice("desktop", store: other ?? store)
        let made = try laptop.sync("create \(laptop.place)", SyncDevice.passcode)
        try #require(made.status == 0, "\(made.errors)")
        try desktop.ask(laptop)
        try laptop.approve()
        try desktop.settle()
        return (laptop, desktop)
    }

    @Test("items travel, also while members of the cluster are killed, and none is lost") func cluster() throws {
        let cluster = try EtcdCluster(members: 3)
        let (laptop, desktop) = try pair(cluster.store)
        #expect(try laptop.report()["store"] as? String == cluster.store)
        try laptop.add("bob", "one")
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == "one")
        var expected = ["bob": "one"]
        for (round, server) in cluster.servers.enumerated() {
            let (writer, reader) = round.isMultiple(of: 2) ? (desktop, laptop) : (laptop, desktop)
            server.kill()
            for number in 0..<3 {
                try writer.add("n\(round)-\(number)", "\(round)\(number)")
                expected["n\(round)-\(number)"] = "\(round)\(number)"
            }
            try writer.update("bob", "killed \(round)")
            expected["bob"] = "killed \(round)"
            try [writer, reader].settle()
            for (account, secret) in expected { #expect(try reader.secret(of: account) == secret, "\(account)") }
            try cluster.restart(server)
        }
        try laptop.delete("bob")
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == nil)
        expected["bob"] = nil
        for device in [laptop, desktop] { try expect(expected, on: device) }
    }

    /// The device has these items and no others of the circle, and nothing to complain about.
    private func expect(_ items: [String: String], on device: SyncDevice) throws {
        for (account, secret) in items { #expect(try device.secret(of: account) == secret, "\(account)") }
        let report = try device.report()
        #expect((report["alarms"] as? [Any])?.isEmpty == true, "\(device.name): \(report)")
        #expect(report["storeTrouble"] is NSNull, "\(device.name): \(report)")
        #expect(report["sharedItems"] as? Int == items.count)
    }

    @Test(
        "a device that is cut off with a member works on, without a false alarm, and catches up",
        .enabled(if: NetworkSpace.arePossible, "\(NetworkSpace.need)"))
    func partition() throws {
        let cluster = try PartitionedCluster()
        let (laptop, desktop) = try pair(cluster.store(beside: 0), cluster.store(beside: 2))
        var expected = ["bob": "one"]
        try laptop.add("bob", "one")
        try [laptop, desktop].settle()
        for round in 0..<2 {
            try cluster.cut(2)
            for device in [laptop, desktop] {
                try device.add("\(device.name)\(round)", "\(round)")
                expected["\(device.name)\(round)"] = "\(round)"
            }
            try laptop.settle()
            try desktop.sync("now")
            let report = try desktop.report()
            #expect(!(report["storeTrouble"] is NSNull), "\(report)")
            for device in [laptop, desktop] {
                #expect((try device.report()["alarms"] as? [Any])?.isEmpty == true)
                let other = device === laptop ? desktop : laptop
                #expect(try device.secret(of: "\(other.name)\(round)") == nil)
            }
            try cluster.heal(2)
            try desktop.sync("now")
            try [laptop, desktop].settle()
            for device in [laptop, desktop] { try expect(expected, on: device) }
        }
    }

    @Test("a slow network that loses connections raises no alarm and loses no change", arguments: [1, 2] as [UInt64])
    func slow(_ seed: UInt64) throws {
        let cluster = try EtcdCluster()
        let doors = try (0..<2).map { try NetworkDoor(to: cluster.servers[0], seed: 2 * seed + $0) }
        let (laptop, desktop) = try pair("etcd:\(doors[0].url)", "etcd:\(doors[1].url)")
        for door in doors { door.disturb(true) }
        var expected: [String: String] = [:]
        for number in 0..<8 {
            for device in [laptop, desktop] {
                try device.add("\(device.name)\(number)", "\(number)")
                expected["\(device.name)\(number)"] = "\(number)"
            }
            try laptop.update("laptop0", "changed \(number)")
            expected["laptop0"] = "changed \(number)"
            for device in [laptop, desktop] {
                try device.sync("now")
                #expect((try device.report()["alarms"] as? [Any])?.isEmpty == true, "\(device.name): \(number)")
            }
        }
        eventually {
            for device in [laptop, desktop] { _ = try? device.sync("now") }
            return doors.allSatisfy { $0.lostConnections > 0 }
        }
        for door in doors { door.disturb(false) }
        for device in [laptop, desktop] { try device.sync("now") }
        try [laptop, desktop].settle()
        for device in [laptop, desktop] { try expect(expected, on: device) }
    }

    @Test("without the servers changes wait, and status says it") func away() throws {
        let cluster = try EtcdCluster()
        let (laptop, desktop) = try pair(cluster.store)
        cluster.servers[0].stop()
        try laptop.add("bob", "secret")
        try laptop.sync("now")
        #expect(try laptop.sync("status").output.contains("it does not answer"))
        #expect(try laptop.secret(of: "bob") == "secret", "local work goes on")
        #expect(try laptop.sync("invite", SyncDevice.passcode).status == 69)
        try cluster.restart(cluster.servers[0])
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == "secret")
    }

    @Test("certificates, name and password come from files, and a wrong one is named") func proofs() throws {
        let authority = try CertificateAuthority()
        let root = try authority.root("root", subject: "/O=Latchkey test/CN=root")
        let host = EtcdServer.newHost()
        let purposes = "extendedKeyUsage=serverAuth,clientAuth"
        let own = try authority.issue(
            "server", subject: "/O=server", by: root, extensions: ["subjectAltName=IP:\(host)", purposes])
        let client = try authority.issue("client", subject: "/O=laptop", by: root, extensions: [purposes])
        let server = try EtcdServer(
            "n0", host: host,
            encryption: .init(
                certificate: own.certificateFile, key: own.keyFile, clientAuthority: root.certificateFile))
        let cluster = try EtcdCluster(server)
        let shown = ["--cacert", root.certificateFile, "--cert", client.certificateFile, "--key", client.keyFile]
        for words in [
            ["user", "add", "root:x"], ["user", "add", "anna:pass"], ["role", "add", "latchkey"],
            ["role", "grant-permission", "latchkey", "--prefix=true", "readwrite", "/latchkey/"],
            ["user", "grant-role", "anna", "latchkey"], ["auth", "enable"],
        ] {
            try cluster.control(shown + words)
        }
        let directory = try TemporaryDirectory()
        let password = try directory.file("password", Array("pass\n".utf8))
        let wrong = try directory.file("wrong", Array("word\n".utf8))
        for file in [client.keyFile, password, wrong] { try #require(chmod(file, 0o600) == 0) }
        let certificates = "--certificate \(client.certificateFile) --key \(client.keyFile)"
        let login = "--user anna --password-file"
        let laptop = try SyncDevice(
            "laptop", store: "\(cluster.store) --ca \(root.certificateFile) \(certificates) \(login) \(password)")
        for (options, words) in [
            ("", "cannot be trusted"), ("--ca \(root.certificateFile)", "does not accept the certificate"),
            ("--ca \(root.certificateFile) \(certificates) \(login) \(wrong)", "does not accept the certificate"),
        ] {
            let ending = try laptop.sync("create --store \(cluster.store) \(options) --name x", SyncDevice.passcode)
            #expect(ending.status == 70 && ending.errors.contains(words), "\(ending)")
        }
        let made = try laptop.sync("create \(laptop.place)", SyncDevice.passcode)
        #expect(made.status == 0, "\(made.errors)")
        try laptop.add("bob", "secret")
        try laptop.settle()
        let status = try laptop.sync("status").output
        #expect(status.contains("ca=\(root.certificateFile)") && !status.contains("pass\n"), "\(status)")
        // A password that is changed is read again.
        try cluster.control(
            shown + ["--user", "root:x", "user", "passwd", "anna", "--interactive=false"], input: Array("word\n".utf8))
        try FileManager.default.removeItem(atPath: password)
        try FileManager.default.moveItem(atPath: wrong, toPath: password)
        cluster.servers[0].stop()
        try cluster.restart(cluster.servers[0])
        try laptop.add("carol", "secret")
        try laptop.settle()
    }

    @Test("every thread of the daemon has a filter of system calls, also where the daemon starts the transport")
    func filtered() throws {
        let laptop = try SyncDevice("laptop", store: "etcd:http://127.0.0.1:1")
        let tasks = "/proc/\(try laptop.device.processIdentifier("latchkeyd"))/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
        let filters = threads.compactMap { thread in
            try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
                .firstMatch(of: /Seccomp:\t(\d)/)?.output.1
        }
        #expect(filters.count > 3 && filters.allSatisfy { $0 == "2" }, "\(filters)")
    }

    @Test("no program is linked to a client for networks")
    func linked() throws {
        for name in ["latchkey", "latchkeyd", "latchkey-enclave", "latchkey-volume", "latchkey-transport"] {
            let outcome = try Program.run(["ldd", try Program.built(name)])
            try #require(outcome.status == 0, "\(outcome.complaints)")
            let libraries = String(decoding: outcome.output, as: UTF8.self)
            #expect(libraries.contains("libc.so") && !libraries.contains("libcurl"), "\(name)")
        }
    }
}
