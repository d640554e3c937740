import ArgumentParser
import LatchkeyCommandLineTool
import Testing

@Suite("The command that the first words name")
struct NamedCommandTests {
    private static let paths = (CommandShape.tool?.paths ?? []).filter { !$0.isEmpty }

    @Test("is found for every command that does something, and is the one that the parser of the whole tool finds")
    func all() throws {
        #expect(Self.paths.count > 90)
        for path in Self.paths {
            let shape = try #require(CommandShape.tool?.command(named: path).command)
            // Without words of its own it stands for one of its subcommands.
            guard shape.defaultSubcommand == nil else {
                #expect(NamedCommand.find(path) == nil, "\(path)")
                continue
            }
            let found = try #require(NamedCommand.find(path + ["--json", "rest"]), "\(path)")
            #expect(found.command.configuration.commandName == path.last, "\(path)")
            #expect(found.rest == ["--json", "rest"], "\(path)")
        }
    }

    @Test(
        "nothing is found for words without a command, or with a group of them",
        arguments: ["", "nothing", "sync", "-h", "--version"])
    func none(_ line: String) {
        #expect(NamedCommand.find(line.split(separator: " ").map(String.init)) == nil)
    }

    @Test(
        "gives what the parser of the whole tool gives",
        arguments: [
            "find-generic-password -s mail -a anna -w", "add-internet-password -s host -a anna -U --json", "lock --now",
            "sync create --store folder:/srv/sync --name laptop", "error -25300", "volume mount a b --read-only",
        ])
    func same(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        guard case .runs(let command) = ToolProgram.command(words) else {
            Issue.record("\(line) is not understood")
            return
        }
        let whole = try Latchkey.parseAsRoot(ArgumentGuard.normalised(words))
        #expect(type(of: command) == type(of: whole))
        #expect(String(reflecting: command) == String(reflecting: whole))
    }
}
