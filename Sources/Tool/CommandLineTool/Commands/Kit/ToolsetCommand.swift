package import ArgumentParser

/// `latchkey toolset`.
package struct ToolsetCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "toolset", abstract: "Print the file that gives a package the modules of the kit.",
        discussion: """
            For instance: swift test --toolset "$(latchkey toolset)". The package need not name Latchkey, and no file \
            of it changes. `latchkey swift` does the same, on a throwaway device.
            """)

    @OptionGroup package var kit: KitOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let (kit, parts, file) = try kit.prepared()
        return Report(
            file,
            json: .object([
                ("toolset", .string(file)), ("kit", .string(kit.path)),
                ("parts", .array(parts.map { .string($0.name) })),
            ]))
    }
}
