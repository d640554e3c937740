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

    @Test("are refused by filters where they are damaged, and after their end")
    func filterErrors() throws {
        let compressed = try written(.compress, Data(Self.bytes), capacity: 1000, piece: 1000).0
        #expect(throws: FilterError.invalidData) {
            try written(.decompress, compressed.dropLast(3), capacity: 1000, piece: 1000)
        }
        #expect(throws: FilterError.invalidData) {
            try readAll(.decompress, compressed.dropLast(3), capacity: 1000, piece: 1000)
        }
        let filter = try OutputFilter(.compress, using: .zlib) { _ in }
        try filter.write(Data?.none)
        #expect(throws: FilterError.invalidState) { try filter.write(Data([1])) }
    }
}
