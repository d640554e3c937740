import CLatchkeyShims
import Glibc
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeyPlainText
import LatchkeySyncService
import LatchkeySyncStore
import LatchkeySyncTransport
import LatchkeyThreading
import Synchronization

/// Starts the process that talks to the store, and connects to it. It runs while there is a circle, and ends with the daemon.
final class TransportHost: StoreHost {
    private let directory: DeviceDirectory
    private let program: ChildProgram
    private let outside: OutsideThread
    private let link: SocketLink
    private let log: ProgramLog
    /// The store that the transport is started for; nil if none is in use.
    private let store = Mutex<StoreAddress?>(nil)

    private static let waitMicroseconds: UInt32 = 2_000
    private static let restartMicroseconds: UInt32 = 50_000
    private static let startCount = 20
    private static let startLimit: Duration = .seconds(10)

    /// - Parameters:
    ///   - outside: a thread that was started before the daemon was confined: the transport has to reach a folder that the daemon cannot
    ///     reach. It may wait, so it is used for nothing else.
    ///   - inspecting: the thread that inspects other processes.
    init(
        _ directory: DeviceDirectory, outside: OutsideThread, inspecting: OutsideThread, log: ProgramLog
    ) throws(IdentityFailure) {
        program = try ChildProgram("latchkey-transport", of: directory)
        self.directory = directory
        self.outside = outside
        self.log = log
        let path = try ProgramAdmission.path(besideThisProgram: "latchkey-transport")
        let admission = ProgramAdmission(userID: geteuid(), path: path)
        link = SocketLink(
            path: directory.transportSocket,
            server: ServerProgram(admission, inspector: PeerInspector(outside: inspecting)), report: { log.write($0) })
    }

    func circles(at address: StoreAddress) throws(StoreHostFailure) -> any CircleStores {
        guard !overlaps(address) else { throw .holdsDevice }
        let isOther = store.withLock { store in
            defer { store = address }
            return store != address
        }
        if isOther { stop() }
        // A transport that does not start now is started with the first question that finds none.
        return TransportCircles(RevivedLink(link: link) { self.revive(address) })
    }

    /// True for a folder that is the directory of the device, a part of it, or has it within: the transport may write whatever is in its
    /// folder. True as well for a file of the device: the transport shows the server what is in its files.
    private func overlaps(_ address: StoreAddress) -> Bool {
        func parts(_ path: String) -> [String] {
            guard let real = unsafe realpath(path, nil) else { return PathText.parts(of: path) }
            defer { unsafe free(real) }
            return unsafe PathText.parts(of: String(cString: real))
        }
        let device = parts(directory.path)
        return address.paths.contains { path in
            let store = parts(path)
            return store.starts(with: device) || device.starts(with: store)
        }
    }

    func release() {
        store.withLock { $0 = nil }
        stop()
    }

    func stop() {
        outside.perform { self.program.stop() }
    }

    /// Starts the transport again, and returns the reason why it does not run.
    private func revive(_ address: StoreAddress) -> TransportLinkFailure? {
        guard store.withLock({ $0 }) == address else { return .unreachable }
        return outside.perform { self.ensureRunning(address) }
    }

    // MARK: On the outside thread

    /// Returns when the transport listens; starts it if necessary. Returns the reason why it does not run.
    private func ensureRunning(_ address: StoreAddress) -> TransportLinkFailure? {
        if program.isKnown, program.takeExitStatus() == nil, isListening { return nil }
        let clock = ContinuousClock()
        let end = clock.now + Self.startLimit
        var startsLeft = Self.startCount
        repeat {
            if !program.isKnown {
                startsLeft -= 1
                do throws(DeviceFailure) {
                    try program.start([
                        "--store", address.description, "--socket", directory.transportSocket, "--parent",
                        String(getpid()),
                    ])
                } catch {
                    log.write("\(error)")
                    return .unreachable
                }
            }
            usleep(Self.waitMicroseconds)
            if let status = program.takeExitStatus() {
                if status == EX_NOINPUT { return .folderMissing }
                // One of a killed daemon may be about to end.
                usleep(Self.restartMicroseconds)
            } else if isListening {
                return nil
            }
        } while startsLeft > 0 && clock.now < end
        log.write("latchkey-transport does not start; what it said is in \(program.log)")
        return .unreachable
    }

    private var isListening: Bool {
        let descriptor = unsafe lk_socket_connect(directory.transportSocket)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }
}

/// The transport of a system installation, which the system starts for the store of its configuration.
struct SystemTransportHost: StoreHost {
    private let link: SocketLink

    init(socket: String, log: ProgramLog) {
        link = SocketLink(path: socket, server: nil, report: { log.write($0) })
    }

    func circles(at address: StoreAddress) throws(StoreHostFailure) -> any CircleStores {
        let circles = TransportCircles(link)
        // One that does not answer may do so later, and may serve another store then: it finds no circle of this device there.
        guard let served = try? circles.storeText(), served != address.description else { return circles }
        throw .serves(served)
    }

    func release() {}
}

/// A link that starts its transport again if it has gone. One that goes during the introduction cannot be identified: it looks like another
/// program.
private struct RevivedLink: TransportLink {
    let link: SocketLink
    let revive: @Sendable () -> TransportLinkFailure?

    func call(_ body: [UInt8], until end: Cancellation?) throws(TransportLinkFailure) -> [UInt8] {
        do throws(TransportLinkFailure) {
            return try link.call(body, until: end)
        } catch {
            guard error == .unreachable || error == .refused else { throw error }
            if let failure = revive() { throw failure }
            return try link.call(body, until: end)
        }
    }
}
