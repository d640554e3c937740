import LatchkeyTestSupport

/// Random operations on a tree of names, each answer and again and again the whole tree compared with a model: in the
/// manner of fsstress.
package struct FileSystemTree: Sendable {
    package var seed: UInt64
    /// For each thread.
    package var operations = 1500
    /// Each has a tree of its own.
    package var threads = 1

    package init(seed: UInt64) {
        self.seed = seed
    }

    /// Runs the operations in a directory, which is empty before and after.
    /// - Parameter between: called once in the middle, when no file is open, as in ``FileSystemShadow``.
    package func run(in path: Path, between: (TestDirectory) throws -> Void = { _ in }) throws {
        let directory = TestDirectory(path)
        let workers = try (0..<threads).map { thread in
            let name = Path("tree-\(thread)")
            try directory.makeDirectory(name)
            return TreeWorker(
                TestDirectory(path / name), SplitMix(seed: seed &+ UInt64(thread) &* 0x51_7C_C1_B7_27_22_0A_95))
        }
        try onAll(workers, operations / 2)
        try between(directory)
        try onAll(workers, operations - operations / 2)
        try directory.empty()
    }

    private func onAll(_ workers: [TreeWorker], _ operations: Int) throws {
        let failures = FailureList()
        let seed = seed
        onThreads(workers.count) { thread in
            do {
                try workers[thread].verify()
                try workers[thread].perform(operations)
                try workers[thread].verify()
            } catch {
                let history = workers[thread].history.joined(separator: "\n  ")
                failures.add("seed \(seed), thread \(thread): \(error)\nthe last operations:\n  \(history)")
            }
        }
        if let failure = failures.all.first { throw FileSystemShadow.Mismatch(description: failure) }
    }
}
