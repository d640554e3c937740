import LatchkeyFileSystemTesting
import Testing

/// The kill of a volume's process, on a plain directory: there it harms nothing.
@Suite struct PowerLossTests {
    @Test("a directory loses nothing when the writers are killed")
    func directory() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let loss = PowerLoss(seed: 1, writer: try OwnPrograms.check())
        let acknowledged = try loss.run(mount: { directory.path }, kill: {}, unmount: {})
        #expect(acknowledged >= loss.rounds)
        #expect(try TestDirectory(directory.path).names() == [])
    }

    /// A wrong act of a volume on synchronized content.
    enum Damage: CaseIterable {
        case byte, emptied, removed, added
    }

    @Test("what a mount has lost or changed is found, and the seed is told", arguments: Damage.allCases)
    func damaged(_ damage: Damage) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        var isKilled = false
        let loss = PowerLoss(seed: 41, writer: try OwnPrograms.check())
        let error = #expect(throws: PowerLoss.Loss.self) {
            try loss.run(
                mount: {
                    if isKilled { try Self.apply(damage, to: TestDirectory(directory.path)) }
                    return directory.path
                }, kill: { isKilled = true }, unmount: { isKilled = false })
        }
        #expect(error?.description.contains("seed 41") == true)
    }

    /// Damages all files: one of them was being written, where some changes are allowed.
    private static func apply(_ damage: Damage, to root: TestDirectory) throws {
        for parent in try root.names() {
            for name in try root.names(parent) {
                let bytes = try root.contents(parent / name)
                switch damage {
                case .byte where !bytes.isEmpty:
                    try root.open(parent / name).write([bytes[0] ^ 0xFF], at: 0)
                case .byte: break
                case .emptied: try root.truncate(parent / name, 0)
                case .removed: try root.unlink(parent / name)
                case .added: try root.open(parent / name).write([1], at: Int64(bytes.count) + 1_000_000)
                }
            }
        }
    }
}
