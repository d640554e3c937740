import Foundation
import Glibc
import LatchkeyDevice
import Testing

/// An upgrade restarts the daemon and leaves the enclave running, because a restart would lock the device.
@Suite("A daemon of today with an enclave that runs since before an upgrade")
struct FormerEnclaveTests {
    /// A device whose daemon is one of today, started beside an enclave that was there before.
    private final class Stage {
        let device: ThrowawayDevice
        let mailbox: FormerMailbox
        private let enclave = Process()

        init() throws {
            device = try ThrowawayDevice()
            let place = DeviceDirectory(path: device.directory)
            try place.prepare()
            let socket = device.directory + "/run/former.sock"
            enclave.executableURL = try Installation.program("latchkey-enclave")
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            enclave.arguments = [
                "--storage", place.enclave, "--socket", socket, "--peer-executable", own, "--test-only-passcode-cost",
                "4",
            ]
            enclave.standardError = FileHandle.nullDevice
            try enclave.run()
            while !FileManager.default.fileExists(atPath: socket), enclave.isRunning { usleep(1_000) }
            mailbox = try FormerMailbox(at: place.enclaveSocket, before: socket)
            try #require(try device("start --test-only-passcode-cost 4").status == 0)
        }

        /// Ends daemon and enclave. The next start is that of the programs of today.
        func stop() throws {
            try #require(try device("stop").status == 0)
            mailbox.stop()
            if enclave.isRunning { kill(enclave.processIdentifier, SIGKILL) }
            enclave.waitUntilExit()
        }

        deinit {
            mailbox.stop()
            if enclave.isRunning { kill(enclave.processIdentifier, SIGKILL) }
            enclave.waitUntilExit()
        }
    }

    private static let passcode = "246810\n"

    @Test("the keychain, files, backups and sync work, and every message is one that the enclave knows")
    func whole() throws {
        let stage = try Stage()
        let (device, files) = (stage.device, try FileStage())
        #expect(try device("passcode set", input: Self.passcode).status == 0)
        #expect(try device("add-generic-password -s mail -a anna -w", input: "s3cret\n").status == 0)
        #expect(try device("find-generic-password -s mail -w").output == "s3cret\n")
        #expect(try device("lock --now").status == 0)
        #expect(try device("find-generic-password -s mail -w").status == 36)
        #expect(try device("unlock", input: Self.passcode).status == 0)
        #expect(try device("find-generic-password -s mail -w").output == "s3cret\n")

        try files.write(Array("text".utf8), to: "f")
        #expect(try device("file protect \(files.path("f")) --class complete --yes").status == 0)
        #expect(try device("file cat \(files.path("f"))").output == "text")
        #expect(try device("file protect \(files.path("f")) --class until-first-unlock --yes").status == 0)

        try device.setBackupPassword("correct horse battery", passcode: Self.passcode.trimmingCharacters(in: .newlines))
        let backup = try device("backup create --encrypted \(files.path("b"))", input: Self.passcode)
        #expect(backup.status == 0, "\(backup.errors)")
        let circle = try device("sync create --store folder:\(files.directory) --name here", input: Self.passcode)
        #expect(circle.status == 0, "\(circle.errors)")
        #expect(try device("sync status --json").json()["membership"] as? String != "none")

        #expect(stage.mailbox.unknownQuestions.all.subtracting([[33]]) == [])
        #expect(stage.mailbox.foreignAnswers.all == [])
    }

    @Test("status and doctor say that a restart finishes the upgrade; after it they do not, and items are as before")
    func restart() throws {
        let stage = try Stage()
        let device = stage.device
        #expect(try device("passcode set", input: Self.passcode).status == 0)
        #expect(try device("add-generic-password -s mail -a anna -w", input: "s3cret\n").status == 0)
        #expect(try device("status").output.contains("\nUpgrade        not finished: "))
        #expect(try device("status --json").json()["restartFinishesUpgrade"] as? Bool == true)
        func upgradeStep() throws -> [String: Any]? {
            let steps = try device("doctor --json").json()["steps"] as? [[String: Any]]
            return try #require(steps).first { $0["step"] as? String == "upgrade" }
        }
        let step = try #require(try upgradeStep())
        #expect(step["state"] as? String == "missing")
        let command = try #require(step["mend"] as? String)
        #expect(command.contains("latchkey start"))
        #expect(stage.mailbox.unknownQuestions.all == [[33]])

        try stage.stop()
        #expect(try device("start --test-only-passcode-cost 4").status == 0)
        #expect(try device("status --json").json()["restartFinishesUpgrade"] as? Bool == false)
        #expect(try device("status").output.contains("\nUpgrade") == false)
        #expect(try upgradeStep() == nil)
        #expect(try device("unlock", input: Self.passcode).status == 0)
        #expect(try device("find-generic-password -s mail -w").output == "s3cret\n")
    }

    @Test("an enclave whose file was replaced says so")
    func replaced() throws {
        let programs = try FileStage()
        // By another process: a file that was just written cannot always be run while others are started.
        let copied = try run(
            URL(filePath: "/bin/cp"),
            try ["latchkey", "latchkeyd", "latchkey-enclave", "latchkey-transport"].map {
                try Installation.program($0).path
            } + [programs.directory])
        try #require(copied.status == 0)
        let latchkey = URL(filePath: programs.path("latchkey"))
        func device(_ words: String...) throws -> Ending {
            try run(latchkey, words + ["--device", programs.path("device")])
        }
        try #require(try device("start", "--test-only-passcode-cost", "4").status == 0)
        defer { _ = try? device("stop") }
        #expect(try device("status", "--json").json()["restartFinishesUpgrade"] as? Bool == false)
        // As installing does it: the new file gets the name.
        let replaced = try run(
            URL(filePath: "/bin/sh"),
            ["-c", "cd \"$0\" && cp latchkey-enclave new && mv new latchkey-enclave", programs.directory])
        try #require(replaced.status == 0)
        #expect(try device("status", "--json").json()["restartFinishesUpgrade"] as? Bool == true)
        #expect(try device("status").output.contains("\nUpgrade        not finished: "))
    }
}
