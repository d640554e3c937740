import Foundation
import LatchkeyRNCryptorFormat
import LatchkeySecretMemory

/// The reading of one message, in pieces or at once.
final class Opening {
    private let credentials: Credentials
    private let versions: [MessageHeader.Version]
    /// The bytes of an incomplete header.
    private var beginning = Data()
    private var message: MessageDecryptor?
    /// The error that every call after the end, or after an error, throws.
    private var end: RNCryptor.Error?

    init(_ credentials: Credentials, versions: [MessageHeader.Version]) {
        self.credentials = credentials
        self.versions = versions
    }

    func update(_ data: Data) throws(RNCryptor.Error) -> Data {
        if let end { throw end }
        if message != nil { return decrypt(data) }
        beginning.append(data)
        guard let header = try header(of: beginning) else { return Data() }
        message = MessageDecryptor(keys: try keys(for: header), header: header)
        let rest = beginning.dropFirst(header.byteCount)
        beginning = Data()
        return decrypt(rest)
    }

    /// - parameter error: The error for a message of no bytes.
    func finish(ifEmpty error: RNCryptor.Error) throws(RNCryptor.Error) -> Data {
        if let end { throw end }
        guard let ending = message.take() else { throw failing(beginning.isEmpty ? error : .messageTooShort) }
        end = .hmacMismatch
        return try Self.finish(ending)
    }

    /// Authenticates the whole message before decrypting it.
    func whole(_ data: Data, ifEmpty error: RNCryptor.Error) throws(RNCryptor.Error) -> Data {
        if let end { throw end }
        // After a first call in pieces, the message is decrypted in pieces.
        guard message == nil, beginning.isEmpty else {
            var result = try update(data)
            result.append(try finish(ifEmpty: error))
            return result
        }
        guard let header = try header(of: data) else { throw failing(data.isEmpty ? error : .messageTooShort) }
        let keys = try keys(for: header)
        end = .hmacMismatch
        let body = data.dropFirst(header.byteCount)
        var verifier = MessageVerifier(keys: keys, header: header)
        unsafe body.withUnsafeBytes { unsafe verifier.update($0) }
        do {
            try verifier.finish()
        } catch {
            throw .hmacMismatch
        }
        message = MessageDecryptor(keys: keys, header: header, isVerified: true)
        var result = decrypt(body)
        guard let ending = message.take() else { return result }
        result.append(try Self.finish(ending))
        return result
    }

    /// Returns the header once it is complete. Throws as soon as it sees a first byte of another version or an unknown
    /// kind of credentials.
    private func header(of data: Data) throws(RNCryptor.Error) -> MessageHeader? {
        if let first = data.first, !versions.contains(where: { $0.rawValue == first }) {
            throw failing(.unknownHeader)
        }
        let start = Array(data.prefix(MessageHeader.longestByteCount))
        let read = unsafe start.withUnsafeBytes { bytes in
            Result { () throws(MessageFailure) in
                guard let length = unsafe try MessageHeader.byteCount(startingWith: bytes), bytes.count >= length else {
                    return MessageHeader?.none
                }
                return unsafe try MessageHeader(reading: bytes)
            }
        }
        switch read {
        case .success(let header): return header
        case .failure: throw failing(.invalidCredentialType)
        }
    }

    private func keys(for header: MessageHeader) throws(RNCryptor.Error) -> MessageKeys {
        do {
            return try credentials.keys(for: header)
        } catch {
            throw failing(.invalidCredentialType)
        }
    }

    private func decrypt(_ data: Data) -> Data {
        let room = message?.outputByteCount(for: data.count) ?? 0
        return unsafe Data(atMost: room) { output in
            unsafe data.withUnsafeBytes { unsafe message?.update($0, into: output) ?? 0 }
        }
    }

    private static func finish(_ message: consuming MessageDecryptor) throws(RNCryptor.Error) -> Data {
        let room = UnsafeMutableRawBufferPointer.allocate(
            byteCount: MessageDecryptor.largestFinalByteCount, alignment: 8)
        defer {
            unsafe wipe(room)
            unsafe room.deallocate()
        }
        do {
            let written = unsafe try message.finish(into: room)
            return unsafe Data(room[..<written])
        } catch {
            throw .hmacMismatch
        }
    }

    private func failing(_ error: RNCryptor.Error) -> RNCryptor.Error {
        end = error
        return error
    }
}
