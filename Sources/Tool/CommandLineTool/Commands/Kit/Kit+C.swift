import Foundation
import Glibc
import LatchkeyPlainText

/// A directory with the modules and the shared library of Latchkey, for packages that know nothing of it.
package struct Kit: Sendable {
    package static let variable = "LATCHKEY_KIT"

    package let path: String
    package let description: KitDescription

    /// The kit that is named, by the option or by `LATCHKEY_KIT`; else the one beside this program, or of its build.
    package static func found(
        named: String?, environment: [String: String], program: String? = Program.directoryOfThisOne
    ) throws(CommandFailure) -> Kit {
        let chosen = named ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        if let chosen { return try Kit(path: chosen) }
        // .build/PLATFORM/debug has the programs of a build, .build its kit.
        let places = program.map { ["\($0)/kit", "\($0)/../../latchkey-kit"] } ?? []
        guard let place = places.first(where: { BoundedFile.isReadable("\($0)/\(KitDescription.fileName)") }) else {
            throw CommandFailure(
                .kitMissing, "There is no kit beside this program.",
                why: "The kit has the compiled modules that a package imports.",
                advice: "Build it in the directory of Latchkey with `make kit`; --kit or \(variable) names another one."
            )
        }
        return try Kit(path: place)
    }

    package init(path: String) throws(CommandFailure) {
        let resolved = unsafe realpath(path, nil)
        defer { unsafe free(resolved) }
        guard let resolved = unsafe resolved else {
            throw CommandFailure(
                .kitMissing, "There is no kit at \(path).", why: SystemError.text(errno),
                advice: "`make kit` in the directory of Latchkey builds one.")
        }
        self.path = unsafe String(cString: resolved)
        let file = self.path + "/" + KitDescription.fileName
        guard let text = BoundedFile.text(file, limit: 1 << 16), let description = KitDescription(Array(text.utf8))
        else {
            throw CommandFailure(
                .kitMissing, "\(path) is not a kit of this version.", why: "\(file) is missing or cannot be parsed.",
                advice: "`make kit` in the directory of Latchkey builds one.")
        }
        self.description = description
    }

    /// Refuses a kit that another compiler made: its modules cannot be loaded.
    package func check(_ compiler: CompilerInformation) throws(CommandFailure) {
        guard description.compiler == compiler.version, description.target == compiler.target else {
            throw CommandFailure(
                .kitUnsuitable, "The kit was made by another compiler than the one on the PATH.",
                why:
                    "It is of \(description.compiler) for \(description.target), and this one is \(compiler.version) for "
                    + "\(compiler.target).",
                advice: "Build it anew: make -C \(description.source) kit")
        }
    }
}

/// The version of a compiler and the machine that it compiles for, as `swiftc -print-target-info` names them.
package struct CompilerInformation: Sendable, Hashable {
    package let version: String
    package let target: String

    package init(version: String, target: String) {
        self.version = version
        self.target = target
    }

    private struct Document: Decodable {
        struct Target: Decodable {
            let unversionedTriple: String
        }

        let compilerVersion: String
        let target: Target
    }

    /// Nil if the text is not the compiler's JSON document.
    package init?(_ text: String) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(text.utf8)) else { return nil }
        self.init(version: document.compilerVersion, target: document.target.unversionedTriple)
    }

    /// That of the compiler on the PATH.
    package static func found() throws(CommandFailure) -> CompilerInformation {
        let compiler = try Program.onPath("swiftc")
        guard let text = compiler.output(of: ["-print-target-info"]), let information = CompilerInformation(text) else {
            throw CommandFailure(.startFailed, "\(compiler.path) does not say which version it is.")
        }
        return information
    }
}
