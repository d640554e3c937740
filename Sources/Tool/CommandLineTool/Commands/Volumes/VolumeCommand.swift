package import ArgumentParser

/// `latchkey volume`.
package struct VolumeCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Folders for every program, whose files follow the lock state.",
        discussion: """
            A volume is stored in a directory, encrypted, and appears as a folder while it is mounted. Every file in it \
            has a class, which `latchkey file class` shows and sets.
            """,
        subcommands: [
            VolumeCreate.self, VolumeMountCommand.self, VolumeUnmount.self, VolumeStatus.self, VolumeCheckCommand.self,
        ])

    package init() {}
}
