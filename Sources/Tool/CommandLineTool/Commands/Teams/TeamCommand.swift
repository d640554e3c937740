package import ArgumentParser

/// `latchkey team`.
package struct TeamCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "team", abstract: "Make teams, and say whose programs this device trusts.",
        subcommands: [TeamCreate.self, TeamList.self, TeamTrust.self, TeamRevoke.self, TeamAliasCommand.self])

    package init() {}
}
