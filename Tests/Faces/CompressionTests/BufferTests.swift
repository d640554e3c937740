import Compression
import Foundation
import Testing

/// Compressed bytes are those of zlib's own program interface with level 5 and 15 window bits without a header. The rules about
/// sizes are those of Apple's documentation of the two functions.
@Suite("Compressed buffers")
struct BufferTests {
    private static let rows: [(text: String, compressed: [UInt8])] = [
        (String(repeating: "a", count: 300), [0x4b, 0x4c, 0x1c, 0x05, 0xc4, 0x02, 0x00]),
        ("hello hello hello hello", [0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0x01]),
        ("", [0x03, 0x00]),
    ]

    private func encoded(_ bytes: [UInt8], room: Int, _ algorithm: compression_algorithm = COMPRESSION_ZLIB) -> [UInt8]
    {
        [UInt8](unsafeUninitializedCapacity: max(room, 1)) { output, count in
            count = bytes.withUnsafeBufferPointer { input in
                let start = input.baseAddress ?? UnsafePointer(output.baseAddress!)
                return compression_encode_buffer(output.baseAddress!, room, start, input.count, nil, algorithm)
            }
        }
    }

    private func decoded(_ bytes: [UInt8], room: Int, _ algorithm: compression_algorithm = COMPRESSION_ZLIB) -> [UInt8]
    {
        [UInt8](unsafeUninitializedCapacity: max(room, 1)) { output, count in
            count = bytes.withUnsafeBufferPointer { input in
                let start = input.baseAddress ?? UnsafePointer(output.baseAddress!)
                return compression_decode_buffer(output.baseAddress!, room, start, input.count, nil, algorithm)
            }
        }
    }

    @Test("are raw deflate, as zlib makes it with level 5", arguments: rows.indices)
    func vectors(row: Int) {
        let (text, compressed) = Self.rows[row]
        #expect(encoded(Array(text.utf8), room: 1000) == compressed)
        #expect(decoded(compressed, room: 1000) == Array(text.utf8))
    }

    @Test("are nothing where they do not fit, and expand as far as there is room")
    func room() {
        let (text, compressed) = Self.rows[0]
        let bytes = Array(text.utf8)
        #expect(encoded(bytes, room: compressed.count) == compressed)
        #expect(encoded(bytes, room: compressed.count - 1) == [])
        #expect(encoded(bytes, room: 0) == [])
        #expect(decoded(compressed, room: 300) == bytes)
        #expect(decoded(compressed, room: 7) == Array(bytes.prefix(7)))
        #expect(decoded(compressed, room: 0) == [])
    }

    @Test(
        "expand to nothing if they are damaged or end too early",
        arguments: [[], [0x4b], [0x4b, 0x4c, 0x1c, 0x05], [0xff, 0xff], [0x78, 0x9c, 0x4b, 0x4c, 0x1c, 0x05]])
    func damaged(bytes: [UInt8]) {
        #expect(decoded(bytes, room: 1000) == [])
    }

    @Test("keep what is behind their end out of it")
    func remainder() {
        #expect(decoded(Self.rows[1].compressed + [1, 2, 3], room: 1000) == Array("hello hello hello hello".utf8))
    }

    @Test(
        "are nothing for algorithms that are not implemented",
        arguments: [
            COMPRESSION_LZ4, COMPRESSION_LZ4_RAW, COMPRESSION_LZMA, COMPRESSION_LZFSE, COMPRESSION_LZBITMAP,
            COMPRESSION_BROTLI, compression_algorithm(0),
        ])
    func otherAlgorithms(algorithm: compression_algorithm) {
        #expect(encoded([1, 2, 3], room: 100, algorithm) == [])
        #expect(decoded(Self.rows[0].compressed, room: 1000, algorithm) == [])
        #expect(throws: FilterError.invalidState) {
            if let named = Algorithm(rawValue: algorithm) {
                _ = try OutputFilter(.compress, using: named) { _ in }
            } else {
                throw FilterError.invalidState
            }
        }
    }

    @Test("need no memory of the caller")
    func scratch() {
        #expect(compression_encode_scratch_buffer_size(COMPRESSION_ZLIB) == 0)
        #expect(compression_decode_scratch_buffer_size(COMPRESSION_ZLIB) == 0)
        // <compression.h>
        let numbers = Algorithm.allCases.map(\.rawValue.rawValue)
        #expect(numbers == [0x801, 0x205, 0x100, 0x306, 0x702, 0xB02] && COMPRESSION_LZ4_RAW.rawValue == 0x101)
    }
}
