import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite("Delays after wrong passcodes cannot be skipped by another clock")
struct ClockAttackTests {
    private static let unshare = "/usr/bin/unshare"

    @Test(
        "a device that is started with its boot clock ahead begins the running delay anew",
        .needsRoot(to: "make a time namespace"),
        .enabled(
            if: access("/proc/self/timens_offsets", F_OK) == 0,
            "this kernel has no time namespaces (CONFIG_TIME_NS), so it cannot be tried"))
    func timeNamespace() throws {
        let device = try ThrowawayDevice.unlocked()
        try #require(try device("lock --now").status == 0)
        for number in 0..<5 { #expect(try device("unlock", input: "00000\(number)\n").status == 20) }
        #expect(try device("unlock", input: "246810\n").status == 21)
        try #require(try device("stop").status == 0)
        let started = try run(
            URL(filePath: Self.unshare),
            [
                "--time", "--boottime", "1000000", try Installation.program("latchkey").path, "start", "--device",
                device.directory,
            ])
        try #require(started.status == 0, "\(started.errors)")
        #expect(try device("unlock", input: "246810\n").status == 21)
        let left = try #require(try device("status --json").json()["secondsUntilNextAttempt"] as? Double)
        #expect(left > 0 && left <= 60)
    }
}
