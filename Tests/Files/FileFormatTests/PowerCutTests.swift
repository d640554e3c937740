import LatchkeyFileFormat
import LatchkeyTestSupport
import Testing

/// A seeded run over a faulty backing: knows which states the next opening may find.
struct CrashRun {
    struct State: Equatable {
        var content: [UInt8] = []
        var wrappedKey = Sample.weak
        var tie: FileTie?
    }

    private static let limit = 110 * Sample.block

    var backing: FaultyBacking
    var file: ProtectedFile
    var random: SplitMix
    /// In memory.
    var current = State()
    /// The last state that was acknowledged as durable.
    var acknowledged = State()
    /// States that were flushed, or whose synchronization began, since then.
    var candidates: [State] = []
    /// Those of them that were flushed.
    var flushed: [State] = []

    init(seed: UInt64, isSynchronized: Bool = true) throws {
        random = SplitMix(seed: seed)
        backing = FaultyBacking(seed: seed)
        file = try Sample.file(in: backing, limit: Sample.tight)
        if isSynchronized { try synchronize() }
    }

    /// Writes and flushes, and never waits for the disk.
    mutating func flushingStep() throws {
        let (offset, bytes) = random.write(limit: Self.limit)
        try file.write(bytes, at: UInt64(offset))
        current.content.write(bytes, at: offset)
        guard random.next() % 2 == 0 else { return }
        candidates.append(current)
        flushed.append(current)
        try file.flush()
    }

    mutating func step() throws {
        switch random.next() % 20 {
        case 0..<10:
            let (offset, bytes) = random.write(limit: Self.limit)
            try file.write(bytes, at: UInt64(offset))
            current.content.write(bytes, at: offset)
        case 10..<12:
            let length = random.next() % 4 == 0 ? 0 : random.offset(limit: Self.limit)
            try file.truncate(to: UInt64(length))
            current.content.truncate(to: length)
        case 12..<16: try synchronize()
        case 16, 17:
            candidates.append(current)
            flushed.append(current)
            try file.flush()
        case 18 where random.next() % 3 == 0:
            let tie = random.next() % 3 == 0 ? nil : FileTie(.log, of: Array(Sample.weak.prefix(16)))
            // The same tie changes nothing, and makes nothing durable.
            guard tie != current.tie else { return }
            candidates.append(current)
            current.tie = tie
            candidates.append(current)
            try file.setTie(current.tie)
            acknowledge()
        case 18:
            candidates.append(current)
            current.wrappedKey = random.next() % 2 == 0 ? Sample.strict : Sample.weak
            candidates.append(current)
            try file.changeProtection(to: 1, wrappedKey: current.wrappedKey)
            acknowledge()
        default:
            candidates.append(current)
            flushed.append(current)
            try file.flush()
            file.close()
            file = try ProtectedFile.opened(backing, limit: Sample.tight)
        }
    }

    mutating func synchronize() throws {
        candidates.append(current)
        try file.synchronize(random.next() % 2 == 0 ? .data : .full)
        acknowledge()
    }

    private func differences(from found: State) -> String {
        ([acknowledged] + candidates).map { state in
            let first = zip(state.content, found.content).enumerated().first { $1.0 != $1.1 }?.offset ?? -1
            return "\(state.content.count) and \(found.content.count) bytes, different at \(first)"
        }.joined(separator: "; ")
    }

    private mutating func acknowledge() {
        acknowledged = current
        candidates = []
        flushed = []
    }

    /// Opens what is left of the file, and compares it with the states that are allowed.
    mutating func recover(on disk: FaultyBacking, keepsCandidates: Bool, _ label: String) throws {
        backing = disk
        file = try ProtectedFile.opened(disk, limit: Sample.tight)
        let found = State(content: try file.contents, wrappedKey: try file.wrappedKey, tie: try file.tie)
        // A comparison inside of the macro would print both files.
        let isAllowed = found == acknowledged || candidates.contains(found)
        try #require(isAllowed, "\(label): \(differences(from: found))")
        let other = found.wrappedKey == Sample.strict ? Sample.weak : Sample.strict
        let isWiped = !disk.contains(other)
        #expect(isWiped, "\(label): the other class's key is still there")
        current = found
        guard !keepsCandidates else { return }
        // A state that was only flushed may be followed by the acknowledged one, should power fail again.
        let wasFlushed = flushed.contains(found)
        if !wasFlushed { acknowledge() }
        candidates = [found]
        flushed = [found]
    }
}

@Suite struct PowerCutTests {
    @Test(
        "a cut at each write leaves the acknowledged state or the one being written",
        arguments: 1...4 as ClosedRange<UInt64>)
    func everyWrite(seed: UInt64) throws {
        var cut = 0
        while true {
            var run = try CrashRun(seed: seed)
            let start = run.backing.operations
            run.backing.faults[start + cut] = .powerCut
            var hasCut = false
            for _ in 0..<16 where !hasCut {
                do { try run.step() } catch { hasCut = true }
            }
            guard hasCut else { break }
            for image in 0..<2 as Range<UInt64> {
                var copy = run
                let label = "seed \(seed), cut \(cut), image \(image)"
                let disk = run.backing.afterPowerLoss(seed: seed &* 1000 &+ image)
                try copy.recover(on: disk, keepsCandidates: false, label)
                // The file works on, and keeps what it had.
                let bytes = Sample.bytes(5000, seed: image)
                try copy.file.write(bytes, at: 300)
                copy.current.content.write(bytes, at: 300)
                try copy.synchronize()
                copy.file.close()
                let isSame = try ProtectedFile.opened(disk).contents == copy.current.content
                #expect(isSame, "\(label)")
                #expect(try ProtectedFile.opened(disk).check().isIntact, "\(label)")
            }
            cut += 1
        }
        #expect(cut > 20)
    }

    @Test("crash after crash loses nothing and takes no more space", arguments: 21...24 as ClosedRange<UInt64>)
    func again(seed: UInt64) throws {
        var run = try CrashRun(seed: seed)
        for round in 0..<40 {
            run.backing.faults[run.backing.operations + Int(run.random.next() % 60)] = .powerCut
            var hasCut = false
            while !hasCut {
                do { try run.step() } catch { hasCut = true }
            }
            let disk = run.backing.afterPowerLoss(seed: run.random.next())
            try run.recover(on: disk, keepsCandidates: false, "seed \(seed), round \(round)")
        }
        #expect(run.backing.cached.count < 600 * Sample.block, "seed \(seed)")
    }

    @Test(
        "after a failed synchronization that lost pages nothing acknowledged is lost",
        arguments: 41...44 as ClosedRange<UInt64>)
    func lostPages(seed: UInt64) throws {
        var run = try CrashRun(seed: seed)
        for round in 0..<40 {
            let label = "seed \(seed), round \(round)"
            run.backing.faults[run.backing.operations + Int(run.random.next() % 40)] = .lostPages
            var hasFailed = false
            // A failure to give back space is not reported.
            for _ in 0..<100 where !hasFailed {
                do { try run.step() } catch { hasFailed = true }
            }
            run.file.close()
            // The same machine goes on: it reads what was written, durable or not.
            run.backing.faults = [:]
            try run.recover(on: run.backing, keepsCandidates: true, label)
            guard run.random.next() % 2 == 0 else { continue }
            run.backing.faults[run.backing.operations + Int(run.random.next() % 20)] = .powerCut
            var hasCut = false
            while !hasCut {
                do { try run.step() } catch { hasCut = true }
            }
            let disk = run.backing.afterPowerLoss(seed: run.random.next())
            try run.recover(on: disk, keepsCandidates: false, label)
        }
    }

    @Test(
        "a file whose first synchronization lost pages is durable after the next one",
        arguments: 61...84 as ClosedRange<UInt64>)
    func neverSynchronized(seed: UInt64) throws {
        var run = try CrashRun(seed: seed, isSynchronized: false)
        for _ in 0..<2 + run.random.next() % 8 { try run.flushingStep() }
        // The first synchronization of the backing fails, whatever is written before it.
        run.backing.losesPages = true
        try? run.synchronize()
        run.file.close()
        run.backing.losesPages = false
        try run.recover(on: run.backing, keepsCandidates: true, "seed \(seed)")
        try run.synchronize()
        run.file.close()
        for image in 0..<4 as Range<UInt64> {
            var copy = run
            let disk = run.backing.afterPowerLoss(seed: seed &* 1000 &+ image)
            try copy.recover(on: disk, keepsCandidates: false, "seed \(seed), image \(image)")
        }
    }
}
