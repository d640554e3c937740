public import Foundation

/// A compression algorithm. Only ``zlib`` is implemented here; a filter with another one is refused.
public enum Algorithm: CaseIterable, RawRepresentable, Hashable, Sendable {
    case lzfse
    case zlib
    case lz4
    case lzma
    case lzbitmap
    case brotli

    public init?(rawValue: compression_algorithm) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = algorithm
    }

    public var rawValue: compression_algorithm {
        switch self {
        case .lzfse: COMPRESSION_LZFSE
        case .zlib: COMPRESSION_ZLIB
        case .lz4: COMPRESSION_LZ4
        case .lzma: COMPRESSION_LZMA
        case .lzbitmap: COMPRESSION_LZBITMAP
        case .brotli: COMPRESSION_BROTLI
        }
    }
}

/// The direction of a filter.
public enum FilterOperation: RawRepresentable, Hashable, Sendable {
    case compress
    case decompress

    public init?(rawValue: compression_stream_operation) {
        switch rawValue {
        case COMPRESSION_STREAM_ENCODE: self = .compress
        case COMPRESSION_STREAM_DECODE: self = .decompress
        default: return nil
        }
    }

    public var rawValue: compression_stream_operation {
        switch self {
        case .compress: COMPRESSION_STREAM_ENCODE
        case .decompress: COMPRESSION_STREAM_DECODE
        }
    }
}

/// The errors of filters.
public enum FilterError: Error, Hashable, Sendable {
    /// The algorithm is not implemented.
    case invalidState
    /// Compressed data is damaged or ends too early, or data was written after the end.
    case invalidData
}

/// Compresses or expands what is written to it, and gives the result away in pieces.
public class OutputFilter {
    private var filter: StreamFilter?
    private let writeFunc: (Data?) throws -> Void

    /// - Parameter writeFunc: receives each piece, and nil at the end.
    public init(
        _ operation: FilterOperation, using algorithm: Algorithm, bufferCapacity: Int = 65_536,
        writingTo writeFunc: @escaping (Data?) throws -> Void
    ) throws {
        filter = try StreamFilter(operation, algorithm, capacity: bufferCapacity)
        self.writeFunc = writeFunc
    }

    deinit { try? finalize() }

    /// Writes some data. Nil or none ends the filter, as ``finalize()`` does.
    public func write<D: DataProtocol>(_ data: D?) throws {
        guard let data, !data.isEmpty else { return try finalize() }
        guard let filter else { throw FilterError.invalidData }
        try filter.process(Array(data), finishes: false) { try writeFunc($0) }
    }

    /// Writes the rest of the result. A second call does nothing.
    public func finalize() throws {
        guard let filter else { return }
        self.filter = nil
        try filter.process([], finishes: true) { try writeFunc($0) }
        try writeFunc(nil)
    }
}

/// Compresses or expands what it reads, and gives the result away as the caller asks for it.
public class InputFilter<BufferType: DataProtocol> {
    private let filter: StreamFilter
    private let capacity: Int
    private let readFunc: (Int) throws -> BufferType?
    private var input: ArraySlice<UInt8> = []
    private var isComplete = false
    /// Output that was not given away yet, because the reader has thrown an error.
    private var result = Data()
    /// Nothing is left in the stream that it could give away without more input.
    private var isDrained = true

    /// - Parameter readFunc: returns the next piece, of at most so many bytes; nil or none at the end.
    public init(
        _ operation: FilterOperation, using algorithm: Algorithm, bufferCapacity: Int = 65_536,
        readingFrom readFunc: @escaping (Int) throws -> BufferType?
    ) throws {
        filter = try StreamFilter(operation, algorithm, capacity: bufferCapacity)
        (capacity, self.readFunc) = (bufferCapacity, readFunc)
    }

    /// Returns the next part of the result, of at most so many bytes; nil at the end.
    public func readData(ofLength count: Int) throws -> Data? {
        precondition(count > 0, "The length must be positive.")
        while result.count < count, !filter.hasEnded {
            // The end of compressed data can be in the stream already, and a reader without more data would wait.
            if input.isEmpty, isDrained, !isComplete {
                input = try readFunc(capacity).map { Array($0)[...] } ?? []
                isComplete = input.isEmpty
            }
            let room = min(count - result.count, capacity)
            let piece = try filter.piece(&input, finishes: isComplete, room: room)
            isDrained = piece.count < room
            result += piece
        }
        guard !result.isEmpty else { return nil }
        let part = Data(result.prefix(count))
        result.removeFirst(part.count)
        return part
    }
}
