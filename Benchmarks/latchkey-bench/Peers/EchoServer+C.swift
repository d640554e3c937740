import CLatchkeyShims
import Glibc
import LatchkeyPeerIdentity
import LatchkeyThreading

/// The limit of a find: the same number of processes, sockets, packets and bytes, and nothing done with them.
///
/// A middle process passes each packet of its client on to an end process and the answer back, on sockets made by the
/// same calls as those of the daemon and the enclave.
enum EchoServer {
    /// `end SOCKET ANSWER-BYTES`, `middle SOCKET NEXT-SOCKET QUESTION-BYTES ANSWER-BYTES`, `store SOCKET ANSWER-BYTES
    /// FILE`: a row of bare SQLite is committed before each answer, or `visits SOCKET`: one packet there and back for each
    /// of many connections.
    static func run(_ arguments: [String]) throws {
        switch arguments.first {
        case "end"? where arguments.count == 3:
            try serve(arguments[1], answer: try size(arguments[2]))
        case "middle"? where arguments.count == 5:
            let next = lk_socket_connect(arguments[2])
            guard next >= 0 else { throw Failure("cannot reach \(arguments[2])") }
            let question = try size(arguments[3])
            try serve(arguments[1], answer: try size(arguments[4])) { buffer in
                guard exchange(next, buffer, sending: question) else { throw Failure("the end of the echo is gone") }
            }
        case "store"? where arguments.count == 4:
            let table = try BareItemTable(arguments[3])
            try serve(arguments[1], answer: try size(arguments[2])) { _ in try table.commit(1, rowsPerCommit: 1) }
        case "visits"? where arguments.count == 2:
            try serveVisits(arguments[1])
        default:
            throw Failure("echo takes end, middle, store or visits")
        }
    }

    private static func size(_ text: String) throws -> Int {
        guard let size = Int(text), size > 0, size <= 64 << 10 else {
            throw Failure("\(text) is not a valid packet size")
        }
        return size
    }

    /// - Parameter work: what is done between a packet and its answer; it may use the buffer.
    private static func serve(
        _ path: String, answer: Int, work: (UnsafeMutableRawBufferPointer) throws -> Void = { _ in }
    ) throws {
        let listener = lk_socket_listen(path, 4)
        guard listener >= 0 else { throw Failure("cannot listen on \(path)") }
        let client = lk_socket_accept(listener)
        guard client >= 0 else { throw Failure("cannot accept on \(path)") }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 7)
        while recv(client, buffer.baseAddress, buffer.count, 0) > 0 {
            try work(buffer)
            guard send(client, buffer.baseAddress, answer, Int32(MSG_NOSIGNAL)) == answer else { break }
        }
        unlink(path)
    }

    /// A thread for each connection, as the daemon has.
    private static func serveVisits(_ path: String) throws {
        let listener = lk_socket_listen(path, 128)
        guard listener >= 0 else { throw Failure("cannot listen on \(path)") }
        while true {
            let client = lk_socket_accept(listener)
            guard client >= 0 else { throw Failure("cannot accept on \(path)") }
            _ = DetachedThread.start {
                var byte: UInt8 = 0
                while recv(client, &byte, 1, 0) == 1, send(client, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 {}
                close(client)
            }
        }
    }

    /// One question and its answer; false if the other side is gone.
    static func exchange(_ socket: Int32, _ buffer: UnsafeMutableRawBufferPointer, sending count: Int) -> Bool {
        guard send(socket, buffer.baseAddress, count, Int32(MSG_NOSIGNAL)) == count else { return false }
        return recv(socket, buffer.baseAddress, buffer.count, 0) > 0
    }
}
