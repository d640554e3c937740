package import ArgumentParser
import Glibc
import LatchkeyPlainText
import LatchkeyPrompt
import LatchkeyVolume
import Synchronization

/// `latchkey volume check`.
package struct VolumeCheckCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Verify everything that a volume stores.",
        discussion: """
            The volume must not be mounted. Names, attributes and the content of every file are read and verified; files \
            whose class is locked are counted and left out. Nothing is changed without --repair.
            """)

    @Argument(help: ArgumentHelp("The directory that stores the volume.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Flag(help: "Remove what operations that were cut off left behind, and replace damaged copies of headers.")
    package var repair = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        // Before any thread of the device's.
        let isInterrupted = Mutex(false)
        let watch = InterruptWatch { signal in
            isInterrupted.withLock { $0 = true }
            return signal == SIGINT
        }
        defer { watch?.stop() }
        if let mounted = MountedVolume.find(directory) {
            throw CommandFailure(
                .deviceInUse, "\(PlainText.escaped(directory)) was not checked.",
                why: "The volume is mounted at \(PlainText.escaped(mounted.mountPoint)).",
                advice: "Unmount it first: \(ToolProgram.invokedName) volume unmount "
                    + PlainText.escaped(mounted.mountPoint))
        }
        let volume: Volume
        let device = try DeviceAccess(common)
        do throws(Volume.OpeningFailure) {
            volume = try Volume(storedIn: directory, device.keychain, isReadOnly: !repair)
        } catch {
            throw CommandFailure(error, directory)
        }
        let progress = common.json ? nil : ProgressLine(isQuiet: false)
        progress?.begin("Checking", total: Int(clamping: VolumeCheck.storedByteCount(of: volume)))
        let result = VolumeCheck.run(on: volume, repairs: repair) { count in
            progress?.advance(by: Int(clamping: count))
            return !isInterrupted.withLock { $0 }
        }
        progress?.clear()
        return VolumeCheckReport(directory: directory, result: result).report
    }
}
