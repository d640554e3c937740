package import ArgumentParser
import Glibc
import LatchkeyDevice
import LatchkeyPlainText
import LatchkeyVolume

/// `latchkey volume mount`.
package struct VolumeMountCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Let a volume appear as a folder.",
        discussion: """
            Returns when programs can use the folder. A process in the background serves it until `latchkey volume \
            unmount`, or until it is told to end.
            """)

    @Argument(help: ArgumentHelp("The directory that stores the volume.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Argument(
        help: ArgumentHelp("The folder. Without one, the volume covers its own directory.", valueName: "folder"),
        completion: .directory)
    package var folder: String?

    @Flag(help: "Nothing in the volume can be changed.")
    package var readOnly = false

    @Flag(help: "Let other users in, as the permissions of files allow.")
    package var allowOthers = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard case .socket(let socket) = try DeviceAccess.location(common) else {
            throw CommandFailure(
                .deviceUnreachable, "No daemon runs for the device.",
                why: "A volume asks the device for keys as long as it is mounted.",
                advice: "Start the daemon with: \(ToolProgram.invokedName) start\(startOption)")
        }
        try PathArgument.check(directory)
        if let folder { try PathArgument.check(folder) }
        let storage = MountedVolume.absolute(directory)
        let folder = MountedVolume.absolute(self.folder ?? directory)
        try detachDead(at: [storage, folder])
        try checkNotMounted(storage, folder)
        // Opened here first: why a volume does not open is known best where the device is asked.
        try checkOpens(storage)
        try makeReady(folder, isStorage: storage == folder)
        var arguments = ["--storage", storage, "--at", folder, "--announce"]
        if readOnly { arguments.append("--read-only") }
        if allowOthers { arguments.append("--allow-others") }
        try start(arguments, device: socket)
        return Report(
            "\(PlainText.escaped(storage)) is mounted at \(PlainText.escaped(folder)).",
            json: .object([("storage", .string(storage)), ("folder", .string(folder))]))
    }

    private var startOption: String { common.device.map { " --device \(PlainText.escaped($0))" } ?? "" }

    /// Takes away volumes in the way whose processes have ended.
    private func detachDead(at paths: [String]) throws(CommandFailure) {
        for volume in MountedVolume.all() where paths.contains(volume.mountPoint) || paths.contains(volume.storage) {
            try volume.endIfDead()
            guard paths.contains(volume.mountPoint), VolumeServing(of: volume) == .gone else { continue }
            try VolumeUnmount.detach(volume.mountPoint, isLazy: true)
        }
    }

    private func checkNotMounted(_ storage: String, _ folder: String) throws(CommandFailure) {
        let mounted = MountedVolume.all().last { volume in
            volume.mountPoint == folder || volume.mountPoint == storage
                || (volume.storage == storage && Volume.isServed(storedIn: storage) && !readOnly)
        }
        guard let mounted else { return }
        let place = PlainText.escaped(mounted.mountPoint)
        throw CommandFailure(
            .deviceInUse, "The volume was not mounted.",
            why: "\(PlainText.escaped(mounted.storage)) is mounted at \(place).",
            advice: "Use it there, or unmount it first: \(ToolProgram.invokedName) volume unmount \(place)")
    }

    private func checkOpens(_ storage: String) throws(CommandFailure) {
        let keychain = try DeviceAccess(common).keychain
        do throws(Volume.OpeningFailure) {
            _ = try Volume(storedIn: storage, keychain, isReadOnly: readOnly)
        } catch {
            throw CommandFailure(error, storage)
        }
    }

    /// The folder is there and empty, or it is made.
    private func makeReady(_ folder: String, isStorage: Bool) throws(CommandFailure) {
        guard !isStorage else { return }
        let name = PlainText.escaped(folder)
        if unsafe mkdir(folder, 0o700) == 0 { return }
        guard errno == EEXIST else {
            throw CommandFailure(.outputNotWritten, "\(name) could not be made.", why: SystemError.text(errno))
        }
        guard let directory = unsafe opendir(folder) else {
            throw CommandFailure(.inputUnreadable, "\(name) cannot be used as a folder.", why: SystemError.text(errno))
        }
        defer { unsafe closedir(directory) }
        // Beside `.` and `..`.
        var count = -2
        while unsafe readdir(directory) != nil { count += 1 }
        guard count > 0 else { return }
        throw CommandFailure(
            .outputExists, "\(name) is not empty.", why: "What is in it would be hidden while the volume is mounted.",
            advice: "Choose an empty folder, or one that is not there yet.")
    }

    /// Starts the process, and waits until it says that programs can use the volume.
    private func start(_ arguments: [String], device socket: String) throws(CommandFailure) {
        guard let program = Program.besideThisOne("latchkey-volume") else {
            throw CommandFailure(
                .startFailed, "latchkey-volume was not found.", why: "It is not beside this program.",
                advice: "Build everything with `make build`, or install the programs in one directory.")
        }
        guard let announcement = OwnPipe(), let words = OwnPipe() else {
            throw CommandFailure(.startFailed, "\(program.path) could not be started.", why: SystemError.text(errno))
        }
        let nothing = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(nothing) }
        let identifier: Int32
        do throws(ProgramFailure) {
            identifier = try program.start(
                arguments, environment: ToolEnvironment.with("LATCHKEY_DEVICE", "unix:" + socket),
                descriptors: (nothing, announcement.writing, words.writing), detached: true)
        } catch {
            throw CommandFailure(
                .startFailed, "\(error.path) could not be started.", why: SystemError.text(error.errno))
        }
        announcement.closeWriting()
        words.closeWriting()
        // A process that ends without a word closes the pipe.
        guard announcement.read(limit: 1).isEmpty else { return }
        let said = String(decoding: words.read(limit: 4096), as: UTF8.self).split(separator: "\n")
        waitpid(identifier, nil, 0)
        throw CommandFailure(
            .startFailed, "The volume was not mounted.", why: said.joined(separator: " / "),
            advice: "`\(ToolProgram.invokedName) doctor` checks what mounting needs.")
    }
}

/// A pipe, closed with its owner.
@safe private final class OwnPipe {
    private var ends: [Int32]

    init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.ends = ends
    }

    deinit {
        for end in ends where end >= 0 { close(end) }
    }

    var writing: Int32 { ends[1] }

    func closeWriting() {
        close(ends[1])
        ends[1] = -1
    }

    /// Reads until the other end is closed, or up to a number of bytes.
    func read(limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 512)
        while bytes.count < limit {
            let wanted = min(piece.count, limit - bytes.count)
            let count = unsafe Glibc.read(ends[0], &piece, wanted)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes
    }
}

/// The environment of a program that this one starts.
enum ToolEnvironment {
    /// This process's own, with one variable set.
    static func with(_ name: String, _ value: String) -> [String] {
        var variables: [String] = []
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            let text = unsafe String(cString: variable)
            if !text.hasPrefix(name + "=") { variables.append(text) }
            unsafe next += 1
        }
        return variables + ["\(name)=\(value)"]
    }
}
