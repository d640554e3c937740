import LatchkeyFileFormat
import LatchkeyTestSupport
import Testing

@Suite struct RandomOperationTests {
    @Test("thousands of random operations give what an array gives", arguments: [1, 2, 3, 4] as [UInt64])
    func model(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let backing = FaultyBacking()
        var file = try Sample.file(in: backing, limit: Sample.tight)
        let isLog = seed % 2 == 0
        file.isLog = isLog
        var model: [UInt8] = []
        for step in 0..<2500 {
            switch random.next() % 100 {
            case 0..<45:
                let (offset, bytes) = random.write(limit: 200 * Sample.block)
                try file.write(bytes, at: UInt64(offset))
                model.write(bytes, at: offset)
            case 45..<80:
                let offset = random.offset(limit: 200 * Sample.block)
                let count = random.length()
                let expected = Array(model.dropFirst(offset).prefix(count))
                let isSame = try file.bytes(at: UInt64(offset), count: count) == expected
                try #require(isSame, "seed \(seed), step \(step)")
            case 80..<90:
                let length = random.next() % 8 == 0 ? 0 : random.offset(limit: 200 * Sample.block)
                try file.truncate(to: UInt64(length))
                model.truncate(to: length)
            case 90..<94: try file.synchronize(random.next() % 2 == 0 ? .data : .full)
            case 94..<96: try file.flush()
            case 96: try file.changeProtection(to: UInt8(step % 5), wrappedKey: [UInt8(step % 256)])
            case 97: #expect(try file.check().isIntact, "seed \(seed), step \(step)")
            default:
                try file.flush()
                file.close()
                file = try ProtectedFile.opened(backing, limit: Sample.tight)
                file.isLog = isLog
            }
            #expect(try file.size == UInt64(model.count))
        }
        let isSame = try file.contents == model
        #expect(isSame, "seed \(seed)")
        try file.synchronize(.full)
        #expect(backing.cached.count < 3 * (model.count + 60 * Sample.block) + 400 * Sample.block)
    }

    @Test("far apart offsets give trees of every depth", arguments: [11, 12] as [UInt64])
    func depths(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let backing = FaultyBacking()
        var file = try Sample.file(in: backing, limit: Sample.tight)
        var model: [UInt64: UInt8] = [:]
        for step in 0..<600 {
            let offset = random.next() >> (17 + random.next() % 40)
            switch random.next() % 10 {
            case 0..<6:
                guard offset < FileHeader.maximumLength else { continue }
                try file.write([UInt8(step % 255) + 1], at: offset)
                model[offset] = UInt8(step % 255) + 1
            case 6:
                try file.truncate(to: min(offset, FileHeader.maximumLength))
                model = model.filter { $0.key < offset }
            case 7: try file.synchronize(.data)
            case 8:
                try file.synchronize(.data)
                file.close()
                file = try ProtectedFile.opened(backing, limit: Sample.tight)
            default:
                for (offset, byte) in model {
                    #expect(try file.bytes(at: offset, count: 1) == [byte], "seed \(seed), step \(step)")
                }
            }
        }
        #expect(try file.check().isIntact)
    }
}

extension SplitMix {
    mutating func offset(limit: Int) -> Int {
        let offset = Int(next() % UInt64(limit))
        return next() % 3 == 0 ? offset / Sample.block * Sample.block : offset
    }

    mutating func length() -> Int {
        switch next() % 4 {
        case 0: Int(next() % 64) + 1
        case 1: Sample.block
        case 2: Int(next() % 10_000) + 1
        default: (Int(next() % 20) + 1) * Sample.block
        }
    }

    mutating func write(limit: Int) -> (Int, [UInt8]) {
        let count = length()
        return (offset(limit: limit - count), Sample.bytes(count, seed: next()))
    }
}

extension [UInt8] {
    mutating func write(_ bytes: [UInt8], at offset: Int) {
        if count < offset + bytes.count { truncate(to: offset + bytes.count) }
        withUnsafeMutableBytes { buffer in
            UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + bytes.count]).copyBytes(from: bytes)
        }
    }

    mutating func truncate(to length: Int) {
        if length < count { removeLast(count - length) }
        self += [UInt8](repeating: 0, count: length - count)
    }
}
