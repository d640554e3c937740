package import ArgumentParser
import Foundation
import LatchkeyPlainText

/// The options that choose a kit and what a package sees of it.
package struct KitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The directory of the kit to use.", valueName: "dir"), completion: .directory)
    package var kit: String?

    @Option(
        help: ArgumentHelp(
            "A part that packages may import; several times for several. All by default.", valueName: "part"))
    package var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "A part on request: AppleNames, which every file then imports, os or Compression, which files import by name. "
                + "Several times for several.",
            valueName: "part"))
    package var with: [String] = []

    @Flag(help: "Import Security, and parts on request, only where a file says so, and not into every file.")
    package var noImplicitImport = false

    package init() {}

    /// The kit, checked against the compiler on the PATH, and the file with its toolset.
    ///
    /// - Parameter package: the one that is built, which gets the file where the user has no directory for it.
    func prepared(
        for package: SwiftPackage? = nil
    ) throws(CommandFailure) -> (kit: Kit, parts: [KitDescription.Part], file: String) {
        let environment = ProcessInfo.processInfo.environment
        let kit = try Kit.found(named: kit, environment: environment)
        try kit.check(CompilerInformation.found())
        let parts = try kit.description.parts(only, requested: with)
        let imports = noImplicitImport ? [] : kit.description.implicitImports(parts, requested: with)
        let toolset = Toolset(kit: kit.path, description: kit.description, parts: parts, imports: imports)
        return (kit, parts, try Self.write(toolset, environment, package))
    }

    /// The directory for toolsets: in the user's cache, or for a user without a home in what the package builds.
    package static func directory(_ environment: [String: String], _ package: SwiftPackage?) -> String? {
        let named = environment["XDG_CACHE_HOME"].flatMap { PathText.isAbsolute($0) ? $0 : nil }
        let cache = named ?? environment["HOME"].flatMap { PathText.isAbsolute($0) ? $0 + "/.cache" : nil }
        return (cache ?? package?.scratchDirectory(environment)).map { $0 + "/latchkey" }
    }

    /// Writes the toolset, and returns its path. A file with the same content is left alone.
    private static func write(
        _ toolset: Toolset, _ environment: [String: String], _ package: SwiftPackage?
    ) throws(CommandFailure) -> String {
        guard let directory = directory(environment, package) else {
            throw CommandFailure(
                .failure, "There is no directory for the toolset.", why: "Neither XDG_CACHE_HOME nor HOME is set.",
                advice: "Set one of them to an absolute path.")
        }
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(
                .failure, "\(directory) cannot be made.", advice: "Name another place in XDG_CACHE_HOME.")
        }
        let path = directory + "/" + toolset.fileName
        guard BoundedFile.text(path, limit: 1 << 16) != toolset.text else { return path }
        try ResultFile.write(Array(toolset.text.utf8), to: path)
        return path
    }
}
