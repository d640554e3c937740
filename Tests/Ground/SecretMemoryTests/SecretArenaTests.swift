import Foundation
import Testing

@testable import LatchkeySecretMemory

@Suite("The memory that secrets share")
struct SecretArenaTests {
    private static func pointer(_ address: UInt) throws -> UnsafeMutableRawPointer {
        let pointer: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(bitPattern: address)
        return try #require(pointer)
    }

    @Test("secrets without bytes take no memory")
    func empty() {
        let arena = SecretArena()
        let places = arena.take(Array(repeating: 0, count: 100_000))
        #expect(places.count == 100_000 && Set(places).count == 1)
        #expect(arena.testOnlySlabCount == 0)
        for _ in 0..<1000 { arena.giveBack(arena.take(0), count: 0) }
        #expect(arena.testOnlySlabCount == 0)
        #expect(SecretBox(copying: [UInt8]()).withBytes { $0.isEmpty && $0.baseAddress != nil })
    }

    @Test("slabs go back to the system when their last secret ends, but for one of each size", arguments: 0..<4)
    func slabsGoBack(_ size: Int) throws {
        let arena = SecretArena()
        let count = SecretArena.slotSizes[size]
        let perSlab = SecretArena.slotCount(ofSize: size)
        let places = arena.take(Array(repeating: count, count: 5 * perSlab + 1))
        #expect(Set(places).count == places.count)
        #expect(arena.testOnlySlabCount == 6)
        for address in places.dropFirst() {
            arena.giveBack(try Self.pointer(address), count: count)
        }
        // The slab of the one that is left, and an empty one for those that come next.
        #expect(arena.testOnlySlabCount == 2)
        arena.giveBack(try Self.pointer(places[0]), count: count)
        #expect(arena.testOnlySlabCount == 1)
        #expect(arena.take(Array(repeating: count, count: perSlab)).count == perSlab)
        #expect(arena.testOnlySlabCount == 1)
    }

    @Test("secrets that come and go in any order never share memory, and what comes is zeroed", arguments: [1, 2, 3])
    func anyOrder(_ seed: UInt64) throws {
        let arena = SecretArena()
        var state = seed
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var living: [(bytes: UnsafeMutableRawBufferPointer, mark: UInt8)] = []
        for round in 0..<500 {
            if living.isEmpty || random(5) < 3 {
                let counts = (0..<1 + random(40)).map { _ in random(20) == 0 ? 5000 : random(1100) }
                for (address, count) in zip(arena.take(counts), counts) {
                    let bytes = UnsafeMutableRawBufferPointer(
                        start: try Self.pointer(address), count: count)
                    #expect(bytes.allSatisfy { $0 == 0 }, "seed \(seed), round \(round)")
                    let mark = UInt8(1 + random(255))
                    bytes.initializeMemory(as: UInt8.self, repeating: mark)
                    living.append((bytes, mark))
                }
            }
            for _ in 0..<min(living.count, random(60)) {
                let (bytes, mark) = living.remove(at: random(living.count))
                #expect(bytes.allSatisfy { $0 == mark }, "seed \(seed), round \(round)")
                arena.giveBack(try #require(bytes.baseAddress), count: bytes.count)
            }
        }
        for (bytes, _) in living { arena.giveBack(try #require(bytes.baseAddress), count: bytes.count) }
        #expect(arena.testOnlySlabCount <= SecretArena.slotSizes.count)
    }

    @Test("buffers that are not locked leave the locked memory to others, and are wiped like them")
    func unlockedInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            _ = SecretBuffer(count: 4096)
            let before = Self.lockedKilobytes()
            let buffers = (0..<2048).map { _ in SecretBuffer(count: 4096, isLocked: false) }
            for buffer in buffers { buffer.bytes[0] = 1 }
            #expect(Self.lockedKilobytes() == before && before > 0)
            let locked = (0..<64).map { _ in SecretBuffer(count: 4096) }
            #expect(Self.lockedKilobytes() > before && locked.count == 64)
        }
        let arena = SecretArena(.unlocked)
        let first = arena.take(4096)
        first.storeBytes(of: 7, as: UInt8.self)
        arena.giveBack(first, count: 4096)
        let second = arena.take(4096)
        #expect(second == first && second.load(as: UInt8.self) == 0)
        arena.giveBack(second, count: 4096)
    }

    private static func lockedKilobytes() -> Int {
        let status = (try? FileHandle(forReadingFrom: URL(filePath: "/proc/self/status")).readToEnd()) ?? Data()
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmLck:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
