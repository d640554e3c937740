import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeySecretMemory

/// One of the two devices of a migration, on which the owner acts in the groups of all programs.
///
/// A device in a directory is opened in this process, which reads and writes every group once the passcode has unlocked
/// it. A daemon wants the passcode for each call in a group that is not this program's.
struct MigrationEnd {
    enum Role: String {
        case source
        case target
    }

    let role: Role

    let device: DeviceAccess
    /// Its directory, as the device names it. Not escaped.
    let name: String
    private let isDirect: Bool
    private let hasPasscode: Bool
    private var isOwnersTool = false
    private var passcode: SecretBox?

    /// Opens the device and refuses unsuitable ones before the first prompt.
    ///
    /// - Parameter keepsItems: the source keeps its items; it may be read-only.
    init(_ location: DeviceLocation, role: Role, keepsItems: Bool) throws(CommandFailure) {
        self.role = role
        let asking = "the \(role.rawValue) of the migration, \(Self.deviceName(of: location))"
        if case .directory(let path) = location {
            guard DeviceDirectory(path: path).holdsDevice else { throw .noDevice(at: path, role) }
            if ReadOnlyDevice.isNeeded(at: path), role == .target || !keepsItems {
                throw .takesNoChanges(path, role: role)
            }
            isDirect = true
            device = try DeviceAccess(ofAllProgramsAt: path, name: asking)
        } else {
            isDirect = false
            device = try DeviceAccess(location, name: asking)
        }
        let status = try device.status()
        name = status.directory
        hasPasscode = status.enclave.hasPasscode
        if !hasPasscode, !isDirect, role == .source { throw .daemonKeepsGroups(name) }
        if status.enclave.isDisabled { throw CommandFailure(.disabled) }
    }

    /// Asks for the passcode where one is set, and unlocks the device with it.
    mutating func unlock(_ secrets: SecretSource) throws(CommandFailure) {
        if hasPasscode {
            let given = try secrets.passcode(
                prompt: "Passcode of the \(role.rawValue) device \(PlainText.escaped(name)): ")
            try device.ask(UnlockDevice(given))
            passcode = given
        }
        isOwnersTool = try device.ownersTool().isCaller
    }

    /// `unix:SOCKET`, or a directory, whose daemon is used if it runs.
    static func location(named text: String) throws(CommandFailure) -> DeviceLocation {
        guard !text.isEmpty else { throw CommandFailure(.usage, "A device of the migration has no name.") }
        if text.hasPrefix("unix:") {
            do {
                return try DeviceLocation(text)
            } catch {
                throw CommandFailure(error)
            }
        }
        let path = text.hasPrefix("dir:") ? String(text.dropFirst(4)) : text
        let directory = DeviceDirectory(path: path)
        return SocketProbe.listener(at: directory.keychainSocket) == nil
            ? .directory(path: path) : .socket(path: directory.keychainSocket)
    }

    /// For people: the directory, also where the usual socket below it is named.
    private static func deviceName(of location: DeviceLocation) -> String {
        let name = name(of: location)
        let directory = String(name.dropLast("/run/keychain.sock".count))
        return DeviceDirectory(path: directory).keychainSocket == name ? directory : name
    }

    static func name(of location: DeviceLocation) -> String {
        switch location {
        case .directory(let path), .socket(let path): path
        }
    }

    /// Performs a request in a group; `*` is all of them.
    func perform(_ request: ItemRequest, in group: String) -> ItemReply {
        var request = request
        if !isDirect, !(group == OwnersGroup.name && isOwnersTool) {
            guard let passcode else {
                return ItemReply(
                    code: .authFailed,
                    refusal: Refusal(as: .migrationNeedsPasscode, name))
            }
            request.owner = OwnerAuthority(accessGroup: group, passcode: passcode)
        }
        return device.call(request)
    }
}

extension CommandFailure {
    fileprivate static func noDevice(at path: String, _ role: MigrationEnd.Role) -> CommandFailure {
        let path = PlainText.escaped(path)
        switch role {
        case .source:
            return CommandFailure(
                .deviceUnreachable, "There is no device at \(path) to take items from.",
                advice: "Name one with --from.")
        case .target:
            return CommandFailure(
                .deviceUnreachable, "There is no device at \(path) to bring items to.",
                advice: "Name one with --to; `latchkey start --device \(path)` makes one there.")
        }
    }

    fileprivate static func takesNoChanges(_ path: String, role: MigrationEnd.Role) -> CommandFailure {
        let refusal =
            switch role {
            case .source:
                Refusal(as: .sourceTakesNoChanges, path)
            case .target:
                Refusal(as: .destinationTakesNoChanges, path)
            }
        return CommandFailure(.readOnly, refusal)
    }

    fileprivate static func daemonKeepsGroups(_ name: String) -> CommandFailure {
        CommandFailure(
            .deviceInUse, "The daemon at \(name) shows the items of other programs only with a passcode.",
            why: "No passcode is set on that device.",
            advice: "Stop its daemon (latchkey stop --device DIRECTORY), then migrate from the directory.")
    }
}
