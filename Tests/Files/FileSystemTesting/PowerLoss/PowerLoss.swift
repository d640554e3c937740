import Foundation
import Glibc
import LatchkeyTestSupport
import LatchkeyThreading

/// A volume whose process is killed again and again while other processes write and synchronize.
package struct PowerLoss {
    package var seed: UInt64
    package var rounds = 20
    /// Writing processes.
    package var writers = 2
    /// The path of `file-system-check`.
    package let writer: String

    package init(seed: UInt64, writer: String) {
        self.seed = seed
        self.writer = writer
    }

    /// Something synchronized that is lost, or bytes that no program wrote.
    package struct Loss: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs the rounds.
    /// - Parameters:
    ///   - mount: mounts the volume, also after its process was killed, and returns where.
    ///   - kill: kills the process of the volume, with nothing said before.
    ///   - unmount: unmounts the volume in the ordinary way.
    /// - Returns: how many batches were acknowledged in all.
    @discardableResult
    package func run(mount: () throws -> Path, kill: () throws -> Void, unmount: () throws -> Void) throws -> Int {
        var random = SplitMix(seed: seed)
        var acknowledged = 0
        for round in 0..<rounds {
            do {
                acknowledged += try self.round(round, &random, mount, kill)
                try unmount()
            } catch {
                throw Loss(description: "seed \(seed), round \(round): \(error)")
            }
        }
        return acknowledged
    }

    private func round(
        _ round: Int, _ random: inout SplitMix, _ mount: () throws -> Path, _ kill: () throws -> Void
    ) throws -> Int {
        let names = (0..<writers).map { Path("storm-\(round)-\($0)") }
        let seeds = names.map { _ in random.next() }
        let root = TestDirectory(try mount())
        for name in names { try root.makeDirectory(name) }
        let directory = try root.open(".", 0)
        try directory.synchronize()
        try directory.close()

        let storm = StormAcknowledgements()
        let processes = try zip(names, seeds).map { name, seed in
            try StormProcess(writer, root.path / name, seed, storm)
        }
        storm.wait(for: Int.random(in: 1...40, using: &random), writers: writers)
        // A moment more, so that the end comes anywhere within a batch.
        for _ in 0..<Int.random(in: 0..<3000, using: &random) { sched_yield() }
        let result = Result { try kill() }
        let counts = processes.map { $0.kill() }
        try result.get()

        let again = TestDirectory(try mount())
        for ((name, seed), count) in zip(zip(names, seeds), counts) {
            var plan = StormPlan(seed: seed)
            for _ in 0..<count { plan.apply(plan.next()) }
            let pending = plan.next()
            do {
                try StormFindings.check(TestDirectory(again.path / name), after: plan, pending: pending)
            } catch {
                throw Loss(description: "\(name), after \(count) acknowledged batches: \(error)")
            }
            try again.empty(name)
            try again.removeDirectory(name)
        }
        guard counts.contains(where: { $0 > 0 }) else {
            throw Loss(description: "no writer acknowledged anything: \(processes.map(\.complaint))")
        }
        return counts.reduce(0, +)
    }
}

/// The acknowledgements of all writers of a round.
final class StormAcknowledgements: @unchecked Sendable {
    // Sendable because the numbers are only touched inside of the condition's lock.
    private let condition = WaitCondition()
    private var count = 0
    private var ended = 0

    func add(_ number: Int) {
        condition.withLock {
            count += number
            condition.wakeAll()
        }
    }

    func end() {
        condition.withLock {
            ended += 1
            condition.wakeAll()
        }
    }

    /// Waits for as many acknowledgements, or for the end of all writers.
    func wait(for wanted: Int, writers: Int) {
        condition.withLock { while count < wanted, ended < writers { condition.wait() } }
    }
}

/// One writing process.
final class StormProcess {
    private let process = Process()
    private let complaints = Pipe()
    private let counted: Pending<Int>

    init(_ program: String, _ path: Path, _ seed: UInt64, _ storm: StormAcknowledgements) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["storm", path.text, "\(seed)"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = complaints
        process.standardInput = FileHandle.nullDevice
        try process.run()
        counted = Pending {
            var count = 0
            // One byte for each batch; the end comes with that of the process.
            while let bytes = try? output.fileHandleForReading.read(upToCount: 1), !bytes.isEmpty {
                count += bytes.count
                storm.add(bytes.count)
            }
            storm.end()
            return count
        }
    }

    /// Ends the process if it still runs; how many batches it acknowledged.
    func kill() -> Int {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return counted.value
    }

    /// Its last words, after its end.
    var complaint: String {
        String(decoding: (try? complaints.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    }
}
