package import ArgumentParser
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey start`.
package struct StartCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start the device: its daemon and its enclave, in the background.")

    @OptionGroup package var common: CommonOptions

    /// As the daemon's option: the cost of a passcode that is set, as a power of two. A passcode that is cheap to guess is for tests alone.
    @Option(help: .hidden) package var testOnlyPasscodeCost: UInt8?

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        if let system = DeviceAccess.systemDevice(common) {
            return Report(
                "Your device is the system's (\(system.device.path)). It starts by itself when it is used: "
                    + "latchkey status"
                    + (DeviceAccess.secondDevice(common).map { "\n" + OwnersToolWords.secondDevice($0) + "." } ?? ""),
                json: .object([
                    ("started", .boolean(false)), ("device", .string(system.device.path)), ("system", .boolean(true)),
                ]))
        }
        let directory = try DeviceAccess.directory(common)
        let pair = DaemonPair(directory: directory)
        let json: ([(String, JSONValue)]) -> JSONValue = { .object($0 + [("device", .string(directory.path))]) }
        if let daemon = pair.daemon {
            return Report(
                "The device runs already (process \(daemon.identifier)).",
                json: json([("started", .boolean(false)), ("process", .integer(Int64(daemon.identifier)))]))
        }
        let daemon = try pair.start(testOnlyPasscodeCost.map { ["--test-only-passcode-cost", String($0)] } ?? [])
        return Report(
            "The device is running (process \(daemon.identifier), \(directory.path)).\n" + (try nextSteps(directory)),
            json: json([("started", .boolean(true)), ("process", .integer(Int64(daemon.identifier)))]))
    }

    /// Returns the next steps, which depend on the state that the device starts in.
    private func nextSteps(_ directory: DeviceDirectory) throws(CommandFailure) -> String {
        let status = try DeviceAccess(.socket(path: directory.keychainSocket)).status()
        let latchkey = ToolProgram.invokedName
        let option = common.device == nil ? "" : " --device \(directory.path)"
        guard status.enclave.hasPasscode else {
            return """
                No passcode is set: anyone with access to this account can read every item. Next:
                  \(latchkey) passcode set\(option)
                  \(latchkey) add-generic-password\(option) -s SERVICE -a ACCOUNT -w
                  \(latchkey) find-generic-password\(option) -s SERVICE -w
                """
        }
        guard status.enclave.lockState != .unlocked else { return "It is unlocked." }
        return "It is locked. Next:\n  \(latchkey) unlock\(option)"
    }
}

/// `latchkey stop`.
package struct StopCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop the device. With a passcode set it is locked afterwards, as after a restart.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        if let system = DeviceAccess.systemDevice(common) {
            throw CommandFailure(
                .stopFailed, "Your device is the system's, and only root can stop it.",
                advice: "To lock it: latchkey lock --now. As root: systemctl stop \(system.daemonUnit).service "
                    + "\(system.enclaveUnit).service")
        }
        let directory = try DeviceAccess.directory(common)
        if common.device == nil, case .socket(let path) = try DeviceAccess.location(common),
            path != directory.keychainSocket
        {
            throw try Self.failure(behind: path)
        }
        let count = try DaemonPair(directory: directory).stop()
        return Report(
            count == 0 ? "The device was not running." : "The device has stopped.",
            json: .object([("stopped", .boolean(count > 0))]))
    }

    /// The refusal to stop a device of which only the socket is named: its processes are found in its directory.
    private static func failure(behind socket: String) throws(CommandFailure) -> CommandFailure {
        let directory = try DeviceAccess(.socket(path: socket)).status().directory
        let owner = PathText.name(of: PathText.directory(of: socket))
        let system = SystemInstallation(owner: owner)
        let command =
            system.keychainSocket == socket
            ? "As root: systemctl stop \(system.daemonUnit).service \(system.enclaveUnit).service"
            : "latchkey stop --device '\(PlainText.escaped(directory))'"
        return CommandFailure(
            .stopFailed, "The device is running, and cannot be stopped through its socket.",
            why: "LATCHKEY_DEVICE names the socket alone, \(PlainText.escaped(socket)).",
            advice: "Stop it with its directory: \(command)")
    }
}
