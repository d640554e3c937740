import Foundation

/// One run of the benchmarks: the rows asked for, in order, and what they share.
final class Session {
    let options: Options
    let scratch: String
    let population: Population

    init(_ options: Options) {
        self.options = options
        scratch = options.scratch + "/latchkey-bench-\(ProcessInfo.processInfo.processIdentifier)"
        population = Population(scratch: scratch)
    }

    /// Measures the rows, and prints and writes each result when it is there.
    ///
    /// - Returns: false if a row failed. One whose peer is missing is left out with a line.
    func run() throws -> Bool {
        let rows = try Row.named(options.rows)
        try FileManager.default.createDirectory(
            atPath: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let report = Report(of: rows, jsonPath: options.jsonPath)
        var failures = 0
        for row in rows {
            if let absence = row.peers.lazy.compactMap(\.absence).first {
                report.add(row, "left out: \(absence)")
                continue
            }
            FileHandle.standardError.write(Data("measuring \(row.name)\n".utf8))
            do {
                try report.add(try row.run(self))
            } catch {
                failures += 1
                report.add(row, "FAILED: \(error)")
            }
        }
        report.finish()
        return failures == 0
    }

    /// A client of the device, warmed up by the first calls of each kind.
    func client(of device: RunningDevice) throws -> Worker {
        try Worker(role: ["client"], processor: options.pinning.clients, environment: device.environment)
    }

    /// Starts a device, hands it over, and stops it whatever happens.
    func withDevice<R>(
        _ directory: String, options daemonOptions: [String] = [], _ body: (RunningDevice) throws -> R
    ) throws -> R {
        let device = try RunningDevice(directory, options: daemonOptions, processor: options.pinning.servers)
        do {
            try device.waitUntilReady()
            let result = try body(device)
            try device.stop()
            return result
        } catch {
            try? device.stop()
            throw error
        }
    }

    /// One uncounted pair, then as many as the options ask for. Value and limit follow each other closely, so that what
    /// disturbs the machine disturbs both.
    func pairs(
        value: () throws -> Double, limit: () throws -> Double
    ) throws -> [(value: Double, limit: Double)] {
        _ = (try value(), try limit())
        return try (0..<options.rounds).map { _ in (try value(), try limit()) }
    }

    /// Repeats the subject alone while a profiler looks, if the options say so.
    func profile(_ body: () throws -> Void) throws {
        guard let seconds = options.profiledSeconds else { return }
        FileHandle.standardError.write(Data("running for \(seconds) s\n".utf8))
        let end = nanoseconds() + UInt64(seconds * 1e9)
        while nanoseconds() < end { try body() }
    }
}
