import Glibc
import LatchkeyDevice
import LatchkeyEnclaveCore
import LatchkeySensor

/// The fingerprint reader that the enclave uses, and the user whose fingers it accepts.
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

    /// - Parameter isOwnersProcess: true if the enclave runs as the device's owner. It then accepts that user's fingers
    ///   unless the options name another user; an enclave with a user of its own needs the option.
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
            // With an empty name fprintd uses the calling user, for whom it requires less permission.
            choice = .fprintd(user: named ?? "", templates: templates, place: Self.bus)
        case let other?:
            throw ProgramOptions.Failure(description: "--sensor is fprintd or none, not \(other)")
        }
    }

    /// Makes the sensor after the process has confined itself. Each operation opens its own connection to the bus.
    func sensor() -> any BiometricSensor {
        switch choice {
        case .none: NoSensor()
        case .fprintd(let user, let templates, let place):
            FprintSensor(user: user, templates: templates, place: place)
        case .testOnly(let path): LineSensor(testOnlyPath: path)
        }
    }

    /// The paths that the sensor reads, besides sockets.
    var readablePaths: [String] {
        if case .fprintd(_, .directory(let path)?, _) = choice { [path] } else { [] }
    }

    /// A path is a socket if it ends in `.sock`, whether it exists yet or not.
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

    /// The environment variable may choose the address of the bus; the user who opened the bus is checked.
    private static var bus: BusPlace {
        guard let address = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else { return BusPlace() }
        return BusPlace(address: unsafe String(cString: address))
    }
}
