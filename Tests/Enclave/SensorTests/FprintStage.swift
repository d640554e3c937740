import Foundation
import Glibc
import LatchkeyEnclaveContract
import LatchkeyThreading
import Synchronization
import Testing

@testable import LatchkeySensor

/// A system bus of its own with the real polkitd and the real fprintd, whose reader is libfprint's virtual one.
final class FprintStage {
    let directory: String
    let address: String
    private let bus: ChildProcess
    private var authority: ChildProcess?
    private var service: ChildProcess?

    var place: BusPlace { BusPlace(address: address, testOnlyTrustedUser: geteuid()) }
    /// Where fprintd keeps the templates of all users.
    var state: String { directory + "/state" }
    var templates: TemplateSource { .directory(state + "/root") }

    private var reader: String { directory + "/reader" }

    /// With the service it needs root, whom polkit lets use a reader without asking.
    /// - Parameter wrapper: words before the programs of the stage, for instance to change their view of the files.
    init(withService: Bool = true, serviceUser: UInt32? = nil, wrapper: [String] = []) throws {
        var template = Array("/tmp/lk-finger.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try #require(chmod(directory, 0o755) == 0)
        address = "unix:path=\(directory)/bus"
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/><allow receive_sender="*"/>
              </policy>
            </busconfig>
            """
        try configuration.write(toFile: directory + "/bus.conf", atomically: true, encoding: .utf8)
        bus = try ChildProcess(
            wrapper + [
                "/usr/bin/dbus-daemon", "--nofork", "--nopidfile", "--config-file=\(directory)/bus.conf",
                "--print-address",
            ],
            package: "dbus")
        // Where it may not raise its limits it says so first.
        var said: [String] = []
        while said.last?.hasPrefix("unix:") != true {
            said.append(bus.line())
            try #require(said.last != "", "dbus-daemon did not start: \(said)")
        }
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        guard withService else { return }
        authority = try ChildProcess(
            wrapper + ["/usr/lib/polkit-1/polkitd", "--no-debug"], package: "polkitd",
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        try awaitOwner(of: "org.freedesktop.PolicyKit1")
        try startService(as: serviceUser, wrapper: wrapper)
    }

    deinit {
        service?.kill()
        authority?.kill()
        bus.kill()
        try? FileManager.default.removeItem(atPath: directory)
    }

    func startService(as user: UInt32? = nil, wrapper: [String] = []) throws {
        if let user {
            try #require(chown(state, user, user) == 0 && chown(directory, user, user) == 0)
        }
        let change = user.map { ["/usr/bin/setpriv", "--reuid=\($0)", "--clear-groups"] } ?? []
        try #require(
            FileManager.default.isExecutableFile(atPath: "/usr/libexec/fprintd"),
            "fprintd is missing: apt-get install fprintd")
        service = try ChildProcess(
            wrapper + change + ["/usr/libexec/fprintd", "-t"], package: "fprintd",
            environment: [
                "DBUS_SYSTEM_BUS_ADDRESS": address, "FP_VIRTUAL_DEVICE_STORAGE": reader, "STATE_DIRECTORY": state,
            ])
        try awaitOwner(of: "net.reactivated.Fprint")
    }

    func killService() { service?.kill() }

    /// Ends fprintd; gives what it wrote.
    func serviceLog() -> String {
        service?.kill()
        return service?.rest() ?? ""
    }

    func killBus() { bus.kill() }

    /// Stops fprintd without ending it, as a driver that hangs.
    func freezeService() throws { try service?.signal(SIGSTOP, program: "fprintd") }

    /// Tells the virtual reader what happens to it; it listens while a program has claimed it. Returns when it was
    /// told.
    /// - Parameter condition: gives up once it is false.
    func tell(_ command: String, while condition: () -> Bool = { true }) throws {
        while true {
            guard let descriptor = try connected(while: condition) else { return }
            defer { close(descriptor) }
            let bytes = Array(command.utf8)
            guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count,
                shutdown(descriptor, Int32(SHUT_WR)) == 0
            else { continue }
            var answer = [UInt8](repeating: 0, count: 256)
            // The reader closes the connection once it has the command; a reset is one that it did not take.
            if recv(descriptor, &answer, answer.count, 0) >= 0 { return }
        }
    }

    /// Enrols a finger, touching the reader until that ends; gives every event.
    func enrol(_ finger: Finger, as print: String, _ sensor: FprintSensor) throws -> [EnrolmentEvent] {
        let seen = Events()
        let enrolment = Background { sensor.enrol(finger, until: Cancellation(seconds: 60)) { seen.add($0) } }
        while !enrolment.isFinished {
            let before = seen.all.count
            try tell("SCAN \(print)", while: { !enrolment.isFinished })
            // The virtual reader fails if it is touched twice at once. The touch that looks for a duplicate is one that
            // is not reported.
            var looks = 0
            while seen.all.count == before, looks < 40, !enrolment.isFinished(within: 5) { looks += 1 }
        }
        return seen.all + [try enrolment.value()]
    }

    /// Returns when a reader of fprintd's waits for a finger.
    func awaitTouchWanted() throws {
        let connection = try BusConnection(place)
        let device = BusObject(
            service: "net.reactivated.Fprint", path: "/net/reactivated/Fprint/Device/0",
            interface: "org.freedesktop.DBus.Properties")
        let wait = BusWait(nil, seconds: 20)
        let owner = try connection.call(.bus, "GetNameOwner", [device.service], within: wait).readString()
        let object = BusObject(service: owner, path: device.path, interface: device.interface)
        while true {
            let answer = try connection.call(
                object, "Get", ["net.reactivated.Fprint.Device", "finger-needed"], within: wait)
            try answer.enterVariant(of: "b")
            if try answer.readBool() { return }
        }
    }

    /// Runs a program on the bus of the stage to its end.
    func run(_ words: [String], package: String) throws -> (status: Int32, output: String) {
        let child = try ChildProcess(words, package: package, environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        let output = child.rest()
        return (child.wait(), output)
    }

    /// A program on the bus of the stage.
    func start(_ words: [String], package: String) throws -> ChildProcess {
        try ChildProcess(words, package: package, environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
    }

    private func connected(while condition: () -> Bool) throws -> Int32? {
        var tries = 0
        while condition() {
            if let descriptor = try connected() { return descriptor }
            tries += 1
            try #require(tries < 20_000, "the virtual reader does not listen: it is not claimed")
            usleep(1_000)
        }
        return nil
    }

    /// Returns nil if no program listens now.
    private func connected() throws -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(reader.utf8)) }
        let outcome = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if outcome == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private func awaitOwner(of name: String) throws {
        let connection = try BusConnection(place)
        let wait = BusWait(nil, seconds: 30)
        try connection.subscribe(
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'", wait)
        while try connection.call(.bus, "ListNames", within: wait).readList().contains(name) == false {
            _ = try connection.nextSignal(wait)
        }
    }
}

/// The events that an enrolment reported so far.
private final class Events: Sendable {
    private let events = Mutex<[EnrolmentEvent]>([])

    var all: [EnrolmentEvent] { events.withLock { $0 } }

    func add(_ event: EnrolmentEvent) {
        events.withLock { $0.append(event) }
    }
}
