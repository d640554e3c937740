import CLatchkeyShims
import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Synchronization
import Testing

/// Bad clients and bad surroundings of the real processes: each gets its answer, and nothing is lost.
@Suite(.serialized) struct FaultTests {
    private func device(at path: String? = nil) throws -> (device: DeviceProcesses, client: RemoteKeychain) {
        let device = try DeviceProcesses(at: path)
        try device.start()
        let client = device.client()
        try #require(client.add("kept", [1, 2, 3]) == .success)
        return (device, client)
    }

    /// A connection to the daemon that speaks no protocol.
    private func rawConnection(_ device: DeviceProcesses) throws -> Int32 {
        let descriptor = lk_socket_connect(device.directory.keychainSocket)
        guard descriptor >= 0 else { throw Failed("connect: \(String(cString: strerror(-descriptor)))") }
        return descriptor
    }

    @Test("connections that are closed on one side keep no other client out")
    func halfClosed() throws {
        let (device, client) = try device()
        let daemon = device.daemonIdentifier
        var held: [Int32] = []
        for index in 0..<100 {
            let descriptor = try rawConnection(device)
            shutdown(descriptor, Int32(index.isMultiple(of: 2) ? SHUT_WR : SHUT_RD))
            held.append(descriptor)
        }
        #expect(client.find("kept") == .success([1, 2, 3]))
        #expect(device.client().add("new", [4]) == .success)
        for descriptor in held { close(descriptor) }
        #expect(device.daemonIdentifier == daemon)
        #expect(device.client().find("new") == .success([4]))
    }

    @Test("frames of noise end their own connection and nothing else")
    func noise() throws {
        let (device, client) = try device()
        var random = SplitMix(seed: 5)
        for round in 0..<200 {
            let descriptor = try rawConnection(device)
            for _ in 0..<3 {
                var bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                // Half of them look like frames at first sight.
                if round.isMultiple(of: 2) {
                    bytes.replaceSubrange(
                        0..<min(6, bytes.count),
                        with: [0x4C, 0x4B, 0x59, 0x53, 1, UInt8.random(in: 0...6, using: &random)].prefix(
                            min(6, bytes.count)))
                }
                _ = lk_socket_send(descriptor, bytes, bytes.count, -1, 1)
            }
            close(descriptor)
        }
        #expect(client.find("kept") == .success([1, 2, 3]))
        #expect(device.client().find("kept") == .success([1, 2, 3]))
    }

    @Test("a client that is killed in a call leaves its item whole or absent, and the daemon well")
    func killedClient() throws {
        let (device, client) = try device()
        let program = DeviceProcesses.programs + "/latchkey"
        try #require(FileManager.default.isExecutableFile(atPath: program), "the command line is not built")
        var random = SplitMix(seed: 9)
        for _ in 0..<30 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = ["find-generic-password", "-a", "absent"]
            process.environment = ["LATCHKEY_DEVICE": "unix:" + device.directory.keychainSocket]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            try process.run()
            for _ in 0..<Int.random(in: 0...40_000, using: &random) { sched_yield() }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        #expect(client.find("kept") == .success([1, 2, 3]))
        #expect(device.client().add("after", [9]) == .success)
        #expect(try client.status().quarantinedRows == 0)
    }

    @Test("a daemon that is killed again and again finds its enclave each time")
    func killedDaemons() throws {
        let (device, _) = try device()
        let enclave = try #require(device.enclaveIdentifier)
        // More often than the enclave takes connections.
        for _ in 0..<80 {
            device.killDaemon()
            try device.start()
        }
        #expect(device.enclaveIdentifier == enclave)
        #expect(device.client().find("kept") == .success([1, 2, 3]))
    }

    @Test("a second daemon on the same device is refused with what to do, and the first goes on")
    func secondDaemon() throws {
        let (device, client) = try device()
        let second = try DeviceProcesses(at: device.directory.path)
        let outcome = try second.outcomeOfStart()
        #expect(outcome.status == 1)
        #expect(outcome.message.contains("in use by another latchkeyd"))
        #expect(outcome.message.contains("latchkey stop"))
        #expect(client.find("kept") == .success([1, 2, 3]))
        #expect(device.client().find("kept") == .success([1, 2, 3]))
    }

    @Test(
        "a directory that others can enter is refused with the command that fixes it",
        arguments: ["", "/enclave", "/keychain", "/run"])
    func permissions(_ part: String) throws {
        let (device, _) = try device()
        device.stop()
        let path = device.directory.path + part
        chmod(path, 0o755)
        let outcome = try device.outcomeOfStart()
        #expect(outcome.status == 1)
        #expect(outcome.message.contains("chmod 700 '\(path)'"), "\(outcome.message)")
        chmod(path, 0o700)
        try device.start()
        #expect(device.client().find("kept") == .success([1, 2, 3]))
    }

    @Test("wrong passcodes from many clients at once are all counted, and never more than the table allows")
    func manyWrongPasscodes() throws {
        let (device, client) = try device()
        guard (try? client.ask(SetPasscode(secret("right")))) != nil else { throw Failed("no passcode") }
        let wrong = Atomic<Int>(0)
        let delayed = Atomic<Int>(0)
        let others = Mutex<[String]>([])
        let group = DispatchGroup()
        for thread in 0..<8 {
            let own = device.client()
            group.enter()
            Thread.detachNewThread {
                for number in 0..<4 {
                    switch own.refusal(of: UnlockDevice(secret("wrong \(thread) \(number)"))) {
                    case .refused(.wrongPasscode): wrong.add(1, ordering: .relaxed)
                    case .refused(.delayed): delayed.add(1, ordering: .relaxed)
                    case let other: others.withLock { $0.append("\(other, default: "done")") }
                    }
                }
                group.leave()
            }
        }
        group.wait()
        // The fifth failure begins a delay of a minute.
        #expect(wrong.load(ordering: .relaxed) == 5)
        #expect(delayed.load(ordering: .relaxed) == 27)
        #expect(others.withLock { $0 } == [])
        #expect(try client.status().enclave.failedAttempts == 5)
        // Neither another daemon nor another enclave forgets it; and the delay holds for the right passcode too.
        device.killDaemon()
        device.killEnclave()
        try device.start()
        let status = try device.client().status().enclave
        #expect(status.failedAttempts == 5)
        #expect(status.secondsUntilNextAttempt > 50)
        guard case .refused(.delayed) = device.client().refusal(of: UnlockDevice(secret("right"))) else {
            Issue.record("the delay was cut short by a restart")
            return
        }
    }

    @Test(
        "a device on a read-only file system is refused in words",
        .needsMounts)
    func readOnly() throws {
        let disk = try SmallDisk(megabytes: 8)
        let (device, _) = try device(at: disk.path + "/device")
        device.stop()
        try disk.makeReadOnly()
        let outcome = try device.outcomeOfStart()
        #expect(outcome.status == 1)
        #expect(
            outcome.message.contains("cannot be opened") || outcome.message.contains("writable"), "\(outcome.message)")
        try disk.makeWritable()
        try device.start()
        #expect(device.client().find("kept") == .success([1, 2, 3]))
    }

    @Test(
        "on a full disk the passcode stays the old one, items stay, and room lets everything go on",
        .needsMounts)
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 8)
        let (device, client) = try device(at: disk.path + "/device")
        guard (try? client.ask(SetPasscode(secret("old")))) != nil else { throw Failed("no passcode") }
        try disk.fill()
        guard case .refused(.storage) = client.refusal(of: ChangePasscode(from: secret("old"), to: secret("new")))
        else {
            Issue.record("a passcode changed on a full disk")
            return
        }
        #expect(client.add("large", [UInt8](repeating: 7, count: 200_000)) == .notAvailable)
        #expect(client.find("kept") == .success([1, 2, 3]))
        device.killDaemon()
        device.killEnclave()
        disk.empty()
        try device.start()
        guard (try? device.client().ask(UnlockDevice(secret("old")))) != nil else {
            Issue.record("the old passcode does not work")
            return
        }
        #expect(device.client().find("kept") == .success([1, 2, 3]))
        #expect(device.client().add("large", [7]) == .success)
    }
}
