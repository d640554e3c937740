import Glibc
import LatchkeyDevice
import LatchkeyEnclaveCore
import LatchkeySensor

/// Which fingerprint reader the enclave listens to, and whose fingers count.
struct SensorOptions: Sendable {
    static let names: Set<String> = [
        "--sensor", "--fingerprint-user", "--fingerprint-templates", "--test-only-sensor",
    ]

    private enum Choice: Sendable {
        case none
        case fprintd(user: String, templates: TemplateSource?, place: BusPlace)
        case testOnly(path: String)
    }

    private let choice: Choice

    /// - Parameter isOwnersProcess: the enclave runs as the user whose device it is; then that user's fingers count
    ///   unless another is named. An enclave of its own user has to be told.
    init(_ options: ProgramOptions, isOwnersProcess: Bool) throws(ProgramOptions.Failure) {
        let named = options.value("--fingerprint-user")
        let templates = try options.value("--fingerprint-templates").map(Self.templates)
        if let path = options.value("--test-only-sensor") {
            guard Self.names.allSatisfy({ $0 == "--test-only-sensor" || options.value($0) == nil }) else {
                throw ProgramOptions.Failure(description: "--test-only-sensor takes the place of every other sensor")
            }
            choice = .testOnly(path: path)
            return
        }
        switch options.value("--sensor") {
        case "none": choice = .none
        case nil where !isOwnersProcess && named == nil: choice = .none
        case nil, "fprintd":
            guard isOwnersProcess || named != nil else {
                throw ProgramOptions.Failure(
                    description: "--sensor fprintd needs --fingerprint-user: the fingers of which user count?")
            }
            // fprintd takes no name for the user who asks, and asks for less permission then.
            choice = .fprintd(user: named ?? "", templates: templates, place: Self.bus)
        case let other?:
            throw ProgramOptions.Failure(description: "--sensor is fprintd or none, not \(other)")
        }
    }

    /// Made after the process confined itself; a connection to the bus is opened for each operation.
    func sensor() -> any BiometricSensor {
        switch choice {
        case .none: NoSensor()
        case .fprintd(let user, let templates, let place):
            FprintSensor(user: user, templates: templates, place: place)
        case .testOnly(let path): LineSensor(testOnlyPath: path)
        }
    }

    /// What the sensor reads, beside sockets.
    var readablePaths: [String] {
        if case .fprintd(_, .directory(let path)?, _) = choice { [path] } else { [] }
    }

    /// A path that is a socket now, or ends as one does, is a socket.
    private static func templates(_ path: String) throws(ProgramOptions.Failure) -> TemplateSource {
        if path.hasSuffix(".sock") { return .socket(path) }
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ProgramOptions.Failure(
                description: "--fingerprint-templates \(path): there is no such directory. fprintd keeps the templates "
                    + "of a user in \(TemplateSource.standardDirectory)/USER")
        }
        return .directory(path)
    }

    /// The variable may say where the bus is; who opened it is checked.
    private static var bus: BusPlace {
        guard let address = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else { return BusPlace() }
        return BusPlace(address: unsafe String(cString: address))
    }
}
