import Compression
import Foundation
import Testing

@Suite("Compressed streams")
struct StreamTests {
    private static let bytes: [UInt8] = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) }

    /// Runs a stream over input in pieces of one size, with room for pieces of another one.
    private func run(
        _ operation: compression_stream_operation, _ input: [UInt8], inputPiece: Int, outputPiece: Int
    ) -> (bytes: [UInt8], status: compression_status) {
        let output = UnsafeMutablePointer<UInt8>.allocate(capacity: outputPiece)
        defer { output.deallocate() }
        return input.withUnsafeBufferPointer { input in
            var stream = compression_stream(
                dst_ptr: output, dst_size: 0, src_ptr: input.baseAddress!, src_size: 0, state: nil)
            #expect(compression_stream_init(&stream, operation, COMPRESSION_ZLIB) == COMPRESSION_STATUS_OK)
            defer { #expect(compression_stream_destroy(&stream) == COMPRESSION_STATUS_OK) }
            (stream.dst_ptr, stream.dst_size, stream.src_ptr) = (output, outputPiece, input.baseAddress!)
            var (result, given) = ([UInt8](), 0)
            while true {
                if stream.src_size == 0, given < input.count {
                    stream.src_size = min(inputPiece, input.count - given)
                    given += stream.src_size
                }
                let flags = given == input.count ? Int32(COMPRESSION_STREAM_FINALIZE.rawValue) : 0
                let status = compression_stream_process(&stream, flags)
                result += UnsafeBufferPointer(start: output, count: outputPiece - stream.dst_size)
                (stream.dst_ptr, stream.dst_size) = (output, outputPiece)
                if status != COMPRESSION_STATUS_OK { return (result, status) }
            }
        }
    }

    @Test(
        "are the same whatever the pieces", arguments: [(1, 7), (7, 1), (1000, 64), (64, 100_000), (200_000, 200_000)])
    func pieces(inputPiece: Int, outputPiece: Int) {
        let whole = run(COMPRESSION_STREAM_ENCODE, Self.bytes, inputPiece: 200_000, outputPiece: 300_000)
        #expect(whole.status == COMPRESSION_STATUS_END)
        let encoded = run(COMPRESSION_STREAM_ENCODE, Self.bytes, inputPiece: inputPiece, outputPiece: outputPiece)
        #expect(encoded.status == COMPRESSION_STATUS_END && encoded.bytes == whole.bytes)
        let decoded = run(COMPRESSION_STREAM_DECODE, encoded.bytes, inputPiece: inputPiece, outputPiece: outputPiece)
        #expect(decoded.status == COMPRESSION_STATUS_END && decoded.bytes == Self.bytes)
    }

    @Test("end with an error where compressed data is damaged or ends too early")
    func damaged() {
        let encoded = run(COMPRESSION_STREAM_ENCODE, Self.bytes, inputPiece: 1000, outputPiece: 1000).bytes
        let short = run(COMPRESSION_STREAM_DECODE, Array(encoded.dropLast(3)), inputPiece: 1000, outputPiece: 1000)
        #expect(short.status == COMPRESSION_STATUS_ERROR)
        let wrong = run(COMPRESSION_STREAM_DECODE, [7] + encoded, inputPiece: 1000, outputPiece: 1000)
        #expect(wrong.status == COMPRESSION_STATUS_ERROR)
    }

    @Test("are refused for algorithms that are not implemented, and without a state")
    func refused() {
        var byte: UInt8 = 0
        withUnsafeMutablePointer(to: &byte) { byte in
            var stream = compression_stream(dst_ptr: byte, dst_size: 1, src_ptr: byte, src_size: 1, state: nil)
            #expect(
                compression_stream_init(&stream, COMPRESSION_STREAM_ENCODE, COMPRESSION_LZFSE)
                    == COMPRESSION_STATUS_ERROR)
            #expect(compression_stream_process(&stream, 0) == COMPRESSION_STATUS_ERROR)
            #expect(compression_stream_destroy(&stream) == COMPRESSION_STATUS_ERROR)
            #expect(
                compression_stream_init(&stream, compression_stream_operation(2), COMPRESSION_ZLIB)
                    == COMPRESSION_STATUS_ERROR)
        }
    }

    @Test("end with an error where there is input after the end, for which nothing can be done")
    func inputAfterEnd() {
        var (output, input) = ([UInt8](repeating: 0, count: 100), [1, 2, 3] as [UInt8])
        output.withUnsafeMutableBufferPointer { output in
            input.withUnsafeMutableBufferPointer { input in
                var stream = compression_stream(
                    dst_ptr: output.baseAddress!, dst_size: 0, src_ptr: UnsafePointer(input.baseAddress!), src_size: 0,
                    state: nil)
                #expect(
                    compression_stream_init(&stream, COMPRESSION_STREAM_ENCODE, COMPRESSION_ZLIB)
                        == COMPRESSION_STATUS_OK)
                defer { compression_stream_destroy(&stream) }
                let finalize = Int32(COMPRESSION_STREAM_FINALIZE.rawValue)
                (stream.dst_size, stream.src_size) = (100, 3)
                #expect(compression_stream_process(&stream, finalize) == COMPRESSION_STATUS_END)
                (stream.src_ptr, stream.src_size) = (UnsafePointer(input.baseAddress!), 3)
                #expect(compression_stream_process(&stream, finalize) == COMPRESSION_STATUS_ERROR)
                #expect(compression_stream_process(&stream, 0) == COMPRESSION_STATUS_ERROR && stream.src_size == 3)
            }
        }
    }

    @Test("end with an error where a size is negative", arguments: [(-1, 1), (1, -1), (Int.min, Int.min)])
    func negativeSizes(outputSize: Int, inputSize: Int) {
        var byte: UInt8 = 0
        withUnsafeMutablePointer(to: &byte) { byte in
            var stream = compression_stream(dst_ptr: byte, dst_size: 0, src_ptr: byte, src_size: 0, state: nil)
            #expect(
                compression_stream_init(&stream, COMPRESSION_STREAM_DECODE, COMPRESSION_ZLIB) == COMPRESSION_STATUS_OK)
            defer { compression_stream_destroy(&stream) }
            (stream.dst_size, stream.src_size) = (outputSize, inputSize)
            #expect(compression_stream_process(&stream, 0) == COMPRESSION_STATUS_ERROR)
            #expect(stream.dst_size == outputSize && stream.src_size == inputSize)
        }
    }

    private func written(_ operation: FilterOperation, _ data: Data, capacity: Int, piece: Int) throws -> (Data, Int) {
        var (result, ends) = (Data(), 0)
        let filter = try OutputFilter(operation, using: .zlib, bufferCapacity: capacity) { part in
            if let part { result += part } else { ends += 1 }
        }
        for start in stride(from: 0, to: data.count, by: piece) {
            try filter.write(data[start..<min(start + piece, data.count)])
        }
        try filter.finalize()
        try filter.finalize()
        return (result, ends)
    }

    private func readAll(_ operation: FilterOperation, _ data: Data, capacity: Int, piece: Int) throws -> Data {
        var rest = data
        let filter = try InputFilter(operation, using: .zlib, bufferCapacity: capacity) { count -> Data? in
            defer { rest = Data(rest.dropFirst(count)) }
            return rest.prefix(count)
        }
        var result = Data()
        while let part = try filter.readData(ofLength: piece) {
            #expect(part.count <= piece)
            result += part
        }
        return result
    }

    @Test("go through filters, which give the same bytes", arguments: [(7, 1000), (1000, 7), (65_536, 65_536)])
    func filters(capacity: Int, piece: Int) throws {
        let data = Data(Self.bytes.prefix(20_000))
        let (compressed, ends) = try written(.compress, data, capacity: capacity, piece: piece)
        #expect(ends == 1)
        #expect(
            compressed == Data(run(COMPRESSION_STREAM_ENCODE, Array(data), inputPiece: 999, outputPiece: 999).bytes))
        #expect(try written(.decompress, compressed, capacity: capacity, piece: piece) == (data, 1))
        #expect(try readAll(.compress, data, capacity: capacity, piece: piece) == compressed)
        #expect(try readAll(.decompress, compressed, capacity: capacity, piece: piece) == data)
    }

    @Test("are read by a filter no further than to their end", arguments: [1, 7, 300, 65_536])
    func nothingReadAfterEnd(piece: Int) throws {
        // With some of these counts all input is in the stream before the end of the output is.
        for (count, capacity) in (1..<300).flatMap({ [($0, 1), ($0, 1000)] }) {
            let data = Data(repeating: 97, count: count)
            let compressed = try written(.compress, data, capacity: 1000, piece: 1000).0
            var rest = compressed
            let filter = try InputFilter(.decompress, using: .zlib, bufferCapacity: capacity) { count -> Data? in
                // A socket that stays open would wait here.
                if rest.isEmpty { Issue.record("read after the end") }
                defer { rest = Data(rest.dropFirst(count)) }
                return rest.prefix(count)
            }
            var result = Data()
            while let part = try filter.readData(ofLength: piece) { result += part }
            #expect(try filter.readData(ofLength: piece) == nil)
            #expect(result == data)
        }
    }

    @Test("are expanded by a filter only as far as the caller asks")
    func expandsOnDemand() throws {
        let zeros = Data(count: 4_000_000)
        let compressed = try written(.compress, zeros, capacity: 65_536, piece: zeros.count).0
        let filter = try InputFilter(.decompress, using: .zlib) { _ in compressed }
        #expect(try filter.readData(ofLength: 1) == Data(count: 1))
        #expect(try filter.readData(ofLength: .max)?.count == zeros.count - 1)
        #expect(try filter.readData(ofLength: 1) == nil)
        // A block of three bytes (RFC 1951, section 3.2.4) before one of a kind that does not exist: the damage shows when
        // that part is expanded.
        let damaged = Data([0, 3, 0, 0xFC, 0xFF, 1, 2, 3, 7])
        let damagedFilter = try InputFilter(.decompress, using: .zlib) { _ in damaged }
        #expect(try damagedFilter.readData(ofLength: 1) == Data([1]))
        #expect(throws: FilterError.invalidData) { try damagedFilter.readData(ofLength: 3) }
    }

    @Test("are compressed by a filter whose input has an end, and come from any kind of buffer")
    func genericFilter() throws {
        var pieces: [[UInt8]] = [[1, 2], [3]]
        let filter: InputFilter<[UInt8]> = try InputFilter(.compress, using: .zlib) { _ in
            pieces.isEmpty ? nil : pieces.removeFirst()
        }
        let compressed = try filter.readData(ofLength: 100)
        #expect(
            compressed.map(Array.init)
                == run(COMPRESSION_STREAM_ENCODE, [1, 2, 3], inputPiece: 3, outputPiece: 99).bytes)
        #expect(try filter.readData(ofLength: 100) == nil)
    }

    @Test("lose nothing in a filter whose reader fails once")
    func failingReader() throws {
        let compressed = try written(.compress, Data(Self.bytes), capacity: 1000, piece: 1000).0
        var (rest, calls) = (compressed, 0)
        let filter = try InputFilter(.decompress, using: .zlib, bufferCapacity: 100) { count -> Data? in
            calls += 1
            if calls == 3 { throw POSIXError(.EINTR) }
            defer { rest = Data(rest.dropFirst(count)) }
            return rest.prefix(count)
        }
        #expect(throws: POSIXError.self) { try filter.readData(ofLength: Self.bytes.count) }
        #expect(try filter.readData(ofLength: Self.bytes.count) == Data(Self.bytes))
    }

    @Test("have directions with the numbers of <compression.h>")
    func directions() {
        #expect(FilterOperation.compress.rawValue == COMPRESSION_STREAM_ENCODE)
        #expect(FilterOperation(rawValue: COMPRESSION_STREAM_DECODE) == .decompress)
        #expect(FilterOperation(rawValue: compression_stream_operation(2)) == nil)
    }

    @Test("are refused by filters where they are damaged, and after their end")
    func filterErrors() throws {
        let compressed = try written(.compress, Data(Self.bytes), capacity: 1000, piece: 1000).0
        #expect(throws: FilterError.invalidData) {
            try written(.decompress, compressed.dropLast(3), capacity: 1000, piece: 1000)
        }
        #expect(throws: FilterError.invalidData) {
            try readAll(.decompress, compressed.dropLast(3), capacity: 1000, piece: 1000)
        }
        var ends = 0
        let filter = try OutputFilter(.compress, using: .zlib) { ends += $0 == nil ? 1 : 0 }
        try filter.write(Data?.none)
        try filter.write(Data?.none)
        try filter.write(Data())
        #expect(ends == 1)
        #expect(throws: FilterError.invalidData) { try filter.write(Data([1])) }
    }
}
