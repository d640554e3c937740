package import ArgumentParser
import Foundation
import Glibc
import LatchkeyDevice
import LatchkeyPlainText

/// `latchkey swift`.
package struct SwiftCommand: ParsableCommand {
    package static let name = "swift"
    package static let configuration = CommandConfiguration(
        commandName: name, abstract: "Build, test or run a package with the modules of the kit.",
        discussion: """
            `latchkey swift test` is `swift test --toolset "$(latchkey toolset)"` on a throwaway device. Options of \
            this command come before build, test or run; what follows is for swift. The exit code is that of swift.
            """)

    @OptionGroup package var kit: KitOptions

    @Option(
        help: ArgumentHelp("The directory of the device to use, in place of a throwaway one.", valueName: "dir"),
        completion: .directory)
    package var device: String?

    @Option(
        help: ArgumentHelp(
            "The entitlements of the package's programs; by default the only .entitlements file of the package.",
            valueName: "file"), completion: .file())
    package var entitlements: String?

    @Option(
        help: ArgumentHelp(
            "A further access group of the package's programs; several times for several.", valueName: "group"))
    package var group: [String] = []

    @Option(
        help: ArgumentHelp("The bundle identifier of the package's programs.", valueName: "id"))
    package var bundleIdentifier: String?

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("build, test or run, and the arguments of swift.", valueName: "command"))
    package var arguments: [String] = []

    package init() {}

    /// Commands of swift that take a toolset.
    package static let commands = ["build", "test", "run"]

    package mutating func validate() throws {
        guard let command = arguments.first, Self.commands.contains(command) else {
            throw ValidationError("Name what swift is to do: \(Self.commands.joined(separator: ", ")).")
        }
    }

    package func run() throws {
        let status: Int32
        do throws(CommandFailure) {
            status = try perform()
        } catch {
            try error.report(asJSON: false)
        }
        guard status == 0 else { throw ExitCode(status) }
    }

    private func perform() throws(CommandFailure) -> Int32 {
        let package = SwiftPackage(arguments: arguments)
        let toolset = try kit.prepared(for: package).file
        let swift = try Program.onPath("swift")
        let line = [arguments[0], "--toolset", toolset] + arguments.dropFirst()
        // A build opens no device, and has no program whose identifier were asked for.
        guard arguments[0] != "build" else { return try swift.run(line, environment: Self.environment(adding: [:])) }

        let stage = try KitStage(device: device)
        var variables = stage.findingVariables(environment: ProcessInfo.processInfo.environment)
        variables["LATCHKEY_DEVICE"] = stage.location
        let identifier = bundleIdentifier ?? package.defaultIdentifier
        if let declared = try KitEntitlements.of(package, file: entitlements, groups: group, identifier: identifier) {
            variables[DeclaredEntitlements.variable] = try stage.write(declared)
        }
        try package.putInformation(identifier: identifier, swift: swift)
        let status = try swift.run(line, environment: Self.environment(adding: variables))
        if let summary = stage.summary() { StandardError.write("latchkey: \(summary)\n") }
        return status
    }

    /// This process's environment without a device or entitlements of its own, and with the variables.
    private static func environment(adding variables: [String: String]) -> [String] {
        ProcessInfo.processInfo.environment
            .filter { !["LATCHKEY_DEVICE", DeclaredEntitlements.variable].contains($0.key) }
            .merging(variables) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
    }
}
