package import ArgumentParser

/// `latchkey backup`.
package struct BackupCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Backups of items and files, in the form that Finder and iTunes write.",
        discussion: """
            A backup is a folder named after its device. Tools that read backups of an iPhone read it. An encrypted one \
            opens with its password anywhere; without a password, files lie in clear and items come back on this device \
            alone.
            """,
        subcommands: [
            BackupPlan.self, BackupCreate.self, BackupVerify.self, BackupInspect.self, BackupList.self,
            BackupExtract.self, BackupRehearse.self, BackupRestore.self, BackupPasswordCommand.self,
        ])

    package init() {}
}

/// `latchkey backup password`.
package struct BackupPasswordCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "password", abstract: "The password of encrypted backups.",
        discussion: "The device keeps what it needs to back up without being told the password each time.",
        subcommands: [BackupPasswordSet.self, BackupPasswordChange.self, BackupPasswordRemove.self])

    package init() {}
}
