import LatchkeyFileFormat
import Testing

@Suite("The tie of a file to a database")
struct FileTieTests {
    private static let database = [UInt8](100..<116)
    private static let tie = FileTie(.log, of: database)

    @Test("every role and its database are read as they were stored", arguments: FileTie.Role.allCases)
    func roles(_ role: FileTie.Role) throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        #expect(try file.tie == nil)
        let tie = FileTie(role, of: Self.database)
        try file.setTie(tie)
        #expect(try file.tie == tie)
        #expect(try ProtectedFile.opened(backing, access: .readOnly).tie == tie)
        #expect(FileTie(tie.bytes) == tie)
    }

    @Test("a tie stays through writing, a change of class and every header") func stays() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.setTie(Self.tie)
        for round in 0..<5 as Range<UInt64> {
            try file.write(Sample.bytes(9000, seed: round), at: round * 5000)
            if round % 2 == 0 { try file.synchronize(.full) } else { try file.flush() }
        }
        try file.changeProtection(to: 1, wrappedKey: Sample.strict)
        file.close()
        let again = try ProtectedFile.opened(backing)
        #expect(try again.tie == Self.tie)
        let check = try again.check()
        #expect(check.isIntact && check.headerCopies == 2)
    }

    @Test("after a change no header copy has the former tie, and the content is as it was") func bothCopies() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write(Sample.bytes(10_000), at: 0)
        try file.setTie(Self.tie)
        let other = [UInt8](200..<216)
        try file.setTie(FileTie(.journal, of: other))
        #expect(!backing.contains(Self.database))
        for copy in 0..<2 {
            let disk = FaultyBacking(backing.cached)
            disk.damage { $0[copy * Sample.block + 50] ^= 1 }
            #expect(try ProtectedFile.opened(disk, access: .readOnly).tie == FileTie(.journal, of: other))
        }
        try file.setTie(nil)
        #expect(!backing.contains(other))
        #expect(try file.contents == Sample.bytes(10_000))
    }

    @Test("a change that is cut off leaves one of the two ties, and the next opening completes it") func cutOff() throws
    {
        for cut in 0... {
            let backing = FaultyBacking(seed: UInt64(cut))
            let file = try Sample.file(in: backing)
            try file.write(Sample.bytes(5000), at: 0)
            try file.synchronize(.full)
            backing.faults[backing.operations + cut] = .powerCut
            let isDone = (try? file.setTie(Self.tie)) != nil
            guard !isDone else {
                #expect(cut > 3)
                break
            }
            for image in 0..<4 as Range<UInt64> {
                let disk = backing.afterPowerLoss(seed: image)
                let tie = try ProtectedFile.opened(disk).tie
                #expect(tie == nil || tie == Self.tie, "cut \(cut), image \(image)")
                #expect(disk.contains(Self.database) == (tie != nil), "cut \(cut), image \(image)")
                disk.damage { $0[Sample.block + 50] ^= 1 }
                #expect(try ProtectedFile.opened(disk, access: .readOnly).tie == tie, "cut \(cut), image \(image)")
            }
        }
    }

    @Test("a tie of another length or of an unknown role cannot be read", arguments: [0, 5, 255] as [UInt8])
    func unknown(role: UInt8) {
        #expect(FileTie([role] + Self.database) == nil)
        #expect(FileTie([2] + Self.database.dropLast()) == nil)
        #expect(FileTie([2] + Self.database + [0]) == nil)
    }
}
