import LatchkeyRNCryptorFormat
package import LatchkeySecretMemory

/// Decrypts one file: the first pass authenticates it, the second one releases it.
///
/// Input that can be read only once is copied in the first pass, as ciphertext.
package struct FileDecryption {
    private let input: InputFile
    private let progress: ProgressLine?
    private let buffer = FileBuffer(byteCount: FileSize.piece)
    private let header: MessageHeader
    /// The number of bytes that the buffer still holds from reading the header.
    private var waiting: Int
    private let spool: SpoolFile?
    /// Called between the two passes, so that a test can change the file.
    package var testOnlyBetweenPasses: () -> Void = {}

    /// Reads the beginning: whatever no password opens is refused before one is asked for.
    package init(_ input: InputFile, progress: ProgressLine?) throws(CommandFailure) {
        self.input = input
        self.progress = progress
        waiting = try unsafe input.read(into: buffer.bytes, at: 0)
        do throws(MessageFailure) {
            header = try unsafe MessageHeader(reading: buffer.prefix(waiting))
        } catch {
            throw CommandFailure(error, opening: input.name)
        }
        guard header.kind == .password else { throw CommandFailure(.otherCredentials, opening: input.name) }
        if let size = input.byteCount ?? (waiting < FileSize.piece ? waiting : nil) {
            try Self.check(size, header, input.name)
        }
        spool = input.isRereadable ? nil : try SpoolFile()
    }

    /// Of the message: 1, 2 or 3.
    package var version: Int { Int(header.version.rawValue) }

    /// Checks all of it, then writes the decrypted bytes, and returns their number.
    ///
    /// - Parameter isRevocable: whether the output can be taken back until it is complete. If not, no piece is written that
    ///   is not the one that was checked, even if the file is changed meanwhile.
    package mutating func run(
        password: SecretBox, into output: OutputFile, isRevocable: Bool
    ) throws(CommandFailure) -> Int {
        let keys: MessageKeys
        do throws(MessageFailure) {
            keys = try Credentials.password(password).keys(for: header)
        } catch {
            throw CommandFailure(error, opening: input.name)
        }
        var marks = isRevocable || spool != nil ? nil : PieceMarks()
        let size = try check(keys, &marks)
        testOnlyBetweenPasses()
        let byteCount = try decrypt(keys, size, marks, into: output, isRevocable: isRevocable)
        try output.complete()
        return byteCount
    }

    /// The first pass. Returns how many bytes the message has.
    private mutating func check(_ keys: MessageKeys, _ marks: inout PieceMarks?) throws(CommandFailure) -> Int {
        var verifier = MessageVerifier(keys: keys, header: header)
        var offset = 0
        progress?.begin(spool == nil ? "Checking" : "Receiving", total: input.byteCount)
        while true {
            // The first piece is there already.
            let count = offset == 0 ? waiting : try unsafe input.read(into: buffer.bytes, at: offset)
            let piece = unsafe buffer.prefix(count)
            try unsafe spool?.append(piece)
            unsafe marks?.append(piece)
            unsafe verifier.update(body(of: piece, at: offset))
            offset += count
            progress?.advance(by: count)
            guard count == FileSize.piece else { break }
        }
        progress?.end()
        try Self.check(offset, header, input.name)
        do throws(MessageFailure) {
            try verifier.finish()
        } catch {
            // Version 1 does not authenticate the vector, on which the padding of a short message depends: an attacker
            // who alters it must not learn about the padding.
            let isTold = error != .badPadding || header.version != .one
            throw CommandFailure(isTold ? error : .notAuthentic, opening: input.name)
        }
        return offset
    }

    /// The second pass.
    private func decrypt(
        _ keys: MessageKeys, _ size: Int, _ marks: PieceMarks?, into output: OutputFile, isRevocable: Bool
    ) throws(CommandFailure) -> Int {
        var decryptor = MessageDecryptor(keys: keys, header: header)
        let plaintext = FileBuffer(byteCount: FileSize.piece + MessageSize.largestOverhead)
        var offset = 0
        var byteCount = 0
        progress?.begin("Decrypting", total: size)
        while true {
            let count =
                if let spool {
                    try unsafe spool.read(into: buffer.bytes, at: offset)
                } else {
                    try unsafe input.read(into: buffer.bytes, at: offset)
                }
            let piece = unsafe buffer.prefix(count)
            let isSeen = unsafe marks?.fit(piece, at: offset / FileSize.piece) ?? true
            guard isSeen, offset + count <= size else {
                throw .inputChanged(input.name, released: isRevocable ? 0 : byteCount)
            }
            let written = unsafe decryptor.update(body(of: piece, at: offset), into: plaintext.bytes)
            try unsafe output.write(plaintext.prefix(written))
            offset += count
            byteCount += written
            progress?.advance(by: count)
            guard count == FileSize.piece else { break }
        }
        let last: Int
        do throws(MessageFailure) {
            last = try unsafe decryptor.finish(into: plaintext.bytes)
        } catch {
            throw .inputChanged(input.name, released: isRevocable ? 0 : byteCount)
        }
        try unsafe output.write(plaintext.prefix(last))
        progress?.end()
        return byteCount + last
    }

    /// A piece without the header, which is in the first one.
    private func body(of piece: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: piece.dropFirst(offset == 0 ? header.byteCount : 0))
    }

    private static func check(_ size: Int, _ header: MessageHeader, _ name: String) throws(CommandFailure) {
        guard size >= header.byteCount + MessageSize.shortestBody else {
            throw CommandFailure(.tooShort, opening: name)
        }
        guard MessageSize.plaintext(messageByteCount: size, header) != nil else {
            throw .messageCutOff(name, byteCount: size)
        }
    }
}
