import CLatchkeyShims
import Glibc
import LatchkeySecretMemory
import Testing

@testable import LatchkeyLocalTransport

@Suite("Descriptors that come along are checked and closed")
struct AttachedDescriptorTests {
    /// A pipe whose writing end is given away: its reading end tells when no process holds the writing end any more.
    struct Witness {
        let reading: Int32
        let writing: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            precondition(pipe(&ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            reading = ends[0]
            writing = ends[1]
        }

        /// Waits for the end of the pipe, which comes when all copies of the writing end are closed.
        func waitForEnd() -> Bool {
            close(writing)
            defer { close(reading) }
            var byte: UInt8 = 0
            return read(reading, &byte, 1) == 0
        }
    }

    @Test("extra descriptors are closed and end the connection", arguments: [1, 2, 40])
    func extraDescriptors(count: Int) throws {
        let witness = Witness()
        let course = try RawPeer().course { peer in
            let nonce = peer.nonce()
            peer.send(frame(.hello, nonce: nonce))
            peer.send(frame(.message, nonce: nonce), attached: Array(repeating: witness.writing, count: count))
            #expect(peer.refusal() == .malformed)
        }
        #expect(course.failure == .malformed(.unexpectedDescriptors(count)))
        #expect(witness.waitForEnd())
    }

    enum Memory: String, CaseIterable, Sendable {
        case sealed, unsealed, sealedButWritable, tooShort, tooLong, pipe

        var failure: TransportFailure? {
            switch self {
            case .sealed: nil
            case .unsealed, .sealedButWritable, .pipe: .malformed(.memoryNotSealed)
            case .tooShort, .tooLong: .malformed(.memorySizeDiffers)
            }
        }

        /// A memory file with the content of `message`, as well made as the case says.
        func descriptor(for message: WireMessage, byteCount: Int) -> Int32 {
            if self == .pipe {
                let witness = Witness()
                close(witness.reading)
                return witness.writing
            }
            let size = byteCount + (self == .tooLong ? 1 : self == .tooShort ? -1 : 0)
            var mapping: UnsafeMutableRawPointer?
            let number = lk_sealed_memory_create(size, &mapping)
            precondition(number >= 0)
            if self != .tooShort {
                FrameContent.write(message, to: UnsafeMutableRawBufferPointer(start: mapping, count: size))
            }
            switch self {
            case .unsealed: munmap(mapping, size)
            case .sealedButWritable:
                munmap(mapping, size)
                // F_ADD_SEALS with F_SEAL_SHRINK | F_SEAL_GROW
                precondition(fcntl(number, 1033, 2 | 4) == 0)
            default: precondition(lk_sealed_memory_seal(number, mapping, size) == 0)
            }
            return number
        }
    }

    @Test("a memory file is read only if it is sealed and of the right size", arguments: Memory.allCases)
    func memoryFiles(memory: Memory) throws {
        let message = WireMessage(
            body: [UInt8](repeating: 3, count: 70_000), secrets: [SecretBox(copying: [1, 2, 3])])
        let course = try RawPeer().course { peer in
            let nonce = peer.nonce()
            peer.send(frame(.hello, nonce: nonce))
            let header = FrameHeader(kind: .message, message: message, nonce: nonce)
            var bytes = [UInt8](repeating: 0, count: FrameHeader.byteCount)
            bytes.withUnsafeMutableBytes { header.write(to: $0) }
            let number = memory.descriptor(for: message, byteCount: header.contentCount)
            peer.send(bytes, attached: [number])
            close(number)
            if memory.failure != nil { #expect(peer.refusal() == .malformed) }
        }
        #expect(course.failure == memory.failure)
        #expect(course.messages == (memory.failure == nil ? 1 : 0))
    }
}
