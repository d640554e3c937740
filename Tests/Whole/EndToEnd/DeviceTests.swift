import Foundation
import LatchkeyTestSupport
import Testing

@Suite("A device through the command line")
struct DeviceTests {
    @Test("a locked device refuses, explains itself, and opens again")
    func lockAndExplain() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-generic-password -s s -a a --accessible aku", input: "secret")
        #expect(try device("lock --now").status == 0)
        let refused = try device("find-generic-password -s s -w")
        #expect(refused.status == 36)
        #expect(refused.output.isEmpty)
        #expect(refused.errors.contains("-25308 errSecInteractionNotAllowed"))
        #expect(refused.errors.contains("do:"))
        let json = try device("find-generic-password -s s --json")
        let error = try #require(try json.json()["error"] as? [String: Any])
        #expect(error["exitCode"] as? Int == 36)
        #expect(error["name"] as? String == "errSecInteractionNotAllowed")
        let explained = try device("explain --limit 1").output
        for part in ["find", "genp", "locked", "-25308", "class-key-locked"] { #expect(explained.contains(part)) }
        #expect(try device("dump-keychain").output.contains("when-unlocked-this-device-only"))
        #expect(try device("dump-keychain -d").status == 36)
        #expect(try device("export csv").status == 36)
        #expect(try device("unlock", input: "246810\n").status == 0)
        #expect(try device("find-generic-password -s s -w").output == "secret\n")
    }

    @Test("wrong passcodes are counted, the same one twice only once")
    func wrongPasscodes() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("lock --now")
        #expect(try device("unlock", input: "111111\n").status == 20)
        #expect(try device("unlock", input: "111111\n").status == 20)
        #expect(try device("status --json").json()["failedAttempts"] as? Int == 1)
        #expect(try device("unlock", input: "222222\n").status == 20)
        #expect(try device("status --json").json()["failedAttempts"] as? Int == 2)
        #expect(try device("unlock", input: "246810\n").status == 0)
        #expect(try device("status --json").json()["failedAttempts"] as? Int == 0)
    }

    @Test("the passcode is set, changed and removed")
    func passcode() throws {
        let device = try ThrowawayDevice()
        try #require(try device("start").status == 0)
        #expect(try device("passcode remove", input: "x\n").status == 26)
        #expect(try device("unlock", input: "x\n").status == 26)
        #expect(try device("passcode set", input: "").status == 31)
        #expect(try device("passcode set", input: "246810\n").status == 0)
        #expect(try device("passcode set", input: "135790\n").status == 25)
        #expect(try device("passcode change", input: "000000\n135790\n").status == 20)
        #expect(try device("passcode change", input: "246810\n135790\n").status == 0)
        try device("lock --now")
        #expect(try device("unlock", input: "246810\n").status == 20)
        #expect(try device("unlock", input: "135790\n").status == 0)
        #expect(try device("passcode remove", input: "135790\n").status == 0)
        #expect(try device.lockState() == "noPasscode")
    }

    @Test("without a daemon a new passcode locks the device again, and what is then advised unlocks it")
    func passcodeWithoutDaemon() throws {
        let device = try ThrowawayDevice()
        try #require(try device("add-generic-password -s s", input: "secret").status == 0)
        let ending = try device("passcode set", input: "246810\n")
        #expect(ending.status == 0)
        #expect(!ending.output.contains("is unlocked"), "\(ending.output)")
        // Each command that meets the lock advises what works.
        let refused = try [
            ending.output, device("find-generic-password -s s -w").errors, device("explain --limit 1").output,
            device("dump-keychain -d").errors, device("export csv").errors, device("unlock", input: "246810\n").errors,
        ]
        for text in refused {
            let start = text.range(of: "latchkey start")
            let unlock = text.range(of: "latchkey unlock")
            #expect(start != nil && unlock != nil, "\(text)")
            if let start, let unlock { #expect(start.lowerBound < unlock.lowerBound, "\(text)") }
        }
        #expect(ending.output.contains("latchkey start --device \(device.directory)"))
        try #require(try device("start").status == 0)
        try #require(try device("unlock", input: "246810\n").status == 0)
        #expect(try device("find-generic-password -s s -w").output == "secret\n")
    }

    @Test("a killed daemon loses nothing, and the enclave keeps the lock state")
    func killedDaemon() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-generic-password -s s", input: "secret")
        let enclave = try device.processIdentifier("latchkey-enclave")
        try device.kill("latchkeyd")
        #expect(try device("start").status == 0)
        #expect(try device.processIdentifier("latchkey-enclave") == enclave)
        #expect(try device.lockState() == "unlocked")
        #expect(try device("find-generic-password -s s -w").output == "secret\n")
        #expect(try device("lock --now").status == 0)
        try device.kill("latchkeyd")
        #expect(try device("start").status == 0)
        let state = try device.lockState()
        #expect(state == "locked")
    }

    @Test("through its socket alone it is not stopped; the command that stops it is named, and does")
    func stopThroughSocket() throws {
        let device = try ThrowawayDevice.unlocked()
        let socket = "unix:\(device.directory)/run/keychain.sock"
        func stop(_ location: String, _ arguments: [String] = []) throws -> Ending {
            try run(
                try Installation.program("latchkey"), ["stop"] + arguments,
                environment: ["LATCHKEY_DEVICE": location, "XDG_DATA_HOME": device.directory + "/none"])
        }
        for arguments in [[], ["--json"]] {
            let refused = try stop(socket, arguments)
            #expect(refused.status == 12, "\(refused.output)")
            let said = refused.output + refused.errors
            #expect(said.contains("latchkey stop --device '\(device.directory)'"), "\(said)")
        }
        #expect(try device.lockState() == "unlocked", "nothing was stopped")
        #expect(try stop(socket, ["--device", device.directory]).output.contains("has stopped"))
        #expect(try device.processes().isEmpty)
        let gone = try stop(socket)
        #expect(gone.status == 10, "\(gone.output)\(gone.errors)")
    }

    @Test("stopped and started, a device with a passcode is as after a reboot")
    func restart() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-generic-password -s s", input: "secret")
        #expect(try device("stop").status == 0)
        #expect(try device.processes().isEmpty)
        #expect(try device("stop --json").json()["stopped"] as? Bool == false)
        #expect(try device("unlock", input: "246810\n").status == 10)
        #expect(try device("start").status == 0)
        #expect(try device("start --json").json()["started"] as? Bool == false)
        #expect(try device.lockState() == "beforeFirstUnlock")
        #expect(try device("find-generic-password -s s").status == 36)
        #expect(try device("unlock", input: "246810\n").status == 0)
        #expect(try device("find-generic-password -s s -w").output == "secret\n")
    }

    @Test("erasing needs the word or --yes, and the passcode; afterwards nothing is left")
    func erase() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-generic-password -s s", input: "secret")
        #expect(try device("erase", input: "246810\n").status == 37)
        #expect(try device("erase --yes", input: "000000\n").status == 20)
        #expect(try device("find-generic-password -s s -w").output == "secret\n")
        #expect(try device("erase --yes", input: "246810\n").status == 0)
        #expect(try device.lockState() == "noPasscode")
        #expect(try device("find-generic-password -s s").status == 44)
    }

    @Test("settings are changed with the passcode")
    func configure() throws {
        let device = try ThrowawayDevice.unlocked()
        #expect(try device("configure --grace 3 --erase-after-ten on", input: "000000\n").status == 20)
        #expect(try device("configure --grace 3 --erase-after-ten on", input: "246810\n").status == 0)
        let status = try device("status --json").json()
        #expect(status["gracePeriodSeconds"] as? Double == 3)
        #expect(status["eraseAfterTenFailures"] as? Bool == true)
    }

    @Test("a directory that others can enter is refused with the command that fixes it")
    func permissions() throws {
        let device = try ThrowawayDevice()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: device.directory)
        let refused = try device("start")
        #expect(refused.status == 13)
        #expect(refused.errors.contains("chmod 700 '\(device.directory)'"))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: device.directory)
        #expect(try device("start").status == 0)
    }

    @Test("a device that does not exist is named, not made")
    func missing() throws {
        let device = try ThrowawayDevice()
        let path = device.directory + "/none"
        let ending = try run(try Installation.program("latchkey"), ["status", "--device", path])
        #expect(ending.status == 10)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "a device that LATCHKEY_DEVICE names and that does not answer is said to be unreachable",
        arguments: ["unix:/nonexistent/keychain.sock", "nonsense"],
        [["status"], ["find-generic-password", "-s", "x"], ["unlock"]])
    func unreachable(_ device: String, _ arguments: [String]) throws {
        let ending = try run(
            try Installation.program("latchkey"), arguments, input: Data("1\n".utf8),
            environment: ["LATCHKEY_DEVICE": device])
        #expect(ending.status == 10)
        #expect(ending.errors.contains("LATCHKEY_DEVICE"))
    }

    @Test("without a daemon the commands open the device themselves; with a passcode it is then locked")
    func withoutDaemon() throws {
        let device = try ThrowawayDevice()
        #expect(try device("add-generic-password -s s", input: "secret").status == 0)
        #expect(try device("find-generic-password -s s -w").output == "secret\n")
        #expect(try device("status --json").json()["kind"] as? String == "embedded")
        #expect(try device("passcode set", input: "246810\n").status == 0)
        #expect(try device("find-generic-password -s s -w").status == 36)
        #expect(try device("start").status == 0)
        #expect(try device("unlock", input: "246810\n").status == 0)
        #expect(try device("find-generic-password -s s -w").output == "secret\n")
    }

    @Test("starts at the same time leave one daemon, so that a stop is the end of it")
    func concurrentStarts() throws {
        let device = try ThrowawayDevice()
        // Where the machine is busy, the starts of one round come one after the other.
        for _ in 0..<4 {
            onThreads(4) { _ in
                let started = try? device("start")
                #expect(started?.status == 0, "\(started?.errors ?? "")")
            }
            #expect(try device.processes().count == 2)
            #expect(try device("stop").status == 0)
            #expect(try device.processes() == [])
        }
    }

    @Test("what the system says about a failure ends with one full stop", arguments: ["start", "status"])
    func oneFullStop(_ command: String) throws {
        let ending = try run(
            try Installation.program("latchkey"), [command, "--device", "/dev/null/latchkey"])
        #expect(ending.status != 0)
        #expect(!ending.errors.contains(".."), "\(ending.errors)")
    }

    @Test(
        "a device that takes no changes can be read, and nothing of it is changed",
        .needsMounts)
    func readOnly() throws {
        let stage = try ReadOnlyStage()
        let (path, scratch) = (stage.path, stage.scratch)
        let latchkey = try Installation.program("latchkey")
        func call(_ line: String, input: String = "") throws -> Ending {
            try run(
                latchkey, line.split(separator: " ").map(String.init) + ["--device", path], input: Data(input.utf8),
                environment: ["XDG_RUNTIME_DIR": scratch])
        }
        let status = try call("status --json")
        #expect(status.status == 0, "\(status.errors)")
        #expect(try status.json()["device"] as? String == path)
        #expect(try call("find-generic-password -s mail -w").status == 36)
        for line in ["add-generic-password -s x", "configure --grace 5", "passcode remove --yes", "erase --yes"] {
            let ending = try call(line, input: "246810\n")
            #expect(ending.status == 40, "\(line) \(ending.errors)")
            #expect(ending.errors.contains("takes no changes"))
        }
        // Before a passcode, a secret or a word is asked for.
        for line in [
            "configure --grace 5", "passcode change", "passcode remove", "erase", "erase --yes", "adopt --revoke",
            "delete-generic-password -s mail", "item add class=genp", "team revoke EIF5MUDOJM", "app forget x",
            "item update service=mail --secret",
        ] {
            let ending = try call(line)
            #expect(ending.status == 40, "\(line) \(ending.errors)")
            #expect(ending.errors.contains("takes no changes"), "\(line) \(ending.errors)")
        }
        for line in ["find-generic-password -s mail -w", "unlock", "dump-keychain -d"] {
            let advised = try call(line, input: "246810\n").errors
            #expect(!advised.contains("latchkey start") && advised.contains("copy this one"), "\(line) \(advised)")
        }
        let doctor = try call("doctor --json")
        #expect(doctor.status == 18)
        let steps = try #require(try doctor.json()["steps"] as? [[String: Any]])
        #expect(steps.contains { $0["step"] as? String == "changes" && $0["state"] as? String == "missing" })
        let fixes = steps.compactMap { $0["mend"] as? String }
        #expect(!fixes.contains { $0.contains("latchkey stop") }, "\(doctor.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == [])
        // On a terminal it is unlocked for the one command.
        let terminal = try ControllingTerminal(
            "find-generic-password -s mail -w", inDirectory: path, environment: ["XDG_RUNTIME_DIR": scratch])
        try terminal.read(until: "Device passcode: ")
        terminal.type("246810\n")
        #expect(try terminal.end().output == "s3cret\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == [])
    }

    @Test(
        "a signal that ends a command leaves no copy of a device that takes no changes",
        .needsMounts,
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func interruptedReading(_ signal: Int32) throws {
        let stage = try ReadOnlyStage()
        let terminal = try stage.askingForPasscode()
        #expect(try stage.copies().count == 1)
        if signal == SIGINT { terminal.type("\u{3}") } else { try terminal.send(signal) }
        #expect(try terminal.end().status == 128 + signal)
        #expect(try stage.copies() == [])
    }

    @Test(
        "a copy whose process was killed goes with the next command, and no other does",
        .needsMounts)
    func killedReading() throws {
        let stage = try ReadOnlyStage()
        let killed = try stage.askingForPasscode()
        try killed.send(SIGKILL)
        _ = try killed.end()
        let left = try stage.copies()
        #expect(left.count == 1)
        let running = try stage.askingForPasscode()
        let used = try stage.copies()
        #expect(used.count == 1 && used != left)
        // Of another user, open to others, of another name: none of this program's making.
        let foreign = ["latchkey-read-only.aaaaaa", "latchkey-read-only.bbbbbb", "latchkey-read-only.c"]
        for name in foreign { try #require(mkdir(stage.scratch + "/" + name, 0o700) == 0) }
        try #require(chown(stage.scratch + "/" + foreign[0], 65534, 65534) == 0)
        try #require(chmod(stage.scratch + "/" + foreign[1], 0o755) == 0)
        #expect(try stage("status").status == 0)
        #expect(try stage.copies() == (used + foreign).sorted())
        running.type("246810\n")
        #expect(try running.end().output == "s3cret\n")
        #expect(try stage.copies() == foreign)
    }

    @Test(
        "a device that takes no changes and cannot be copied as a whole is not taken for an empty one",
        .needsMounts)
    func partialCopy() throws {
        let stage = try ReadOnlyStage { path in
            try FileManager.default.moveItem(atPath: path + "/keychain", toPath: path + "/elsewhere")
            try FileManager.default.createSymbolicLink(
                atPath: path + "/keychain", withDestinationPath: path + "/elsewhere")
        }
        let ending = try stage("find-generic-password -s mail")
        #expect(ending.status == 16, "\(ending.errors)")
        #expect(ending.errors.contains("/keychain: It is neither a file nor a directory"))
        #expect(try stage.copies() == [])
    }
}

/// A device with a passcode and one item on a medium that takes no changes, and a directory for copies of it.
private final class ReadOnlyStage {
    let path: String
    let scratch: String
    private let device: ThrowawayDevice
    private let disk: SmallDisk

    /// - Parameter change: gets the path of the device while it can be changed.
    init(_ change: (String) throws -> Void = { _ in }) throws {
        device = try ThrowawayDevice.unlocked()
        try device("add-generic-password -s mail", input: "s3cret")
        try device("stop")
        disk = try SmallDisk(megabytes: 16)
        path = disk.path + "/device"
        scratch = device.directory + "-scratch"
        let copying = try run(URL(filePath: "/bin/cp"), ["-a", device.directory, path])
        try #require(copying.status == 0)
        try change(path)
        try disk.makeReadOnly()
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: scratch) }

    func callAsFunction(_ line: String) throws -> Ending {
        try run(
            Installation.program("latchkey"), line.split(separator: " ").map(String.init) + ["--device", path],
            environment: ["XDG_RUNTIME_DIR": scratch])
    }

    func askingForPasscode() throws -> ControllingTerminal {
        let terminal = try ControllingTerminal(
            "find-generic-password -s mail -w", inDirectory: path, environment: ["XDG_RUNTIME_DIR": scratch])
        try terminal.read(until: "Device passcode: ")
        return terminal
    }

    func copies() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch).sorted()
    }
}
