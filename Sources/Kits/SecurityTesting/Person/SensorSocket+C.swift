import Glibc
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyThreading
import Synchronization

/// The scripted person's fingerprint reader behind a socket, for the enclave process of a virtual device.
///
/// One connection for each request, one line for the request, one or more for the answer; a connection that the enclave
/// closes is a wait that it cancels. `latchkey-enclave --test-only-sensor PATH` is the client.
final class SensorSocket: Sendable {
    private static let lineByteLimit = 256

    private let path: String
    private let listener: Int32
    private let person: ScriptedPerson
    private let isClosed = Mutex(false)

    init(path: String, person: ScriptedPerson) throws(VirtualDeviceError) {
        self.path = path
        self.person = person
        listener = try Self.listen(at: path)
        guard DetachedThread.start({ [self] in serve() }) else {
            Glibc.close(listener)
            throw VirtualDeviceError(
                .programNotStarted, reason: "The virtual sensor cannot be started: the system has no thread left.",
                advice: "Close devices that are not used any more.")
        }
    }

    /// Ends it. The thread that accepts closes the socket.
    func close() {
        let isFirst = isClosed.withLock { closed in
            defer { closed = true }
            return !closed
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        unsafe unlink(path)
    }

    private static func listen(at path: String) throws(VirtualDeviceError) -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard bytes.count < room.count else { return false }
            unsafe room.copyBytes(from: bytes)
            return true
        }
        let isBound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard socket >= 0, fits, isBound, Glibc.listen(socket, 16) == 0 else {
            if socket >= 0 { Glibc.close(socket) }
            throw VirtualDeviceError(
                .storageFailed, reason: "The virtual sensor cannot listen at \(path) (errno \(errno)).",
                advice: "Set TMPDIR to a short path that is writable.")
        }
        return socket
    }

    private func serve() {
        defer { Glibc.close(listener) }
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let isStarted = DetachedThread.start { [person] in
                defer { Glibc.close(client) }
                guard let line = Self.readLine(from: client) else { return }
                Self.answer(line, to: client, person)
            }
            if !isStarted { Glibc.close(client) }
        }
    }

    // MARK: One request

    private static func answer(_ line: String, to client: Int32, _ person: ScriptedPerson) {
        let words = line.split(separator: " ").map(String.init)
        let finger = words.count > 1 ? LatchkeyEnclaveContract.Finger(rawValue: words[1]) : nil
        switch (words.first, words.count) {
        case ("survey", 1):
            send(SensorLines.text(person.survey()), to: client)
        case ("match", 1):
            let event = match(for: client, person)
            send(SensorLines.text(event), to: client)
        case ("enrol", 2):
            guard let finger else { return send("failed failed", to: client) }
            let last = person.enrol(finger, until: Cancellation()) { send(SensorLines.text($0), to: client) }
            send(SensorLines.text(last), to: client)
        case ("remove", 2):
            guard finger != nil || words[1] == "all" else { return send("failed failed", to: client) }
            send(person.remove(finger).map { "failed \(SensorLines.name(of: $0))" } ?? "done", to: client)
        default:
            break
        }
    }

    /// Waits for a touch until the enclave closes the connection.
    private static func match(for client: Int32, _ person: ScriptedPerson) -> SensorEvent {
        let cancellation = Cancellation()
        let isAnswered = Cancellation()
        let watch = Cancellation()
        let isWatched = DetachedThread.start {
            waitForHangUp(of: client, or: isAnswered)
            cancellation.cancel()
            watch.cancel()
        }
        // The descriptor must stay open as long as the other thread looks at it.
        defer {
            isAnswered.cancel()
            if isWatched { watch.wait() }
        }
        return person.match(until: cancellation, whileWanted: { !hasHungUp(client, milliseconds: 0) })
    }

    private static func waitForHangUp(of client: Int32, or answered: Cancellation) {
        while !answered.isCancelled {
            var waited = [
                pollfd(fd: client, events: hangUp, revents: 0),
                pollfd(fd: answered.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let outcome = unsafe poll(&waited, nfds_t(waited.count), answered.pollMilliseconds)
            if outcome < 0, errno != EINTR { return }
            if outcome > 0, waited[0].revents != 0 { return }
        }
    }

    private static func hasHungUp(_ client: Int32, milliseconds: Int32) -> Bool {
        var waited = pollfd(fd: client, events: hangUp, revents: 0)
        return unsafe poll(&waited, 1, milliseconds) > 0
    }

    /// The other side has closed its end (POLLRDHUP, which the Glibc module has not).
    private static let hangUp: Int16 = 0x2000

    private static func readLine(from client: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < lineByteLimit, unsafe read(client, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    private static func send(_ line: String, to client: Int32) {
        var bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        while !bytes.isEmpty {
            let count = unsafe Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            bytes.removeFirst(count)
        }
    }
}
