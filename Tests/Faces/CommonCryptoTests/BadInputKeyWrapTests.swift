import CommonCrypto
import Testing

/// Answers of key wrap to calls that it cannot perform.
@Suite struct BadInputKeyWrapTests {
    private static let huge = Int(bitPattern: UInt.max)
    private static let aes = CCWrappingAlgorithm(kCCWRAPAES)
    private static let kek = [UInt8](1...32)
    private static let raw = [UInt8](101...132)

    private struct Answer: Equatable {
        let status: Int32
        let length: Int?
    }

    /// Everything right but for what is said; the output has as much memory as a right call needs.
    private func wrap(
        iv: UnsafePointer<UInt8>? = nil, ivLength: Int = 8, kek: [UInt8]? = kek, kekLength: Int = 32,
        raw: [UInt8]? = raw, rawLength: Int = 32, hasOutput: Bool = true, room: Int? = 40
    ) -> Answer {
        let output = GuardedBytes(count: 40)
        let length = GuardedBytes(count: 8).holding(room ?? 0)
        let status = CCSymmetricKeyWrap(
            Self.aes, iv, ivLength, kek, kekLength, raw, rawLength,
            hasOutput ? output.start.assumingMemoryBound(to: UInt8.self) : nil, room == nil ? nil : length.number)
        #expect(output.isIntactBefore)
        if status != kCCSuccess { #expect(Set(output.bytes).isSubset(of: [0, 0xB5])) }
        return Answer(status: status, length: room == nil ? nil : length.number.pointee)
    }

    private static let refused = Answer(status: Int32(kCCParamError), length: 0)

    @Test("what is missing, too short or too long is a parameter error, and nothing is given out") func wrapping() {
        #expect(wrap() == Answer(status: 0, length: 40))
        #expect(wrap(kek: nil) == Self.refused)
        #expect(wrap(raw: nil) == Self.refused)
        #expect(wrap(hasOutput: false) == Self.refused)
        #expect(wrap(room: nil) == Answer(status: Int32(kCCParamError), length: nil))
        for length in [0, 8, 15, 17, 31, 33, Int.max, Self.huge] {
            #expect(wrap(kekLength: length) == Self.refused, "key of \(length) bytes")
        }
        for length in [0, 8, 9, 15, 17, 31, Int.max - 7, Int.max, Int.min, Self.huge, Self.huge - 7] {
            #expect(wrap(rawLength: length) == Self.refused, "wrapping \(length) bytes")
        }
        for room in [0, 1, 32, 39] { #expect(wrap(room: room) == Self.refused, "room for \(room) bytes") }
        for length in [0, 1, 7] {
            #expect(wrap(iv: CCrfc3394_iv, ivLength: length) == Self.refused, "initial value of \(length) bytes")
        }
        #expect(wrap(iv: nil, ivLength: 0) == Answer(status: 0, length: 40))
        #expect(wrap(iv: CCrfc3394_iv, ivLength: Self.huge).status == kCCParamError)
        #expect(wrap(room: Self.huge) == Answer(status: 0, length: 40))
        // The output of a failure is wiped, but not up to an impossible length.
        for room in [Int.max, Self.huge, Int.min] { #expect(wrap(kekLength: 15, room: room) == Self.refused) }
    }

    @Test("what was altered, and what cannot be a wrapped key, does not open") func unwrapping() throws {
        let wrapped = try KeyWrapCall.wrap(Self.raw, under: Self.kek)
        func unwrap(
            ivLength: Int = 8, kek: [UInt8]? = Self.kek, kekLength: Int = 32, wrapped: [UInt8]?, length: Int,
            hasOutput: Bool = true, room: Int? = 32
        ) -> Answer {
            let output = GuardedBytes(count: 32)
            let count = GuardedBytes(count: 8).holding(room ?? 0)
            let status = CCSymmetricKeyUnwrap(
                Self.aes, CCrfc3394_iv, ivLength, kek, kekLength, wrapped, length,
                hasOutput ? output.start.assumingMemoryBound(to: UInt8.self) : nil, room == nil ? nil : count.number)
            #expect(output.isIntactBefore)
            if status != kCCSuccess { #expect(Set(output.bytes).isSubset(of: [0, 0xB5])) }
            return Answer(status: status, length: room == nil ? nil : count.number.pointee)
        }
        #expect(unwrap(wrapped: wrapped, length: 40) == Answer(status: 0, length: 32))
        #expect(unwrap(kek: nil, wrapped: wrapped, length: 40) == Self.refused)
        #expect(unwrap(wrapped: nil, length: 40) == Self.refused)
        #expect(unwrap(wrapped: wrapped, length: 40, hasOutput: false) == Self.refused)
        #expect(unwrap(wrapped: wrapped, length: 40, room: nil) == Answer(status: Int32(kCCParamError), length: nil))
        #expect(unwrap(ivLength: 7, wrapped: wrapped, length: 40) == Self.refused)
        for length in [0, 15, 33, Self.huge] {
            #expect(unwrap(kekLength: length, wrapped: wrapped, length: 40) == Self.refused)
        }
        for room in [0, 31] { #expect(unwrap(wrapped: wrapped, length: 40, room: room) == Self.refused) }
        for length in [8, 9, 16, 23, 25, 33, 39] {
            #expect(
                unwrap(wrapped: wrapped, length: length) == Answer(status: Int32(kCCDecodeError), length: 0),
                "\(length) bytes")
        }
        for length in [Int.max, Int.min, Self.huge, Self.huge - 7] {
            let answer = unwrap(wrapped: wrapped, length: length)
            #expect(answer.status != kCCSuccess && answer.length == 0, "\(length) bytes")
            #expect(unwrap(wrapped: wrapped, length: length, room: Self.huge).status != kCCSuccess, "\(length) bytes")
        }
        for bit in 0..<wrapped.count * 8 {
            var altered = wrapped
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(
                unwrap(wrapped: altered, length: 40) == Answer(status: Int32(kCCDecodeError), length: 0), "bit \(bit)")
        }
    }

    @Test("sizes: nothing wraps around that matters") func sizes() {
        #expect(CCSymmetricWrappedSize(Self.aes, 16) == 24)
        #expect(CCSymmetricUnwrappedSize(Self.aes, 24) == 16)
        for size in 0..<8 { #expect(CCSymmetricUnwrappedSize(Self.aes, size) == 0) }
        _ = CCSymmetricWrappedSize(Self.aes, Self.huge)
        #expect(CCSymmetricUnwrappedSize(Self.aes, Self.huge) == Self.huge - 8)
    }

    @Test("the output may lie over the input, before it or behind it") func overlapping() throws {
        let wrapped = try KeyWrapCall.wrap(Self.raw, under: Self.kek)
        for shift in -40...40 {
            let memory = GuardedBytes(count: 160)
            let place = memory.start.assumingMemoryBound(to: UInt8.self) + 56
            place.update(from: Self.raw, count: 32)
            var length = 40
            #expect(
                CCSymmetricKeyWrap(Self.aes, nil, 0, Self.kek, 32, place, 32, place + shift, &length) == kCCSuccess)
            #expect(Array(UnsafeBufferPointer(start: place + shift, count: length)) == wrapped, "shift \(shift)")
            place.update(from: wrapped, count: 40)
            length = 32
            #expect(
                CCSymmetricKeyUnwrap(Self.aes, nil, 0, Self.kek, 32, place, 40, place + shift, &length) == kCCSuccess)
            #expect(Array(UnsafeBufferPointer(start: place + shift, count: length)) == Self.raw, "shift \(shift)")
        }
    }
}

extension GuardedBytes {
    fileprivate var number: UnsafeMutablePointer<Int> { start.assumingMemoryBound(to: Int.self) }

    fileprivate func holding(_ value: Int) -> GuardedBytes {
        number.pointee = value
        return self
    }
}
