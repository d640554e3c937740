import CLatchkeyFaultPoint
import Foundation
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting

/// Ends, or disturbs, the writes of a store in a folder at each call of the system, and looks at what is left.
@main
enum StoreCheckProgram {
    private static let usage = """
        usage: store-check kills    killed before each call that changes a file
               store-check power    the same with a loss of power: what is not synchronized may be lost
               store-check faults   each call fails, once or with all that follow; reading as well
               store-check write FOLDER DEVICE COUNT     writes segments and statements, for two writers at once

        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("run", 4): try run(in: arguments[1], before: UInt64(arguments[2]) ?? 0, arguments[3])
            case ("write", 4):
                try write(in: arguments[1], device: UInt8(arguments[2]) ?? 0, count: UInt64(arguments[3]) ?? 0)
            case ("kills", 1), ("power", 1):
                var call: UInt64 = 1
                while try kill(arguments[0], before: call) { call += 1 }
                print("killed before each of \(call - 1) calls")
            case ("faults", 1): print("\(try faults()) faults")
            default:
                try FileHandle.standardError.write(contentsOf: Data(usage.utf8))
                exit(2)
            }
        } catch {
            print("store-check \(arguments.joined(separator: " ")): \(error)")
            exit(1)
        }
    }

    // MARK: Kills

    /// Returns false if the process ended by itself.
    private static func kill(_ kind: String, before call: UInt64) throws -> Bool {
        let folder = try Scratch()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        process.arguments = ["run", folder.path, "\(call)", kind]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let done = try output.fileHandleForReading.readToEnd()?.count ?? 0
        process.waitUntilExit()
        let isKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        let context = "\(kind) before call \(call)"
        guard isKilled || process.terminationStatus == 0 else { throw Finding("\(context): it failed") }
        let trial = StoreTrial(in: folder.path)
        try trial.check(done: done, context)
        // The next start does everything again that was not acknowledged.
        for number in done..<StoreTrial.steps.count { try trial.run(number) }
        try trial.check(done: StoreTrial.steps.count, mayHaveMore: false, context)
        return isKilled
    }

    /// The process that is killed. It writes a byte for each step that is done.
    private static func run(in folder: String, before call: UInt64, _ kind: String) throws {
        let trial = StoreTrial(in: folder)
        if kind == "power" {
            lkfp_lose_power_before(call, call, folder)
        } else {
            lkfp_kill_before(call)
        }
        for number in StoreTrial.steps.indices {
            try trial.run(number)
            try FileHandle.standardOutput.write(contentsOf: Data([0x2E]))
        }
        lkfp_kill_before(0)
    }

    // MARK: Faults

    private static func faults() throws -> Int {
        var count = 0
        // With EINVAL and EPERM a file system says that it has no such move, and no links.
        for (error, failures) in [
            (EIO, 1), (EIO, UInt64.max), (ENOSPC, .max), (EDQUOT, 1), (EROFS, .max), (EINVAL, 1), (EINVAL, 2),
            (EPERM, 1),
        ] {
            for readings in [Int32(0), 1] {
                lkfp_count_readings(readings)
                lkfp_count_openings(readings)
                var call: UInt64 = 1
                while try disturb(error, from: call, failures, readings) { call += 1 }
                count += Int(call - 1)
            }
        }
        lkfp_count_readings(0)
        lkfp_count_openings(0)
        return count
    }

    /// Returns false if the call was not reached.
    private static func disturb(_ error: Int32, from call: UInt64, _ failures: UInt64, _ readings: Int32) throws -> Bool
    {
        let folder = try Scratch()
        let trial = StoreTrial(in: folder.path)
        let context = "error \(error) at \(failures == 1 ? "" : "and after ")call \(call), readings \(readings)"
        lkfp_fail_from(call, failures, error)
        var done = 0
        for number in StoreTrial.steps.indices {
            guard (try? trial.run(number)) != nil else { break }
            done += 1
        }
        let isReached = lkfp_calls() >= call
        lkfp_fail_from(0, 0, 0)
        try trial.check(done: done, context)
        for number in done..<StoreTrial.steps.count { try trial.run(number) }
        try trial.check(done: StoreTrial.steps.count, mayHaveMore: false, context)
        return isReached
    }

    // MARK: Two writers

    private static func write(in folder: String, device number: UInt8, count: UInt64) throws {
        let device = SampleObjects.device(number)
        let store = FolderStore(in: folder, circle: StoreTrial.circle, writer: device)
        var mark: HeadMark?
        for number in 1...max(1, count) {
            // The statements are the same for all writers.
            let statement = StoreObjectName.statement(SampleObjects.hash(number))
            try store.create([statement: SampleObjects.object(.statement, seed: number)])
            mark = try store.publish(
                [SampleObjects.segment(number, of: device): SampleObjects.object(.segment, seed: number)],
                head: SampleObjects.object(.head, seed: number), replacing: mark)
        }
    }
}

/// A directory that is gone with its last owner.
private final class Scratch {
    let path = NSTemporaryDirectory() + "latchkey-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
