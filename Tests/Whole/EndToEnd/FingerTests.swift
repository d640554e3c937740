import Foundation
import Glibc
import Testing

@Suite("Fingers through the command line, the daemon, the enclave and a reader")
struct FingerTests {
    /// A device with a reader, a daemon of its own, and the passcode 246810.
    private final class Stage {
        let device: ThrowawayDevice
        let reader: LineReader

        init(fingers: [String] = []) throws {
            device = try ThrowawayDevice()
            reader = try LineReader(path: device.directory + "/reader")
            try device.start(options: ["--test-only-sensor", reader.path])
            try #require(try device("passcode set", input: "246810\n").status == 0)
            for finger in fingers {
                reader.touch("completed")
                let ending = try device("finger enroll \(finger)", input: "246810\n")
                try #require(ending.status == 0, "\(ending.errors)")
            }
        }

        deinit {
            reader.close()
        }
    }

    @Test("a finger is enrolled step by step, listed, and removed")
    func life() throws {
        let stage = try Stage()
        #expect(try stage.device("finger list --json").json()["obstacle"] as? String == "biometry-not-enrolled")
        let device = stage.device
        let enrolling = Asking { try device("finger enroll right-index-finger", input: "246810\n") }
        for touch in ["stage 1 3", "unclear 2", "stage 2 3", "completed"] { stage.reader.touch(touch) }
        let ending = try enrolling.ending()
        #expect(ending.status == 0, "\(ending.errors)")
        for line in ["1 of 3", "2 of 3", "too short", "3 of 3"] { #expect(ending.errors.contains(line)) }
        let listed = try stage.device("finger list --json").json()
        #expect(listed["fingers"] as? [String] == ["right-index-finger"])
        #expect(listed["obstacle"] is NSNull)
        #expect(try stage.device("status").output.contains("1 finger enrolled"))
        #expect(try stage.device("finger remove right-index-finger", input: "999999\n").status == 20)
        #expect(try stage.device("finger remove right-index-finger", input: "246810\n").status == 0)
        #expect(try stage.device("finger list --json").json()["fingers"] as? [String] == [])
        #expect(try stage.device("finger remove").status == 64)
    }

    @Test(
        "an enrolment that fails says why", arguments: [("duplicate", "already"), ("failed disconnected", "unplugged")])
    func failedEnrolment(_ event: String, _ why: String) throws {
        let stage = try Stage()
        stage.reader.touch(event)
        let ending = try stage.device("finger enroll left-thumb", input: "246810\n")
        #expect(ending.status == 29)
        #expect(ending.errors.contains(why))
    }

    @Test("Ctrl-C gives an enrolment up, at the reader, too")
    func interruptedEnrolment() throws {
        let stage = try Stage()
        let terminal = try ControllingTerminal("finger enroll left-thumb", on: stage.device)
        try terminal.read(until: "Device passcode: ")
        terminal.type("246810\n")
        try terminal.read(until: "1 of 3")
        terminal.type("\u{3}")
        #expect(try terminal.end().status == 130)
        #expect(try stage.device("finger list --json").json()["fingers"] as? [String] == [])
        // The reader is free again.
        stage.reader.touch("completed")
        #expect(try stage.device("finger enroll left-thumb", input: "246810\n").status == 0)
    }

    @Test("a finger unlocks the device, another one does not, and a device that asks for the passcode wants that")
    func unlock() throws {
        let stage = try Stage(fingers: ["right-index-finger"])
        try stage.device("lock --now")
        stage.reader.touch("notMatched")
        stage.reader.touch("unclear 4")
        stage.reader.touch("matched right-index-finger")
        let ending = try stage.device("unlock --finger")
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors.contains("Not recognised; 4 tries left"))
        #expect(try stage.device.lockState() == "unlocked")
        try stage.device("lock --require-passcode")
        #expect(try stage.device.lockState() == "locked")
        #expect(try stage.device("unlock --finger").status == 28)
        #expect(try stage.device("unlock", input: "246810\n").status == 0)
        #expect(try stage.device("finger list --json").json()["obstacle"] is NSNull)
    }

    @Test("five misses are the end of fingers until the passcode was given")
    func misses() throws {
        let stage = try Stage(fingers: ["right-index-finger"])
        try stage.device("lock --now")
        for _ in 0..<5 { stage.reader.touch("notMatched") }
        #expect(try stage.device("unlock --finger").status == 28)
        #expect(try stage.device("status").output.contains("passcode has to be given first"))
    }

    @Test("an item is opened by a finger, and the prompt disappears by itself")
    func item() throws {
        let stage = try Stage(fingers: ["right-index-finger"])
        try stage.device("add-generic-password -s bank --require biometry-current-set", input: "money")
        let terminal = try ControllingTerminal("find-generic-password -s bank -w", on: stage.device)
        try terminal.read(until: "Touch the fingerprint reader.")
        stage.reader.touch("matched right-index-finger")
        let ending = try terminal.end()
        #expect(ending.output == "money\n", "\(ending.errors)")
        #expect(ending.errors.contains("It echoes."))
        #expect(ending.errors.contains("For: \"bank"))
    }

    @Test("Return at the finger's prompt is the way to the passcode, where the item allows it")
    func fallback() throws {
        let stage = try Stage(fingers: ["right-index-finger"])
        try stage.device("add-generic-password -s bank --require user-presence", input: "money")
        let terminal = try ControllingTerminal("find-generic-password -s bank -w", on: stage.device)
        try terminal.read(until: "Ctrl-C cancels)")
        terminal.type("\n")
        try terminal.read(until: "Passcode: ")
        terminal.type("246810\n")
        #expect(try terminal.end().output == "money\n")
    }

    @Test("of two conditions both are asked for, or one with --any")
    func combined() throws {
        let stage = try Stage(fingers: ["right-index-finger"])
        let conditions = "--require passcode --require biometry-any"
        try stage.device("add-generic-password -s both \(conditions)", input: "a")
        try stage.device("add-generic-password -s one \(conditions) --any", input: "b")
        let both = try ControllingTerminal("find-generic-password -s both -w", on: stage.device)
        try both.read(until: "Touch the fingerprint reader.")
        stage.reader.touch("matched right-index-finger")
        try both.read(until: "Passcode: ")
        both.type("246810\n")
        #expect(try both.end().output == "a\n")
        let one = try ControllingTerminal("find-generic-password -s one -w", on: stage.device)
        try one.read(until: "Touch the fingerprint reader.")
        stage.reader.touch("matched right-index-finger")
        #expect(try one.end().output == "b\n")
    }

    @Test("an item of the present fingers is gone when another one is enrolled, one of any finger is not")
    func currentSet() throws {
        let stage = try Stage(fingers: ["right-index-finger"])
        try stage.device("add-generic-password -s present --require biometry-current-set", input: "a")
        try stage.device("add-generic-password -s any --require biometry-any", input: "b")
        let refused = try stage.device("finger enroll left-thumb", input: "246810\n")
        #expect(refused.status == 37)
        #expect(refused.errors.contains("Enrolling a finger destroys 1 item for good: 1 of "))
        stage.reader.touch("completed")
        #expect(try stage.device("finger enroll left-thumb --yes", input: "246810\n").status == 0)
        let gone = try stage.device("find-generic-password -s present -w")
        #expect(gone.status == 44)
        #expect(gone.errors.contains("when the enrolled fingers changed"))
        #expect(try stage.device("finger remove left-thumb", input: "246810\n").status == 0, "nothing is left to end")
        stage.reader.touch("completed")
        #expect(try stage.device("finger enroll left-thumb", input: "246810\n").status == 0)
        let terminal = try ControllingTerminal("find-generic-password -s any -w", on: stage.device)
        try terminal.read(until: "Touch the fingerprint reader.")
        stage.reader.touch("matched left-thumb")
        #expect(try terminal.end().output == "b\n")
    }

    @Test("without a reader nothing is enrolled, and the message names what is missing")
    func noReader() throws {
        let device = try ThrowawayDevice()
        let reader = device.directory + "/no-such-reader"
        try device.start(options: ["--test-only-sensor", reader])
        #expect(try device("finger enroll left-thumb", input: "246810\n").status == 26)
        try device("passcode set", input: "246810\n")
        let ending = try device("finger enroll left-thumb", input: "246810\n")
        #expect(ending.status == 28)
        #expect(ending.errors.contains("why:"))
    }
}

extension ThrowawayDevice {
    /// Starts the daemon with options that `latchkey start` does not have, and returns when it answers.
    func start(options: [String]) throws {
        let process = Process()
        process.executableURL = try Installation.program("latchkeyd")
        process.arguments = ["--device", directory, "--test-only-passcode-cost", "10"] + options
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        while !FileManager.default.fileExists(atPath: directory + "/run/keychain.sock") {
            try #require(process.isRunning, "the daemon ended")
            usleep(1_000)
        }
    }
}
