import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// A server that is killed or stopped.
@Suite("A volume whose server is dead or stopped", .needsVolumes)
struct VolumeDeathTests {
    @Test("unmount names a server that is stopped, at once, and leaves the volume mounted")
    func stopped() throws {
        let stage = try MountStage()
        let server = try stage.server()
        try FileHandleNumber.store("text", at: stage.path("file"))
        try #require(kill(server, SIGSTOP) == 0)
        let refused = try stage.device(["volume", "unmount", stage.folder])
        #expect(refused.status == 12)
        #expect(refused.errors.contains("kill -CONT \(server)"), "\(refused.errors)")
        #expect(refused.errors.contains("was not unmounted"), "\(refused.errors)")
        try #require(kill(server, SIGCONT) == 0)
        #expect(try FileHandleNumber.content(stage.path("file")) == Array("text".utf8))
        try stage.unmount()
    }

    /// More with `LATCHKEY_KILLS` (`Scripts/crash lock`).
    private static let rounds = Campaign.count(20, inTests: 3)
    /// Another one with `LATCHKEY_SEED`.
    private static let seed = Campaign.seed(0)

    @Test("a server that is killed during a lock leaves no program that cannot be ended")
    func lockStormCampaign() throws {
        let stage = try MountStage(fileClass: "A")
        for seed in (0..<UInt64(Self.rounds)).map({ Self.seed &+ $0 }) {
            var random = SplitMix(seed: seed)
            let writers = try (0..<Int.random(in: 2...5, using: &random)).map {
                try ContentWriter(stage.path("file \($0)"))
            }
            let server = try stage.server()
            let lock = Process()
            lock.executableURL = try Installation.program("latchkey")
            lock.arguments = ["lock", "--now", "--device", stage.device.directory]
            lock.standardOutput = FileHandle.nullDevice
            lock.standardError = FileHandle.nullDevice
            try lock.run()
            if random.next() % 4 == 0 {
                lock.waitUntilExit()
            } else {
                // A thread that waits in the kernel has the state D: some of them for the kernel to forget content.
                let looks = Int.random(in: 1...2000, using: &random)
                for _ in 0..<looks where !ProcessStates.threads(server).values.contains("D") && lock.isRunning {}
            }
            try #require(kill(server, SIGKILL) == 0)
            for writer in writers { writer.kill() }
            for writer in writers { #expect(writer.hasEnded(within: 60), "seed \(seed)") }
            lock.waitUntilExit()
            #expect(comes(within: 60) { ProcessStates.threads(server).count <= 1 }, "seed \(seed)")
            try stage.unlock()
            try stage.mount()
        }
    }
}
