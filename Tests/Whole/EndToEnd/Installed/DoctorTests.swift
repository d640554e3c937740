import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite("latchkey doctor")
struct DoctorTests {
    /// The steps of a kind, by name, as the JSON document has them.
    private func steps(_ ending: Ending) throws -> [String: [String: Any]] {
        let steps = try #require(try ending.json()["steps"] as? [[String: Any]])
        return steps.reduce(into: [:]) { $0[$1["step"] as? String ?? ""] = $1 }
    }

    @Test("without a device says so, makes none, and ends with 18")
    func none() throws {
        let device = try ThrowawayDevice()
        let path = device.directory + "/none"
        let ending = try run(try Installation.program("latchkey"), ["doctor", "--json", "--device", path])
        #expect(ending.status == 10 || ending.status == 18)
        #expect(!FileManager.default.fileExists(atPath: path))
        let home = try run(
            try Installation.program("latchkey"), ["doctor", "--json"], environment: ["XDG_DATA_HOME": path])
        #expect(home.status == 18)
        #expect(try home.json()["installation"] as? String == "none")
        #expect(try steps(home)["device"]?["mend"] as? String != nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("of a device that no daemon serves says embedded, and what that means")
    func embedded() throws {
        let device = try ThrowawayDevice()
        try #require(try device("add-generic-password -s s", input: "secret").status == 0)
        let ending = try device("doctor --json")
        #expect(ending.status == 0, "\(ending.output)")
        #expect(try ending.json()["installation"] as? String == "embedded")
        #expect(try steps(ending)["daemon"]?["state"] as? String == "notice")
        // The presence of a reader is not looked for.
        for line in ["finger list", "status"] {
            let shown = try device(line).output
            #expect(shown.contains("used by a daemon only") && !shown.contains("no fingerprint reader"), "\(shown)")
        }
    }

    @Test("says that others can change a program, or the library that the programs share")
    func changeable() throws {
        let device = try ThrowawayDevice()
        let place = try TemporaryDirectory()
        for name in ["latchkey", "latchkeyd", "latchkey-enclave"] {
            try TwoInstallations.copy(try Installation.program(name).path, place.path(name))
        }
        func safety() throws -> [String: Any]? {
            let ending = try run(
                URL(filePath: place.path("latchkey")), ["doctor", "--json", "--device", device.directory])
            return try steps(ending)["programs are safe"]
        }
        try place.file("liblatchkey-0123456789abcdef.so", [0])
        try #require(chmod(place.path("liblatchkey-0123456789abcdef.so"), 0o644) == 0)
        _ = try device("start")
        #expect(try safety()?["state"] as? String == "ok")
        try #require(chmod(place.path("liblatchkey-0123456789abcdef.so"), 0o666) == 0)
        let open = try safety()
        #expect(open?["state"] as? String == "missing")
        #expect("\(open ?? [:])".contains("liblatchkey-0123456789abcdef.so"))
    }

    @Test("of a running device says user, with what its processes have given up and what it does not promise")
    func user() throws {
        let device = try ThrowawayDevice.unlocked()
        let ending = try device("doctor --json")
        #expect(try ending.json()["installation"] as? String == "user")
        #expect(try ending.json()["device"] as? String == device.directory)
        let steps = try steps(ending)
        for name in [
            "device directory", "device answers", "daemon", "enclave", "daemon is confined", "enclave is confined",
            "Landlock", "passcode", "database", "programs",
        ] {
            #expect(steps[name]?["state"] as? String == "ok", "\(name): \(ending.output)")
        }
        #expect(steps["separate users"]?["state"] as? String == "notice")
        #expect(steps["root of trust"]?["state"] as? String == "notice")
        let text = try device("doctor").output
        #expect(text.contains("Per-user installation"))
        #expect(text.contains("ok       device directory"))
    }

    @Test("names a directory that others can enter and the command that fixes it, and ends with 18 until that was done")
    func mending() throws {
        let device = try ThrowawayDevice.unlocked()
        try #require(chmod(device.directory, 0o755) == 0)
        let ending = try device("doctor --json")
        #expect(ending.status == 18)
        #expect(try ending.json()["complete"] as? Bool == false)
        let step = try #require(try steps(ending)["device directory"])
        #expect(step["state"] as? String == "missing")
        let command = try #require(step["mend"] as? String)
        #expect(try run(URL(filePath: "/bin/sh"), ["-c", command]).status == 0)
        #expect(try steps(try device("doctor --json"))["device directory"]?["state"] as? String == "ok")
    }

    @Test("sees that the programs were moved under the running device, and its advice then fixes it")
    func moved() throws {
        let two = try TwoInstallations()
        #expect(try two(two.first, "start").status == 0)
        #expect(try two(two.first, "add-generic-password -s mail", input: "one").status == 0)
        let before = try steps(try two(two.first, "doctor --json"))
        for role in ["daemon", "enclave"] {
            #expect(before["program of the \(role)"]?["state"] as? String == "ok", "\(before)")
        }
        let moved = two.first + "-moved"
        try #require(rename(two.first, moved) == 0)
        let ending = try two(moved, "doctor --json")
        #expect(ending.status == 18)
        for role in ["daemon", "enclave"] {
            let step = try #require(try steps(ending)["program of the \(role)"])
            #expect(step["state"] as? String == "missing")
            let command = try #require(step["mend"] as? String)
            #expect(command.contains("latchkey stop"))
        }
        // The tool moved with them, and the daemon knows it at its old place.
        let missing = try two(moved, "find-generic-password -s mail -w")
        #expect(missing.status == 44)
        #expect(!missing.errors.contains("Use \(two.first)"), "\(missing.errors)")
        #expect(missing.errors.contains("latchkey doctor"))
        #expect(try two(moved, "stop").status == 0)
        #expect(try two(moved, "start").status == 0)
        #expect(try two(moved, "find-generic-password -s mail -w").output == "one\n")
        #expect(try steps(try two(moved, "doctor --json"))["program of the daemon"]?["state"] as? String == "ok")
        #expect(try two(moved, "stop").status == 0)
    }

    @Test("misses an enclave that was stopped, and a daemon whose answer does not come")
    func stopped() throws {
        let device = try ThrowawayDevice.unlocked()
        let daemon = try device.processIdentifier("latchkeyd")
        #expect(
            try steps(try device("doctor --json"))["daemon"]?["found"] as? String
                == "process \(daemon) runs as \(NSUserName())")
        try device.kill("latchkeyd")
        let ending = try run(
            try Installation.program("latchkey"), ["doctor", "--json"],
            environment: ["LATCHKEY_DEVICE": "unix:\(device.directory)/run/keychain.sock"])
        #expect(ending.status == 18)
        let steps = try steps(ending)
        #expect(steps["daemon"]?["state"] as? String == "missing")
        #expect(steps["device answers"]?["state"] as? String == "missing")
        #expect(steps["enclave"]?["state"] as? String == "ok")
    }
}
