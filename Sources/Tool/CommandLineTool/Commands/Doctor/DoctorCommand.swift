package import ArgumentParser
import Glibc
package import LatchkeyDevice
import LatchkeyKeychainMessages

/// `latchkey doctor`.
package struct DoctorCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say how the device is installed, what that promises, and which step is missing.",
        discussion: """
            Ends with 0 if everything is there that this kind of installation promises, else with 18. Nothing is changed, with
            one exception: search tokens of former formats, by which secrets can be guessed, are taken out of databases that
            were set aside.
            """)

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let location = try DeviceAccess.location(common)
        let kind = InstallationKind(location, system: DeviceLocation.ofThisUser)
        return Examination(
            kind: kind, location: location, secondDevice: DeviceAccess.secondDevice(common)
        ).report
    }
}

/// All steps of an installation, looked at once.
package struct Examination: Sendable {
    package let kind: InstallationKind
    package let steps: [InstallationStep]

    /// - Parameter secondDevice: a device of the user that is not the one that is looked at, and not used.
    package init(kind: InstallationKind, location: DeviceLocation, secondDevice: DeviceDirectory? = nil) {
        self.kind = kind
        let second = secondDevice.map { directory in
            InstallationStep(
                "second device", .notice, "\(directory.path) is not used, and may hold items",
                mend: "latchkey migrate")
        }
        let steps =
            switch kind {
            case .system(let system): Self.steps(system, location)
            case .user(let directory): Self.steps(directory, location)
            case .embedded(let directory): Self.steps(embedded: directory, location)
            case .none:
                [
                    InstallationStep(
                        "device", .missing, "this user has none",
                        mend: "latchkey start, or for the whole machine: latchkey-setup --owner USER")
                ]
            }
        self.steps = steps + (second.map { [$0] } ?? [])
    }

    package var isComplete: Bool { !steps.contains { $0.state == .missing } }

    package var report: Report {
        let missing = steps.filter { $0.state == .missing }.count
        let last =
            isComplete
            ? "Everything is there that this installation promises."
            : "\(missing) step\(missing == 1 ? " is" : "s are") missing."
        let lines = [kind.promise] + (kind.device.map { ["Device: \($0)"] } ?? []) + steps.map(\.text) + [last]
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("installation", .string(kind.name)), ("promise", .string(kind.promise)),
                ("device", kind.device.map(JSONValue.string) ?? .null), ("complete", .boolean(isComplete)),
                ("steps", .array(steps.map(\.json))),
            ]), status: isComplete ? .success : .installationIncomplete)
    }

    private static func steps(_ system: SystemInstallation, _ location: DeviceLocation) -> [InstallationStep] {
        // First, because asking the device starts the programs that start on demand.
        // Until there is a passcode, the device is root's.
        let answer = answer(
            of: location, mend: "systemctl restart \(system.daemonUnit).service",
            restart: "systemctl restart \(system.enclaveUnit).service",
            tool: "sudo env LATCHKEY_DEVICE=unix:\(system.keychainSocket) latchkey")
        let enclave = ProcessFacts.find(DaemonPair.enclaveName, option: "--storage", value: system.enclaveStorage)
        let daemon = ProcessFacts.find(DaemonPair.daemonName, option: "--device", value: system.device.path)
        return ProgramSteps.steps(
            in: system.programs, owner: 0, reinstall: "Scripts/install-system")
            + DirectorySteps.system(system) + [TrustedGroupStep.step(isPromised: true), answer.step]
            + ProcessSteps.steps(
                "daemon", daemon, user: Account.userID(system.daemonUser), program: DaemonPair.daemonName,
                start: "systemctl restart \(system.daemonUnit).service")
            + ProcessSteps.steps(
                "enclave", enclave, user: Account.userID(system.enclaveUser), program: DaemonPair.enclaveName,
                start: "systemctl restart \(system.enclaveUnit).service")
            + KernelSteps.steps() + answer.ofDevice + [SetAsideSteps.ofDaemon(system.device)]
            + [DeviceSteps.auditLog(system.device, isOwnFile: false)]
            + FileSteps.steps()
    }

    private static func steps(_ directory: DeviceDirectory, _ location: DeviceLocation) -> [InstallationStep] {
        let answer = answer(of: location, mend: start(directory))
        let pair = DaemonPair(directory: directory)
        return programsHere + DirectorySteps.device(directory, owner: geteuid()) + [answer.step]
            + ProcessSteps.steps(
                "daemon", pair.daemon.flatMap { ProcessFacts($0.identifier) }, user: geteuid(),
                program: DaemonPair.daemonName, start: start(directory))
            + ProcessSteps.steps(
                "enclave", pair.enclave.flatMap { ProcessFacts($0.identifier) }, user: geteuid(),
                program: DaemonPair.enclaveName, start: start(directory))
            + [
                InstallationStep(
                    "separate users", .notice, "daemon and enclave run as this user, and its programs can attack them",
                    mend: "latchkey-setup --owner USER"), TrustedGroupStep.step(isPromised: false),
            ] + KernelSteps.steps() + answer.ofDevice + SetAsideSteps.steps(directory)
            + [DeviceSteps.auditLog(directory, isOwnFile: true)]
            + FileSteps.steps()
    }

    private static func steps(embedded directory: DeviceDirectory, _ location: DeviceLocation) -> [InstallationStep] {
        let answer = answer(of: location, mend: start(directory))
        return DirectorySteps.device(directory, owner: geteuid()) + [
            answer.step
        ] + served(directory) + answer.ofDevice + SetAsideSteps.steps(directory)
            + [DeviceSteps.auditLog(directory, isOwnFile: true)]
            + FileSteps.steps()
    }

    private static func served(_ directory: DeviceDirectory) -> [InstallationStep] {
        let found = "none runs: the device cannot be kept unlocked"
        guard ReadOnlyDevice.isNeeded(at: directory.path) else {
            return [InstallationStep("daemon", .notice, found, mend: start(directory))]
        }
        return [
            InstallationStep(
                "changes", .missing,
                "the directory takes no changes: items can be read, nothing can be stored, and no daemon serves it",
                mend: "mount it so that it can be written, or: cp -a '\(directory.path)' PLACE, "
                    + "then latchkey start --device PLACE"),
            InstallationStep("daemon", .notice, found),
        ]
    }

    private static var programsHere: [InstallationStep] {
        guard let directory = Program.directoryOfThisOne else { return [] }
        return ProgramSteps.steps(in: directory, owner: geteuid(), reinstall: "Scripts/install-user")
    }

    private static func start(_ directory: DeviceDirectory) -> String {
        "latchkey stop --device '\(directory.path)'; latchkey start --device '\(directory.path)'"
    }

    private static func answer(
        of location: DeviceLocation, mend: String, restart: String? = nil, tool: String = "latchkey"
    ) -> (step: InstallationStep, ofDevice: [InstallationStep]) {
        do throws(CommandFailure) {
            let device = try DeviceAccess(location)
            let status = try device.status()
            let steps = DeviceSteps.steps(status, device.enclaveRevision(), restart: restart ?? mend, tool: tool)
            return (InstallationStep("device answers", .ok, status.kind), steps)
        } catch {
            return (
                InstallationStep("device answers", .missing, error.why ?? error.what, mend: error.advice ?? mend), []
            )
        }
    }
}
