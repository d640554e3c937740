import LatchkeyTestSupport

/// Random operations on files, each compared with a copy in memory: in the manner of fsx.
package struct FileSystemShadow: Sendable {
    /// Decides everything: the same seed makes the same operations.
    package var seed: UInt64
    /// For each thread.
    package var operations = 600
    package var filesPerThread = 4
    /// Each has files of its own.
    package var threads = 1
    package var largestByteCount = 300_000

    package init(seed: UInt64) {
        self.seed = seed
    }

    /// A difference between the file system and its shadow, with what led there.
    package struct Mismatch: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs the operations in a directory, which is empty before and after.
    /// - Parameter between: called once in the middle, when no file is open: it may remount the file system. It gets
    ///   the directory, so that a test can also damage what is there and see the damage found.
    package func run(in path: Path, between: (TestDirectory) throws -> Void = { _ in }) throws {
        let directory = TestDirectory(path)
        let workers = try (0..<threads).map { thread in
            let name = Path("thread-\(thread)")
            try directory.makeDirectory(name)
            return try ShadowWorker(
                TestDirectory(path / name), number: thread, fileCount: filesPerThread, largest: largestByteCount,
                random: SplitMix(seed: seed &+ UInt64(thread) &* 0x51_7C_C1_B7_27_22_0A_95))
        }
        try onAll(workers) { try $0.perform(operations / 2) }
        try between(directory)
        try onAll(workers) { worker in
            try worker.verify()
            try worker.perform(operations - operations / 2)
            try worker.verify()
        }
        try directory.empty()
    }

    private func onAll(_ workers: [ShadowWorker], _ body: @escaping @Sendable (ShadowWorker) throws -> Void) throws {
        let failures = FailureList()
        let seed = seed
        onThreads(workers.count) { thread in
            do {
                try body(workers[thread])
                try workers[thread].close()
            } catch {
                let history = workers[thread].history.joined(separator: "\n  ")
                failures.add("seed \(seed), thread \(thread): \(error)\nthe last operations:\n  \(history)")
            }
        }
        if let failure = failures.all.first { throw Mismatch(description: failure) }
    }
}
