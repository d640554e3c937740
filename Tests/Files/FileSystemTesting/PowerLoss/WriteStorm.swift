import Glibc

/// The writing process of a power loss: `file-system-check storm DIRECTORY SEED`.
package enum WriteStorm {
    /// Writes until a call fails or the process is killed.
    /// - Parameter acknowledge: called after each batch, once its bytes are durable.
    package static func run(in path: Path, seed: UInt64, acknowledge: () throws -> Void) throws {
        let directory = TestDirectory(path)
        var plan = StormPlan(seed: seed)
        while true {
            let batch = plan.next()
            try perform(batch, in: directory)
            plan.apply(batch)
            try acknowledge()
        }
    }

    private static func perform(_ batch: StormPlan.Batch, in directory: TestDirectory) throws(CallFailure) {
        let name = StormPlan.name(batch.file)
        switch batch.kind {
        case .remove:
            try directory.unlink(name)
        case .replace(let bytes):
            let file = try directory.open(StormPlan.newName, O_RDWR | O_CREAT | O_TRUNC)
            try file.write(bytes, at: 0)
            try file.synchronize()
            try file.close()
            try directory.rename(StormPlan.newName, name)
        case .edit(let changes):
            let file = try directory.open(name, O_RDWR | O_CREAT)
            for change in changes {
                switch change {
                case .write(let bytes, let offset): try file.write(bytes, at: Int64(offset))
                case .truncate(let count): try file.truncate(Int64(count))
                }
            }
            try file.synchronize()
            try file.close()
        }
        let names = try directory.open(".", O_RDONLY | O_DIRECTORY)
        try names.synchronize()
        try names.close()
    }
}
