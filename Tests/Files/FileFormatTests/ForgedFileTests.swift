import LatchkeyFileFormat
import Testing

@Suite struct ForgedFileTests {
    @Test("a position at the end of all numbers is damage, with neighbours too")
    func lastPosition() throws {
        var forged = ForgedFile()
        let root = forged.node([.init(position: .max), .init(position: 0), .init(position: 5)], level: 1)
        forged.header(length: 3 * Sample.block, extent: 10, depth: 1, root: root)
        let file = try ProtectedFile.opened(FaultyBacking(forged.disk), access: .readOnly)
        #expect(throws: FileFailure.damaged(0..<UInt64(Sample.block))) { try file.contents }
    }
}
