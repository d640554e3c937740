import CLatchkeyFaultPoint
import Foundation
import LatchkeyTestSupport
import LatchkeyVolume

/// Ends, or disturbs, operations on a volume at each call that changes a file below it, and compares what is left with
/// what was durable.
@main
enum VolumeCheckProgram {
    private static let usage = """
        usage: volume-check kills SEED COUNT     killed at COUNT random calls
               volume-check power SEED COUNT     the same with a loss of power: what is not synchronized may be lost
               volume-check sweep SEED           killed before each call
               volume-check faults SEED          each call fails, once or with all that follow
               volume-check readings SEED        the same for calls that read, beside those that change something
               volume-check damage SEED COUNT    COUNT volumes whose stored files are damaged, and used all the same
               volume-check damage-store DIR SEED    damages a store, for others to use

        """
    private static let operationCount = 16
    /// So many calls does a workload make, about.
    private static let callCount = 180

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let numbers = arguments.compactMap { UInt64($0) }
        do {
            switch (arguments.first, numbers.count) {
            case ("run", 3):
                try run(in: arguments[1], seed: numbers[0], killedBefore: numbers[1], losesPower: numbers[2] == 1)
            case ("kills", 2), ("power", 2):
                var random = SplitMix(seed: numbers[0])
                for _ in 0..<numbers[1] {
                    _ = try kill(
                        seed: random.next(), before: .random(in: 1...UInt64(callCount), using: &random),
                        losesPower: arguments[0] == "power")
                }
                print("killed \(numbers[1]) times")
            case ("sweep", 1):
                var call: UInt64 = 1
                while try kill(seed: numbers[0], before: call) { call += 1 }
                print("killed before each of \(call - 1) calls")
            case ("damage", 2):
                for round in 0..<numbers[1] { try damage(seed: numbers[0] &+ round) }
                print("\(numbers[1]) volumes damaged")
            case ("damage-store", 1):
                var damage = StoreDamage(arguments[1], seed: numbers[0])
                for _ in 0..<3 { try damage.apply() }
            case ("faults", 1):
                var count = 0
                for (error, failures) in [(EIO, 1), (EIO, UInt64.max), (ENOSPC, 1), (ENOSPC, .max), (EROFS, .max)] {
                    count += try fail(seed: numbers[0], error, failures)
                }
                lkfp_count_openings(1)
                count += try fail(seed: numbers[0], EMFILE, 1)
                print("\(count) faults")
            case ("readings", 1):
                lkfp_count_readings(1)
                var count = 0
                for failures in [1, UInt64.max] {
                    count += try fail(seed: numbers[0], EIO, failures, isReading: true)
                }
                print("\(count) faults")
            default:
                try FileHandle.standardError.write(contentsOf: Data(usage.utf8))
                exit(2)
            }
        } catch {
            print("volume-check \(arguments.joined(separator: " ")): \(error)")
            exit(1)
        }
    }

    // MARK: Kills

    /// Returns false if the process ended by itself.
    private static func kill(seed: UInt64, before call: UInt64, losesPower: Bool = false) throws -> Bool {
        let directory = try Scratch()
        let trial = try VolumeTrial(in: directory.path, isNew: true)
        defer { trial.close() }
        try trial.makeVolume()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        process.arguments = ["run", directory.path, "\(seed)", "\(call)", losesPower ? "1" : "0"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let told = try output.fileHandleForReading.readToEnd() ?? Data()
        let done = told.count { $0 == doneMark }
        process.waitUntilExit()
        let isKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        guard isKilled || process.terminationStatus == 0 else { throw Finding("seed \(seed), call \(call): it failed") }
        let workload = Workload(seed: seed, count: operationCount)
        let isUnsynchronized = losesPower && workload.storesContent(done) && told.last != synchronizedMark
        try trial.check(
            workload, after: done, except: workload.touched(by: done), isUnsynchronized: isUnsynchronized,
            "seed \(seed), \(losesPower ? "power lost" : "killed") before \(call)")
        return isKilled
    }

    private static let doneMark: UInt8 = 0x2E
    private static let synchronizedMark: UInt8 = 0x2C

    /// The process that is killed. It writes a byte for each operation that is done, and before that one for content that is
    /// synchronized.
    private static func run(
        in directory: String, seed: UInt64, killedBefore call: UInt64, losesPower: Bool
    ) throws {
        let trial = try VolumeTrial(in: directory, isNew: false)
        let volume = try trial.volume()
        if losesPower {
            lkfp_lose_power_before(call, seed, trial.store)
        } else {
            lkfp_kill_before(call)
        }
        for operation in Workload(seed: seed, count: operationCount).operations {
            try operation.perform(on: volume) {
                try? FileHandle.standardOutput.write(contentsOf: Data([synchronizedMark]))
            }
            try FileHandle.standardOutput.write(contentsOf: Data([doneMark]))
        }
        volume.close()
        lkfp_kill_before(0)
        trial.close()
    }

    // MARK: Faults

    private static func fail(
        seed: UInt64, _ error: Int32, _ failures: UInt64, isReading: Bool = false
    ) throws -> Int {
        let directory = try Scratch()
        let trial = try VolumeTrial(in: directory.path, isNew: true)
        defer { trial.close() }
        let workload = Workload(seed: seed, count: operationCount)
        var call: UInt64 = 1
        while true {
            try trial.makeVolume()
            let (done, isReached) = try disturbed(workload, on: trial, error, from: call, failures, isReading)
            try trial.check(
                workload, after: done, except: workload.touched(by: done), comparesTimes: false,
                "seed \(seed), error \(error) at \(failures == 1 ? "" : "and after ")call \(call)")
            guard isReached else { return Int(call - 1) }
            call += 1
        }
    }
}

extension VolumeCheckProgram {
    /// Performs operations until one fails, and closes the volume. Returns the number of those that were done, and whether
    /// so many calls were made.
    private static func disturbed(
        _ workload: Workload, on trial: VolumeTrial, _ error: Int32, from call: UInt64, _ failures: UInt64,
        _ isReading: Bool
    ) throws -> (done: Int, isReached: Bool) {
        let volume = try trial.volume()
        defer { lkfp_fail_from(0, 0, 0) }
        lkfp_fail_from(call, failures, error)
        var done = 0
        while done < workload.operations.count {
            do throws(VolumeFailure) {
                try workload.operations[done].perform(on: volume)
            } catch {
                break
            }
            done += 1
        }
        if isReading { try expectKnown(workload, done, on: volume) }
        let isReached = lkfp_calls() >= call
        // Where all calls fail, what an operation has begun stays.
        if error == EMFILE || isReading && failures == 1, done < workload.operations.count {
            lkfp_fail_from(0, 0, 0)
            try repeated(workload, done, on: volume)
        }
        volume.close()
        return (done, isReached)
    }
}

extension VolumeCheckProgram {
    /// Everything that reads is something that a file once had. Nothing traps or hangs, and the volume is still used.
    private static func damage(seed: UInt64) throws {
        alarm(120)
        let directory = try Scratch()
        let trial = try VolumeTrial(in: directory.path, isNew: true)
        defer { trial.close() }
        try trial.makeVolume()
        let workload = Workload(seed: seed, count: operationCount)
        try trial.perform(workload)
        var damage = StoreDamage(trial.store, seed: seed)
        for _ in 0..<3 { try damage.apply() }
        // A stored file of no bytes is what a crash leaves, and is empty.
        let known = Set(workload.states.flatMap { $0.paths.values }).union([[]])
        // A volume whose description is damaged does not open.
        guard let volume = try? trial.volume() else { return }
        defer { volume.close() }
        for (path, bytes) in volume.readableContents() where !known.contains(bytes) {
            throw Finding("seed \(seed): \(path) has \(bytes.count) bytes that nothing has written")
        }
        _ = VolumeCheck.run(on: volume, repairs: true)
        for operation in Workload(seed: seed &+ 1, count: operationCount).operations {
            try? operation.perform(on: volume)
        }
        for path in volume.readableContents().keys { try? volume.remove(path) }
        _ = VolumeCheck.run(on: volume, repairs: false)
    }
}

extension VolumeCheckProgram {
    /// Expects that content read while calls below fail is the one that was written.
    private static func expectKnown(_ workload: Workload, _ done: Int, on volume: Volume) throws {
        let (expected, touched) = (workload.states[done].paths, workload.touched(by: done))
        for (path, bytes) in volume.readableContents() where !touched.contains(path) && bytes != expected[path] {
            throw Finding("after \(done) operations \(path.prefix(30)) has \(bytes.count) other bytes")
        }
    }

    /// An operation that failed for want of a descriptor, or of something that it reads, has done nothing, or everything: it
    /// can be done again. A directory is there only if its maker was told so.
    private static func repeated(_ workload: Workload, _ number: Int, on volume: Volume) throws {
        if try volume.contents() == workload.states[number + 1].paths {
            guard case .makeDirectory(let path) = workload.operations[number] else { return }
            throw Finding("\(path) is there, and its maker was told of a failure")
        }
        do throws(VolumeFailure) {
            try workload.operations[number].perform(on: volume)
        } catch {
            throw Finding("\(workload.operations[number].paths) cannot be done again: \(error)")
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
