package import ArgumentParser
import Glibc
import LatchkeyKeybag
import LatchkeyPlainText
import LatchkeyVolume

/// `latchkey volume unmount`.
package struct VolumeUnmount: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "unmount", abstract: "Let the folder of a volume disappear.",
        discussion: """
            Returns when everything that was written is on the disk and the volume is free. If the process that serves it \
            was killed, programs that wait for it get errors.
            """)

    @Argument(
        help: ArgumentHelp("The folder, or the directory that stores the volume.", valueName: "dir"),
        completion: .directory)
    package var directory: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard let volume = MountedVolume.find(directory) else {
            throw CommandFailure(
                .inputUnreadable, "No volume is mounted at \(PlainText.escaped(directory)), and none is stored in it.",
                advice: "`\(ToolProgram.invokedName) volume status` shows those that are mounted.")
        }
        let server = volume.server
        if let server, server.state == .stopped { throw Self.stopped(server, volume) }
        try volume.endIfDead()
        try Self.detach(volume.mountPoint, isLazy: isLeft(volume, server))
        try VolumeRelease(storage: volume.storage, folder: volume.mountPoint, server: server, tell: Self.tell).wait()
        return Report(
            "\(PlainText.escaped(volume.mountPoint)) is unmounted.",
            json: .object([("storage", .string(volume.storage)), ("folder", .string(volume.mountPoint))]))
    }

    /// Waits until the process answers, and returns true if there is none any more.
    private func isLeft(_ volume: MountedVolume, _ server: VolumeServer?) throws(CommandFailure) -> Bool {
        for attempt in 0..<Self.attempts {
            switch VolumeServing(of: volume) {
            case .served: return false
            case .gone: return true
            case .silent:
                if let server, VolumeServer.state(ofProcess: server.process) == .stopped {
                    throw Self.stopped(server, volume)
                }
                if attempt == 0 { Self.tell("Waiting for an answer of \(Self.name(server)).") }
            }
        }
        throw CommandFailure(
            .stopFailed, "\(PlainText.escaped(volume.mountPoint)) was not unmounted.",
            why: "No answer came from \(Self.name(server)).",
            advice: "Wait until it does, or end it: what programs have not synchronized is lost then.")
    }

    private static func stopped(_ server: VolumeServer, _ volume: MountedVolume) -> CommandFailure {
        CommandFailure(
            .stopFailed, "\(PlainText.escaped(volume.mountPoint)) was not unmounted.",
            why: "Process \(server.process), which serves it, is stopped.",
            advice: "Let it go on, and try again: kill -CONT \(server.process)")
    }

    private static func name(_ server: VolumeServer?) -> String {
        server.map { "process \($0.process)" } ?? "the process that serves the volume"
    }

    private static func tell(_ sentence: String) { StandardError.write("latchkey: \(sentence)\n") }

    /// An attempt takes two seconds.
    private static let attempts = 30

    /// Takes a mount away.
    ///
    /// - Parameter isLazy: also one whose process has ended, or that programs use.
    static func detach(_ folder: String, isLazy: Bool) throws(CommandFailure) {
        if geteuid() == 0 {
            guard unsafe umount2(folder, isLazy ? Int32(MNT_DETACH) : 0) != 0 else { return }
            throw failure(folder, SystemError.text(errno))
        }
        let tools = ["/usr/bin/fusermount3", "/bin/fusermount3"]
        guard let tool = tools.first(where: { unsafe access($0, X_OK) == 0 }) else {
            throw CommandFailure(
                .startFailed, "fusermount3 was not found.", advice: "Install the package fuse3, or unmount as root.")
        }
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        do throws(ProgramFailure) {
            let identifier = try Program(path: tool).start(
                ["-u"] + (isLazy ? ["-z"] : []) + ["--", folder], descriptors: (nothing, nothing, nothing),
                detached: false)
            var status: Int32 = 0
            unsafe waitpid(identifier, &status, 0)
            guard status != 0 else { return }
        } catch {
            throw CommandFailure(.startFailed, "\(tool) could not be started.", why: SystemError.text(error.errno))
        }
        throw failure(folder, "fusermount3 refused")
    }

    private static func failure(_ folder: String, _ why: String) -> CommandFailure {
        CommandFailure(
            .stopFailed, "\(PlainText.escaped(folder)) was not unmounted.", why: why,
            advice: "Close the programs that use it, those whose working directory it is too, and try again.")
    }
}

/// `latchkey volume status`.
package struct VolumeStatus: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the volumes that are mounted, or what a directory stores.")

    @Argument(
        help: ArgumentHelp("A folder, or a directory that stores a volume.", valueName: "dir"), completion: .directory)
    package var directory: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard let directory else {
            let volumes = MountedVolume.all().map { ($0, VolumeServing(of: $0)) }
            return Report(
                volumes.isEmpty ? "No volume is mounted." : volumes.map(Self.line).joined(separator: "\n"),
                json: .array(volumes.map(Self.json)))
        }
        if let mounted = MountedVolume.find(directory) {
            let serving = VolumeServing(of: mounted)
            return Report(Self.line(mounted, serving), json: Self.json(mounted, serving))
        }
        do throws(Volume.OpeningFailure) {
            let description = try Volume.description(storedIn: directory)
            let name = FileClassName.readable(description.defaultProtection)
            return Report(
                "\(PlainText.escaped(directory)) stores a volume, which is not mounted. New files get the class \(name).",
                json: .object([
                    ("storage", .string(directory)), ("folder", .null),
                    ("class", .string(description.defaultProtection.rawValue)),
                ]))
        } catch {
            throw CommandFailure(error, directory)
        }
    }

    private static func line(_ volume: MountedVolume, _ serving: VolumeServing) -> String {
        let (folder, storage) = (PlainText.escaped(volume.mountPoint), PlainText.escaped(volume.storage))
        let tool = ToolProgram.invokedName
        let trouble =
            switch serving {
            case .served: ""
            case .gone:
                "\n  Its process has ended: `\(tool) volume mount \(storage) \(folder)` mounts it again."
            case .silent: "\n  \(silence(volume))"
            }
        return "\(folder)  stored in \(storage)" + (volume.isReadOnly ? "  read-only" : "")
            + trouble
    }

    private static func silence(_ volume: MountedVolume) -> String {
        let folder = PlainText.escaped(volume.mountPoint)
        guard let server = volume.server else {
            return "Its process does not answer: programs that use the folder wait."
        }
        return switch server.state {
        case .running: "Its process \(server.process) does not answer: programs that use the folder wait."
        case .stopped:
            "Its process \(server.process) is stopped and does not answer: `kill -CONT \(server.process)` lets it go on."
        case .dead:
            "\(server.words) was killed and does not answer: `\(ToolProgram.invokedName) volume unmount \(folder)` "
                + "ends what waits for it."
        }
    }

    private static func json(_ volume: MountedVolume, _ serving: VolumeServing) -> JSONValue {
        .object([
            ("storage", .string(volume.storage)), ("folder", .string(volume.mountPoint)),
            ("readOnly", .boolean(volume.isReadOnly)), ("server", .string(serving.rawValue)),
        ])
    }
}
