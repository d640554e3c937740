package import ArgumentParser
import Glibc
import LatchkeyFileAccess
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyVolume

/// `latchkey volume create`.
package struct VolumeCreate: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a volume in a directory that is empty or not there yet.")

    @Argument(help: ArgumentHelp("The directory that stores the volume.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Option(
        name: .customLong("class"),
        help: ArgumentHelp("The class of new files: \(FileClassName.choices).", valueName: "class"))
    package var fileClass = "until-first-unlock"

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard let protection = FileClassName.protection(from: fileClass) else {
            throw CommandFailure(
                .usage, "There is no class \(PlainText.escaped(fileClass)).",
                advice: "Choose one: \(FileClassName.choices).")
        }
        try PathArgument.check(directory)
        let device = try DeviceAccess(common)
        let name = PlainText.escaped(directory)
        if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw CommandFailure(.outputNotWritten, "\(name) could not be made.", why: SystemError.text(errno))
        }
        do throws(Volume.OpeningFailure) {
            try Volume.create(in: directory, device.keychain, defaultProtection: protection)
        } catch {
            throw CommandFailure(error, directory)
        }
        return Report(
            "A volume is stored in \(name); new files get the class \(FileClassName.readable(protection)). Next:\n"
                + "  \(ToolProgram.invokedName) volume mount\(device.option) \(name) FOLDER",
            json: .object([
                ("directory", .string(directory)), ("class", .string(protection.rawValue)),
            ]))
    }
}

extension CommandFailure {
    /// A volume that was not made or opened.
    init(_ failure: Volume.OpeningFailure, _ directory: String) {
        let status: ExitReason
        switch failure {
        case .description(.damaged): status = .fileDamaged
        case .description, .noAttributes, .system: status = .inputUnreadable
        case .inUse: status = .deviceInUse
        case .notEmpty: status = .outputExists
        case .access(.refused(let refusal)) where refusal.code == .interactionNotAllowed: status = .locked
        case .access: status = .keychainRefused
        }
        self.init(status, "\(PlainText.escaped(directory)) is not usable as a volume.", why: failure.reason)
    }
}
