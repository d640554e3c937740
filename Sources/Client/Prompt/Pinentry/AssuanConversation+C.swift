import Glibc
import LatchkeySecretMemory
import LatchkeyThreading

/// A reason for the end of a conversation with a pinentry.
enum AssuanFailure: Error, Hashable {
    /// The caller withdrew the question, or its time is over.
    case over
    /// No reply to a command that needs no person.
    case silent
    case closed
    case lineTooLong
    case tooManyLines
    case dataTooLong
    case badEncoding
    case unexpectedLine
    case system(Int32)
}

/// An exchange of commands and replies over one descriptor. All input stays in locked memory.
@safe final class AssuanConversation {
    struct Reply: Hashable {
        /// Nil means OK.
        var error: UInt32?
        var statuses: Set<String> = []
    }

    /// The maximum length of a line, without its end: by the protocol.
    static let lineLimit = 1000
    /// The maximum length of a person's input.
    static let dataLimit = 1024
    private static let lineCountLimit = 200
    /// The time for a pinentry's reply to a command that needs no person.
    private static let patienceSeconds = 10.0

    private let descriptor: Int32
    private let cancellation: Cancellation
    private let patience = Cancellation(seconds: patienceSeconds)
    private let pages: LockedPages
    /// The number of bytes at the beginning of the pages that do not belong to a line yet.
    private var pendingCount = 0
    private var dataCount = 0

    /// - Parameter descriptor: a stream socket that does not block; the conversation closes it.
    init?(descriptor: Int32, until cancellation: Cancellation) {
        guard let pages = LockedPages(byteCount: 4096) else {
            close(descriptor)
            return nil
        }
        self.pages = pages
        self.descriptor = descriptor
        self.cancellation = cancellation
    }

    deinit {
        close(descriptor)
    }

    /// Ends the conversation: a pinentry that waits for a command ends by itself.
    func end() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends a command and waits for its reply; the first reply comes without a command.
    ///
    /// - Parameter asksPerson: the reply takes as long as a person takes.
    func answer(to command: String?, asksPerson: Bool = false) throws(AssuanFailure) -> Reply {
        forgetData()
        if let command { try send(command + "\n") }
        var reply = Reply()
        for _ in 0..<Self.lineCountLimit {
            switch try nextLine(asksPerson: asksPerson) {
            case .ok: return reply
            case .error(let number):
                reply.error = number
                return reply
            case .status(let keyword): reply.statuses.insert(keyword)
            case .data, .comment: continue
            case .unexpected: throw .unexpectedLine
            }
        }
        throw .tooManyLines
    }

    /// Returns the data of the last reply.
    func secret() -> SecretBox {
        unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: dataArea[..<dataCount]))
    }

    /// Returns the data of the last reply if it is not secret.
    func text() -> String {
        unsafe String(decoding: dataArea[..<dataCount], as: UTF8.self)
    }

    func forgetData() {
        unsafe wipe(dataArea)
        dataCount = 0
    }

    private var lineArea: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: pages.bytes[..<2048])
    }

    private var dataArea: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(rebasing: pages.bytes[2048..<(2048 + Self.dataLimit)])
    }

    /// Reads the next line; its data, if any, is appended to the previous data.
    private func nextLine(asksPerson: Bool) throws(AssuanFailure) -> AssuanLine {
        while true {
            let pending = unsafe UnsafeRawBufferPointer(rebasing: lineArea[..<pendingCount])
            if let end = unsafe pending.firstIndex(of: UInt8(ascii: "\n")) {
                guard end <= Self.lineLimit else { throw .lineTooLong }
                defer { drop(end + 1) }
                return try unsafe take(UnsafeRawBufferPointer(rebasing: pending[..<end]))
            }
            guard pendingCount <= Self.lineLimit else { throw .lineTooLong }
            try wait(for: Int16(POLLIN), asksPerson: asksPerson)
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: lineArea[pendingCount...])
            let count = unsafe recv(descriptor, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT))
            switch count {
            case 1...: pendingCount += count
            case 0: throw .closed
            default:
                guard errno == EINTR || errno == EAGAIN else { throw errno == ECONNRESET ? .closed : .system(errno) }
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(AssuanFailure) -> AssuanLine {
        let hasReturn = unsafe bytes.last == UInt8(ascii: "\r")
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropLast(hasReturn ? 1 : 0))
        let line = unsafe AssuanLine(bytes)
        guard line == .data else { return line }
        let encoded = unsafe UnsafeRawBufferPointer(rebasing: bytes[2...])
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: dataArea[dataCount...])
        guard let count = unsafe AssuanText.decode(encoded, into: room) else { throw .badEncoding }
        guard count >= 0 else { throw .dataTooLong }
        dataCount += count
        return line
    }

    /// Removes the first bytes, and moves the rest to the beginning.
    private func drop(_ count: Int) {
        guard let start = unsafe lineArea.baseAddress else { return }
        let rest = pendingCount - count
        unsafe memmove(start, start + count, rest)
        unsafe wipe(UnsafeMutableRawBufferPointer(start: start + rest, count: count))
        pendingCount = rest
    }

    private func send(_ text: String) throws(AssuanFailure) {
        let bytes = Array(text.utf8)
        precondition(bytes.count <= Self.lineLimit + 1, "texts of prompts are cut so that they fit into a line")
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { rest in
                unsafe Glibc.send(
                    descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(for: Int16(POLLOUT), asksPerson: false)
            } else if errno != EINTR {
                throw errno == EPIPE || errno == ECONNRESET ? .closed : .system(errno)
            }
        }
    }

    private func wait(for events: Int16, asksPerson: Bool) throws(AssuanFailure) {
        while true {
            guard !cancellation.isOver else { throw .over }
            guard asksPerson || !patience.isOver else { throw .silent }
            var sources = [
                pollfd(fd: descriptor, events: events, revents: 0),
                pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            var limit = cancellation.pollMilliseconds
            if !asksPerson { limit = limit < 0 ? patience.pollMilliseconds : min(limit, patience.pollMilliseconds) }
            guard unsafe poll(&sources, 2, limit) > 0, sources[1].revents == 0 else { continue }
            if sources[0].revents != 0 { return }
        }
    }
}
