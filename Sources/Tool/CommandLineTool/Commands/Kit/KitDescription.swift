import Foundation

/// The description in a kit, `kit.json`: the compiler that made it, and its parts (Docs/Design/030-kit.md).
package struct KitDescription: Decodable, Sendable, Hashable {
    /// A module that programs import, with its directory below `modules`.
    package struct Part: Decodable, Sendable, Hashable {
        package let name: String
        /// The parts without which its module cannot be loaded.
        package let needs: [String]
        /// True for a part that no package sees unless it is asked for. A part of an earlier kit does not say.
        package let onRequest: Bool?
        /// True for a part on request that only files which name it import.
        package let importedByName: Bool?
    }

    package static let fileName = "kit.json"
    package static let schemaVersion = 1

    package let schemaVersion: Int
    package let compiler: String
    package let target: String
    /// The directory of Latchkey that the kit was built in.
    package let source: String
    /// The directory with Core Foundation's headers, below the toolchain. A kit of an earlier build does not name it.
    package let coreFoundation: String?
    /// Directories that every program needs.
    package let sharedModules: [String]
    package let parts: [Part]

    /// Nil if the bytes are not such a description.
    package init?(_ bytes: [UInt8]) {
        guard let description = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            description.schemaVersion == Self.schemaVersion, !description.parts.isEmpty
        else { return nil }
        self = description
    }

    /// The parts of these names and those that they need, in the order of the kit; if no name is given, all that need
    /// no request.
    ///
    /// - Parameter requested: names of further parts, each of which is one on request.
    package func parts(_ names: [String], requested: [String] = []) throws(CommandFailure) -> [Part] {
        for name in requested where try part(name).onRequest != true {
            let parts = parts.filter { $0.onRequest == true }.map(\.name)
            throw CommandFailure(
                .usage, "\(name) is not a part on request.",
                why: "Packages see it without asking.",
                advice: parts.isEmpty ? "The kit has none." : "On request there is \(parts.joined(separator: ", ")).")
        }
        var chosen: Set<String> = []
        var rest = names.isEmpty ? parts.filter { $0.onRequest != true }.map(\.name) : names
        rest += requested
        while let name = rest.popLast() {
            let part = try part(name)
            if chosen.insert(name).inserted { rest += part.needs }
        }
        return parts.filter { chosen.contains($0.name) }
    }

    /// The names of parts that every file imports: `Security`, and those on request that say nothing else.
    package func implicitImports(_ parts: [Part], requested: [String]) -> [String] {
        parts.filter { $0.name == "Security" || requested.contains($0.name) && $0.importedByName != true }.map(\.name)
    }

    private func part(_ name: String) throws(CommandFailure) -> Part {
        guard let part = parts.first(where: { $0.name == name }) else {
            throw CommandFailure(
                .usage, "The kit has no part \(name).", advice: "It has \(parts.map(\.name).joined(separator: ", ")).")
        }
        return part
    }
}
